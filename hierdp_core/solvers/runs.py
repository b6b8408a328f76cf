"""Group sizes in three forms: H, H_c and H_g.

H counts groups by size, and H_c counts groups of at most each size. H_g lists the sizes of all
groups in ascending order. It is stored as runs, not with one entry per group. A run is a size, how
many groups have it, and the variance of that size. Source: [B] Section 3.
"""

from dataclasses import dataclass

import numpy as np

from hierdp_core.hierarchy import Hierarchy
from hierdp_core.util.arrays import FloatArray, IntArray


@dataclass(frozen=True, eq=False, kw_only=True)
class Runs:
    """The groups of several regions, region by region and in ascending size.

    Attributes:
        start: shape (n_regions + 1,). The runs of region r are `start[r]:start[r + 1]`.
        size: shape (n_runs,), non-decreasing within a region.
        count: shape (n_runs,), the number of groups, at least 1.
        variance: shape (n_runs,), the variance of the size, in squared members.
    """

    start: IntArray
    size: IntArray
    count: IntArray
    variance: FloatArray

    def of_region(self, region: int) -> "Runs":
        """Return the groups of one region."""
        own = slice(int(self.start[region]), int(self.start[region + 1]))
        return Runs(
            start=np.array([0, own.stop - own.start]),
            size=self.size[own],
            count=self.count[own],
            variance=self.variance[own],
        )


def runs_of(histograms: IntArray, variances: FloatArray) -> Runs:
    """Return the runs of histograms H. A size without groups has no run.

    Args:
        histograms: shape (n_regions, n_sizes), not negative.
        variances: the variance of the size of the groups in each cell, same shape.

    >>> runs = runs_of(np.array([[0, 2, 1, 2]]), np.ones((1, 4)))
    >>> runs.size.tolist(), runs.count.tolist()
    ([1, 2, 3], [2, 1, 2])
    """
    region, size = np.nonzero(histograms)
    return Runs(
        start=np.searchsorted(region, np.arange(len(histograms) + 1)).astype(np.int64),
        size=size.astype(np.int64),
        count=histograms[region, size].astype(np.int64),
        variance=variances[region, size],
    )


def histograms_of(runs: Runs, n_sizes: int) -> IntArray:
    """Return the histograms H of runs, shape (n_regions, n_sizes)."""
    n_regions = len(runs.start) - 1
    table = np.zeros((n_regions, n_sizes), dtype=np.int64)
    region = np.repeat(np.arange(n_regions), np.diff(runs.start))
    np.add.at(table, (region, runs.size), runs.count)
    return table


def sorted_runs(
    region: IntArray, n_regions: int, size: IntArray, count: IntArray, variance: FloatArray
) -> Runs:
    """Return runs from pieces in any order; those of equal region, size and variance merge."""
    order = np.lexsort((variance, size, region))
    region, size, count, variance = region[order], size[order], count[order], variance[order]
    first = np.ones(len(order), dtype=np.bool_)
    first[1:] = (np.diff(region) != 0) | (np.diff(size) != 0) | (np.diff(variance) != 0)
    begins = np.flatnonzero(first)
    return Runs(
        start=np.searchsorted(region[begins], np.arange(n_regions + 1)).astype(np.int64),
        size=size[begins],
        count=np.add.reduceat(count, begins) if len(begins) else count,
        variance=variance[begins],
    )


def runs_of_parents(tree: Hierarchy, level: int, below: Runs) -> Runs:
    """Return the runs of the regions of `level`, given those of their children, `below`."""
    children = np.arange(tree.n_nodes)[tree.level(level + 1)]
    parents = tree.parent[children] - tree.level(level).start
    region = np.repeat(parents, np.diff(below.start))
    return sorted_runs(
        region, int(tree.level_sizes[level]), below.size, below.count, below.variance
    )
