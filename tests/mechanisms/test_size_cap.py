"""The maximum group size: chosen, or measured with noise and a margin."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import beta
from support.examples import examples
from support.simulations import simulated
from support.strategies import group_size_tables, regions_of

from hierdp_core import samples
from hierdp_core.evaluation import released_counts
from hierdp_core.evaluation.errors import by_region_errors, earth_movers_distance, errors
from hierdp_core.exceptions import BudgetError, ChoiceError
from hierdp_core.explain.group_sizes import groups_above, top_coding
from hierdp_core.hierarchy import Hierarchy
from hierdp_core.mechanisms import parse, size_cap
from hierdp_core.mechanisms.size_cap import (
    cap_event,
    largest_size,
    noisy_cap,
    room_above,
)
from hierdp_core.noise import SeededNoise
from hierdp_core.privacy import event_epsilon, total_epsilon, total_rho
from hierdp_core.privacy.account import within
from hierdp_core.simulation import plan, simulate
from hierdp_core.tables import GroupSizes
from hierdp_core.tables.top_coding import in_columns, shared_columns, top_coded

TREE = Hierarchy(parent=np.array([-1, 0, 0]), level_start=np.array([0, 1, 3]))
TABLE = GroupSizes.from_leaves(regions_of(TREE), [[0, 2, 1, 0, 3], [1, 1, 0, 2, 0]])
NOISY = {"cap": "noisy", "cap-epsilon": "0.1"}


@given(table=group_size_tables(), largest=st.integers(1, 8))
def test_top_coding_keeps_every_group(table, largest):
    found = top_coded(table.values, largest)
    assert found.shape == (table.tree.n_nodes, largest + 1)
    sizes = np.minimum(np.arange(table.n_sizes), largest)
    for row, wanted in zip(found, table.values, strict=True):
        groups = np.repeat(sizes, wanted)
        assert row.tolist() == np.bincount(groups, minlength=largest + 1).tolist()


def test_columns_are_padded_with_zeros_or_cut():
    assert in_columns(np.array([[1, 2]]), 4).tolist() == [[1, 2, 0, 0]]
    assert in_columns(np.array([[1, 2, 3]]), 2).tolist() == [[1, 2]]
    empty_behind = np.array([[0, 0, 0, 0, 1, 0, 0]])
    assert shared_columns(np.array([[1, 2]]), empty_behind) == 5
    assert shared_columns(np.array([[1, 2, 0, 0, 0, 0]]), np.array([[1]])) == 6
    one = earth_movers_distance(np.array([[0, 1]]), np.array([[0, 0, 0, 1]]))
    assert one.tolist() == [2.0]


@pytest.mark.parametrize("id", ["coc", "coc-opt", "coc-naive", "coc-bottom-up"])
def test_a_chosen_cap_top_codes_and_the_true_table_says_how_many(id):
    done = simulated(TABLE, id, epsilon=10_000, options={"cap": "2"})
    assert done.table.values.tolist() == [[1, 3, 6], [0, 2, 4], [1, 1, 2]]
    assert done.table.top_coded
    assert groups_above(TABLE, done) == 5
    assert "that groups above size 2 count as groups of size 2" in done.privacy.sentence
    assert top_coding(TABLE, done) == (
        "Sizes are counted up to 2. 5 of the groups (50%) are larger and are counted at 2."
    )
    usual = simulated(TABLE, id, epsilon=1)
    assert groups_above(TABLE, usual) == 0
    assert top_coding(TABLE, usual) == ""
    long = simulated(TABLE, id, epsilon=10_000, options={"cap": "9"})
    assert long.table.values.tolist() == in_columns(TABLE.values, 10).tolist()
    assert long.table.top_coded
    assert groups_above(TABLE, long) == 0
    assert top_coding(TABLE, long).endswith("up to 9. None of the groups is larger.")


@pytest.mark.parametrize("cap", ["0", "-1", "1.5", "all", "", "99999999999999999999", "NOISY"])
def test_an_invalid_cap_is_refused(cap):
    with pytest.raises(ChoiceError, match="Set cap to public, noisy or an integer from 1"):
        plan(TABLE, "coc", epsilon=1, options={"cap": cap})


@pytest.mark.parametrize("shown", ["0", "-1", "small", "inf"])
def test_a_noisy_cap_needs_a_number_above_0(shown):
    with pytest.raises(ChoiceError, match="cap-epsilon must be"):
        plan(TABLE, "coc", epsilon=1, options={"cap": "noisy", "cap-epsilon": shown})


@pytest.mark.parametrize(
    ("budget", "reason"),
    [
        ({"epsilon": 0.1}, "the budget, ε = 0.1. Set it below 0.1, or"),
        (
            {"rho": 0.005},
            (
                "the budget, ρ = 0.005. This costs ρ = 0.005, and the noise may spend ρ = 0.005. "
                "Set it below 0.1, or"
            ),
        ),
        ({"epsilon": 0.1, "delta": 1e-8}, "the budget, ε = 0.1, δ = 10⁻⁸. Set it below 0.1, or"),
        (
            {"epsilon": 0.5, "delta": 1e-8, "noise": "gaussian"},
            (
                "the budget, ε = 0.5, δ = 10⁻⁸. This costs ρ = 0.005, and the noise may spend "
                "ρ = 0.00457. Set it below 0.0956, or"
            ),
        ),
        (
            {"epsilon": 0.5, "delta": 1e-8, "accounting": "simple"},
            (
                "the budget, ε = 0.5, δ = 10⁻⁸. This costs ρ = 0.005, and the noise may spend "
                "ρ = 0.00334. Set it below 0.0818, or"
            ),
        ),
    ],
)
def test_a_cap_that_spends_the_whole_budget_is_refused(budget, reason):
    with pytest.raises(BudgetError) as refused:
        plan(TABLE, "coc", options=NOISY, **budget)
    start = "“ε for a noisy maximum group size” (cap-epsilon) is 0.1, which leaves nothing of "
    assert str(refused.value) == f"{start}{reason} use a larger budget."


def test_the_best_noise_is_the_only_one_that_a_cap_leaves_possible():
    made = plan(TABLE, "coc", options=NOISY, epsilon=0.5, delta=1e-8)
    assert [(one.noise, one.chosen) for one in made.spending.candidates] == [("geometric", True)]
    assert within(made.events, made.budget)


@pytest.mark.parametrize("budget", [{"epsilon": 1}, {"rho": 0.5}, {"epsilon": 1, "delta": 1e-8}])
@pytest.mark.parametrize("totals", ["public", "private"])
def test_the_cap_is_paid_from_the_budget(budget, totals):
    made = plan(TABLE, "coc", options=NOISY | {"totals": totals}, **budget)
    cap = made.beside[0]
    assert event_epsilon(cap) == Fraction(1, 10)
    if made.budget.kind == "pure":
        assert total_epsilon(made.events) == made.budget.epsilon
    elif made.budget.kind == "zcdp":
        assert total_rho(made.events) == made.budget.rho
    else:
        assert within(made.events, made.budget)
    row = next(row for row in made.privacy.levels if row.level == "the largest size")
    assert (row.epsilon, row.sensitivity) == (0.1, 1.0)
    assert row.scale == "two-sided geometric (discrete Laplace), scale 10"
    assert "maximum group size" not in made.privacy.sentence


@pytest.mark.parametrize("cap", ["noisy", "3"])
def test_the_plan_does_not_know_how_many_sizes_the_table_has(cap):
    wide = GroupSizes.from_leaves(TABLE.regions, in_columns(TABLE.values[1:], 12))
    options = NOISY | {"cap": cap}
    made = plan(TABLE, "coc", epsilon=1, options=options)
    assert repr(made) == repr(plan(wide, "coc", epsilon=1, options=options))
    # The same noise for two tables that differ in empty columns alone.
    one, other = simulate(TABLE, made, seed=5), simulate(wide, made, seed=5)
    assert (one.table.values == other.table.values).all()
    assert one.table.top_coded == other.table.top_coded


@settings(max_examples=examples(60))
@given(table=group_size_tables(), row=st.integers(0, 30), size=st.integers(0, 3))
def test_the_largest_size_changes_by_one_when_one_person_joins(table, row, size):
    leaf = table.tree.leaves.start + row % table.tree.n_leaves
    padded = in_columns(table.values, table.n_sizes + 1)
    leaves = padded[table.tree.leaves].copy()
    size = min(size, table.n_sizes - 1)
    before = GroupSizes.from_leaves(table.regions, leaves)
    for with_own in (False, True):
        after = leaves.copy()
        if with_own:  # with a group of their own
            after[leaf - table.tree.leaves.start, 1] += 1
        elif after[leaf - table.tree.leaves.start, size] == 0:
            continue
        else:
            after[leaf - table.tree.leaves.start, size] -= 1
            after[leaf - table.tree.leaves.start, size + 1] += 1
        joined = GroupSizes.from_leaves(table.regions, after)
        assert largest_size(joined.values) - largest_size(before.values) in (0, 1)


def test_room_above_is_five_standard_deviations():
    for epsilon in (Fraction(1, 10_000), Fraction(1, 7), Fraction(3)):
        assert 0 < room_above(epsilon) - 5 * np.sqrt(2) / float(epsilon) <= 1


@pytest.mark.slow
def test_hardly_any_group_is_above_a_noisy_cap_and_outputs_show_no_more_than_it_costs():
    values = np.array([[1, 0, 0, 0, 1, 0]])
    more = np.array([[1, 0, 0, 0, 0, 1]])
    event = cap_event(Fraction(1))
    noise, n = SeededNoise(1), 60_000
    caps, others = (
        np.array([noisy_cap(v, event, noise) for _ in range(n)]) for v in (values, more)
    )
    assert caps.min() >= 1
    assert (caps < 4).mean() < 0.001
    # With one more person, outputs from 5 + room on are at most e times as likely.
    least_of = 5 + room_above(Fraction(1))
    hits, without = int((others >= least_of).sum()), int((caps >= least_of).sum())
    low, high = beta.ppf(5e-7, hits, n - hits + 1), beta.isf(5e-7, without + 1, n - without)
    assert 0.8 < np.log(low / high) <= 1


def test_a_noisy_cap_is_the_measured_size_and_the_margin():
    class Drawn:
        def draw(self, event, shape, cells=None):
            return np.full(shape, -3)

    for epsilon in (Fraction(1, 20), Fraction(1), Fraction(5)):
        cap = noisy_cap(np.eye(1, 90, 89, dtype=np.int64), cap_event(epsilon), Drawn())
        assert cap == 89 - 3 + room_above(epsilon)


def test_a_noisy_cap_is_at_least_one():
    empty = np.zeros((1, 3), dtype=np.int64)
    event = cap_event(Fraction(5))

    class Least:
        def draw(self, event, shape, cells=None):
            return np.full(shape, -1000)

    assert noisy_cap(empty, event, Least()) == 1
    # Nothing of the exact largest size is left when the noise hides it.
    assert noisy_cap(np.eye(1, 90, 89, dtype=np.int64), event, Least()) == 1


@pytest.mark.parametrize("id", ["coc", "coc-opt", "coc-naive", "coc-bottom-up"])
def test_where_noise_hides_the_largest_size_no_measurement_depends_on_it(id):
    class Low:
        def draw(self, event, shape, cells=None):
            return np.full(shape, -1000 if event.query == size_cap.QUERY else 0)

    made = plan(TABLE, parse(id, NOISY), epsilon=1)
    assert made.mechanism.measure(TABLE.values, made, Low()).largest == 1


def test_too_large_a_table_is_refused_before_and_after_the_cap_is_measured(monkeypatch):
    nation = samples.load("us-households").table
    with pytest.raises(
        ChoiceError, match=r"Increase .*cap-epsilon\) to at least 0\.0016, or set a maximum size"
    ):
        plan(nation, "coc", epsilon=1, options={"cap": "noisy"})
    assert plan(nation, "coc", epsilon=1, options={"cap": "noisy", "cap-epsilon": "0.0016"})
    with pytest.raises(ChoiceError, match="Set a smaller maximum size as cap"):
        plan(nation, "coc", epsilon=1, options={"cap": "1000000"})
    room = room_above(Fraction(1, 10))
    monkeypatch.setattr(size_cap, "LARGEST_CELLS", 3 * (room + 1))
    made = plan(TABLE, "coc", epsilon=1, options=NOISY)
    monkeypatch.setattr(size_cap, "noisy_cap", lambda *_: room + 1)
    with pytest.raises(ChoiceError, match=r"Increase .*cap-epsilon\), or set a maximum size"):
        simulate(TABLE, made, seed=2)


def test_a_long_table_is_accepted():
    made = plan(TABLE, "coc", epsilon=1, options={"cap": "noisy", "cap-epsilon": "0.00001"})
    done = simulate(TABLE, made, seed=1)
    assert done.table.n_sizes > 100_000
    assert done.checks.faithful


def test_errors_compare_tables_of_unequal_sizes():
    capped = simulated(TABLE, "coc", epsilon=10_000, options={"cap": "2"})
    whole = errors(TABLE, capped)
    # Three groups of 4 and two of 3 are counted at 2.
    assert whole["emd"].tolist() == [3 * 2 + 2 * 1, (6 + 2) / 2]
    assert whole["cells"].tolist() == [5, 10]
    by_size = {id: errors(TABLE, capped, quantity=id) for id in ("groups", "occupied", "members")}
    assert by_size["groups"]["l1"].tolist() == by_size["occupied"]["l1"].tolist() == [0.0, 0.0]
    assert by_size["members"]["l1"].tolist() == [8.0, 8.0]
    assert by_region_errors(TABLE, capped, "size-4")["released"].tolist() == [0, 0, 0]
    wide = simulated(TABLE, "coc", epsilon=10_000, options=NOISY)
    assert errors(TABLE, wide)["l1"].tolist() == [0.0, 0.0]
    assert errors(TABLE, wide, quantity="members")["l1"].tolist() == [0.0, 0.0]
    seen = released_counts.released_counts(TABLE, capped.plan, "members", n_simulations=2)
    assert (seen.released == np.array([3 + 6 * 2, 2 + 4 * 2, 1 + 2 * 2])).all()


def test_empty_last_columns_change_no_error():
    made = plan(TABLE, "coc", epsilon=0.5, options=NOISY | {"totals": "private"})
    done = simulate(TABLE, made, seed=4)
    longer = replace(done, table=done.table.with_values(in_columns(done.table.values, 400)))
    assert errors(TABLE, done).equals(errors(TABLE, longer))
    assert done.table.values[0].sum() != TABLE.values[0].sum()


def test_the_largest_size_is_that_of_all_areas():
    for leaves in ([[0, 1, 0, 0, 1], [0, 2, 0, 0, 0]], [[0, 2, 0, 0, 0], [0, 1, 0, 0, 1]]):
        table = GroupSizes.from_leaves(regions_of(TREE), leaves)
        assert largest_size(table.values) == 4
