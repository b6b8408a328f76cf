"""The audit: choose an event from some of the runs, count it in the others, and bound ε.

Sources: Ding, Wang, Wang, Zhang and Kifer 2018, and Bichsel, Steffen, Bogunovic and Vechev 2021
(empirical lower bounds); Clopper and Pearson 1934 (confidence bounds).
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from hierdp_core import mechanisms
from hierdp_core.audits.claims import claim_of, noise_claim_of
from hierdp_core.audits.gaussian import GaussianClaim, contradicts, curve, rho_at_least
from hierdp_core.audits.inquiry import Inquiry, Watch, chosen_events, count_runs
from hierdp_core.audits.intervals import at_least, at_most, epsilon_at_least, most_showable
from hierdp_core.audits.limits import require_fit
from hierdp_core.audits.output_sets import OutputEvent
from hierdp_core.audits.pairs import checked_pair
from hierdp_core.audits.result import (
    Audit,
    CurvePoint,
    Finding,
    PairFindings,
    ScoreCounts,
)
from hierdp_core.audits.sampling import Runs
from hierdp_core.exceptions import ChoiceError
from hierdp_core.mechanisms.base import Mechanism
from hierdp_core.mechanisms.neighbours import Change, Pair
from hierdp_core.mechanisms.options import words_in_effect
from hierdp_core.noise import checked_seed
from hierdp_core.privacy import Budget, Number
from hierdp_core.simulation import DELTA_AND_ACCOUNT, OPTIONS, plan
from hierdp_core.tables import Table
from hierdp_core.util.argument_types import typed
from hierdp_core.util.arrays import FloatArray
from hierdp_core.util.earlier import accepts
from hierdp_core.util.parallel import CANCEL, Progress, Workers, WorkersOption
from hierdp_core.util.progress import ProgressOption, reporting

_BARS = 30
_POINTS = 9


@dataclass(eq=False, kw_only=True)
class _Counted:
    """One pair, the events chosen for it, and the number of failed runs on each table."""

    inquiry: Inquiry
    watches: list[Watch]
    failures: Any


@accepts(OPTIONS, DELTA_AND_ACCOUNT, CANCEL)
@typed
def audit(
    mechanism: Mechanism | str,
    *,
    budget: Budget | None = None,
    epsilon: Number | None = None,
    rho: Number | None = None,
    allocation: Sequence[int] | None = None,
    pair: Pair | tuple[Table, Table] | None = None,
    runs: int = 20_000,
    seed: int = 0,
    confidence: float = 0.95,
    workers: WorkersOption = None,
    progress: ProgressOption = None,
) -> Audit:
    """Measure a lower bound on a mechanism's privacy loss from outputs on neighbouring tables.

    Args:
        mechanism: a mechanism, such as `mechanisms.PgsrCOpt()`, or its id with any options, such
            as "coc: merge=mean".
        budget: the claimed budget, such as `Budget.approximate(1, 1e-8)`; alternatively
            `epsilon` or `rho`.
        allocation: as in `plan`.
        pair: two tables that differ by one record. By default, all worst cases of the mechanism
            are audited: together they change everything that it measures by as much as one
            record can (see `worst_pairs`).
        runs: the number of runs on each table of each pair. Half of them, but at most 25,000,
            choose the events; the others are counted.
        seed: the seed of all noise. The same seed gives the same result with any number of workers.
        confidence: the confidence level of all findings together: on every pair, and both from
            released tables and from noisy measurements.
        workers: the number of threads, by default one per core; or a `Workers`, whose `cancel` is
            called from time to time. Once it returns True, only the runs done so far are counted.
        progress: True for a progress bar, or a function that is called with the number of runs
            done on each table and their total.

    Returns:
        the audit, with the findings on every pair.

    Raises:
        ChoiceError: the mechanism or an option is unknown, or another argument is not valid. The
            tables do not fit the mechanism, are not neighbours or are too large. The audit was
            cancelled before any run was counted.
        BudgetError: the budget is not valid, or the mechanism cannot spend it.
    """
    with reporting(progress, "runs") as report:
        results = list(
            audit_in_steps(
                mechanisms.configured(mechanism),
                budget=Budget.stated(budget, epsilon=epsilon, rho=rho),
                allocation=allocation,
                pair=pair,
                runs=runs,
                seed=seed,
                confidence=confidence,
                workers=workers,
                progress=report,
                steps=1,
            )
        )
    if not results:
        raise ChoiceError("The audit was cancelled before any run was counted. Start it again.")
    return results[-1]


def audit_in_steps(
    mechanism: Mechanism,
    *,
    budget: Budget,
    allocation: Sequence[int] | None = None,
    pair: Pair | tuple[Table, Table] | None = None,
    runs: int = 20_000,
    seed: int = 0,
    confidence: float = 0.95,
    workers: WorkersOption = None,
    progress: Progress | None = None,
    steps: int = 20,
) -> Iterator[Audit]:
    """Return an iterator over audits, one after each of several steps of the counted runs.

    The last one equals the result of `audit`.

    The bounds of each single step hold with `confidence`. Those of all steps together hold with a
    lower confidence.

    Args:
        steps: the number of steps.
        mechanism, budget, allocation, pair, runs, seed, confidence, workers, progress: as in
            `audit`.

    Raises:
        ChoiceError, BudgetError: as in `audit`; a cancelled audit ends the iteration instead.
    """
    who = Workers.of(workers)
    if who.client is not None:
        raise ChoiceError("An audit runs on threads, not on a cluster. Leave the client out.")
    if pair is None:
        pairs = mechanism.worst_neighbours(budget)
    else:
        pairs = (_checked_pair(pair, mechanism.change),)
    inquiries = []
    for place, tables in enumerate(pairs):
        case_plan = plan(tables.before, mechanism, budget=budget, allocation=allocation)
        require_fit(case_plan, runs, confidence)
        inquiries.append(
            Inquiry(
                runs=Runs(plan=case_plan, pair=tables, seed=checked_seed(seed)),
                n=runs,
                place=place,
                pairs=len(pairs),
                claim=claim_of(case_plan),
                gaussian=noise_claim_of(case_plan),
                confidence=float(confidence),
                workers=who,
                progress=progress,
            )
        )
    return _steps(inquiries, steps)


def _steps(inquiries: list[Inquiry], steps: int) -> Iterator[Audit]:
    first = inquiries[0]
    counted = []
    for inquiry in inquiries:
        watches, failures = chosen_events(inquiry)
        if watches is None:
            return
        counted.append(_Counted(inquiry=inquiry, watches=watches, failures=failures))
    marks = np.unique(np.linspace(first.choosing, first.n, steps + 1).astype(int))
    for start, stop in pairwise(marks.tolist()):
        for one in counted:
            one.failures = one.failures + count_runs(one.inquiry, one.watches, start, stop)
        if not counted[0].watches[0].before:
            return
        yield _result([one for one in counted if one.watches[0].before])
        if first.workers.cancelled:
            return


def _result(counted: list[_Counted]) -> Audit:
    first = counted[0].inquiry
    by_pair = tuple(_findings(one) for one in counted)
    fresh = by_pair[0].released.runs
    return Audit(
        mechanism=first.runs.plan.id,
        options=first.runs.plan.options,
        options_in_effect=words_in_effect(
            first.runs.plan.mechanism, kind=first.runs.plan.domain.kind
        ),
        claim=first.claim,
        confidence=first.confidence,
        showable=most_showable(fresh, alpha=first.alpha, delta=first.claim.delta),
        by_pair=by_pair,
        seed=first.runs.seed,
    )


def _findings(counted_runs: _Counted) -> PairFindings:
    findings = {
        watch.watched: _finding(counted_runs.inquiry, watch) for watch in counted_runs.watches
    }
    before, after = counted_runs.failures
    return PairFindings(
        pair=counted_runs.inquiry.runs.pair,
        runs=counted_runs.inquiry.choosing + findings["released"].runs,
        failures=(int(before), int(after)),
        released=findings["released"],
        measured=findings["measured"],
    )


def _finding(inquiry: Inquiry, watch: Watch) -> Finding:
    before, after = np.concatenate(watch.before), np.concatenate(watch.after)
    event, n, claim = watch.event, len(before), inquiry.claim
    hits, misses = event.hits(before, after)
    low = float(at_least(hits, n, alpha=inquiry.alpha))
    high = float(at_most(misses, n, alpha=inquiry.alpha))
    epsilon = float(epsilon_at_least(low, high, delta=claim.delta))
    rho: float | None = None
    points: tuple[CurvePoint, ...] = ()
    if inquiry.gaussian is None:
        leaks = epsilon > claim.epsilon
    else:
        rho = rho_at_least(inquiry.gaussian, low, high)
        points = _points(inquiry.gaussian, low, high)
        leaks = contradicts(inquiry.gaussian, low, high)
    return Finding(
        watched=watch.watched,
        event=watch.words,
        with_person=hits if event.towards_after else misses,
        without=misses if event.towards_after else hits,
        runs=n,
        low=low,
        high=high,
        epsilon_lower=epsilon,
        rho_lower=rho,
        points=points,
        leaks=leaks,
        scores=_score_counts(event, before, after),
    )


def _points(claim: GaussianClaim, low: float, high: float) -> tuple[CurvePoint, ...]:
    epsilons, allowed = curve(claim)
    measured = low - np.exp(epsilons) * high
    places = np.linspace(0, len(epsilons) // 2, _POINTS).astype(int)
    most = int(np.argmax(measured - allowed))
    return tuple(
        CurvePoint(
            epsilon=float(epsilons[k]),
            delta_lower=max(0.0, float(measured[k])),
            delta_claimed=float(allowed[k]),
        )
        for k in sorted({*places.tolist(), most})
    )


def _score_counts(event: OutputEvent, before: FloatArray, after: FloatArray) -> ScoreCounts:
    both = np.concatenate([before, after])
    both = both[np.isfinite(both)]
    if not len(both):
        both = np.zeros(1)
    low = np.quantile(both, 0.001, method="lower")  # one of the scores, not between two of them
    high = np.quantile(both, 0.999, method="higher")
    values = np.unique(both[(both >= low) & (both <= high)])
    if len(values) <= 2 * _BARS:
        middles = (values[1:] + values[:-1]) / 2
        ends = np.diff(values)[[0, -1]] / 2 if len(values) > 1 else np.array([0.5, 0.5])
        edges = np.concatenate([[values[0] - ends[0]], middles, [values[-1] + ends[1]]])
    else:
        edges = np.linspace(low, high, _BARS + 1)
    counts = [np.histogram(side[np.isfinite(side)], edges)[0] for side in (before, after)]
    return ScoreCounts(
        edges=edges,
        before=counts[0],
        after=counts[1],
        mark=event.mark,
        relation=event.relation,
    )


def _checked_pair(pair: Pair | tuple[Table, Table], change: Change) -> Pair:
    """Return the pair if its tables are neighbours under the mechanism's relation."""
    return checked_pair(
        pair,
        change.neighbours,
        trips=change.trips,
        distinct=change.distinct,
        private_totals=change.groups_come,
    )
