"""The sentences of What ε means. Upper bounds are rounded up and lower bounds down."""

from fractions import Fraction

from hierdp_core.privacy import (
    NOISES,
    Belief,
    Neighbours,
    PrivacyStatement,
    belief,
    loss_limit,
)
from hierdp_core.privacy.budget import GAUSSIAN_NOISE
from hierdp_core.privacy.meaning import between_records, limit_delta, uncertain_fact
from hierdp_core.privacy.rounding import (
    GUARANTEE_DIGITS,
    percent_down,
    percent_exact,
    percent_up,
    upper,
)
from hierdp_core.util.text import at_most, by_number, paragraph

HOW_TO_READ = (
    (
        "**Who is the attacker?** The strongest one possible: someone who knows every record "
        "except one, and has unlimited computing power and any other files. Real attackers know "
        "less. Only what the release adds to this knowledge is counted. The comparison is always "
        "between a release with that record and one without it, or with another in its place."
    ),
    (
        "**Prior and posterior.** The horizontal axis is the attacker’s belief before the release. "
        "The vertical axis is their belief after it. On the dotted line they gain no "
        "information. The blue band contains every possible posterior. If the guarantee has a δ "
        "or is in ρ, each edge of the band holds except with probability δ."
    ),
    (
        "**ε, ρ, δ.** ε limits the factor by which one record can change the probability of any "
        "result. ρ limits averages of this factor over the noise. A conversion of ρ to ε always "
        "adds a small probability δ to the limit. Several conversions are in use and give "
        "different values of ε for the same noise. Compare only values from the same conversion."
    ),
    (
        "**Published budgets.** The same ε for one event, one day or all of a person’s data "
        "gives three different guarantees. The chart shows only releases whose budget covers the "
        "whole release and whose publisher adds the noise (central model). The table lists all."
    ),
    (
        "**Rounding.** Upper bounds on this page are rounded up and lower bounds are rounded down, "
        "so no number suggests a stronger guarantee than the actual one."
    ),
    "HierDP does not rate ε as good or bad: the acceptable level is a policy decision.",
)

TITLE = "What does this budget mean?"

PINNED = "the guarantee is the same here as in any other area, however small the area is."
SOURCES = (
    "The simple bound is from Bun and Steinke 2016, Proposition 1.3. Corollary 13 is from Canonne, "
    "Kamath and Steinke 2020. The exact value is from the privacy curve of the noise itself, "
    "composed over all measurements. The ε published for the 2020 Census redistricting data "
    "follows Corollary 13. The ε published for the Demographic and Housing Characteristics File "
    "follows the simple bound."
)
EXACT_OF_OTHERS = (
    "The exact curve of a published ρ is that of continuous Gaussian noise with this ρ. It is an "
    "estimate. The noise that was added is discrete, and its curve depends on how ρ was divided."
)
_BOTH_KINDS = (
    "Both kinds of noise can satisfy this (ε, δ). They are compared by the typical variance of the "
    "noise, in units of the squared sensitivity. It is a geometric mean over everything that is "
    "measured."
)
_ONE_KIND = (
    "Only this kind of noise was considered. Its typical variance is in units of the squared "
    "sensitivity. It is a geometric mean over everything that is measured."
)


def account(statement: PrivacyStatement) -> str:
    """Return how the noise for (ε, δ) was chosen; the settings may leave only one kind."""
    return _BOTH_KINDS if len(statement.candidates) > 1 else _ONE_KIND


def candidate_rows(statement: PrivacyStatement) -> list[dict[str, str]]:
    """Return the kinds of noise that were compared for (ε, δ), one row per kind."""
    return [
        {
            "Noise": NOISES[one.noise],
            "Cost": f"{'ρ' if one.noise == GAUSSIAN_NOISE else 'ε'} = {_parameter(one.amount)}",
            "Relative variance": f"{one.variance:.3g}",
            "Proof": one.source,
            "Used": "yes" if one.chosen else "no",
        }
        for one in statement.candidates
    ]


def finding(statement: PrivacyStatement) -> str:
    """Return the title: the belief that an attacker who is 50% sure can reach."""
    after = at_most(percent_up(belief(loss_limit(statement), 0.5).most))
    fact = uncertain_fact(statement)
    posterior = f"{statement.guarantee}: a belief of 50% {fact} can rise to {after}"
    exception, others = limit_delta(statement), bool(statement.not_protected)
    if exception is None:
        return f"{posterior}, apart from what is not protected" if others else posterior
    failing = f"{posterior}, except with probability {_parameter(exception)}"
    return f"{failing} and apart from what is not protected" if others else failing


def datasets(statement: PrivacyStatement) -> tuple[str, str]:
    """Return what distinguishes the two datasets: the other one, and the one in the claim."""
    person = _bare(statement)
    if statement.neighbours is Neighbours.ADD_OR_REMOVE_ONE:
        return f"without the {person}", f"with the {person}"
    return f"in which the {person} has the second record", f"in which the {person} has the first"


def belief_sentence(beliefs: Belief, statement: PrivacyStatement, *, delta: float) -> str:
    """Return prior and posterior belief in words."""
    exception = limit_delta(statement, delta=delta)
    after = f"**{percent_down(beliefs.least)} and {percent_up(beliefs.most)}**"
    between = f"After the release, this belief is between {after}"
    return paragraph(
        "Suppose an attacker knows every other record.",
        f"They believe with **{percent_exact(beliefs.prior)}** probability "
        f"{uncertain_fact(statement)}.",
        f"{between}."
        if exception is None
        else f"{between}. Each of the two limits holds except with probability "
        f"{_parameter(exception)}.",
        between_records(statement),
        statement.not_protected,
    )


def each_maximum(statement: PrivacyStatement, delta: float) -> str:
    """Return with which probability a maximum of the table by level does not hold, or ""."""
    exception = limit_delta(statement, delta=delta)
    if exception is None:
        return ""
    return f"Each maximum holds except with probability {_parameter(exception)}."


def odds_sentence(cases: int, without: int, at_most: int, statement: PrivacyStatement) -> str:
    """Return how often a result can appear with a person, if it is known how often without."""
    other, own = datasets(statement)
    return paragraph(
        "Consider any result that a release can show. If it appears in "
        f"**{without:,} of {cases:,}** releases {other}, it appears in at most "
        f"**{at_most:,} of {cases:,}** releases {own}.",
        statement.not_protected,
    )


def probability_label(statement: PrivacyStatement) -> str:
    """Return the label of the slider for the probability that is compared with."""
    if statement.neighbours is Neighbours.ADD_OR_REMOVE_ONE:
        return f"Probability of a result without the {_bare(statement)} (%)"
    return "Probability of a result with the second record (%)"


def captions(
    cases: int, without: int, at_most: int, statement: PrivacyStatement
) -> tuple[str, str]:
    """Return the captions of the two squares of dots."""
    person = _bare(statement)
    if statement.neighbours is Neighbours.ADD_OR_REMOVE_ONE:
        return (
            f"Without the {person}: {without:,} of {cases:,}",
            f"With the {person}, at most: {at_most:,} of {cases:,}",
        )
    return (
        f"With the second record: {without:,} of {cases:,}",
        f"With the first record, at most: {at_most:,} of {cases:,}",
    )


def dots_alt(caption: str) -> str:
    """Return the alternative text of a square of dots.

    >>> dots_alt("Without the person: 4 of 10,000")
    'A square of 100 dots, coloured in proportion. Without the person: 4 of 10,000.'
    """
    return f"A square of 100 dots, coloured in proportion. {caption}."


def conversion_sentence(statement: PrivacyStatement) -> str:
    """Return where ρ comes from, for a budget in ε, or introduce its (ε, δ), for one in ρ."""
    if statement.epsilon is None:
        return (
            f"The guarantee is {statement.guarantee}. Each conversion gives an ε "
            "and a δ that this guarantee implies."
        )
    if not statement.delta:
        return (
            f"The guarantee is {statement.guarantee}. It implies ρ ≤ {_parameter(statement.rho)}: "
            f"{statement.conversion}. In the table below, “simple” and “Corollary 13” convert this "
            "ρ back to (ε, δ), which can give a larger ε. “Exact” is computed from the noise "
            "itself and rounded up. It is at most the ε as stated. The guarantee as stated holds "
            "without δ."
        )
    if statement.rho is None:
        return (
            f"The guarantee is {statement.guarantee}, as stated. Here δ limits the probability "
            "that a number which depends on one record alone is released. There is no ρ."
        )
    method = statement.method if statement.accounting else "the calibration of its paper"
    return (
        f"The noise satisfies ρ = {_parameter(statement.rho)}. The guarantee is "
        f"ε = {_parameter(statement.epsilon)}, δ = {_parameter(statement.delta)}. "
        f"Method: {method}. "
        "The table shows the ε of this noise at the chosen δ by every conversion."
    )


def deployment_sentence(
    yours: float, alike: int, larger: int, how: str, *, guarantee: str, delta: float | None
) -> str:
    """Return how your ε compares with that of the releases that can be compared.

    Args:
        delta: the probability at which your ε holds, if it was converted from ρ.
    """
    converted = ""
    if delta is not None:
        converted = f"Its ε is {upper(yours)} at δ = {_parameter(delta)} ({how})."
    return paragraph(
        f"Your guarantee is {guarantee}.",
        converted,
        f"The chart shows {alike} published releases that protect one record for the whole "
        f"release. Of these, {larger} {by_number(larger, 'has', 'have')} a larger ε, and "
        f"{alike - larger} {by_number(alike - larger, 'has', 'have')} a smaller or equal one.",
        "Their privacy units differ, as the table below shows.",
    )


def _parameter(value: float | Fraction | None) -> str:
    return "–" if value is None else upper(value, GUARANTEE_DIGITS)


def _bare(statement: PrivacyStatement) -> str:
    """Return the unit without its number, such as "person"."""
    return statement.unit.removeprefix("one ")
