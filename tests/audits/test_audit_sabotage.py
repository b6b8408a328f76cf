"""Our mechanisms with one planted mistake each: an audit of their worst cases detects it.

No pair is given, to test that the worst cases supplied by a mechanism reach all of its noise and
all that it publishes. `Sabotage` holds the number of runs and the options.
"""

from dataclasses import dataclass, field, replace
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from support.sabotage import (
    leaves_as_one_trip,
    measure_by_exact_flow,
    of_distinct_trips,
    of_two_trips,
)
from support.watching import watched

from hierdp_core.audits import audit, checked_pair, pairs_of, sampling, worst_pairs
from hierdp_core.exceptions import BudgetError, ChoiceError
from hierdp_core.mechanisms import MECHANISMS, Mechanism, describe, parse, size_cap
from hierdp_core.noise import SeededNoise
from hierdp_core.privacy import Budget, GaussianEvent, Sensitivity, ThresholdEvent
from hierdp_core.simulation import plan
from hierdp_core.tables import Pairs

# As in test_audit_laboratory.py: one of a thousand audits is hardly ever wrong by chance.
CI = 1 - 1e-9
COC, INFTDA = MECHANISMS["coc"], MECHANISMS["inftda"]
HISTOGRAM, HAY = MECHANISMS["stability-histogram"], MECHANISMS["hay"]


@dataclass(frozen=True)
class Changed:
    """A noise source whose noise is changed before it is returned."""

    noise: object
    change: object

    def draw(self, event, shape, cells=None):
        return self.change(self.noise, event, shape, cells)


def scaled(factor):
    """Return a change that multiplies the scale of the noise by a factor."""

    def draw(noise, event, shape, cells):
        if isinstance(event, GaussianEvent):
            return noise.draw(replace(event, sigma2=event.sigma2 * factor**2), shape, cells)
        return noise.draw(replace(event, scale=event.scale * factor), shape, cells)

    return draw


class ThirdOfTheNoise(INFTDA):
    id = "third-of-the-noise"

    def measure(self, values, plan, noise):
        return super().measure(values, plan, Changed(noise, scaled(Fraction(1, 3))))


def without_noise_on(query):
    """Return a change that removes the noise of events of no level whose query has this text."""

    def draw(noise, event, shape, cells):
        drawn = noise.draw(event, shape, cells)
        return 0 * drawn if event.level is None and query in event.query else drawn

    return draw


class ExactTotals(COC):
    id = "exact-totals"

    def measure(self, values, plan, noise):
        return super().measure(values, plan, Changed(noise, without_noise_on("the number of")))


class ExactCap(COC):
    id = "exact-cap"

    def measure(self, values, plan, noise):
        return super().measure(values, plan, Changed(noise, without_noise_on(size_cap.QUERY)))


class KeptByTruth(HISTOGRAM):
    """Mutant D: the exact flow decides what is released, not the noisy one."""

    id = "kept-by-truth"
    measure = measure_by_exact_flow


class TenthOfTheNoise(HISTOGRAM):
    """Mutant E."""

    id = "tenth-of-the-noise"

    def measure(self, values, plan, noise):
        def tenth(noise, event, shape, cells):
            return noise.draw(event, shape, cells) // 10

        return super().measure(values, plan, Changed(noise, tenth))


class NoThreshold(HISTOGRAM):
    """Every flow above 0 is released, whatever its noise."""

    id = "no-threshold"

    def measure(self, values, plan, noise):
        noisy = values.values + noise.draw(plan.events[0], values.values.shape)
        return Pairs(origin=values.origin, destination=values.destination, values=noisy)


class TwoTripsAtMost(INFTDA):
    """Mutant C: three or more trips cost as much as two."""

    id = "two-trips-at-most"
    sensitivities = of_two_trips(INFTDA.sensitivities)


def with_leaves_as_one_trip(mechanism):
    """Mutant F: if all trips are different, the last level costs as much as one trip."""

    class LeavesAsOneTrip(mechanism):
        id = f"{mechanism.id}-leaves-as-one-trip"
        sensitivities = of_distinct_trips(mechanism.sensitivities, leaves_as_one_trip)

    return LeavesAsOneTrip


class RootOfTrips(INFTDA):
    """Mutant G: √(2m) on every level, as printed in [C], although trips may be repeated."""

    id = "root-of-trips"

    def sensitivities(self, domain):
        ways, m = self.ways, self.trips
        found = super().sensitivities(domain)
        few = Sensitivity(l1=ways * m, l2_squared=ways * m)
        return tuple(few if level.l1 else level for level in found)


def cut(mechanism):
    """Mutant A: noisy measurements are cut at a limit taken from the exact ones."""

    class Cut(mechanism):
        id = f"{mechanism.id}-cut"

        def measure(self, values, plan, noise):
            noisy = super().measure(values, plan, noise)
            return np.minimum(noisy, 10 + 2 * self.answer(values, plan.domain.tree).max())

    return Cut


class ZerosPutBack(HAY):
    """Mutant B: numbers that were 0 are set to 0 again in the released table."""

    id = "zeros-put-back"

    def measure(self, values, plan, noise):
        self.empty = values == 0
        return super().measure(values, plan, noise)

    def released(self, table, values, plan):
        return super().released(table, np.where(self.empty, 0, values), plan)


@dataclass(frozen=True)
class Sabotage:
    """A mistake and its audit; `runs` suffice at a confidence of 1 − 10⁻⁹."""

    mechanism: type[Mechanism]
    options: dict = field(default_factory=dict)
    budget: dict = field(default_factory=lambda: {"epsilon": 1})
    runs: int = 4_000


RHO, WITH_DELTA = {"rho": 0.5}, {"epsilon": 1, "delta": 1e-8}
UNBOUNDED = {"neighbours": "unbounded"}
NOISY_CAP = {"cap": "noisy", "cap-epsilon": "0.5"}
SABOTAGES = {
    "a: third of the noise, 3 trips": Sabotage(ThirdOfTheNoise, {"trips": "3"}, runs=2_000),
    "a: the same, ρ": Sabotage(ThirdOfTheNoise, {"trips": "3"}, RHO, runs=1_000),
    "a: the same, unbounded": Sabotage(ThirdOfTheNoise, {"trips": "3"} | UNBOUNDED, runs=2_000),
    "b: exact totals": Sabotage(ExactTotals, {"totals": "private"}, runs=400),
    "b: the same, ρ": Sabotage(ExactTotals, {"totals": "private"}, RHO, runs=400),
    "b: the same, hg": Sabotage(ExactTotals, {"totals": "private", "methods": "hg"}, runs=400),
    "c: exact largest size": Sabotage(ExactCap, NOISY_CAP, runs=400),
    "c: the same, ρ": Sabotage(ExactCap, NOISY_CAP, RHO, runs=400),
    "c: the same, private totals": Sabotage(ExactCap, NOISY_CAP | {"totals": "private"}, runs=400),
    "d: kept by the exact flow": Sabotage(KeptByTruth, {}, WITH_DELTA, runs=400),
    "d: the same, unbounded": Sabotage(KeptByTruth, UNBOUNDED, WITH_DELTA, runs=400),
    "d: the same, 3 trips": Sabotage(KeptByTruth, {"trips": "3"}, WITH_DELTA, runs=400),
    "d: the same, 3 different trips": Sabotage(
        KeptByTruth, {"trips": "3", "distinct": "yes"}, WITH_DELTA, runs=400
    ),
    "E: tenth of the noise": Sabotage(TenthOfTheNoise, {}, WITH_DELTA, runs=400),
    "E: the same, unbounded": Sabotage(TenthOfTheNoise, UNBOUNDED, WITH_DELTA, runs=400),
    "no threshold": Sabotage(NoThreshold, {}, WITH_DELTA, runs=400),
    "no threshold, unbounded": Sabotage(NoThreshold, UNBOUNDED, WITH_DELTA, runs=400),
    "C: six trips as two, ρ": Sabotage(TwoTripsAtMost, {"trips": "6"}, RHO, runs=1_000),
    "F: leaves as one trip, ρ": Sabotage(
        with_leaves_as_one_trip(MECHANISMS["vanilla-gauss"]),
        {"trips": "3", "distinct": "yes"},
        RHO,
        runs=2_000,
    ),
    "G: √(2m), ρ": Sabotage(RootOfTrips, {"trips": "3"}, RHO, runs=2_000),
    "A: cut, pgsr-h-dp": Sabotage(cut(MECHANISMS["pgsr-h-dp"]), runs=4_000),
    "B: zeros put back": Sabotage(ZerosPutBack, runs=400),
}
# Mistakes that need the default number of runs of an audit, at 95% confidence.
SMALL = {
    "A: cut, hay": Sabotage(cut(HAY)),
    "C: three trips as two": Sabotage(TwoTripsAtMost, {"trips": "3"}),
    "F: leaves as one trip, unbounded": Sabotage(
        with_leaves_as_one_trip(INFTDA), {"trips": "3", "distinct": "yes"} | UNBOUNDED, RHO
    ),
}


def slow_but_the_first_of_each_kind(names):
    """Return the names; those of a mistake with other options or another budget are slow."""
    kinds = [name.partition(":")[0].partition(",")[0] for name in names]
    return [
        pytest.param(name, marks=[pytest.mark.slow] * (kinds.index(kind) < place))
        for place, (name, kind) in enumerate(zip(names, kinds, strict=True))
    ]


@pytest.mark.slow
@pytest.mark.parametrize("name", slow_but_the_first_of_each_kind(SABOTAGES))
def test_an_audit_of_the_worst_cases_finds_the_sabotage(name, monkeypatch):
    case = SABOTAGES[name]
    monkeypatch.setitem(MECHANISMS, case.mechanism.id, case.mechanism)
    found = audit(
        parse(case.mechanism.id, case.options),
        budget=Budget.of(**case.budget),
        runs=case.runs,
        confidence=CI,
    )
    assert found.leaks, found.sentences
    assert found.failures == (0, 0)


@pytest.mark.nightly
@pytest.mark.parametrize("name", SMALL)
def test_an_audit_with_the_usual_runs_finds_the_smaller_ones(name, monkeypatch):
    case = SMALL[name]
    monkeypatch.setitem(MECHANISMS, case.mechanism.id, case.mechanism)
    found = audit(parse(case.mechanism.id, case.options), budget=Budget.of(**case.budget))
    assert found.leaks, found.sentences


@pytest.mark.slow
@pytest.mark.parametrize("budget", [{"epsilon": 1}, RHO])
def test_noise_of_a_quarter_of_the_scale_is_found(budget, monkeypatch):
    """Mutant I: the noise generator is wrong, whatever the mechanism."""

    class Quarter(SeededNoise):
        def draw(self, event, shape, cells=None):
            return scaled(Fraction(1, 4))(super(), event, shape, cells)

    monkeypatch.setattr(sampling, "SeededNoise", Quarter)
    assert audit("tree-dp", budget=Budget.of(**budget), runs=2_000, confidence=CI).leaks


# Every option that affects what one record changes, with the values to try.
WORDS = {
    "methods": ("hc", "hg", "naive", "hg,naive"),
    "trips": ("1", "2", "3", "7", "100"),
    "cap": ("public", "1", "2", "5", "noisy"),
    "totals-share": ("0.1",),
    "cap-epsilon": ("0.5",),
}
IDLE = {"isotonic", "merge", "hg-variance", "order", "time_limit"}
BUDGETS = ({"epsilon": 1}, {"rho": 0.5}, {"epsilon": 2, "delta": 1e-6})
# The accounting method does not affect what one record changes, so the fastest one is used.
BUDGETS_TO_MOVE = (*BUDGETS[:2], {**BUDGETS[2], "accounting": "simple"})


def option_sets(id):
    """Yield every combination of options that are not idle; the idle ones have their defaults."""
    names = describe(id).options
    words = [(o.default,) if o.name in IDLE else o.choices or WORDS[o.name] for o in names]
    slow = MECHANISMS[id].largest_cells is not None
    for chosen in product(*words):
        options = dict(zip((o.name for o in names), chosen, strict=True))
        if not (slow and options.get("trips") == "100"):
            yield options


def moved(mechanism, pair, made, seed):
    """Return the L1 and squared L2 distance between the two tables' measurements, by event."""
    seen = [
        watched(mechanism, table, made, estimate=False, seed=seed)
        for table in (pair.before, pair.after)
    ]
    found = {}
    for event in made.events:
        one, other = (side.answers.get(event, np.zeros(0)) for side in seen)
        if one.shape == other.shape:
            apart = np.abs(other - one)
            found[event] = int(apart.sum()), int(np.square(apart).sum())
    return found


def reached(id, options, budget):
    """Return, for each event of the plan, its sensitivity and its largest change in any pair."""
    best, declared = {}, {}
    for pair in worst_pairs(parse(id, options), budget=Budget.of(**budget)):
        made = plan(pair.before, parse(id, options), **budget)
        for seed in range(6):
            if declared and best == declared:
                return declared, best
            for event, (l1, squared) in moved(made.mechanism, pair, made, seed).items():
                # Pairs may differ in public facts, so events are identified by their position.
                place = made.events.index(event)
                gaussian = isinstance(event, GaussianEvent)
                declared[place] = event.l2_sensitivity_squared if gaussian else event.l1_sensitivity
                best[place] = max(best.get(place, 0), squared if gaussian else l1)
    return declared, best


@pytest.mark.slow
@pytest.mark.parametrize("id", MECHANISMS)
def test_the_worst_cases_move_every_event_as_far_as_it_declares(id):
    """Every event, on all levels and on none, changes by its sensitivity in some pair."""
    tried = 0
    for options, budget in product(option_sets(id), BUDGETS_TO_MOVE):
        try:
            declared, best = reached(id, options, budget)
        except (BudgetError, ChoiceError):
            continue  # it takes no such budget
        tried += 1
        if options.get("totals") == "private" and options["cap"] == "1":
            # Only one size is left to measure, so a change affects one number of it.
            methods = (options["methods"].split(",") * 2)[:2]
            naive = [k for k, method in enumerate(methods) if method == "naive"]
            assert all(best[k] == 1 for k in naive if k in best)
            declared = {k: d for k, d in declared.items() if k not in naive}
            best = {k: b for k, b in best.items() if k in declared}
        assert best == declared, (options, budget)
    assert tried > 0


@pytest.mark.parametrize("id", MECHANISMS)
def test_the_worst_cases_are_neighbours_with_the_same_levels_and_come_first(id):
    for options in option_sets(id):
        budget = Budget.of(epsilon=1, delta=1e-8)
        pairs = worst_pairs(parse(id, options), budget=budget)
        assert pairs
        assert len({pair.before.regions.levels for pair in pairs}) == 1
        for pair in pairs:
            checked_pair(
                pair,
                parse(id, options).neighbours,
                trips=int(options.get("trips", "1")),
                distinct=options.get("distinct") == "yes",
                private_totals=options.get("totals") == "private",
            )
        every = pairs_of(parse(id, options), budget=budget)
        assert [pair.id for pair in every[: len(pairs)]] == [pair.id for pair in pairs]
        assert len({pair.id for pair in every}) == len(every) >= len(pairs)
        assert all(pair.title[0].isupper() for pair in every)


def test_a_person_with_more_different_trips_than_there_is_room_for_moves_a_hundred():
    options = {"trips": "250", "distinct": "yes"}
    among_many, _ = worst_pairs(parse("inftda", options), budget=Budget.of(rho=1))
    assert "one person with 100 different trips (of up to 250)" in among_many.title.lower()
    assert np.abs(among_many.after.values - among_many.before.values)[-200:].sum() == 200


def test_the_stability_histogram_is_audited_around_its_own_threshold():
    for budget, options in product((WITH_DELTA, {"epsilon": 0.1, "delta": 1e-6}), ({}, UNBOUNDED)):
        histogram = parse("stability-histogram", options)
        threshold_pair, *_ = worst_pairs(histogram, budget=Budget.of(**budget))
        made = plan(threshold_pair.before, histogram, **budget)
        (event,) = made.events
        assert isinstance(event, ThresholdEvent)
        before, after = threshold_pair.before.values, threshold_pair.after.values
        assert ((before >= event.threshold) != (after >= event.threshold)).all()


def each_option(id):
    """Yield the default options, then the sets in which one option has another value."""
    usual = next(option_sets(id))
    yield usual
    for options in option_sets(id):
        differs = {name for name in usual if options[name] != usual[name]}
        if len(differs) == 1 or differs == {"trips", "distinct"}:
            yield options


@pytest.mark.nightly
@pytest.mark.parametrize("id", MECHANISMS)
def test_no_worst_case_accuses_what_ships(id):
    runs = 1_000 if MECHANISMS[id].largest_cells is None else 20
    audited = 0
    for options, budget in product(each_option(id), BUDGETS):
        try:
            found = audit(parse(id, options), budget=Budget.of(**budget), runs=runs, confidence=CI)
        except (BudgetError, ChoiceError):
            continue  # it takes no such budget
        audited += 1
        assert found.claim.true_epsilon is not None or not found.leaks, found.sentences
    assert audited > 0


FEW = {
    "inftda": {"trips": "2", "distinct": "yes", "neighbours": "unbounded"},
    "vanilla-gauss": {"trips": "3"},
    "stability-histogram": {"trips": "2"},
    "coc": NOISY_CAP | {"totals": "private"},
}


@pytest.mark.slow
@pytest.mark.parametrize("id", FEW)
def test_no_worst_case_of_these_accuses_what_ships(id):
    budget = WITH_DELTA if id == "stability-histogram" else RHO
    found = audit(parse(id, FEW[id]), budget=Budget.of(**budget), runs=1_000, confidence=CI)
    assert not found.leaks, found.sentences
    assert len(found.by_pair) == len(worst_pairs(parse(id, FEW[id]), budget=Budget.of(**budget)))


def test_an_audit_refuses_a_maximum_size_with_too_much_noise():
    with pytest.raises(ChoiceError, match=r"Give a larger cap-epsilon, such as 0.5"):
        audit("coc: cap=noisy", epsilon=1, runs=100)
