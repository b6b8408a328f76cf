"""The hierarchy: a tree of nodes in level order, and the regions that they represent."""

from hierdp_core.hierarchy.regions import Regions
from hierdp_core.hierarchy.tree import Hierarchy, child_sums, leaf_ancestors, sum_up

__all__ = ["Hierarchy", "Regions", "child_sums", "leaf_ancestors", "sum_up"]
