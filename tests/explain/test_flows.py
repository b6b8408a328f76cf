"""Views of flows against sums written the slow way."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hierdp_core.exceptions import ChoiceError
from hierdp_core.explain import flows as flow_views
from hierdp_core.explain.flows import OTHERS
from hierdp_core.hierarchy import Regions, leaf_ancestors
from hierdp_core.tables import Flows, Pairs
from hierdp_core.tables.flow_tree import FlowTree


def places(prefix=""):
    parents = {f"{prefix}all": None}
    for region, towns in (("N", 2), ("S", 1), ("W", 3)):
        parents[prefix + region] = f"{prefix}all"
        parents |= {f"{prefix}{region}{k}": prefix + region for k in range(towns)}
    return Regions.from_parents(parents, levels=("land", "region", "town"))


HERE, THERE = places(), places("x")
N = HERE.tree.n_leaves


@st.composite
def tables(draw):
    """A true and a released table over the same towns, and their dense matrices."""
    cells = st.lists(st.integers(-3, 9), min_size=N * N, max_size=N * N)
    true = np.maximum(0, np.array(draw(cells)).reshape(N, N))
    released = np.array(draw(cells)).reshape(N, N)
    destinations = draw(st.sampled_from([HERE, THERE]))
    o, d = np.indices((N, N)).reshape(2, -1)
    known = Flows.from_pairs(HERE, destinations, o, d, true.ravel())
    return known, known.with_values(Pairs.summed(o, d, released.ravel())), true, released


def added_up(dense, level_o, level_d):
    """The dense matrix between regions of two levels."""
    o, d = (leaf_ancestors(HERE.tree, k) for k in (level_o, level_d))
    sizes = HERE.tree.level_sizes
    sums = np.zeros((sizes[level_o], sizes[level_d]), dtype=np.int64)
    np.add.at(sums, (o[:, None], d[None, :]), dense)
    return sums


def dense(flows, values):
    size = int(HERE.tree.level_sizes[flows.level])
    sums = np.zeros((size, size), dtype=np.int64)
    sums[flows.origin, flows.destination] = values
    return sums


@given(tables())
def test_flows_of_a_level_are_the_sums_of_those_below(pair):
    known, stated, true, released = pair
    for level in range(3):
        found = flow_views.at_level(known, stated, level)
        assert dense(found, found.true).tolist() == added_up(true, level, level).tolist()
        assert dense(found, found.released).tolist() == added_up(released, level, level).tolist()
        assert (found.error == found.released - found.true).all()
        cells = list(zip(found.origin.tolist(), found.destination.tolist(), strict=True))
        assert cells == sorted(set(cells))


@given(tables(), st.integers(0, 40), st.sampled_from(["true", "released", "error"]))
def test_the_strongest_are_the_largest_and_none_is_empty(pair, n, shown):
    flows = flow_views.at_level(pair[0], pair[1], 2)
    size = np.abs(flows.values(shown))
    found = flows.strongest(n, shown)
    assert np.abs(found.values(shown)).tolist() == sorted(size[size > 0].tolist())[::-1][:n]


@given(tables())
def test_flows_of_a_place_start_or_end_there(pair):
    flows = flow_views.at_level(pair[0], pair[1], 2)
    west = HERE.node("W", 1)
    towns = flow_views.inside(HERE, west, 2)
    assert towns.tolist() == [False] * 3 + [True] * 3
    starts, ends, either = (flows.of(towns, towns, way) for way in ("from", "to", "both"))
    assert starts.true.sum() == pair[2][3:].sum()
    assert ends.true.sum() == pair[2][:, 3:].sum()
    assert either.true.sum() == pair[2].sum() - pair[2][:3, :3].sum()


def test_a_place_lies_in_itself_and_a_whole_holds_all():
    assert flow_views.inside(HERE, HERE.node("S", 1), 1).tolist() == [False, True, False]
    assert flow_views.inside(HERE, 0, 2).all()


@given(tables(), st.integers(1, 7))
def test_a_matrix_holds_every_trip_and_its_busiest_places(pair, n):
    flows = flow_views.at_level(pair[0], pair[1], 2)
    found = flow_views.matrix(flows, n)
    assert found.true.sum() == pair[2].sum()
    assert found.released.sum() == pair[3].sum()
    assert found.true.shape == (len(found.rows), len(found.columns)) == (min(n, N) + (n < N),) * 2
    assert (OTHERS in found.rows) == (n < N)
    names = list(HERE.names[HERE.tree.leaves])
    out, into = pair[2].sum(axis=1), pair[2].sum(axis=0)
    busy = out + into if pair[0].destinations is HERE else out
    shown = [names.index(name) for name in found.rows if name != OTHERS]
    hidden = sorted(set(range(N)) - set(shown))
    assert shown == sorted(shown)
    assert not hidden or min(busy[shown]) >= max(busy[hidden])
    if pair[0].destinations is HERE and len(shown) > 1:
        assert found.true[0, 1] == pair[2][shown[0], shown[1]]


@pytest.mark.parametrize("first", ["destination", "origin"])
@given(pair=tables())
def test_false_positives_and_negatives_are_counted_on_every_level_of_the_tree(pair, first):
    known, stated, true, released = pair
    tree = FlowTree.of(known.domain, first)
    frame = flow_views.false_flows(known, stated, tree)
    assert frame["level"].tolist() == list(tree.levels)
    for level, row in enumerate(frame.to_dict("records")):
        t, r = (added_up(table, *tree.geographic(level)) for table in (true, released))
        spurious, missed = (r > 0) & (t == 0), (t > 0) & (r <= 0)
        assert row["pairs"] == (t > 0).sum()
        assert row["released"] == (r > 0).sum()
        assert (row["false_positives"], row["false_positive_trips"]) == (
            spurious.sum(),
            r[spurious].sum(),
        )
        assert (row["false_negatives"], row["false_negative_trips"]) == (
            missed.sum(),
            t[missed].sum(),
        )
        assert row["moved"] == np.abs(r - t).sum() / 2
        assert row["total"] == true.sum()


def test_ends_that_are_the_same_place_can_be_left_out():
    table = Flows.from_pairs(HERE, HERE, [0, 0, 1], [0, 1, 0], [5, 6, 7])
    flows = flow_views.at_level(table, table, 2)
    assert flows.between().true.tolist() == [6, 7]
    assert not flow_views.at_level(table, table, 0).between().true.tolist()


def test_a_table_has_names():
    table = Flows.from_pairs(HERE, THERE, ["N0"], ["xW2"], [4])
    frame = flow_views.at_level(table, table, 2).frame()
    assert frame.to_dict("records") == [
        {"origin": "N0", "destination": "xW2", "true": 4, "released": 4, "error": 0}
    ]


def test_what_does_not_belong_together_is_refused():
    table = Flows.from_pairs(HERE, HERE, [0], [0], [5])
    other = Flows.from_pairs(places(), places(), [0], [0], [5])
    with pytest.raises(ChoiceError, match="another table"):
        flow_views.at_level(table, other, 1)
    with pytest.raises(ChoiceError, match="another table"):
        flow_views.false_flows(table, other, FlowTree.of(table.domain))
    with pytest.raises(ChoiceError, match="level from 0 to 2"):
        flow_views.at_level(table, table, 3)
