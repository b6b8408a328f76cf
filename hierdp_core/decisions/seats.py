"""Seats of a parliament apportioned among areas by their counts.

Both methods give one seat after another to the area with the highest priority. For an area that
has s seats, this is its count over sqrt(s (s + 1)) with Huntington-Hill, which begins with one
seat for each area. It is its count over s + 1 with D'Hondt, which begins with none.
Source: Balinski & Young, *Fair Representation* (1982), Appendix A.
"""

import numpy as np

from hierdp_core.decisions.base import Column, Parameter, Result, Rule, weights_of
from hierdp_core.evaluation.released_counts import LevelSimulations
from hierdp_core.exceptions import ChoiceError
from hierdp_core.util.arrays import BoolArray, FloatArray, IntArray, NumberArray
from hierdp_core.util.text import counted

METHODS = {"huntington-hill": "Huntington–Hill", "dhondt": "D’Hondt"}
HOUSE = 435  # seats of the House of Representatives
WITHOUT_SEATS = ("District of Columbia", "Puerto Rico")  # no voting member of the House
_STEPS = 64  # halvings of the price of a seat
_MARGIN = 1 + 1e-12  # so that rounding never gives a seat too early


def apportion(counts: NumberArray, seats: int, method: str = "huntington-hill") -> IntArray:
    """Apportion seats in proportion to counts; each row adds up to `seats`.

    Negative counts are taken as 0. If all counts of a row are then 0, they are taken as equal. Ties
    go to the area that comes first.

    Args:
        counts: shape (..., places).
        seats: the number of seats; with Huntington-Hill at least one per area.
        method: one of `METHODS`.

    Returns:
        the seats of each area, in the shape of `counts`.

    >>> apportion(np.array([100_000, 80_000, 30_000, 20_000]), 8, "dhondt").tolist()
    [4, 3, 1, 0]
    """
    weights = np.atleast_2d(weights_of(counts))
    held = _bought(weights, _price(weights, seats, method) * _MARGIN, method)
    open_seats = seats - held.sum(axis=1)
    while (rows := np.flatnonzero(open_seats > 0)).size:
        held[rows, _priority(weights[rows], held[rows], method).argmax(axis=1)] += 1
        open_seats[rows] -= 1
    return held.reshape(counts.shape)


def _price(weights: FloatArray, seats: int, method: str) -> FloatArray:
    """Return the divisor at which each row gives all `seats`, or slightly fewer if areas tie."""
    low = weights.sum(axis=1) / (seats + weights.shape[1] + 1)
    high: FloatArray = weights.max(axis=1)
    open_ = np.arange(len(weights))
    for _ in range(_STEPS):
        middle = (low[open_] + high[open_]) / 2
        bought = _bought(weights[open_], middle, method).sum(axis=1)
        enough = bought <= seats
        high[open_[enough]], low[open_[~enough]] = middle[enough], middle[~enough]
        open_ = open_[bought != seats]
        if not len(open_):
            break
    return high


def _bought(weights: FloatArray, price: FloatArray, method: str) -> IntArray:
    """Return how many seats of each area have a priority above `price`, in its row."""
    quota = weights / price[:, None]
    if method == "dhondt":
        bought = np.maximum(np.ceil(quota) - 1, 0)
    else:
        bought = np.maximum(np.ceil((1 + np.sqrt(1 + 4 * quota**2)) / 2) - 1, 1)
    whole: IntArray = bought.astype(np.int64)
    return whole


def _priority(weights: FloatArray, held: IntArray, method: str) -> FloatArray:
    """Return the priority of each area for the next seat, or its square, which rounds less."""
    if method == "dhondt":
        return weights / (held + 1)
    return weights**2 / (held * (held + 1.0))


def seats(places: LevelSimulations, *, seats: int, method: str, without: tuple[str, ...]) -> Result:
    """Compare the seats under the released counts with those under the true counts.

    Raises:
        ChoiceError: all areas are excluded or have a count of 0, there are more seats than the
            true counts add up to, or too few seats for Huntington-Hill.
    """
    part = ~np.isin(places.ids, without)
    _check_seats(places, part, seats, method)
    due = apportion(places.true[part], seats, method)
    seats_released = apportion(places.released[:, part], seats, method)
    change = seats_released - due
    return Result(
        wrong=_spread(part, (change != 0).mean(axis=0)),
        places={
            "seats": _spread(part, due),
            "mean_seats": _spread(part, seats_released.mean(axis=0)),
            "gains": _spread(part, (change > 0).mean(axis=0)),
            "loses": _spread(part, (change < 0).mean(axis=0)),
            "fewest": _spread(part, seats_released.min(axis=0)),
            "most": _spread(part, seats_released.max(axis=0)),
        },
        simulations={
            "moved": np.abs(change).sum(axis=1) // 2,
            "changed": (change != 0).sum(axis=1),
        },
        facts={"places": float(part.sum()), "seats": float(seats)},
    )


def _check_seats(places: LevelSimulations, part: BoolArray, seats: int, method: str) -> None:
    n, people = int(part.sum()), int(max(0, places.true[part].sum()))
    if n == 0:
        raise ChoiceError("Every area is excluded. Exclude fewer, so that at least one is left.")
    if people == 0:
        raise ChoiceError(
            "Seats cannot be apportioned, because the true counts of the areas that are not "
            "excluded add up to 0. Choose a level with larger counts, or exclude fewer areas."
        )
    if seats > people:
        raise ChoiceError(
            f"There are more seats than counted units: {seats:,} seats, while the true counts of "
            f"these areas add up to {people:,}. Give at most {counted(people, 'seat')}."
        )
    if method == "huntington-hill" and seats < n:
        raise ChoiceError(
            f"Huntington–Hill gives each of the {n:,} areas of the level {places.level} a seat, "
            f"so it needs at least {n:,}; got {seats:,}. Give more seats, choose a level "
            "with fewer areas, or choose D’Hondt (method=dhondt), which guarantees no area a seat."
        )


def _spread(part: BoolArray, values: NumberArray) -> FloatArray:
    """Return `values` of the areas included, NaN for the others."""
    result = np.full(len(part), np.nan)
    result[part] = values
    return result


def _usual_seats(places: LevelSimulations) -> int:
    return max(1, min(HOUSE, int(places.true.sum())))


def _usual_method(places: LevelSimulations) -> str:
    """Return Huntington–Hill, or D’Hondt if the default number of seats is below one per area."""
    taking_part = len(places.true) - len(_usually_without(places))
    return "huntington-hill" if taking_part <= _usual_seats(places) else "dhondt"


def _usually_without(places: LevelSimulations) -> tuple[str, ...]:
    areas = zip(places.ids, places.names, strict=True)
    return tuple(id for id, name in areas if name in WITHOUT_SEATS)


SEATS = Rule(
    id="seats",
    title="Seat apportionment",
    about="Seats are apportioned by a highest-averages method: Huntington–Hill, as in the United "
    "States, with one guaranteed seat for each area, or D’Hondt.",
    ties="If several areas have an equal claim to a seat, the first in the table receives it.",
    wrong="receives a different number of seats",
    wrongs="receive a different number of seats",
    parameters=(
        Parameter(
            name="seats",
            title="Seats",
            about="The number of seats in all.",
            kind="whole",
            least=1,
            usual=_usual_seats,
        ),
        Parameter(
            name="method",
            title="Method",
            about="Huntington–Hill guarantees every area one seat; D’Hondt favours large areas.",
            kind="choice",
            usual=_usual_method,
            choices=METHODS,
        ),
        Parameter(
            name="without",
            title="Exclude areas",
            about="These areas receive no seats. The District of Columbia and Puerto Rico have no "
            "voting member in the House of Representatives.",
            kind="places",
            usual=_usually_without,
        ),
    ),
    place_columns=(
        Column(
            id="seats", title="Seats", kind="count", about="The area’s seats under the true counts."
        ),
        Column(
            id="mean_seats",
            title="Mean seats",
            kind="number",
            about="The mean number of the area’s seats over the simulations.",
        ),
        Column(
            id="gains",
            title="Gains",
            kind="share",
            about="How often the area receives more seats than under the true counts.",
        ),
        Column(
            id="loses",
            title="Loses",
            kind="share",
            about="How often the area receives fewer seats than under the true counts.",
        ),
        Column(
            id="fewest",
            title="Fewest",
            kind="count",
            about="The smallest number of the area’s seats in any simulation.",
        ),
        Column(
            id="most",
            title="Most",
            kind="count",
            about="The largest number of the area’s seats in any simulation.",
        ),
    ),
    simulation_columns=(
        Column(
            id="moved",
            title="Seats that move",
            kind="count",
            about="The number of seats that go to another area than under the true counts.",
        ),
        Column(
            id="changed",
            title="Areas with a different number of seats",
            kind="count",
            about="The number of areas that have more or fewer seats than under the true counts.",
        ),
    ),
    apply=seats,
    most_areas=HOUSE,
)
