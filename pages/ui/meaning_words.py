"""What the page Privacy says about a budget, in words."""

import math

from hierdp_core.privacy import Belief, Neighbours, PrivacyStatement

_MOST, _LEAST = 99.999, 0.001

HOW_TO_READ = (
    (
        "**Who is the attacker?** The strongest there is: someone who knows the data of everybody "
        "but one person, and has all computers and all other files they like. Real ones know less. "
        "Nothing that they could find out elsewhere is counted: the comparison is always between "
        "the "
        "release with that person and the release without."
    ),
    (
        "**Before and after.** Across: how sure the attacker was before. Up: how sure they can be "
        "after reading the whole release. On the dotted line they learned nothing. The blue band "
        "holds "
        "all that can happen."
    ),
    (
        "**ε, ρ, δ.** ε limits the factor by which one person can change the odds of anything. ρ "
        "limits it on average over the noise; said in ε it always comes with a small chance δ that "
        "the limit fails. Two conversions are in use and give different ε for the same noise: "
        "compare "
        "only numbers that name the same one."
    ),
    (
        "**Other people’s budgets.** The same ε over one event, one day or everything about a "
        "person "
        "are three different promises. Only releases that protect one record for the whole "
        "release, "
        "with the noise added once, in one place, stand in the picture; the table holds all."
    ),
    "There is no traffic light here: which ε is acceptable is a decision, not a measurement.",
)


def worlds(statement: PrivacyStatement) -> tuple[str, str]:
    """What the attacker wants to tell apart: (the question, a name for the other world)."""
    if statement.neighbours is Neighbours.ADD_OR_REMOVE_ONE:
        return f"whether {statement.unit} is in the data", f"without that {_bare(statement)}"
    return (
        f"which of two records {statement.unit} has",
        f"if that {_bare(statement)} has the other record",
    )


def belief_sentence(found: Belief, statement: PrivacyStatement, *, delta: float | None) -> str:
    """Before and after, with numbers."""
    question, _ = worlds(statement)
    but = "" if delta is None else f" (but for a chance of {delta:g})"
    return (
        f"An attacker who knows everything else and asks {question}: "
        f"**{_hundred(found.prior)} of 100** sure before the release, between "
        f"**{_hundred(found.least)} and {_hundred(found.most)} of 100** sure after it{but}."
    )


def odds_sentence(cases: int, without: str, with_one: str, statement: PrivacyStatement) -> str:
    """X of 100 with, y of 100 without."""
    _, other = worlds(statement)
    return (
        f"Take anything that the attacker might see as proof. If it comes up in **{without} of "
        f"{cases:,}** releases {other}, it comes up in at most **{with_one} of {cases:,}** "
        f"releases with that {_bare(statement)}."
    )


def conversion_sentence(statement: PrivacyStatement) -> str:
    """Where ρ comes from, for a budget stated in ε; what ε is, for one stated in ρ."""
    if statement.epsilon is None:
        return (
            f"The budget is ρ = {statement.rho:.6g}. As (ε, δ) it reads, by the two formulas in "
            "use:"
        )
    if not statement.delta:
        return (
            f"The budget is ε = {statement.epsilon:g}, without δ. In ρ it is at most "
            f"{statement.rho:.4g} ({statement.conversion}); from there the two formulas give an ε "
            "again, which may be smaller or larger than the one stated:"
        )
    if statement.rho is None:
        return (
            f"The budget is ε = {statement.epsilon:g} with δ = {statement.delta:g}, as it is: δ is "
            "the chance that a number which hangs on one record alone is released. There is no ρ."
        )
    return (
        f"The noise has ρ = {statement.rho:.6g}, the most that ε = {statement.epsilon:g} with "
        f"δ = {statement.delta:g} allows by the simple formula. By both formulas, at the δ chosen:"
    )


def deployment_sentence(yours: float, alike: int, larger: int, how: str) -> str:
    """Where your ε stands among the releases that can be compared."""
    return (
        f"Yours: ε = {yours:.3g} ({how}). Of {alike} published releases that protect one record "
        f"for the whole release, {larger} have a larger ε and {alike - larger} a smaller or equal "
        "one. What a record is differs: look at the column “protects”."
    )


def _bare(statement: PrivacyStatement) -> str:
    """The unit without its number: "person"."""
    return statement.unit.removeprefix("one ").split(",")[0]


def _hundred(chance: float) -> str:
    """A chance as a number of 100 that never claims certainty.

    >>> _hundred(0.731), _hundred(0.9991), _hundred(0.004), _hundred(1.0), _hundred(0.0)
    ('73', '99.91', '0.4', 'more than 99.999', 'less than 0.001')
    """
    value = 100 * chance
    if value > _MOST:
        return f"more than {_MOST}"
    if value < _LEAST:
        return f"less than {_LEAST}"
    far = min(value, 100 - value)  # from certainty, which needs digits near it
    digits = 0 if far >= 0.95 else math.ceil(-math.log10(far))
    text = f"{value:.{digits}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text
