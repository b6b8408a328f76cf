import numpy as np
import pytest
from hypothesis import given
from support.strategies import hierarchies

from hierdp_core.exceptions import HierarchyError
from hierdp_core.hierarchy import Hierarchy, child_sums, sum_up


@given(tree=hierarchies())
def test_levels_and_families_partition_the_nodes(tree):
    by_level = [node for k in range(tree.n_levels) for node in range(tree.n_nodes)[tree.level(k)]]
    assert by_level == list(range(tree.n_nodes))
    for node in range(tree.n_nodes):
        children = range(tree.n_nodes)[tree.children(node)]
        assert all(tree.parent[child] == node for child in children)
        assert (len(children) == 0) == (node >= tree.leaves.start)
    assert sum(len(range(tree.n_nodes)[tree.children(n)]) for n in range(tree.n_nodes)) == (
        tree.n_nodes - 1
    )


@given(tree=hierarchies())
def test_sum_up_gives_every_node_the_sum_of_its_leaves(tree):
    leaves = np.random.default_rng(0).integers(0, 100, (tree.n_leaves, 2))
    values = sum_up(tree, leaves)
    slow = np.zeros_like(values)
    for leaf, row in enumerate(leaves, start=tree.leaves.start):
        node = leaf
        while node >= 0:
            slow[node] += row
            node = tree.parent[node]
    assert (values == slow).all()
    for level in range(tree.n_levels - 1):
        assert (child_sums(tree, values, level) == values[tree.level(level)]).all()


def test_arrays_are_copied_and_cannot_be_written_to():
    parent = np.array([-1, 0, 0])
    tree = Hierarchy(parent=parent, level_start=np.array([0, 1, 3]))
    parent[1] = 7
    assert tree.parent.tolist() == [-1, 0, 0]
    with pytest.raises(ValueError, match="read-only"):
        tree.parent[0] = 3


@pytest.mark.parametrize(
    ("parent", "level_start", "message"),
    [
        ([[-1]], [0, 1], "one dimension"),
        ([], [0], "at least a root"),
        ([-1], [0], "at least a root"),
        ([-1, 0], [0, 1, 3], "rise from 0 to the number of nodes"),
        ([-1, 0], [0, 1, 1, 2], "no empty level"),
        ([-1, -1, 0], [0, 2, 3], "root alone"),
        ([0, 0], [0, 1, 2], r"parent\[0\], of the root, must be -1"),
        ([-1, 0, 0, 0], [0, 1, 3, 4], r"level 2 must have its parent in level 1; nodes \[3\]"),
        ([-1, 0, 0, 2, 1], [0, 1, 3, 5], r"side by side.*nodes \[4\]"),
        ([-1, 0, 0, 2], [0, 1, 3, 4], r"last level; nodes \[1\] of level 1 have no child"),
    ],
)
def test_every_rule_has_a_message_that_names_the_place(parent, level_start, message):
    with pytest.raises(HierarchyError, match=message):
        Hierarchy(parent=np.array(parent, dtype=int), level_start=np.array(level_start))


def test_a_level_that_is_not_there_is_named():
    tree = Hierarchy(parent=np.array([-1, 0]), level_start=np.array([0, 1, 2]))
    with pytest.raises(HierarchyError, match=r"There is no level 2\. Choose a level from 0 to 1"):
        tree.level(2)


def test_fractions_and_text_are_no_positions():
    with pytest.raises(HierarchyError, match="parent must hold integers; it is of type float64"):
        Hierarchy(parent=[-1, 0.5, 0], level_start=[0, 1, 3])
    with pytest.raises(HierarchyError, match="level_start must hold integers"):
        Hierarchy(parent=[-1, 0, 0], level_start=["a", "b", "c"])
