"""Noise on the leaves: the exact δ of a threshold, and what must never happen."""

from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.simulations import simulated
from support.strategies import binary_places, families, flow_tables, lomax_flows, regions_of

from hierdp_core.evaluation.error_bounds import bounds
from hierdp_core.evaluation.errors import errors
from hierdp_core.exceptions import BudgetError, ChoiceError, HierdpError
from hierdp_core.mechanisms.leaf_noise import threshold
from hierdp_core.privacy import (
    Allocation,
    Budget,
    Invariant,
    Neighbours,
    ThresholdEvent,
    event_delta,
    state_privacy,
    total_delta,
    total_epsilon,
    total_rho,
)
from hierdp_core.simulation import plan, simulate
from hierdp_core.tables import Flows
from hierdp_core.util import memory

PLACES = binary_places(2)
TABLE = lomax_flows(PLACES, 0.5, 0)


@pytest.mark.parametrize(("epsilon", "value"), [(0.1, 383.28), (1, 39.228), (10, 5.6841)])
def test_thresholds_of_the_paper_and_of_opendp(epsilon, value):
    assert threshold(2 / epsilon, 1e-8) == pytest.approx(value, rel=2e-5)
    (event,) = plan(TABLE, "stability-histogram", epsilon=epsilon, delta=1e-8).events
    assert event.threshold == pytest.approx(value, rel=2e-5)
    assert event.scale == Fraction(2) / Fraction(str(epsilon))


def chance(scale, least):
    """P(X ≥ least) of two-sided geometric noise, summed term by term."""
    q = np.exp(-1 / scale)
    k = np.arange(least, least + 4000)
    return float(((1 - q) / (1 + q) * q ** np.abs(k)).sum())


@pytest.mark.parametrize("neighbours", ["bounded", "unbounded"])
@pytest.mark.parametrize("delta", [1e-3, 1e-8])
@pytest.mark.parametrize("epsilon", [0.1, 1, 10])
@pytest.mark.parametrize(("m", "distinct"), [(1, "no"), (3, "no"), (3, "yes")])
def test_the_threshold_gives_the_delta_that_is_claimed(neighbours, delta, epsilon, m, distinct):
    options = {"neighbours": neighbours, "trips": m, "distinct": distinct}
    made = plan(TABLE, "stability-histogram", epsilon=epsilon, delta=delta, options=options)
    (event,) = made.events
    least = int(np.ceil(event.threshold))
    sides = 2 if neighbours == "bounded" else 1
    # All ways in which one record's trips can be alone in cells, in either table.
    splits = [[1] * m] if distinct == "yes" else [[m], [1] * m, [m - m // 2, m // 2]]
    for split in splits:
        stays_hidden = 1.0
        for trips in [t for t in split * sides if t]:
            stays_hidden *= 1 - chance(float(event.scale), least - trips)
        assert 1 - stays_hidden <= event_delta(event) * (1 + 1e-6) + 1e-12
    assert event_delta(event) <= delta
    assert total_delta(made.events) == event_delta(event)
    assert total_epsilon(made.events) == made.budget.epsilon
    assert total_rho(made.events) is None


@pytest.mark.parametrize("trips", [1, 2])
def test_small_tables_are_indistinguishable_as_claimed(trips):
    """One person's trips move between three pairs, with the exact distribution of outcomes."""
    options = {"trips": trips}
    made = plan(TABLE, "stability-histogram", epsilon=1, delta=0.05, options=options)
    (event,) = made.events
    q, least = np.exp(-1 / float(event.scale)), int(np.ceil(event.threshold))
    k = np.arange(least, least + 400)

    def law(count):
        """The probabilities of a hidden cell and of every count from the threshold on."""
        if count == 0:
            return np.concatenate([[1.0], np.zeros(len(k))])
        shown = (1 - q) / (1 + q) * q ** np.abs(k - count)
        return np.concatenate([[1 - shown.sum()], shown])

    tables = [c for c in np.ndindex(4, 4) if sum(c) == 3]
    for one in tables:
        for other in tables:
            if np.abs(np.subtract(one, other)).sum() <= 2 * trips:
                joint = [np.multiply.outer(*map(law, counts)) for counts in (one, other)]
                beyond = np.maximum(joint[0] - np.e * joint[1], 0).sum()
                assert beyond <= event_delta(event)


def test_half_the_noise_would_cost_more_than_the_claim():
    (event,) = plan(TABLE, "stability-histogram", epsilon=1, delta=1e-8).events
    spent = {"budget": Budget.of(epsilon=1, delta=1e-8), "allocation": Allocation(weights=(1,))}
    words = {"levels": ("leaf",), "unit": "one person", "invariants": (Invariant(text="nothing"),)}

    def stated(changed):
        return state_privacy([changed], neighbours=Neighbours.REPLACE_ONE, **spent, **words)

    output = stated(changed(event, level=0))
    assert output.guarantee == "ε = 1, δ = 10⁻⁸ (approximate DP)"
    assert output.rho is None
    assert "only noisy counts of at least 39.2276 are released" in output.levels[0].scale
    for worse in ({"scale": event.scale / 2}, {"threshold": event.threshold - 10}):
        with pytest.raises(BudgetError, match="would spend more than"):
            stated(changed(event, level=0, **worse))


def changed(event, **values):
    return ThresholdEvent(**{**vars(event), **values})


@given(table=flow_tables(least_levels=2, largest=200), seed=st.integers(0, 99))
def test_a_threshold_has_no_false_positives(table, seed):
    released = simulated(table, "stability-histogram", epsilon=1, delta=0.01, seed=seed)
    true = set(zip(table.origin.tolist(), table.destination.tolist(), strict=True))
    pairs = released.table
    found = set(zip(pairs.origin.tolist(), pairs.destination.tolist(), strict=True))
    assert found <= true
    assert pairs.values.min(initial=99) >= released.plan.events[0].threshold
    assert released.checks.valid
    frame = errors(table, released)
    assert not frame["fdr"].any()


def test_what_is_dropped_is_not_in_the_noisy_answers_either():
    one = Flows.from_pairs(PLACES, PLACES, [0], [1], [1])
    released = simulated(one, "stability-histogram", epsilon=1, delta=1e-8)
    assert len(released.noisy) == len(released.table.pairs) == 0


@pytest.mark.parametrize("budget", [{"epsilon": 1}, {"rho": 1}])
def test_a_threshold_needs_epsilon_with_delta(budget):
    with pytest.raises(BudgetError, match=r"needs \(ε, δ\)"):
        plan(TABLE, "stability-histogram", **budget)
    for delta in (0, 1, -1, 2):
        with pytest.raises(BudgetError, match="delta must lie strictly between 0 and 1"):
            plan(TABLE, "stability-histogram", epsilon=1, delta=delta)


def test_the_histogram_refuses_gaussian_noise() -> None:
    with pytest.raises(BudgetError, match="geometric noise only"):
        plan(TABLE, "stability-histogram", epsilon=1, delta=1e-8, noise="gaussian")
    same = [
        plan(TABLE, "stability-histogram", epsilon=1, delta=1e-8, **noise).events
        for noise in ({}, {"noise": "geometric"})
    ]
    assert same[0] == same[1]


def test_noise_on_every_pair_is_unbiased_and_may_be_negative():
    made = plan(TABLE, "vanilla-gauss", epsilon=1, delta=1e-8, accounting="simple")
    assert float(made.events[0].sigma2) == pytest.approx(1 / 0.0132154, rel=1e-4)
    assert [event.level for event in made.events] == [4]
    released = simulate(TABLE, made)
    assert released.table.values.min() < 0
    assert not released.checks.valid
    assert released.checks.consistent
    drawn = [simulate(TABLE, made, index=t).table.total - TABLE.total for t in range(300)]
    # 16 pairs with σ = 8.7: the mean of 300 totals has a deviation of 2.
    assert abs(np.mean(drawn)) < 10
    assert 25 < np.std(drawn) < 45


def test_baselines_spend_everything_on_the_leaves():
    for id in ("vanilla-gauss", "stability-histogram"):
        budget = {"epsilon": 1, "delta": 1e-8}
        assert plan(TABLE, id, allocation=[0, 0, 0, 0, 7], **budget) == plan(TABLE, id, **budget)
        for above in range(4):
            asked = [int(k in (above, 4)) for k in range(5)]
            with pytest.raises(BudgetError, match="spends the whole budget on the last level"):
                plan(TABLE, id, allocation=asked, **budget)
        with pytest.raises(BudgetError, match="spends the whole budget on the last level"):
            plan(TABLE, id, allocation=[1, 1], **budget)
    places = binary_places(12)
    with pytest.raises(
        ChoiceError, match=r"up to 5,000,000 possible pairs; this table has 16,777,216"
    ):
        plan(Flows.from_pairs(places, places, [0], [1], [5]), "vanilla-gauss", rho=1)


@pytest.mark.parametrize(
    ("id", "budget"),
    [
        ("vanilla-gauss", {"rho": 0.05}),
        ("vanilla-gauss", {"epsilon": 1}),
        ("stability-histogram", {"epsilon": 1, "delta": 1e-4}),
    ],
)
def test_the_bounds_of_the_baselines_hold_as_often_as_they_say(id, budget):
    made, beta, n = plan(TABLE, id, **budget), 0.5, 200
    proved = np.array(bounds(made, beta=beta))
    assert (np.diff(proved) < 0).all()
    held = np.zeros(len(proved))
    for index in range(n):
        held += errors(TABLE, simulate(TABLE, made, index=index))["max_abs"].to_numpy() <= proved
    assert (held / n >= 1 - beta).all()
    for larger, smaller in pairwise(bounds(made, beta=b)[-1] for b in (0.01, 0.1, 0.5)):
        assert larger > smaller


def test_a_statement_says_at_which_level_flows_get_noise():
    made = plan(TABLE, "stability-histogram", epsilon=1, delta=1e-8)
    (event,) = made.events
    assert event.level == len(made.levels) - 1
    assert event.query.endswith(f" by {made.levels[-1]}")


def test_the_memory_for_every_pair_is_that_of_origins_and_destinations(monkeypatch):
    table = Flows.from_pairs(regions_of(families(3, 2)), PLACES, [0], [1], [5])
    made = plan(table, "vanilla-gauss", epsilon=1)
    free = [10**6, 100]  # for the flows, then for the noise
    monkeypatch.setattr(memory, "available_bytes", lambda: free.pop(0))
    with pytest.raises(HierdpError, match=r"5 origins × 4 destinations \(20 numbers\)"):
        simulate(table, made)
