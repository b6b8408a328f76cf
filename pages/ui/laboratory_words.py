"""The words of the laboratory."""

from hierdp_core.audit import Audit, Finding
from hierdp_core.figures.numbers import parameter, whole

TITLE = "Does it lose no more than it claims?"
INTRODUCTION = """
Two tables differ by one person. The mechanism runs on each of them many times. The more often an
outcome comes from one table rather than from the other, the more it tells about that person: the
counts give a lower bound on the privacy loss ε.
"""
PROOF = """
**Where the proof breaks.** The paper takes it that one person moves one of its running sums by one,
which its Lemma 6 proves for the sums of a single region. Its chain runs through all regions of a
level, so someone who joins a group moves one sum for every region on the way from one size to the
next: {regions} at once on the last level, and the published noise covers one.
"""
CALIBRATIONS = {"published": "As published", "true": "Corrected"}
STOPPED = "Stopped. What is shown is what was counted until then."
NOTHING_YET = "The first half of the runs looks for an event that tells the two tables apart."
EACH_STEP = """
The first half of the runs chose the event and is not counted. Each point holds at {confidence}
confidence by itself.
"""
HOW_TO_READ = """
**The bound.** “At least 0.8” says: outputs alone show a loss of 0.8 or more. In at most 5 of 100
such audits is the bound above the truth.

**The claim.** As long as the bound is below its line nothing is proved wrong. Above it the
mechanism loses more than it claims.

**What it cannot show** is that a loss is small: another event, another pair or more runs might show
more. That is proved otherwise: the tests compare all neighbouring small tables, one by one.

**Two views.** The released table is made from the noisy measurements alone, so who sees these sees
more. A leak in either is a leak.

**The event** is chosen on the first half of the runs and counted on the other half. Counts from the
runs that chose it would show leaks where there are none.

**The bars** show the score that the event looks at, grey without the person, orange with. Where
they fall alike nothing is told. The event is the shaded side.
"""


def verdict(found: Audit) -> str:
    """The headline: what is measured beside what is claimed."""
    bound, claim = parameter(found.epsilon_lower), parameter(found.claim.epsilon)
    end = "it loses more than it claims." if found.leaks else "no more than it claims."
    return f"It claims ε = {claim}. Its outputs show **ε of at least {bound}**: {end}"


def meaning(found: Audit) -> str:
    """What the headline means."""
    if found.claim.true_epsilon is not None:
        given = parameter(found.claim.true_epsilon)
        return f"HierDP’s statement for the published noise says what it gives: ε = {given}."
    return found.sentences[1]


def watched(finding: Finding) -> str:
    """The event and its counts."""
    runs, there, absent = map(whole, (finding.runs, finding.with_person, finding.without))
    return (
        f"**The event**, in the {finding.event}. It held in **{there}** of {runs} runs with "
        f"the person and in **{absent}** without."
    )


def runs(n: int) -> str:
    return f"{n:,}"
