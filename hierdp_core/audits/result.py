"""The result of an audit."""

from dataclasses import dataclass, field
from typing import Any

from hierdp_core.audits.sampling import Watched
from hierdp_core.audits.sentences import WATCHED
from hierdp_core.mechanisms.neighbours import Pair
from hierdp_core.privacy.rounding import lower, rounded_down, rounded_up, upper
from hierdp_core.util.arrays import FloatArray, IntArray
from hierdp_core.util.shown import Shown
from hierdp_core.util.text import by_number, paragraph

_DIGITS = 4


@dataclass(frozen=True, kw_only=True)
class Claim:
    """What is claimed, as numbers that outputs can be compared with.

    Attributes:
        epsilon: the ε; of a budget in ρ its conversion at `delta`.
        delta: 0 for pure ε; for ρ the δ of that conversion.
        rho: the ρ where Gaussian noise is part of the plan; else None.
        words: the claim as text.
        true_epsilon: what the statement of a published calibration admits; else None.
    """

    epsilon: float
    delta: float
    rho: float | None
    words: str
    true_epsilon: float | None = None


@dataclass(frozen=True, eq=False, kw_only=True)
class ScoreCounts:
    """How often the event's score fell where, on each table.

    Attributes:
        edges: the edges of the bars, shape (bars + 1,).
        before, after: runs in each bar, shape (bars,).
        mark: where the event begins (or ends).
        relation: "at least", "below" or "exactly" the mark.
    """

    edges: FloatArray
    before: IntArray
    after: IntArray
    mark: float
    relation: str


@dataclass(frozen=True, kw_only=True)
class CurvePoint:
    """At one ε the δ that is measured at least, and the most that the claim allows."""

    epsilon: float
    delta_lower: float
    delta_claimed: float


@dataclass(frozen=True, eq=False, kw_only=True)
class Finding:
    """What one view of the outputs shows.

    Attributes:
        watched: "released", the table that comes out, or "measured", the noisy measurements of
            which it is made: who sees them sees more.
        event: what was watched for, in words.
        with_person: the number of runs on the second table in which the event occurred.
        without: the number of runs on the first table in which it occurred.
        runs: fresh runs on each table that it was counted on.
        low: at most its probability where it is likelier.
        high: at least its probability where it is not.
        epsilon_lower: ε is at least this; 0 where nothing is shown.
        rho_lower: for Gaussian noise, the ρ of the smallest noise that the counts contradict.
        points: for Gaussian noise, the two δ at some ε; where the first is larger the claim
            does not hold.
        leaks: more is lost than claimed.
        scores: how the event's score fell.
    """

    watched: Watched
    event: str
    with_person: int
    without: int
    runs: int
    low: float
    high: float
    epsilon_lower: float
    rho_lower: float | None
    points: tuple[CurvePoint, ...]
    leaks: bool
    scores: ScoreCounts = field(repr=False)

    def as_dict(self) -> dict[str, Any]:
        found: dict[str, Any] = {
            "watched": self.watched,
            "event": self.event,
            "with_person": self.with_person,
            "without": self.without,
            "runs": self.runs,
            "epsilon_lower": _down(self.epsilon_lower),
            "leaks": self.leaks,
        }
        if self.rho_lower is not None:
            found["rho_lower"] = _down(self.rho_lower)
            found["points"] = [
                {
                    "epsilon": point.epsilon,
                    "delta_lower": _down(point.delta_lower),
                    "delta_claimed": _up(point.delta_claimed),
                }
                for point in self.points
            ]
        return found


@dataclass(frozen=True, eq=False, kw_only=True)
class PairFindings:
    """What the outputs on one pair of tables show.

    Attributes:
        pair: the two tables.
        runs: the number of runs on each of them; half of them chose the events, the other half was
            counted.
        failures: runs that gave no table, on the first and on the second table.
        released, measured: what the two views show.
    """

    pair: Pair
    runs: int
    failures: tuple[int, int]
    released: Finding
    measured: Finding

    @property
    def strongest(self) -> Finding:
        """The finding that shows more."""
        return max(self.released, self.measured, key=_rank)

    def as_dict(self) -> dict[str, Any]:
        return {
            "pair": self.pair.title,
            "runs": self.runs,
            "failures": list(self.failures),
            "released": self.released.as_dict(),
            "measured": self.measured.as_dict(),
        }


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class Audit(Shown):
    """A lower bound on a mechanism's privacy loss from its outputs; never a proof that it is small.

    Attributes:
        mechanism, options: what was run.
        claim: what it was held against.
        confidence: the confidence level of all findings together: the probability that no bound is
            above the exact loss is at least this.
        showable: the largest ε that so many runs could prove.
        by_pair: what was found on each pair of tables, at least one.
        seed: the seed of all noise.
    """

    mechanism: str
    options: tuple[tuple[str, str], ...]
    claim: Claim
    confidence: float
    showable: float
    by_pair: tuple[PairFindings, ...]
    seed: int

    @property
    def runs(self) -> int:
        """Runs of each table of each pair so far, the most where they differ."""
        return max(found.runs for found in self.by_pair)

    @property
    def pair(self) -> Pair:
        """The pair on which the outputs show most."""
        return max(self.by_pair, key=lambda found: _rank(found.strongest)).pair

    @property
    def failures(self) -> tuple[int, int]:
        """Runs that gave no table, on the first and on the second table of any pair."""
        first, second = zip(*(found.failures for found in self.by_pair), strict=True)
        return sum(first), sum(second)

    @property
    def always_fails(self) -> bool:
        return all(n == found.runs for found in self.by_pair for n in found.failures)

    @property
    def released(self) -> Finding:
        """What released tables show, on the pair on which they show most."""
        return max((found.released for found in self.by_pair), key=_rank)

    @property
    def measured(self) -> Finding:
        """What noisy measurements show, on the pair on which they show most."""
        return max((found.measured for found in self.by_pair), key=_rank)

    @property
    def strongest(self) -> Finding:
        """The finding that shows most."""
        return max((found.strongest for found in self.by_pair), key=_rank)

    @property
    def leaks(self) -> bool:
        """The outputs lose more than is claimed."""
        return self.strongest.leaks

    @property
    def epsilon_lower(self) -> float:
        """ε is at least this, at `confidence`. For Gaussian noise in the scale of the claim."""
        return max(self.released.epsilon_lower, self.measured.epsilon_lower)

    @property
    def event(self) -> str:
        """The event that shows it, in words."""
        return self.strongest.event

    @property
    def sentences(self) -> tuple[str, str]:
        """What was found, and what it means."""
        return _found(self), _means(self)

    def as_dict(self) -> dict[str, Any]:
        """Return the audit as values for JSON; lower bounds are rounded down, claims up."""
        return {
            "mechanism": self.mechanism,
            "options": dict(self.options),
            "pair": self.pair.title,
            "claim": self.claim.epsilon,
            "delta": self.claim.delta,
            "rho": self.claim.rho,
            "claimed": self.claim.words,
            "epsilon_lower": _down(self.epsilon_lower),
            "leaks": self.leaks,
            "confidence": self.confidence,
            "runs": self.runs,
            "event": self.event,
            "showable": round(self.showable, _DIGITS),
            "failures": list(self.failures),
            "released": self.released.as_dict(),
            "measured": self.measured.as_dict(),
            "pairs": [found.as_dict() for found in self.by_pair],
            "seed": self.seed,
        }


def _down(value: float) -> float:
    return float(rounded_down(value, _DIGITS))


def _up(value: float) -> float:
    return float(rounded_up(value, _DIGITS))


def _rank(finding: Finding) -> tuple[bool, float]:
    return finding.leaks, finding.epsilon_lower


def _found(audit: Audit) -> str:
    finding, claim = audit.strongest, audit.claim
    options = ", ".join(f"{name} {value}" for name, value in audit.options)
    who = f"{audit.mechanism} ({options})" if options else audit.mechanism
    if audit.always_fails:
        return f"{who} failed on every run, so there is nothing to measure."
    bound = f"ε is at least {lower(audit.epsilon_lower)}"
    if finding.rho_lower is not None:
        bound = f"ρ is at least {lower(finding.rho_lower)}"
    confidence = f"{100 * audit.confidence:.10g}% confidence"
    return paragraph(
        f"{who} was run {audit.runs:,} times on each of {_tables(len(audit.by_pair))}.",
        f"The measured {bound} ({confidence}), from the {WATCHED[finding.watched]}.",
        f"It claims {claim.words}.",
    )


def _tables(pairs: int) -> str:
    return by_number(pairs, "two tables", f"{2 * pairs} tables, in {pairs} pairs")


def _means(audit: Audit) -> str:
    claim = audit.claim
    if audit.leaks:
        leak = "That is a leak: it loses more than it claims."
        if claim.true_epsilon is None:
            return leak
        noise = upper(claim.true_epsilon, 4)
        return paragraph(leak, f"Its statement says so: the noise gives ε = {noise}.")
    if claim.rho is None and audit.showable <= claim.epsilon:
        return (
            f"With so few runs, an audit can show ε = {audit.showable:.3g} at most, which is not "
            "above the claim. Take more runs."
        )
    return (
        "That is no more than it claims. An audit can find a leak, but it can never prove that "
        "there is none."
    )
