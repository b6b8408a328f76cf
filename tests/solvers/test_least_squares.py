import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from support.strategies import hierarchies

from hierdp_core.hierarchy import child_sums, sum_up
from hierdp_core.solvers.least_squares import least_squares_on_tree


@given(
    tree=hierarchies(max_levels=5, max_nodes=30),
    seed=st.integers(0, 1000),
    unmeasured=st.booleans(),
)
def test_it_is_weighted_least_squares_on_the_leaves(tree, seed, unmeasured):
    rng = np.random.default_rng(seed)
    targets = rng.normal(0, 50, (tree.n_nodes, 2))
    precisions = rng.uniform(0.1, 10, tree.n_levels)
    if unmeasured and tree.n_levels > 1:
        precisions[rng.integers(0, tree.n_levels - 1)] = 0
    values = least_squares_on_tree(tree, targets, precisions)

    sums = sum_up(tree, np.eye(tree.n_leaves))
    root = np.sqrt(precisions[tree.level_of])[:, None]
    leaves, *_ = np.linalg.lstsq(root * sums, root * targets, rcond=None)
    np.testing.assert_allclose(values, sums @ leaves, atol=1e-6)
    for level in range(tree.n_levels - 1):
        np.testing.assert_allclose(child_sums(tree, values, level), values[tree.level(level)])
