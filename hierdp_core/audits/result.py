"""The results of an audit."""

from dataclasses import dataclass, field
from typing import Any

from hierdp_core.audits.sampling import Watched
from hierdp_core.mechanisms.neighbours import Pair
from hierdp_core.privacy.rounding import lower, rounded_down, rounded_up, upper
from hierdp_core.util.arrays import FloatArray, IntArray
from hierdp_core.util.shown import Shown
from hierdp_core.util.text import by_number, join_and, paragraph

_DIGITS = 4
_OUTPUTS = {"released": "released tables", "measured": "noisy measurements"}  # of many runs


@dataclass(frozen=True, kw_only=True)
class Claim:
    """The claim of a plan, as numbers that outputs can be compared with.

    Attributes:
        epsilon: the ε; for a budget in ρ, its conversion at `delta`.
        delta: 0 for pure ε; for a budget in ρ, the δ of that conversion.
        rho: the ρ if Gaussian noise is part of the plan; otherwise None.
        words: the claim as text.
        true_epsilon: for a published calibration that claims too much, the ε in its privacy
            statement; otherwise None.
    """

    epsilon: float
    delta: float
    rho: float | None
    words: str
    true_epsilon: float | None = None

    @property
    def amount(self) -> float:
        """The claimed ρ of Gaussian noise, otherwise the claimed ε."""
        return self.epsilon if self.rho is None else self.rho


@dataclass(frozen=True, eq=False, kw_only=True)
class ScoreCounts:
    """A histogram of the event's score, on each table.

    Attributes:
        edges: the edges of the bars, shape (bars + 1,).
        before, after: the number of runs in each bar, shape (bars,).
        mark: the score at which the event begins or ends.
        relation: "at least", "below" or "exactly" the mark.
    """

    edges: FloatArray
    before: IntArray
    after: IntArray
    mark: float
    relation: str


@dataclass(frozen=True, kw_only=True)
class CurvePoint:
    """A measured and a claimed δ at one ε.

    Attributes:
        epsilon: the ε.
        delta_lower: the measured lower bound on δ.
        delta_claimed: the largest δ that the claim allows.
    """

    epsilon: float
    delta_lower: float
    delta_claimed: float


@dataclass(frozen=True, eq=False, kw_only=True)
class Finding:
    """The finding from one view of the outputs.

    Attributes:
        watched: "released" for the released table, or "measured" for the noisy measurements from
            which it is computed, and which reveal at least as much.
        event: the event that was counted, in words.
        with_person: the number of runs on the second table in which the event occurred.
        without: the number of runs on the first table in which it occurred.
        runs: the number of runs on each table on which the event was counted.
        low: a lower bound on the event's probability on the table where it is likelier.
        high: an upper bound on the event's probability on the other table.
        epsilon_lower: a lower bound on ε at the δ of the claim; 0 if nothing is shown. With
            Gaussian noise, it may be far below what `rho_lower` and `points` show.
        rho_lower: for Gaussian noise, a lower bound on ρ: the largest that the counts contradict.
        points: for Gaussian noise, measured and claimed δ at several ε. If the measured one is
            larger, the claim does not hold.
        leaks: whether the privacy loss is larger than claimed.
        scores: the histogram of the event's score.
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

    @property
    def amount_lower(self) -> float:
        """A lower bound on ρ for Gaussian noise, otherwise on ε."""
        return self.epsilon_lower if self.rho_lower is None else self.rho_lower

    def as_dict(self) -> dict[str, Any]:
        entry: dict[str, Any] = {
            "watched": self.watched,
            "event": self.event,
            "with_person": self.with_person,
            "without": self.without,
            "runs": self.runs,
            "epsilon_lower": _down(self.epsilon_lower),
            "leaks": self.leaks,
        }
        if self.rho_lower is not None:
            entry["rho_lower"] = _down(self.rho_lower)
            entry["points"] = [
                {
                    "epsilon": point.epsilon,
                    "delta_lower": _down(point.delta_lower),
                    "delta_claimed": _up(point.delta_claimed),
                }
                for point in self.points
            ]
        return entry


@dataclass(frozen=True, eq=False, kw_only=True)
class PairFindings:
    """The findings from the outputs on one pair of tables.

    Attributes:
        pair: the two tables.
        runs: the number of runs on each table. At most half of them chose the events; the others
            were counted.
        failures: the number of runs on the first and on the second table that gave no result.
        released, measured: the findings from the two views.
    """

    pair: Pair
    runs: int
    failures: tuple[int, int]
    released: Finding
    measured: Finding

    @property
    def strongest(self) -> Finding:
        """The stronger of the two findings."""
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
    """A lower bound on a mechanism's privacy loss from its outputs.

    It cannot prove that the loss is small.

    Attributes:
        mechanism, options: the id of the mechanism, and its options as names and values.
        options_in_effect: the options that matter for the tables of the audit.
        claim: the claim that the outputs are compared with.
        confidence: the confidence level of all findings together. With at least this probability,
            no lower bound exceeds the actual loss.
        showable: the largest ε that this number of runs can prove.
        by_pair: the findings on each pair of tables, at least one.
        seed: the seed of all noise.
    """

    mechanism: str
    options: tuple[tuple[str, str], ...]
    options_in_effect: tuple[tuple[str, str], ...]
    claim: Claim
    confidence: float
    showable: float
    by_pair: tuple[PairFindings, ...]
    seed: int

    @property
    def runs(self) -> int:
        """The number of runs on each table so far; the largest if it differs between pairs."""
        return max(pair.runs for pair in self.by_pair)

    @property
    def pair(self) -> Pair:
        """The pair with the strongest finding."""
        return max(self.by_pair, key=lambda found: _rank(found.strongest)).pair

    @property
    def failures(self) -> tuple[int, int]:
        """The number of runs on first and on second tables that gave no result, over all pairs."""
        first, second = zip(*(pair.failures for pair in self.by_pair), strict=True)
        return sum(first), sum(second)

    @property
    def always_fails(self) -> bool:
        """Whether no run on any table gave a result."""
        return all(n == pair.runs for pair in self.by_pair for n in pair.failures)

    @property
    def released(self) -> Finding:
        """The strongest finding from released tables."""
        return max((pair.released for pair in self.by_pair), key=_rank)

    @property
    def measured(self) -> Finding:
        """The strongest finding from noisy measurements."""
        return max((pair.measured for pair in self.by_pair), key=_rank)

    @property
    def strongest(self) -> Finding:
        """The strongest of all findings."""
        return max((pair.strongest for pair in self.by_pair), key=_rank)

    @property
    def leaks(self) -> bool:
        """Whether the outputs show a larger privacy loss than claimed."""
        return self.strongest.leaks

    @property
    def epsilon_lower(self) -> float:
        """A lower bound on ε at the δ of the claim, with `confidence`."""
        return max(self.released.epsilon_lower, self.measured.epsilon_lower)

    @property
    def symbol(self) -> str:
        """The symbol of measured amounts: "ρ" for Gaussian noise, otherwise "ε"."""
        return "ε" if self.strongest.rho_lower is None else "ρ"

    @property
    def confidence_words(self) -> str:
        """The confidence of all lower bounds, such as "95% confidence"."""
        return f"{100 * self.confidence:.10g}% confidence"

    @property
    def event(self) -> str:
        """The event of the strongest finding, in words."""
        return self.strongest.event

    @property
    def sentences(self) -> tuple[str, str]:
        """The result, and its meaning."""
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
            "showable": _up(self.showable),
            "failures": list(self.failures),
            "released": self.released.as_dict(),
            "measured": self.measured.as_dict(),
            "pairs": [pair.as_dict() for pair in self.by_pair],
            "seed": self.seed,
        }


def _down(value: float) -> float:
    return float(rounded_down(value, _DIGITS))


def _up(value: float) -> float:
    return float(rounded_up(value, _DIGITS))


def _rank(finding: Finding) -> tuple[bool, float]:
    return finding.leaks, finding.amount_lower


def _found(audit: Audit) -> str:
    finding, claim = audit.strongest, audit.claim
    if audit.always_fails:
        return paragraph(
            f"{audit.mechanism} failed on every run, so the audit measured nothing.",
            _with_options(audit),
        )
    if finding.amount_lower > 0:
        shown = (
            f"The {_OUTPUTS[finding.watched]} show that {audit.symbol} is at least "
            f"{lower(finding.amount_lower)} ({audit.confidence_words})."
        )
    else:
        shown = f"The outputs show no privacy loss ({audit.confidence_words})."
    return paragraph(
        f"{audit.mechanism} was run {audit.runs:,} times on each of {_tables(len(audit.by_pair))}.",
        _with_options(audit),
        shown,
        f"The claim is {_claimed(claim)}.",
    )


def _with_options(audit: Audit) -> str:
    """Return a sentence on the options that matter, or nothing if there are none."""
    options = [f"{name}={value}" for name, value in audit.options_in_effect]
    if not options:
        return ""
    have = by_number(len(options), "Its option in effect is", "Its options in effect are")
    return f"{have} {join_and(options)}."


def _claimed(claim: Claim) -> str:
    """Return the claim with the ρ of its noise, if measured amounts are compared with that."""
    if claim.rho is None or claim.words.startswith("ρ"):
        return claim.words
    return f"{claim.words}, with noise of ρ = {upper(claim.rho)}"


def _tables(pairs: int) -> str:
    return by_number(pairs, "two tables", f"{2 * pairs} tables, in {pairs} pairs")


def _means(audit: Audit) -> str:
    claim = audit.claim
    if audit.leaks:
        leak = "That is a leak: the privacy loss is larger than claimed."
        if claim.true_epsilon is None:
            return leak
        actual = f"ε = {upper(claim.true_epsilon, 4)}"
        if claim.delta:
            actual += f", δ = {upper(claim.delta)}"
        return paragraph(leak, f"The privacy statement agrees: with this noise, {actual}.")
    if claim.rho is None and audit.showable <= claim.epsilon:
        return (
            f"With so few runs, an audit can show ε = {upper(audit.showable, 3)} at most, which is "
            "not above the claim. Increase the number of runs."
        )
    return (
        "The bound does not exceed the claim. An audit can find a leak, but it can never prove "
        "that there is none."
    )
