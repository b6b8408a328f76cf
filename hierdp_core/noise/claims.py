"""A record of the cells that have received noise, so that no cell receives it twice."""

import math

import numpy as np

from hierdp_core.noise.laws import Cells
from hierdp_core.privacy import Event


class Claims:
    """The cells of every event that have received noise, in ascending order."""

    def __init__(self) -> None:
        self._next: dict[tuple[int | None, str], tuple[int, int]] = {}

    def claim(self, event: Event, shape: tuple[int, ...], cells: Cells | None) -> Cells:
        """Return the cells to give noise to, and record that they have received it.

        Args:
            event: the event whose noise it is.
            shape: the shape of the numbers that receive noise.
            cells: the cells to claim; if None, those that follow the last recorded cell.

        Raises:
            ValueError: there are more or fewer cells than numbers.
            RuntimeError: some cells have received noise before, or regions do not ascend.
        """
        whose, n = (event.level, event.query), math.prod(shape)
        region, first = self._next.get(whose, (0, 0))
        if cells is None:
            cells = Cells.of_region(region, n, first=first)
        regions = cells.regions
        if int(cells.starts[-1]) != n:
            raise ValueError(
                f"The shape has {n} numbers, but there are {int(cells.starts[-1])} cells."
            )
        if len(regions):
            begins = (int(regions[0]), cells.first)
            if begins < (region, first) or (np.diff(regions) <= 0).any():
                raise RuntimeError(
                    "Some cells have received noise before, or regions do not ascend."
                )
            last = int(cells.starts[-1] - cells.starts[-2])
            self._next[whose] = (int(regions[-1]), cells.first + last)
        return cells
