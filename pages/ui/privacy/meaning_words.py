"""The sentences of the page on what ε means: every bound is rounded the safe way."""

from fractions import Fraction

from hierdp_core.privacy import (
    ACCOUNTS,
    NOISES,
    Belief,
    Neighbours,
    PrivacyStatement,
    belief,
    loss_limit,
)
from hierdp_core.privacy.budget import GAUSSIAN_NOISE
from hierdp_core.privacy.rounding import (
    GUARANTEE_DIGITS,
    percent_down,
    percent_exact,
    percent_up,
    upper,
)
from hierdp_core.util.constraints import USUAL_DELTA
from hierdp_core.util.text import at_most, paragraph

HOW_TO_READ = (
    (
        "**Who is the attacker?** The strongest there is: someone who knows the data of everybody "
        "but one person, and has all computers and all other files they like. Real ones know less. "
        "Nothing that they could find out elsewhere is counted: the comparison is always between "
        "the "
        "release with that person and the release without."
    ),
    (
        "**Prior and posterior.** The horizontal axis is the attacker’s belief before the release. "
        "The vertical axis is their belief after it. On the dotted line they gained no "
        "information. The blue band holds every possible posterior."
    ),
    (
        "**ε, ρ, δ.** ε limits the factor by which one person can change the odds of anything. ρ "
        "limits it on average over the noise. Converted to ε it always comes with a small "
        "probability δ that the limit fails. Several conversions are in use and give different ε "
        "for the same noise. Compare only numbers from the same one."
    ),
    (
        "**Other people’s budgets.** The same ε for one event, one day or all of a person’s data "
        "gives three different guarantees. Only releases that protect one record for the whole "
        "release, "
        "with the noise added once, in one place, stand in the picture; the table holds all."
    ),
    (
        "**Rounding.** Upper bounds on this page are rounded up and lower bounds are rounded down, "
        "so no number is stronger than the guarantee."
    ),
    "We do not rate ε as good or bad: the acceptable level is a policy decision.",
)

TITLE = "What does this budget mean?"
PINNED = "the guarantee is the same for a person here as for anyone else, however small the area."
SOURCES = (
    "Simple: Bun and Steinke 2016, Proposition 1.3. Corollary 13: Canonne, Kamath and Steinke "
    "2020. Exact: the privacy curve of the noise itself, composed over all releases. The ε of the "
    "2020 Census redistricting data follow Corollary 13, those of the demographic and housing "
    "characteristics the simple bound."
)
EXACT_OF_OTHERS = (
    "The exact curve of a published ρ is that of Gaussian noise with this ρ. It is an estimate: "
    "how the noise was divided is left out."
)
ACCOUNT = (
    "Both kinds of noise can keep this (ε, δ). They are compared by the variance of the noise in "
    "units of the squared sensitivity, summed over everything that is measured."
)


def candidate_rows(statement: PrivacyStatement) -> list[dict[str, str]]:
    """What the account of (ε, δ) weighed up, one row per kind of noise."""
    return [
        {
            "Noise": NOISES[one.noise],
            "Spends": f"{'ρ' if one.noise == GAUSSIAN_NOISE else 'ε'} = {_parameter(one.amount)}",
            "Relative variance": f"{one.variance:.3g}",
            "Shown by": one.source,
            "Used": "yes" if one.chosen else "no",
        }
        for one in statement.candidates
    ]


def finding(statement: PrivacyStatement) -> str:
    """The title: what the budget means for somebody whom an attacker is half sure about."""
    after = at_most(percent_up(belief(loss_limit(statement), 0.5).most))
    pure = statement.epsilon is not None and not statement.delta
    surest = f"{statement.guarantee}: an attacker who is 50% sure becomes {after} sure"
    if pure:
        return surest
    probability = _parameter(float(statement.delta or USUAL_DELTA))
    return f"{surest}, except with probability {probability}"


def worlds(statement: PrivacyStatement) -> tuple[str, str]:
    """What the attacker tries to tell apart: (the claim they believe, the other dataset)."""
    if statement.neighbours is Neighbours.ADD_OR_REMOVE_ONE:
        return f"that {statement.unit} is in the data", f"without the {_bare(statement)}"
    return (
        f"which of two records {statement.unit} has",
        f"if the {_bare(statement)} has the other record",
    )


def belief_sentence(found: Belief, statement: PrivacyStatement, *, delta: float | None) -> str:
    """Prior and posterior belief, with numbers."""
    claim, _ = worlds(statement)
    after = f"**{percent_down(found.least)} and {percent_up(found.most)}**"
    between = f"After the release this belief is between {after}"
    return paragraph(
        "Suppose an attacker knows every other record.",
        f"They believe with **{percent_exact(found.prior)}** probability {claim}.",
        f"{between}."
        if delta is None
        else f"{between}, except with probability {_parameter(delta)}.",
    )


def odds_sentence(cases: int, without: int, at_most: int, statement: PrivacyStatement) -> str:
    """X of 100 without, y of 100 with."""
    _, other = worlds(statement)
    return (
        "Consider any evidence in the release. If it appears in "
        f"**{without:,} of {cases:,}** releases {other}, it appears in at most "
        f"**{at_most:,} of {cases:,}** releases with the {_bare(statement)}."
    )


def conversion_sentence(statement: PrivacyStatement) -> str:
    """Where ρ comes from, for a budget stated in ε; what ε is, for one stated in ρ."""
    if statement.epsilon is None:
        return f"The guarantee is {statement.guarantee}. As (ε, δ), by each of the accounts, it is:"
    if not statement.delta:
        return (
            f"The guarantee is {statement.guarantee}. It implies ρ ≤ {_parameter(statement.rho)}: "
            f"{statement.conversion}. Converting ρ back to (ε, δ) gives the values below, which "
            "can be larger than the original ε."
        )
    if statement.rho is None:
        return (
            f"The guarantee is {statement.guarantee}, as stated. Here δ is the probability that a "
            "number which depends on one record alone is released. There is no ρ."
        )
    account = ACCOUNTS.get(statement.accounting, "the calibration of its paper")
    return (
        f"The noise has ρ = {_parameter(statement.rho)}. It was found for "
        f"ε = {_parameter(statement.epsilon)}, δ = {_parameter(statement.delta)} by {account}. "
        "The table shows every account of this noise at the chosen δ."
    )


def deployment_sentence(yours: float, alike: int, larger: int, how: str) -> str:
    """Where your ε stands among the releases that can be compared."""
    return (
        f"Your ε is {upper(yours)} ({how}). Of {alike} published releases that protect one record "
        f"for the whole release, {larger} use a larger ε and {alike - larger} a smaller or equal "
        "one. The privacy unit differs: see the “Protects” column."
    )


def _parameter(value: float | Fraction | None) -> str:
    return "–" if value is None else upper(value, GUARANTEE_DIGITS)


def _bare(statement: PrivacyStatement) -> str:
    """The unit without its number: "person"."""
    return statement.unit.removeprefix("one ")
