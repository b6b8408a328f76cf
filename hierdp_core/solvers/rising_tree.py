"""Monotone, consistent rows nearest to noisy ones on a tree, by Newton's method on the dual.

    minimise   Σ_r w_r ‖c^r − c̃^r‖²    (each column weighted by its width)
    such that  every row of the last level rises, from 0 or more to at most its bound, and
               a region is the sum of its children in every column.

Here, a row rises if it does not decrease. Sums of rising rows rise, so only the last level needs
the constraint. Each cell above the last level has a multiplier ν. For given ν, the best row of a
leaf is the isotonic regression of its noisy row minus all multipliers above it, which takes linear
time. It remains to choose ν such that

    F(ν) = sums of the rows − c̃ − ν / w = 0    in every cell above the last level,

where F is the gradient of a concave, piecewise quadratic function. Newton's method needs the slope
of F, an average over every free pool of a row. Noise leaves few pools, so a step is solved by
conjugate gradients on pools.

`rising_program` takes these steps. If variances differ much, they may alternate between two pieces
of the function. A program that they have not solved is passed on to `rising_interior`, unless its
matrices would be too large.

Weak duality gives a bound for every ν: the rows and their sums cost more than the optimum by at
most Σ w F². Since the cost is strongly convex, the root of this bounds their weighted distance
√(Σ w ‖c − c*‖²) from the solution.
"""

from dataclasses import dataclass

import numpy as np

from hierdp_core.hierarchy import Hierarchy
from hierdp_core.solvers.rising_program import Program
from hierdp_core.util.arrays import FloatArray, NumberArray

_MOST_PLAIN_STEPS = 100  # nearly all programs take fewer than 50
_MOST_INTERIOR_STEPS = 200
_MOST_NUMBERS = 60_000_000  # in the matrices of all regions: half a gigabyte, and as much again


@dataclass(frozen=True, eq=False, kw_only=True)
class RisingTree:
    """Rows near the solution, with bounds on their distance from it.

    Attributes:
        leaves: shape (n_leaves, m), each rising from 0 or more to at most its bound.
        distance: an upper bound on √(Σ width (c − c*)² / slack) over all targeted cells, where
            the slack of the last level is 1. Here, c are these rows and their sums, and c* is the
            solution for the fixed targets that they meet.
        off: the largest difference between a fixed target and the sum of the rows.
        steps: the number of steps, of both methods.
    """

    leaves: FloatArray
    distance: float
    off: float
    steps: int


def nearest_rising_tree(
    tree: Hierarchy,
    targets: NumberArray,
    slack: FloatArray,
    highest: FloatArray,
    *,
    widths: FloatArray,
    distance: float,
    off: float,
    most_steps: int,
) -> RisingTree:
    """Return the rising, consistent rows nearest to `targets`, or the nearest that were reached.

    Args:
        tree: a tree of two levels or more.
        targets: shape (n_nodes, m).
        slack: shape (n_inner, m), the last level's weight over that of each cell above it:
            0 for a target that must be met, infinite for a cell without a target.
        highest: shape (n_leaves,), the bound of every row; infinite for a row without a bound.
        widths: shape (m,), the weight of each column in every row.
        distance, off: the search stops when both values of the result are at most these.
        most_steps: the search also stops after this number of steps of both methods together.
    """
    program = Program(tree, targets, slack, highest, widths)

    def is_near(residual: FloatArray) -> bool:
        return program.distance(residual) <= distance and program.off(residual) <= off

    n, m = program.above.shape
    dense = n * m * m <= _MOST_NUMBERS
    plain = min(most_steps, _MOST_PLAIN_STEPS) if dense else most_steps
    multipliers, residual, steps = program.newton(program.first_step(), is_near, most_steps=plain)
    paths = program.paths(multipliers)
    if dense and steps < most_steps and not is_near(residual):
        # Loaded late: few programs need it, and SciPy's linear algebra slows down the start.
        from hierdp_core.solvers.rising_interior import interior_paths

        paths, more = interior_paths(
            program, is_near, most_steps=min(most_steps - steps, _MOST_INTERIOR_STEPS)
        )
        steps += more
    leaves = np.empty(program.below.shape)
    residual = program.residual_at(paths, leaves)
    return RisingTree(
        leaves=leaves,
        distance=program.distance(residual),
        off=program.off(residual),
        steps=steps,
    )
