"""A family laid open: the papers' numbers, and real ones that add up."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.simulations import simulated
from support.strategies import counts_tables, group_size_tables

import hierdp_core as hdp
from hierdp_core.exceptions import ChoiceError
from hierdp_core.explain.tree_steps import Family, Problem, paper_chain
from hierdp_core.figures.program import cost

EXAMPLE = hdp.samples.load("running-example").table
US, GA, NY = 0, 1, 2


def opened(table, seed=0, epsilon=1.0, **options):
    mechanism = "tree-dp" if table.kind == "counts" else "pgsr-h-dp"
    return Problem.of(table, simulated(table, mechanism, epsilon=epsilon, seed=seed, **options))


@pytest.fixture(scope="module")
def households():
    return opened(hdp.samples.load("us-households").table)


class TestThePaper:
    def test_its_numbers_are_those_of_table_5(self):
        problem = Problem.of_the_paper(EXAMPLE)
        assert problem.names == ("US", "GA", "NY")
        assert problem.noisy[:, 1].tolist() == [2, 3, 0]
        assert problem.values[:, 1].tolist() == [3, 3, 0]
        assert problem.total == problem.values[0].sum() == 6
        assert problem.price == 0
        others = np.delete(np.arange(6), 1)
        assert (problem.noisy[:, others] == problem.true[:, others]).all()
        family = Family.at(problem, US, 1)
        assert family.table.values.tolist() == [0, 1, 2, 3, 4, 5]
        assert family.table.tau.tolist() == [13, 5, 1, 1, 5, 11]
        ga, ny = family.part_tables
        assert ga.tau.tolist()[:5] == [9, 4, 1, 0, 1]
        assert ny.tau.tolist()[:5] == [0, 1, 4, 9, 16]

    def test_a_leaf_is_seen_in_its_family(self):
        family = Family.at(Problem.of_the_paper(EXAMPLE), GA, 1)
        assert (family.head, family.marked) == (US, GA)
        assert family.marked_table is not None
        assert family.marked_table.chosen == 3
        assert family.is_root
        assert family.above is None
        assert family.parts.tolist() == [GA, NY]

    def test_its_chain_is_table_6(self):
        order, tables = paper_chain(EXAMPLE.regions)
        assert order.tolist() == [GA, NY, US]
        assert tables.tau[:, :5].tolist() == [
            [9, 4, 1, 0, 1],
            [18, 8, 2, 0, 1],
            [22, 9, 2, 1, 5],
        ]
        assert tables.chosen.tolist() == [3, 3, 3]

    def test_nothing_in_it_is_below_zero(self):
        assert Problem.of_the_paper(EXAMPLE).below_zero(1) is None


def test_an_area_that_was_measured_as_minus_three_is_found(households):
    found = households.below_zero(1)
    assert found is not None
    node, size = found
    assert households.noisy[node, size] == -3
    assert households.values[node, size] == 0
    family = Family.at(households, node, size)
    moved = family.moved[family.parts]
    assert (moved < 0).any(), "somebody gave up something for it"
    # What the page says of it: lifted, handed out, given up.
    below = family.parts[family.noisy[family.parts] < 0]
    above = family.parts[family.noisy[family.parts] >= 0]
    given = family.values[family.head]
    assert family.moved[above].sum() == given - family.noisy[above].sum()
    assert family.values[below].min() == 0


@given(table=counts_tables() | group_size_tables(), seed=st.integers(0, 999))
def test_every_family_of_every_table_opens_and_agrees_with_its_release(table, seed):
    problem = opened(table, seed, epsilon=0.3)
    tree = table.tree
    for node in range(0, tree.n_nodes, 3):
        family = Family.at(problem, node, problem.noisy.shape[1] - 1)
        assert family.table.chosen == family.values[family.head]
        if len(family.parts):
            chosen = family.table.split[family.table.chosen_at]
            assert chosen.tolist() == family.values[family.parts].tolist()
            assert (family.price is None) == (family.values[family.head] == 0)
        for part, split in zip(family.part_tables, family.parts, strict=False):
            assert part.chosen == family.values[split]


@given(table=counts_tables() | group_size_tables(), seed=st.integers(0, 999))
def test_what_is_found_below_zero_is_there(table, seed):
    problem = opened(table, seed, epsilon=0.1)
    found = problem.below_zero(0)
    leaves = np.arange(table.tree.leaves.start, table.tree.leaves.stop)
    if found is None:
        clear = (problem.noisy[leaves] >= 0) | (problem.values[leaves] > 0)
        assert clear.all() or table.tree.n_levels == 1
    else:
        assert problem.noisy[found] < 0 == problem.values[found]


def test_the_price_parts_what_sizes_take_from_what_they_leave(households):
    last, more = households.root_costs
    assert (last <= households.price).all()
    assert (more >= households.price).all()


def test_other_mechanisms_are_not_opened():
    table = hdp.samples.load("us-population").table
    with pytest.raises(ChoiceError, match=r"only the tree program has them\. Choose tree-dp\.$"):
        Problem.of(table, simulated(table, "hay", epsilon=1))


def test_noise_too_wide_for_a_table_is_reported():
    table = hdp.samples.load("us-population").table
    problem = opened(table, epsilon=1e-5, allocation=[1, 9999, 9999, 9999, 9999])
    with pytest.raises(ChoiceError, match="Choose a larger budget"):
        _ = Family.at(problem, 0, 0).table


@given(table=counts_tables() | group_size_tables(), seed=st.integers(0, 999))
def test_the_tables_of_all_parts_cover_the_same_values(table, seed):
    problem = opened(table, seed, epsilon=0.1)
    for node in range(0, table.tree.n_nodes, 3):
        family = Family.at(problem, node, problem.noisy.shape[1] - 1)
        tables, n_values = family.part_tables, len(family.table.values)
        assert len({part.values.tobytes() for part in tables}) <= 1
        names = [f"part {k}" for k in range(len(tables))]
        frame = cost.cost_frame(family.table, names=names, part_tables=tables)
        for name, part in zip(names, tables, strict=True):
            assert part.values[:n_values].tolist() == family.table.values.tolist()
            assert len(frame[f"τ {name}"]) == n_values
        if tables:
            assert len(cost.curves(tables, names).data) == len(tables)
