"""What an audit found."""

from dataclasses import dataclass, field
from typing import Any

from hierdp_core.arrays import FloatArray, IntArray
from hierdp_core.audit.drawing import Watched
from hierdp_core.audit.pairs import Pair
from hierdp_core.audit.words import WATCHED

_DIGITS = 4


@dataclass(frozen=True, kw_only=True)
class Claim:
    """What is claimed, as numbers that outputs can be held against.

    Attributes:
        epsilon: the ε; of a budget in ρ its conversion at `delta`.
        delta: 0 for pure ε; for ρ the δ of that conversion.
        rho: the ρ where all noise is Gaussian; else None.
        words: as people write it.
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
        edges: of the bars, shape (bars + 1,).
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
        watched: "released", the table that comes out, or "measured", the noisy answers before
            post-processing, of which it is made: who sees them sees more.
        event: what was watched for, in words.
        with_person: runs where it held on the second table, the one with the person in it.
        without: the same on the first.
        runs: fresh runs of each table that it was counted on.
        low: at most its probability where it is likelier.
        high: at least its probability where it is not.
        epsilon_lower: ε is at least this; 0 where nothing is shown.
        rho_lower: for Gaussian noise, the ρ of the least noise that the counts contradict.
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
            "epsilon_lower": round(self.epsilon_lower, _DIGITS),
            "leaks": self.leaks,
        }
        if self.rho_lower is not None:
            found["rho_lower"] = float(f"{self.rho_lower:.{_DIGITS}g}")
            found["points"] = [
                {
                    "epsilon": point.epsilon,
                    "delta_lower": point.delta_lower,
                    "delta_claimed": point.delta_claimed,
                }
                for point in self.points
            ]
        return found


@dataclass(frozen=True, eq=False, kw_only=True)
class Audit:
    """What the outputs of a mechanism show of its privacy loss. It never proves that it is small.

    Attributes:
        mechanism, options: what was run.
        pair: on which two tables.
        claim: what it was held against.
        confidence: of both findings together: so often at least no bound is above the truth.
        runs: of each table; half of them chose the events, the other half was counted.
        failures: runs that gave no table, on the first and on the second table.
        showable: the largest ε that so many runs could prove.
        released, measured: what the two views show.
        seed: of all noise.
    """

    mechanism: str
    options: tuple[tuple[str, str], ...]
    pair: Pair
    claim: Claim
    confidence: float
    runs: int
    failures: tuple[int, int]
    showable: float
    released: Finding
    measured: Finding
    seed: int

    @property
    def strongest(self) -> Finding:
        """The finding that shows more."""
        first, second = self.released, self.measured
        return second if (second.leaks, second.epsilon_lower) > _rank(first) else first

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
        """The same as JSON takes it."""
        return {
            "mechanism": self.mechanism,
            "options": dict(self.options),
            "pair": self.pair.title,
            "claim": self.claim.epsilon,
            "delta": self.claim.delta,
            "rho": self.claim.rho,
            "claimed": self.claim.words,
            "epsilon_lower": round(self.epsilon_lower, _DIGITS),
            "leaks": self.leaks,
            "confidence": self.confidence,
            "runs": self.runs,
            "event": self.event,
            "showable": round(self.showable, _DIGITS),
            "failures": list(self.failures),
            "released": self.released.as_dict(),
            "measured": self.measured.as_dict(),
            "seed": self.seed,
        }


def _rank(finding: Finding) -> tuple[bool, float]:
    return finding.leaks, finding.epsilon_lower


def _found(audit: Audit) -> str:
    finding, claim = audit.strongest, audit.claim
    sure = f"{100 * audit.confidence:.10g} % confidence"
    options = ", ".join(f"{name} {value}" for name, value in audit.options)
    who = f"{audit.mechanism}{f' ({options})' if options else ''}"
    if all(n == audit.runs for n in audit.failures):
        return f"{who} failed on every run, so there is nothing to measure."
    bound = f"ε is at least {audit.epsilon_lower:.3g}"
    if finding.rho_lower is not None:
        bound = f"ρ is at least {finding.rho_lower:.3g}"
    return (
        f"{who} on {audit.runs:,} runs of each table: {bound} ({sure}), seen in the "
        f"{WATCHED[finding.watched]}; claimed is {claim.words}."
    )


def _means(audit: Audit) -> str:
    claim = audit.claim
    if audit.leaks:
        admits = ""
        if claim.true_epsilon is not None:
            admits = f" Its statement says so: the noise gives ε = {claim.true_epsilon:.4g}."
        return f"That is a leak: it loses more than it claims.{admits}"
    if claim.rho is None and audit.showable <= claim.epsilon:
        return (
            f"So few runs can show ε of {audit.showable:.3g} at most, which is not above the "
            "claim; take more runs."
        )
    return (
        "That is no more than it claims; an audit can find a leak, never prove that there is none."
    )
