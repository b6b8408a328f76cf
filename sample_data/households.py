"""Household sizes for every county, fitted to what is known of it.

Known by county: people, housing units, land area. Known of the nation: households, people
in each, and the shares of sizes 1 to 7 or more. Known of nine counties: their real sizes.

1. Occupancy. r = people per housing unit mixes two things, how many units are lived in and
   how many people share one. People per household is modelled as

       (floor^k + (r / ceiling)^k)^(1/k),   floor = floor_0 * density^(-slope) (clipped),

   so that a county of holiday homes (small r) has few occupied units of usual size, and a
   county of large families (large r) is nearly full. `floor_0` makes the nation's households
   come out; `ceiling` and `slope` are chosen on the nine counties.
2. Sizes. Within a county the shares are base_s * exp(theta * s), theta set so that people add
   up; the base is the nation's shares, adjusted until all counties together reproduce them.
3. Whole numbers. Largest remainders, county by county, errors carried on: every county keeps
   its housing units and every size its national total.
"""

from dataclasses import dataclass
from itertools import product

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

HOUSEHOLDS = 116_716_292
PEOPLE_PER_HOUSEHOLD = 2.58
LAST_SIZE = 15  # stands for 15 and more
SIZES = np.arange(1, LAST_SIZE + 1)

_SOFTNESS = 5.0  # k: how sharply one regime of occupancy passes into the other
_SPARSE, _DENSE = 90.0, 36_000.0  # people per square mile beyond which density has no more effect
_BEARS_ERRORS = 1_000  # housing units from which a county's row makes good earlier rounding
_CEILINGS = np.round(np.arange(0.940, 0.9901, 0.002), 3)
_SLOPES = np.round(np.arange(0.0, 0.1001, 0.005), 3)


@dataclass(frozen=True, eq=False, kw_only=True)
class Places:
    """What is known of each county: people, housing units, square miles; each shape (n,)."""

    people: Floats
    units: Floats
    land: Floats


@dataclass(frozen=True, kw_only=True)
class Occupancy:
    """The three numbers of the model of occupancy."""

    floor: float
    ceiling: float
    slope: float

    def people_per_household(self, places: Places) -> Floats:
        """People (in households or not) per household, shape (n,)."""
        density = np.clip(places.people / places.land, _SPARSE, _DENSE) / _SPARSE
        floor = self.floor * density**-self.slope
        full = places.people / places.units / self.ceiling
        return (floor**_SOFTNESS + full**_SOFTNESS) ** (1 / _SOFTNESS)

    def households(self, places: Places) -> Floats:
        """Occupied units, shape (n,)."""
        return places.people / self.people_per_household(places)


def with_national_total(places: Places, ceiling: float, slope: float) -> Occupancy:
    """The model whose floor makes the households of all `places` add up to the nation's."""
    low, high = 1.5, 4.0
    for _ in range(50):
        middle = (low + high) / 2
        model = Occupancy(floor=middle, ceiling=ceiling, slope=slope)
        if model.households(places).sum() > HOUSEHOLDS:
            low = middle
        else:
            high = middle
    return Occupancy(floor=round(high, 9), ceiling=ceiling, slope=slope)


@dataclass(frozen=True, eq=False, kw_only=True)
class Calibration:
    """The chosen model, and its log errors at the counties that it was chosen on.

    `plain` uses all of them; in `left_out` each is judged by the model chosen without it.
    """

    model: Occupancy
    plain: Floats
    left_out: Floats


def calibrate(places: Places, known: Ints, households: Floats) -> Calibration:
    """The model with the least squared log error of households at the counties `known`."""
    grid = [with_national_total(places, float(c), float(s)) for c, s in product(_CEILINGS, _SLOPES)]
    errors = np.array([np.log(m.households(places)[known] / households) for m in grid])
    squares = errors**2
    best = int(np.argmin(np.round(squares.sum(axis=1), 9)))
    without = np.argmin(np.round(squares.sum(axis=1, keepdims=True) - squares, 9), axis=0)
    left_out = errors[without, np.arange(len(known))]
    return Calibration(model=grid[best], plain=errors[best], left_out=left_out)


def national_shares(published: Floats) -> Floats:
    """Shares of sizes 1…15+, the published last share (7+) spread geometrically.

    The ratio makes people per household come out, size 15 and more counted as 15.
    """
    low, high = 0.01, 0.99
    for _ in range(60):
        ratio = (low + high) / 2
        allocation = _spread(published, ratio)
        if allocation @ SIZES < PEOPLE_PER_HOUSEHOLD:
            low = ratio
        else:
            high = ratio
    return allocation


def _spread(published: Floats, ratio: float) -> Floats:
    tail = ratio ** np.arange(LAST_SIZE - 6)
    allocation = np.concatenate([published[:-1], published[-1] * tail / tail.sum()])
    return allocation / allocation.sum()


def tilted(base: Floats, means: Floats) -> Floats:
    """Shares base_s * exp(theta * s) with the given means, shape (n, sizes)."""
    low, high = np.full(len(means), -6.0), np.full(len(means), 3.0)
    for _ in range(45):
        theta = (low + high) / 2
        weights = base * np.exp(theta[:, None] * (SIZES - 1))
        allocation = weights / weights.sum(axis=1, keepdims=True)
        short = allocation @ SIZES < means
        low, high = np.where(short, theta, low), np.where(short, high, theta)
    return allocation


def fitted_base(national: Floats, households: Floats, means: Floats) -> Floats:
    """The base from which the tilted counties together have the `national` shares."""
    base = national
    for _ in range(60):
        together = households @ tilted(base, means) / households.sum()
        base = base * national / together
        base = base / base.sum()
    return base


def whole(expected: Floats, totals: Ints) -> Ints:
    """`expected` in whole numbers: each row sums to `totals`, each column nearly to its own sum.

    Rows are rounded in turn by largest remainders. The error of the rows before is made good
    in the next one that is large enough to bear it.
    """
    result = np.zeros(expected.shape, dtype=np.int64)
    carried = np.zeros(expected.shape[1])
    for row, total in enumerate(totals):
        due = carried if total >= _BEARS_ERRORS else 0
        wanted = np.round(np.maximum(expected[row] + due, 0), 6)
        kept = np.floor(wanted)
        spare = int(total - kept.sum())
        order = np.argsort(kept - wanted, kind="stable")
        if spare >= 0:
            np.add.at(kept, np.resize(order, spare), 1)
        else:  # carried errors asked for more than there is: take from the largest
            kept[int(np.argmax(kept))] += spare
        result[row] = kept
        carried += expected[row] - kept
    return result


def settle(table: Ints, columns: Ints) -> Ints:
    """`table` with its column sums made exactly `columns`, in its largest row."""
    settled = table.copy()
    settled[int(np.argmax(table.sum(axis=1)))] += columns - table.sum(axis=0)
    return settled
