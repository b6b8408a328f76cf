"""Which cells were given noise already: no cell gets it twice."""

import math

import numpy as np

from hierdp_core.noise.laws import Cells
from hierdp_core.privacy import Event


class Claims:
    """The cells of every event that were given noise, in ascending order."""

    def __init__(self) -> None:
        self._next: dict[tuple[int | None, str], tuple[int, int]] = {}

    def claim(self, event: Event, shape: tuple[int, ...], cells: Cells | None) -> Cells:
        """Return the cells that are meant, noted as given.

        Raises:
            RuntimeError: some of them were given before.
        """
        whose, n = (event.level, event.query), math.prod(shape)
        region, first = self._next.get(whose, (0, 0))
        if cells is None:
            cells = Cells.of_region(region, n, first=first)
        regions = cells.regions
        if int(cells.starts[-1]) != n:
            raise ValueError(f"{n} numbers, but {int(cells.starts[-1])} cells")
        if len(regions):
            begins = (int(regions[0]), cells.first)
            if begins < (region, first) or (np.diff(regions) <= 0).any():
                raise RuntimeError("A cell's noise that was given already was asked for again.")
            last = int(cells.starts[-1] - cells.starts[-2])
            self._next[whose] = (int(regions[-1]), cells.first + last)
        return cells
