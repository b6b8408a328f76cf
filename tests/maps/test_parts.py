"""Parts of a region's shape stand for the regions below it."""

import numpy as np
import pytest
import shapely
from hypothesis import given, settings
from support.strategies import hierarchies, regions_of

from hierdp_core.hierarchy import Hierarchy, leaf_ancestors
from hierdp_core.maps.parts import parts_below

# A U, which a straight line may part into three pieces, with a hole.
OUTLINE = shapely.Polygon(
    [(0, 0), (9, 0), (9, 5), (6, 5), (6, 2), (3, 2), (3, 5), (0, 5)],
    [[(1, 0.5), (1, 1.5), (2, 1.5), (2, 0.5)]],
)


@settings(max_examples=15)
@given(tree=hierarchies())
def test_parts_fill_their_shape_and_have_equal_areas(tree: Hierarchy) -> None:
    levels = parts_below(regions_of(tree), 0, np.array([OUTLINE], dtype=object))
    assert [len(level) for level in levels] == tree.level_sizes.tolist()
    leaves = shapely.area(levels[-1])
    assert leaves == pytest.approx(OUTLINE.area / tree.n_leaves, rel=5e-3)
    assert shapely.union_all(levels[-1]).area == pytest.approx(OUTLINE.area, rel=1e-3)
    for level, shapes in enumerate(levels):
        within = np.bincount(leaf_ancestors(tree, level), weights=leaves)
        assert shapely.area(shapes) == pytest.approx(within, rel=1e-3)
        assert shapely.is_valid(shapes).all()
