"""Small problems of the tree program, as How it works explains them."""

import numpy as np

from hierdp_core.explain.tree_steps import Problem
from hierdp_core.hierarchy import Hierarchy, Regions
from hierdp_core.solvers.tree_program import solve_tree_program

TREE = Hierarchy(parent=np.array([-1, 0, 0, 0, 0, 0]), level_start=np.array([0, 1, 6]))
TREES = (
    Hierarchy(parent=np.array([-1]), level_start=np.array([0, 1])),
    Hierarchy(parent=np.array([-1, 0]), level_start=np.array([0, 1, 2])),
    Hierarchy(parent=np.array([-1, 0, 0]), level_start=np.array([0, 1, 3])),
    Hierarchy(parent=np.array([-1, *[0] * 9]), level_start=np.array([0, 1, 10])),
    Hierarchy(parent=np.array([-1, 0, 0, 1, 1, 2, 2, 2, 2]), level_start=np.array([0, 1, 3, 9])),
    Hierarchy(parent=np.array([-1, 0, 0, 0, 0, 1, 2, 3, 4]), level_start=np.array([0, 1, 5, 9])),
)
NAMES = ("Land", "Ash", "Birch", "Cedar", "Elm", "Fir", "Gum", "Holly", "Ivy", "Larch")


def problem(
    noisy: list[int],
    *,
    total: int | None = None,
    weights: tuple[int, ...] = (1, 1),
    tree: Hierarchy = TREE,
) -> Problem:
    """Return the problem of these noisy counts in level order, and its solution."""
    names = NAMES[: tree.n_nodes]
    column = np.array(noisy)[:, None]
    return Problem(
        regions=Regions(
            tree=tree,
            levels=("nation", "state", "county")[: tree.n_levels],
            ids=names,
            names=names,
            padded=np.zeros(tree.n_nodes, dtype=bool),
        ),
        names=names,
        true=np.maximum(column, 0),
        noisy=column,
        values=solve_tree_program(tree, column, np.array(weights), total=total),
        weights=np.array(weights),
        total=total,
    )
