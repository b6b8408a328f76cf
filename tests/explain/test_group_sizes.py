"""Group sizes between the noise and the release."""

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from support.examples import examples
from support.simulations import simulated
from support.strategies import group_size_tables

from hierdp_core import errors, samples
from hierdp_core.explain.group_sizes import (
    consistency,
    is_matched,
    largest_children,
    matching,
    noisy_cumulative,
    size_pairs,
)
from hierdp_core.mechanisms import names, parse
from hierdp_core.tables import GroupSizes

HUGE = 10_000  # so much budget that no noise is left
EXAMPLE = samples.load("running-example").table


class TestNoisyCumulative:
    @pytest.mark.parametrize("id", ["pgsr-c-dp", "pgsr-c-opt", "pgsr-c-relaxed", "coc"])
    def test_without_noise_it_is_the_true_count(self, id: str) -> None:
        done = simulated(EXAMPLE, id, epsilon=HUGE)
        for node, row in enumerate(EXAMPLE.values):
            found = noisy_cumulative(done, node)
            assert found is not None
            assert found.tolist() == np.cumsum(row).tolist()

    def test_the_public_end_has_no_noise_and_the_rest_has(self) -> None:
        done = simulated(EXAMPLE, "coc", epsilon=0.01, seed=1)
        found = noisy_cumulative(done, 2)
        assert found is not None
        assert found[-1] == EXAMPLE.values[2].sum()
        assert found[:-1].tolist() == done.noisy.levels[1][1].tolist()

    @pytest.mark.parametrize("id", ["pgsr-h-dp", "pgsr-c-chain", "coc-naive"])
    def test_none_where_the_noise_is_on_other_numbers(self, id: str) -> None:
        assert noisy_cumulative(simulated(EXAMPLE, id, epsilon=1), 1) is None

    def test_it_depends_on_the_level_s_method_and_share(self) -> None:
        mixed = simulated(EXAMPLE, "coc: methods=hg,hc", epsilon=1)
        assert noisy_cumulative(mixed, 0) is None
        assert noisy_cumulative(mixed, 1) is not None
        below = simulated(EXAMPLE, "coc-bottom-up", epsilon=1)
        assert noisy_cumulative(below, 0) is None
        assert noisy_cumulative(below, 1) is not None


class TestConsistency:
    def test_after_is_what_errors_says(self) -> None:
        done = simulated(EXAMPLE, "coc", epsilon=0.3, seed=4)
        found = consistency(EXAMPLE, done)
        assert found["level"].tolist() == list(EXAMPLE.regions.levels)
        assert found["after"].tolist() == errors(EXAMPLE, done)["emd"].tolist()

    def test_the_last_level_s_own_estimate_is_that_of_bottom_up(self) -> None:
        table = samples.load("us-households").table
        options = {"methods": "hc"}
        done = simulated(table, parse("coc", options), epsilon=2, allocation=[0, 0, 1], seed=3)
        alone = simulated(table, "coc-bottom-up", epsilon=2, seed=3)
        found = consistency(table, done)
        assert found["before"].iloc[-1] == errors(table, alone)["emd"].iloc[-1]
        assert found["measured"].tolist() == [False, False, True]
        assert found["before"].tolist() == pytest.approx(errors(table, alone)["emd"].tolist())

    def test_no_noise_no_distance(self) -> None:
        found = consistency(EXAMPLE, simulated(EXAMPLE, "coc", epsilon=HUGE))
        assert not found[["before", "after"]].to_numpy().any()

    @pytest.mark.parametrize("id", names("group-sizes"))
    def test_who_is_matched(self, id: str) -> None:
        assert is_matched(simulated(EXAMPLE, id, epsilon=1)) == (id in ("coc", "coc-naive"))


class TestMatching:
    @settings(deadline=None, max_examples=examples(40))
    @given(
        table=group_size_tables(),
        seed=st.integers(0, 100),
        merge=st.sampled_from(["weighted", "mean"]),
    )
    def test_the_pieces_of_all_parents_make_the_released_leaves(
        self, table: GroupSizes, seed: int, merge: str
    ) -> None:
        tree = table.tree
        assume(tree.n_levels > 1)
        done = simulated(table, f"coc: merge={merge}", epsilon=0.5, seed=seed)
        above_leaves = tree.level(tree.n_levels - 2)
        made = np.zeros_like(done.table.values)
        for parent in range(above_leaves.start, above_leaves.stop):
            rows = matching(done, parent).rows
            np.add.at(made, (rows["child"], rows["merged"]), rows["groups"])
        assert (made[tree.leaves] == done.table.values[tree.leaves]).all()

    def test_every_group_of_every_child_is_in_it_once(self) -> None:
        done = simulated(EXAMPLE, "coc", epsilon=0.3, seed=2)
        found = matching(done, 0)
        assert found.parent == 0
        sums = found.rows.groupby("child")["groups"].sum()
        assert sums.to_dict() == {1: 3, 2: 3}

    def test_without_noise_nothing_moves(self) -> None:
        rows = matching(simulated(EXAMPLE, "coc", epsilon=HUGE), 0).rows
        assert (rows["above"] == rows["below"]).all()
        assert (rows["above"] == rows["merged"]).all()

    def test_a_merged_size_lies_between_the_two(self) -> None:
        rows = matching(simulated(EXAMPLE, "coc", epsilon=0.2, seed=5), 0).rows
        pair = rows[["above", "below"]]
        assert (rows["above"] != rows["below"]).any()
        assert rows["merged"].between(pair.min(axis=1), pair.max(axis=1)).all()


class TestSizePairs:
    def test_all_are_kept_where_they_fit(self) -> None:
        found = matching(simulated(EXAMPLE, "coc", epsilon=0.3, seed=2), 0)
        kept = size_pairs(found, [1, 2], most_sizes=25)
        assert kept["kept"].all()
        assert len(kept) == len(found.rows)
        assert set(size_pairs(found, [2], most_sizes=25)["child"]) == {2}

    def test_else_those_of_each_child_with_the_most_groups(self) -> None:
        taxi = samples.load("taxi").table
        done = simulated(taxi, "coc", epsilon=1)
        children = largest_children(done, 0)[:2]
        kept = size_pairs(matching(done, 0), children, most_sizes=25)
        for child in children:
            own = kept[kept["child"] == child]
            drawn = own[own["kept"]]
            assert 0 < len(drawn) < len(own)
            assert len(set(drawn[["above", "below", "merged"]].to_numpy().ravel())) <= 25
            assert own["kept"].iloc[int(own["groups"].argmax())]

    def test_the_largest_children_come_first(self) -> None:
        table = samples.load("us-households").table
        done = simulated(table, "coc", epsilon=1)
        nodes = largest_children(done, 0)
        assert [table.regions.names[n] for n in nodes[:2]] == ["California", "Texas"]
        assert len(nodes) == 51
