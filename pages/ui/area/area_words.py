"""The sentences of Area profile: numbers in, plain words out."""

import math
from dataclasses import dataclass

from hierdp_core.util.escaping import in_html
from hierdp_core.util.text import (
    by_number,
    capital,
    counted,
    number,
    paragraph,
    plural,
    whole,
)
from pages.ui.shell import words


@dataclass(frozen=True, kw_only=True)
class AreaErrors:
    """The error of one area, over all simulations and in the one on the page.

    Attributes:
        name: the name of the area.
        level: the level of the area.
        true: the true count.
        released: the count in the simulation on the page.
        mean_abs: the mean absolute error over all simulations.
        rank, areas: its rank among the areas of its level that have a relative error, the
            largest first, and the number of these areas; rank 0 if it has none.
    """

    name: str
    level: str
    true: float
    released: float
    mean_abs: float
    rank: int
    areas: int

    @property
    def relative(self) -> float:
        """The mean absolute error divided by the true count; NaN if the true count is 0."""
        return self.mean_abs / self.true if self.true else math.nan


def finding(
    area: AreaErrors, budget: str, below: tuple[str, float] | None, n_simulations: int
) -> str:
    """Return the title: the error of an area's count.

    Args:
        area: the area.
        budget: the budget in words.
        below: the level below and its typical relative error; None if the area has fewer than two
            sub-areas.
        n_simulations: the number of simulations behind the errors.

    >>> texas = AreaErrors(
    ...     name="Texas", level="state", true=8e6, released=8e6, mean_abs=8, rank=50, areas=51
    ... )
    >>> finding(texas, "ε = 1", ("county", 0.0004), 100)
    'Texas: at ε = 1, the count is 0.0001% off on average, and its counties are typically 0.04% off'
    >>> finding(texas, "ε = 1", None, 100)
    'Texas: at ε = 1, the count is 0.0001% off on average'
    """
    subject = f"at {budget}, the count"
    return words.area_finding(
        area.name,
        area.relative,
        below,
        subject=subject,
        off="off on average",
        exact=f"exact in {counted(n_simulations, 'simulation')}",
    )


def subtitle(area: AreaErrors, *, unit: str, above: str, seed: int) -> str:
    """Return the lines below the title: the kind of area, its true and its released count.

    Args:
        area: the area.
        unit: the noun for what is counted, plural.
        above: the name of the parent area; "" for the root.
        seed: the seed of the simulation on the page.
    """
    return paragraph(
        f"{words.kind_of_area(area.level, above)}.",
        f"The true number of {unit} is **{whole(area.true)}**.",
        f"The simulated release on this page (seed {seed}) has {whole(area.released)}, "
        f"{_difference(area)}.",
    )


def _difference(area: AreaErrors) -> str:
    difference = area.released - area.true
    if not difference:
        return "the true count"
    return f"which is {whole(abs(difference))} too {'many' if difference > 0 else 'few'}"


def card(area: AreaErrors, *, unit: str) -> str:
    """Return the error of an area beside others, as HTML."""
    rank = ""
    if area.rank and area.areas > 1:
        of = f"{area.areas:,} {plural(area.level)} with a true count above 0"
        rank = f"relative error: rank {area.rank:,} of {of}, largest first"
    lines = (
        f"average error {number(area.mean_abs)}; true number of {unit}: {whole(area.true)}",
        f"this simulation: {whole(area.released)}, {_difference(area)}",
        rank,
    )
    quiet = "".join(f'<div class="quiet">{in_html(line)}</div>' for line in lines if line)
    return (
        f'<div class="hierdp-level"><div>{in_html(capital(words.place(area.name)))}</div>'
        f'<div><b class="big">{in_html(words.relative(area.relative))}</b></div>{quiet}</div>'
    )


def compared(first: AreaErrors, second: AreaErrors) -> str:
    """Return a sentence that compares two areas.

    >>> def area(name, true):
    ...     return AreaErrors(
    ...         name=name, level="county", true=true, released=true, mean_abs=4, rank=1, areas=9
    ...     )
    >>> compared(area("Loving", 40), area("Harris", 4000))
    'The relative error of Loving is 100 times that of Harris.'
    >>> compared(area("Loving", 40), area("King", 40))
    'The relative errors of Loving and King are about the same.'
    """
    one, other = words.place(first.name), words.place(second.name)
    if not (first.relative > 0 and second.relative > 0):
        return f"The errors of {one} and {other} are shown side by side."
    if first.relative < second.relative:
        first, second, one, other = second, first, other, one
    times = first.relative / second.relative
    ratio = number(float(f"{times:.2g}"))
    if ratio == "1":
        return f"The relative errors of {one} and {other} are about the same."
    return f"The relative error of {one} is {ratio} times that of {other}."


def how_to_compare(*, pinned: bool) -> str:
    """Return how to compare this area with another one."""
    stays = "A pinned area stays at the top of every page about these data."
    if pinned:
        return f"Open another area to see both side by side. {stays}"
    return f"Pin this area and open another one to see both side by side. {stays}"


def map_note(unit: str, seed: int) -> str:
    """Return the line under the map of the sub-areas."""
    return (
        f"The map shows the relative error of the number of {unit} in one simulated release (seed "
        f"{seed}). Select an area on the map, or a row of the table, to open its profile. "
        f"{words.NOT_PRIVATE}"
    )


def median_error(relative: float, areas: int) -> str:
    """Return the error in one of several maps, below its heading.

    >>> median_error(0.02, 3), median_error(math.nan, 1)
    ('median relative error 2%', 'no relative error, as the true count is 0')
    """
    if math.isnan(relative):
        every = by_number(areas, "the", "every")
        return f"no relative error, as {every} true count is 0"
    error = by_number(areas, "relative error", "median relative error")
    return f"{error} {words.in_words(relative)}"


def levels_note(seed: int) -> str:
    """Return the line under the maps of an area at several levels."""
    return (
        "The relative errors above and on these maps are those of one simulated release (seed "
        f"{seed}). {words.NOT_PRIVATE}"
    )
