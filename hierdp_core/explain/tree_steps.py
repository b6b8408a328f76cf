"""One family of the tree program in detail: its measurements, costs and chosen counts.

The tree program finds the consistent non-negative integers closest to noisy counts. A family is a
region with its children, at one size. All numbers on the page How it works come
from here. They contain true values and are never for publication.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from hierdp_core.exceptions import ChoiceError, SolverError
from hierdp_core.explain.stages import fitting_tree_programs
from hierdp_core.hierarchy import Regions, child_sums
from hierdp_core.simulation import Simulation
from hierdp_core.solvers.cost_tables import (
    LARGEST_WINDOW,
    ChainTables,
    CostTable,
    chain_order,
    chain_tables,
    cost_table,
    plain_weights,
    root_price,
    unit_costs,
)
from hierdp_core.solvers.tree_program import solve_tree_program
from hierdp_core.tables import Table
from hierdp_core.util.arrays import BoolArray, IntArray, NumberArray

STEPS = ("noise", "leaves", "merge", "own", "price", "choice")
PAPER_SIZE = 1
PAPER_NOISY = (2, 3, 0)  # US, GA, NY: Fioretto et al. 2021, Table 5
PAPER_CHAIN = (3, 3, 2)  # GA, NY, US: Fioretto et al. 2021, Table 6
_NARROW = 12  # a window that ends here or lower begins at 0
_FEW = 6  # most parts whose tables are drawn one by one


@dataclass(frozen=True, eq=False, kw_only=True)
class Problem:
    """The input and the result of the tree program in one simulation.

    Attributes:
        regions: the hierarchy with its names.
        names: the names of the regions for this page, in level order.
        true, noisy, values: shape (n_nodes, n_sizes); `values` is what is released.
        weights: shape (n_levels,); whole numbers where they can be.
        total: the public number of groups; None where the total is free.
    """

    regions: Regions
    names: tuple[str, ...]
    true: IntArray
    noisy: IntArray
    values: IntArray
    weights: NumberArray
    total: int | None

    @classmethod
    def of(cls, table: Table, simulation: Simulation) -> "Problem":
        """Return the problem that `simulation` of `table` solved.

        Raises:
            ChoiceError: the mechanism does more than the tree program.
        """
        plan = simulation.plan
        if not plan.mechanism.is_tree_program:
            remedy = fitting_tree_programs(plan.domain.kind)
            raise ChoiceError(
                f"The mechanism {plan.id} has no steps to show, because only the tree program has "
                f"them. {remedy}"
            )
        shape = (table.tree.n_nodes, -1)
        noisy = simulation.noisy.reshape(shape).astype(np.int64)
        if not plan.domain.empty_groups:
            noisy[:, 0] = 0  # size 0 is known to be 0, so its noisy number is not used
        return cls(
            regions=table.regions,
            names=table.regions.names,
            true=table.values.reshape(shape).astype(np.int64, copy=False),
            noisy=noisy,
            values=simulation.table.values.reshape(shape).astype(np.int64, copy=False),
            weights=plain_weights(plan.weights),
            total=plan.domain.groups,
        )

    @classmethod
    def of_the_paper(cls, table: Table) -> "Problem":
        """Return the running example with the noisy numbers that the paper prints, for size 1.

        Args:
            table: the sample "running-example".
        """
        true = table.values.astype(np.int64)
        noisy = true.copy()
        noisy[:, PAPER_SIZE] = PAPER_NOISY
        weights = np.ones(table.tree.n_levels, dtype=np.int64)
        total = int(true[0].sum())
        return cls(
            regions=table.regions,
            names=table.regions.ids,  # the papers write US, GA, NY
            true=true,
            noisy=noisy,
            values=solve_tree_program(table.tree, noisy, weights, total=total),
            weights=weights,
            total=total,
        )

    @cached_property
    def price(self) -> float | None:
        """λ at the root, the same for all sizes; None if there is none."""
        tree = self.regions.tree
        return root_price(tree, self.noisy, self.weights, self.values, total=self.total)

    @cached_property
    def root_costs(self) -> tuple[NumberArray, NumberArray]:
        """The costs of the last unit and of one more at the root, each of shape (n_sizes,)."""
        last, more = unit_costs(self.regions.tree, self.noisy, self.weights, self.values)
        return last[0], more[0]

    def below_zero(self, column: int) -> tuple[int, int] | None:
        """Return a leaf and a size whose noisy number is below zero; None if there is none.

        The released number is 0, so the solution raises the noisy number. A leaf is preferred if
        the numbers above zero of its family are lowered in exchange. Among several leaves and
        sizes, a noisy number closest to −3 comes first, then the size closest to `column`, then the
        smallest true count.
        """
        tree = self.regions.tree
        if tree.n_levels < 2:
            return None
        leaves = np.arange(tree.leaves.start, tree.leaves.stop)
        families = tree.parent[leaves] - tree.level(tree.n_levels - 2).start
        noisy = self.noisy[leaves]
        above_zero = child_sums(tree, np.maximum(self.noisy, 0), tree.n_levels - 2)
        given = self.values[tree.level(tree.n_levels - 2)]
        gave = ((above_zero > given) & (given > 0))[families]
        cells = np.argwhere(
            (noisy < 0) & (self.values[leaves] == 0) & ~self.regions.padded[leaves][:, None]
        )
        if not len(cells):
            return None
        rows, sizes = cells.T
        keys = (
            self.true[leaves[rows], sizes],
            np.abs(sizes - column),
            np.abs(noisy[rows, sizes] + 3),
            ~gave[rows, sizes],
        )
        best = np.lexsort(keys)[0]
        return int(leaves[rows[best]]), int(sizes[best])


@dataclass(frozen=True, eq=False, kw_only=True)
class Family:
    """A region and its children, here called its parts, at one size.

    Attributes:
        problem: the simulation.
        column: the size.
        head: the region.
        marked: the part that is shown in detail; None for the region itself.
    """

    problem: Problem
    column: int
    head: int
    marked: int | None

    @classmethod
    def at(cls, problem: Problem, node: int, column: int) -> "Family":
        """Return the family of `node`, or of its parent if it is a leaf."""
        tree = problem.regions.tree
        leaf = node >= tree.leaves.start and node > 0
        head = int(tree.parent[node]) if leaf else node
        return cls(problem=problem, column=column, head=head, marked=node if leaf else None)

    @property
    def parts(self) -> IntArray:
        """The indices of the children of the region in the hierarchy."""
        children = self.problem.regions.tree.children(self.head)
        return np.arange(children.start, children.stop)

    @property
    def level(self) -> int:
        """The number of the level of the region."""
        return int(self.problem.regions.tree.level_of[self.head])

    @property
    def is_root(self) -> bool:
        """Whether the region is the root of the hierarchy."""
        return self.head == 0

    @property
    def above(self) -> int | None:
        """The index of the region's parent; None for the root."""
        return None if self.is_root else int(self.problem.regions.tree.parent[self.head])

    @property
    def parts_are_leaves(self) -> bool:
        """Whether the children lie on the last level."""
        return self.level == self.problem.regions.tree.n_levels - 2

    @property
    def noisy(self) -> IntArray:
        """The noisy number of every node at this size, shape (n_nodes,)."""
        return self.problem.noisy[:, self.column]

    @property
    def values(self) -> IntArray:
        """The released number of every node at this size, shape (n_nodes,)."""
        return self.problem.values[:, self.column]

    @property
    def true(self) -> IntArray:
        """The true number of every node at this size, shape (n_nodes,)."""
        return self.problem.true[:, self.column]

    @cached_property
    def measured(self) -> BoolArray:
        """Whether each node has a noisy value, shape (n_nodes,)."""
        measured: BoolArray = self.problem.weights[self.problem.regions.tree.level_of] > 0
        return measured

    @property
    def below_zero(self) -> BoolArray:
        """Whether each node was measured below zero, shape (n_nodes,)."""
        below: BoolArray = self.measured & (self.noisy < 0)
        return below

    def noisy_value(self, node: int) -> int | None:
        """Return the noisy value of a node; None if it was not measured."""
        return int(self.noisy[node]) if self.measured[node] else None

    @property
    def parts_measured(self) -> bool:
        """Whether the level of the children was measured."""
        return bool(self.measured[self.parts].all())

    @property
    def noise(self) -> IntArray:
        """Noisy − true of every node, 0 where it was not measured; shape (n_nodes,)."""
        return np.where(self.measured, self.noisy - self.true, 0)

    @property
    def moved(self) -> IntArray:
        """Released − noisy of every node, 0 where it was not measured; shape (n_nodes,)."""
        return np.where(self.measured, self.values - self.noisy, 0)

    @property
    def weight(self) -> float:
        """The largest weight, which is the unit of all costs that are shown."""
        return self.problem.weights.max().item()  # type: ignore[no-any-return]

    @cached_property
    def table(self) -> CostTable:
        """The cost table of the region."""
        return self._table(self.head)

    @cached_property
    def part_tables(self) -> tuple[CostTable, ...]:
        """The cost tables of the parts over the same values, if they are few and narrow.

        The values are those of the region's window, and more if a part needs more.
        """
        start, end = int(self.table.values[0]), int(self.table.values[-1])
        if len(self.parts) > _FEW or self.table.step > 1 or start > 0:
            return ()
        tables = self._part_tables(end)
        end = max((int(table.values[-1]) for table in tables), default=end)
        if any(int(table.values[-1]) < end for table in tables):
            tables = self._part_tables(end)
        return tables if all(table.step == 1 for table in tables) else ()

    def _part_tables(self, end: int) -> tuple[CostTable, ...]:
        return tuple(self._table(int(part), (0, end)) for part in self.parts)

    @cached_property
    def marked_table(self) -> CostTable | None:
        """The cost table of the marked child; None if no child is marked."""
        return None if self.marked is None else self._table(self.marked)

    @cached_property
    def unit_costs(self) -> tuple[NumberArray, NumberArray]:
        """The costs of the last unit and of one more at every node, each of shape (n_nodes,)."""
        last, more = unit_costs(
            self.problem.regions.tree,
            self.noisy[:, None],
            self.problem.weights,
            self.values[:, None],
        )
        return last[:, 0], more[:, 0]

    @property
    def price(self) -> float | None:
        """λ of the parts: the cost of their most expensive unit; None if the region has 0."""
        if self.values[self.head] == 0:
            return None
        return float(self.unit_costs[0][self.parts].max())

    def _table(self, node: int, window: tuple[int, int] | None = None) -> CostTable:
        tree = self.problem.regions.tree
        noisy = int(self.noisy[node]) if self.measured[node] else 0
        near = max(noisy, int(self.values[node])) + 2
        if window is None and near <= _NARROW:
            window = (0, near)
        try:
            return cost_table(
                tree,
                self.noisy,
                self.problem.weights,
                self.values,
                node,
                window=window,
                price=self.problem.price if node == 0 else None,
            )
        except SolverError:
            raise
        except ValueError:
            raise ChoiceError(
                f"The noise spreads over more than {LARGEST_WINDOW:,} values here, which is too "
                "many for a cost table. Choose a larger budget, or an area at a lower level."
            ) from None


def paper_chain(regions: Regions) -> tuple[IntArray, ChainTables]:
    """Return the running example's nodes in the order of the chain, and its cost tables.

    The tables are those of Fioretto et al. 2021, Table 6.
    """
    order, tied = chain_order(regions.tree)
    return order, chain_tables(PAPER_CHAIN, tied, np.ones(len(order), dtype=np.int64), top=5)
