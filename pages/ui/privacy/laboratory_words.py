"""The words of the laboratory."""

import re

from hierdp_core.audits import Audit, Finding
from hierdp_core.privacy.rounding import lower, upper
from hierdp_core.util.text import whole

TITLE = "Does the privacy loss exceed the claim?"
INTRODUCTION = """
Two tables differ by one record. The mechanism runs on each of them many times. If an outcome occurs
far more often for one table than for the other, it reveals something about this record. The numbers
of occurrences give a lower bound on the privacy loss ε.
"""
PROOF = """
**Where the proof fails.** Fioretto et al. (2021) assume that one person changes one cumulative sum
by one. Their Lemma 6 proves this for the sums of a single area. But the chain runs through all
areas of a level, and someone who joins a group changes one sum for every area of the level. At the
last level of these tables, that is {regions} sums. The published noise covers one.
"""
CALIBRATIONS = {"published": "As published", "true": "Corrected"}
WORST_CASES = "All worst cases of this mechanism"
STOPPED = "Stopped. The results cover the runs completed so far."
STOPPED_EARLY = "Stopped before there was a result. Change a control to start again."
NOTHING_YET = "The first half of the runs searches for an event that distinguishes the tables."
EACH_STEP = """
The first half of the runs chose the event and is not counted. Each point, taken on its own, is a
lower bound with {confidence} confidence.
"""
HOW_TO_READ = """
**The bound.** “At least 0.8” means that the outputs show a loss of 0.8 or more. The probability
that the bound exceeds the exact loss is at most 5%.

**The claim.** As long as the bound is below the line of the claim, the claim is not refuted. If it
is above the line, the privacy loss exceeds the claim, with 95% confidence.

**What an audit cannot show** is that a loss is small. Another event, another pair of tables or more
runs may show a larger loss. An upper bound needs a proof of the sensitivity, which is the most that
one record can change.

**The pairs of tables.** Each mechanism comes with worst cases. Together, they change everything
that it measures by as much as one record can. If all worst cases are audited, the 5% are for all of
them together.

**Two views.** The released table is made from the noisy measurements and public facts alone, so
the measurements reveal at least as much. If either bound is above the claim, the claim is refuted.

**The event** is chosen on the first half of the runs and counted on the other half. If it were
counted on the runs that chose it, the audit could show losses where there are none.

**The bars** show how often each score occurs on the first table (grey) and on the second (orange).
A score describes one output by one number.
Where both bars are equally high, the score reveals nothing. The event consists of the scores in the
shaded part.
"""


def verdict(audit: Audit) -> str:
    """Return the headline: the measured bound beside the claim."""
    bound = lower(audit.strongest.amount_lower)
    above = "exceeds" if audit.leaks else "does not exceed"
    shown = (
        f"The outputs show **{audit.symbol} of at least {bound}** ({audit.confidence_words}). This "
        f"bound {above}"
    )
    if audit.claim.rho is not None:
        spent = f"ρ = {upper(audit.claim.rho)}"
        return (
            f"The claim is {audit.claim.words}, for which the noise spends {spent}. {shown} that ρ."
        )
    claim, chance = upper(audit.claim.epsilon), upper(audit.claim.delta)
    claimed = f"The claim is ε = {claim} (pure DP)."
    if audit.claim.delta:
        claimed = f"The claim is ε = {claim} at δ = {chance}."
    return f"{claimed} {shown} the claim."


def meaning(audit: Audit) -> str:
    """Return the meaning of the headline."""
    if audit.claim.true_epsilon is not None:
        given = upper(audit.claim.true_epsilon)
        return f"The privacy statement for the published noise gives the actual value, ε = {given}."
    return audit.sentences[1]


def watched(finding: Finding) -> str:
    """Return the event and its counts in words."""
    runs, second, first = map(whole, (finding.runs, finding.with_person, finding.without))
    return (
        f"**The event**, in the {_minus(finding.event)}. It occurred in **{second}** of {runs} "
        f"runs on the second table and in **{first}** on the first."
    )


def _minus(text: str) -> str:
    """Return a text whose negative numbers have the minus sign of the screen."""
    return re.sub(r"(?<!\w)-(?=\d)", "−", text)


def runs(n: int) -> str:
    """Return a number of runs as text."""
    return f"{n:,}"
