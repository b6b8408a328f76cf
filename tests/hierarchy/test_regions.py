import numpy as np
import pytest

from hierdp_core.exceptions import HierarchyError
from hierdp_core.hierarchy import Hierarchy, Regions

LEVELS = ("nation", "state", "county")


def test_a_ragged_tree_is_padded_with_only_children():
    parents = {"US": None, "GA": "US", "DC": "US", "Fulton": "GA", "Cobb": "GA"}
    regions = Regions.from_parents(parents, levels=LEVELS, names={"DC": "District"})
    assert regions.ids == ("US", "GA", "DC", "Fulton", "Cobb", "DC")
    assert regions.padded.tolist() == [False] * 5 + [True]
    assert regions.tree.parent.tolist() == [-1, 0, 0, 1, 1, 2]
    assert regions.names[2] == regions.names[5] == "District"
    assert regions.node("DC", 1) == 2
    assert regions.node("DC", 2) == 5
    with pytest.raises(HierarchyError, match=r"There is no level 3\. Choose a level from 0 to 2"):
        regions.node("DC", 3)


def test_a_leaf_two_levels_up_is_padded_twice():
    parents = {"US": None, "GA": "US", "PR": "US", "a": "GA", "b": "a"}
    regions = Regions.from_parents(parents, levels=("n", "s", "c", "t"))
    assert regions.ids == ("US", "GA", "PR", "a", "PR", "b", "PR")
    assert regions.padded.sum() == 2


@pytest.mark.parametrize(
    ("parents", "message"),
    [
        ({"US": None, "GA": "USA"}, r'it is missing for "GA"\.'),
        ({"US": None, "CA": None}, 'one root; "US", "CA" have no parent'),
        ({"a": "b", "b": "a"}, "own ancestors. Leave the parent of the topmost area empty"),
        ({"US": None, "a": "b", "b": "a"}, 'own ancestors; "a", "b" lie on a cycle or below one'),
        ({"US": None, "a": "US", "b": "a", "c": "b"}, "4 levels but 3 level names"),
        ({}, "needs at least one area"),
    ],
)
def test_what_is_no_tree_is_refused_by_name(parents, message):
    with pytest.raises(HierarchyError, match=message):
        Regions.from_parents(parents, levels=LEVELS)


def test_two_parents_are_refused_by_name():
    edges = [("US", None), ("GA", "US"), ("NY", "US"), ("Cobb", "GA"), ("Cobb", "NY")]
    with pytest.raises(HierarchyError, match='"Cobb" has two rows, with parents "GA" and "NY"'):
        Regions.from_edges(edges, levels=LEVELS)
    assert Regions.from_edges([*edges[:4], edges[3]], levels=LEVELS).ids[-2:] == ("Cobb", "NY")


def test_labels_must_fit_the_tree():
    tree = Hierarchy(parent=np.array([-1, 0, 0]), level_start=np.array([0, 1, 3]))
    good = {
        "tree": tree,
        "levels": ("nation", "state"),
        "ids": ("US", "GA", "NY"),
        "names": ("US", "Georgia", "New York"),
        "padded": np.zeros(3, dtype=bool),
    }
    regions = Regions(**good)
    for field, wrong, message in [
        ("levels", ("nation",), "levels, each of which needs a name of its own; got: nation"),
        (
            "levels",
            ("state", "state"),
            "levels, each of which needs a name of its own; got: state, state",
        ),
        ("ids", ("US", "GA"), "as many codes; got 2"),
        ("names", ("US",), "as many names; got 1"),
        ("ids", ("US", "GA", "GA"), "level state these occur more than once: GA"),
        ("padded", np.zeros(2, dtype=bool), "padded must have shape"),
    ]:
        with pytest.raises(HierarchyError, match=message):
            Regions(**(good | {field: wrong}))
    with pytest.raises(HierarchyError, match=r'no level "county".*nation or state'):
        regions.level_index("county")
    with pytest.raises(HierarchyError, match='No state has the code "TX"'):
        regions.node("TX", 1)


@pytest.mark.parametrize("n_levels", [0, 4])
def test_levels_that_do_not_exist_cannot_be_kept(n_levels):
    regions = Regions.from_parents(
        {"US": None, "MD": "US", "Kent": "MD"}, levels=("nation", "state", "county")
    )
    with pytest.raises(HierarchyError, match=f"lies between 1 and 3; got {n_levels}"):
        regions.upper_levels(n_levels)
