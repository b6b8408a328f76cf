"""Details of mechanisms: their classes, weights of two measurements, and limits of options."""

import inspect
from dataclasses import replace

import numpy as np
import pytest

import hierdp_core as hdp
from hierdp_core import mechanisms
from hierdp_core.exceptions import ChoiceError
from hierdp_core.mechanisms.count_of_counts import isotonic_option
from hierdp_core.mechanisms.joint_fit import settled_root
from hierdp_core.mechanisms.level_answers import estimated_level
from hierdp_core.mechanisms.private_totals import consistent_totals, totals_event_of
from hierdp_core.mechanisms.size_cap import LARGEST_CELLS, require_max_size
from hierdp_core.noise import variance
from hierdp_core.solvers.runs import histograms_of
from hierdp_core.tables import Fact, GroupSizes

REGIONS = hdp.Regions.from_parents(
    {"all": None, "N": "all", "S": "all", "N1": "N", "N2": "N", "S1": "S", "S2": "S"},
    levels=("total", "state", "county"),
)
CELLS = np.array([[0, 400, 300, 50], [0, 900, 20, 30], [0, 80, 200, 90], [0, 10, 7, 5]])


@pytest.mark.parametrize("id", mechanisms.names())
def test_a_mechanism_is_frozen_and_takes_its_options_by_name_only(id: str) -> None:
    kind = type(mechanisms.parse(id))
    assert vars(kind)["__dataclass_params__"].frozen
    parameters = inspect.signature(kind).parameters.values()
    assert all(one.kind is one.KEYWORD_ONLY for one in parameters)


def test_there_are_two_isotonic_regressions() -> None:
    (isotonic,) = (o for o in mechanisms.describe("coc").options if o.name == "isotonic")
    assert isotonic.choices == ("l1", "l2")
    (words,) = isotonic_option().metadata.values()
    assert list(words.values) == ["l1", "l2"]
    with pytest.raises(ChoiceError, match="l3"):
        mechanisms.parse("coc", {"isotonic": "l3"})


def test_what_is_counted_and_rounded_is_stated_where_it_was_taken_from_the_data() -> None:
    table = hdp.Counts.from_leaves(REGIONS, [4, 5, 6, 7])
    taken = frozenset({Fact.COUNTS, Fact.ROUNDING})
    domain = replace(table.domain, taken_from_data=taken)
    stated = {one.text for one in mechanisms.parse("tree-dp").invariants(domain)
              if one.taken_from_data}  # fmt: skip
    assert stated >= {fact.value for fact in taken}


@pytest.mark.parametrize("id", ["vanilla-gauss", "stability-histogram"])
def test_leaf_noise_states_the_total_only_where_records_are_replaced(id: str) -> None:
    table = hdp.Flows.from_pairs(REGIONS, REGIONS, ["N1", "S1"], ["S2", "N2"], [3, 4])
    given = [
        {one.text for one in mechanisms.parse(id, {"neighbours": word}).invariants(table.domain)}
        for word in ("bounded", "unbounded")
    ]
    unchanged = "the total, which replacing one record leaves unchanged"
    assert [unchanged in texts for texts in given] == [True, False]


def test_a_maximum_size_may_be_the_largest_number_of_cells_and_no_larger() -> None:
    require_max_size(LARGEST_CELLS, "coc")
    require_max_size(1, "coc")
    for size in (LARGEST_CELLS + 1, 0, True, "two"):
        with pytest.raises(ChoiceError, match="Set cap to public, noisy or an integer"):
            require_max_size(size, "coc")


@pytest.mark.parametrize("share", ["0.1", "0.7"])
def test_two_measurements_of_a_total_are_averaged_by_their_variances(share: str) -> None:
    """Against least squares on all measurements at once, in floats and without limits."""
    table = GroupSizes.from_leaves(REGIONS, CELLS, group="households", empty_groups=False)
    options = {"totals": "private", "totals-share": share}
    plan = hdp.plan(table, mechanisms.parse("coc", options), epsilon=1.0, allocation=[1, 3, 2])
    tree, rng = plan.domain.tree, np.random.default_rng(8)
    groups = table.values.sum(axis=1)
    noisy = groups + rng.integers(-60, 60, len(groups))
    others = groups + rng.integers(-60, 60, len(groups))
    events = totals_event_of(plan)
    above_0 = {level: others[tree.level(level)] for level in plan.by_level}
    found = consistent_totals(noisy, plan, above_0=above_0)

    below = np.zeros((tree.n_nodes, tree.n_leaves))
    for leaf, start in enumerate(range(*tree.leaves.indices(tree.n_nodes))):
        node = start
        while node >= 0:
            below[node, leaf] = 1
            node = int(tree.parent[node])
    levels = tree.level_of.tolist()
    first = np.array([variance(events[level]) for level in levels], dtype=float)
    second = np.array([plan.variances[level] for level in levels], dtype=float)
    weights = np.concatenate([1 / first, 1 / second]) ** 0.5
    left = np.vstack([below, below]) * weights[:, None]
    right = np.concatenate([noisy, others]) * weights
    best, *_ = np.linalg.lstsq(left, right, rcond=None)
    assert np.abs(found - below @ best).max() < 2.5  # rounded twice


def test_isotonic_regressions_are_those_of_medians_and_of_means() -> None:
    noisy = np.array([[0, 9, 1, 1, 12]])
    found = {
        how: histograms_of(
            estimated_level(
                noisy, "hc", np.array([12]), 4.0, n_sizes=6, isotonic=how, by_pool=True,
                private=False,
            ), 6,
        )
        for how in ("l1", "l2")
    }  # fmt: skip
    assert np.cumsum(found["l1"][0]).tolist() == [0, 1, 1, 1, 12, 12]
    assert np.cumsum(found["l2"][0]).tolist() == [0, 4, 4, 4, 12, 12]


def test_a_root_that_is_fitted_first_has_the_groups_of_the_root() -> None:
    table = GroupSizes.from_leaves(REGIONS, CELLS, group="households", empty_groups=True)
    for id in ("coc-opt", "pgsr-c-opt"):
        plan = hdp.plan(table, mechanisms.parse(id, {"root": "first"}), epsilon=100.0)
        released = hdp.simulate(table, plan, seed=3).table
        assert abs(released.values[0] - table.values[0]).max() <= 3
    row = settled_root(np.array([7, 5, 9]), 8, plan, root="first", fit="l2")
    assert row is not None
    assert row.tolist() == [6, 6, 8]
