"""The measures of error by which cases are compared."""

from collections.abc import Sequence
from dataclasses import dataclass

from hierdp_core.exceptions import ChoiceError
from hierdp_core.tables import Table
from hierdp_core.util.text import join_or


@dataclass(frozen=True, kw_only=True)
class Measure:
    """A measure of error, of which smaller values are better.

    Attributes:
        id: its name in addresses.
        title: its name on screen.
        unit: the title of an axis.
        column, quantity: the column of `errors`, and the quantity of the rows.
        about: a description of the measure.
    """

    id: str
    title: str
    unit: str
    column: str
    quantity: str
    about: str


def measures(table: Table) -> tuple[Measure, ...]:
    """Return the measures that fit a table, the usual one first."""
    first, group = table.quantities[0], table.domain.group
    if group is None:
        noun = str(table.labels["unit"]) if table.between_regions else first.title
        return (
            _of(
                "numbers",
                "Mean absolute error",
                noun,
                "mean_abs",
                "The mean over all counts of the absolute difference between released "
                "and true counts.",
            ),
            _of(
                "largest",
                "Largest error",
                noun,
                "max_abs",
                "The largest absolute difference between a released count and its true count in "
                "one simulation.",
            ),
        )
    return (
        _of(
            first.id,
            f"Mean absolute error of {first.title}",
            first.title,
            "mean_abs",
            "The mean over areas of the absolute difference between the released and the true "
            f"number of {first.title}.",
            quantity=first.id,
        ),
        _of(
            "numbers",
            f"Mean absolute error per count of {group} by size",
            group,
            "mean_abs",
            "The mean, over all areas and sizes, of the absolute difference between "
            f"released and true numbers of {group}.",
        ),
        Measure(
            id="emd",
            title="Earth mover’s distance per area",
            unit=f"earth mover’s distance ({table.labels['people']})",
            column="emd",
            quantity="",
            about=f"The mean over areas of how many {table.labels['people']} would have to join or "
            f"leave the {group} of an area to turn the released sizes into the true ones.",
        ),
        _of(
            "largest",
            f"Largest error of any count of {group} by size",
            group,
            "max_abs",
            "The largest absolute difference between a released count and its true count in one "
            "simulation.",
        ),
    )


def measured_quantities(table: Table) -> tuple[str, ...]:
    """Return the ids of all quantities that the measures need, "" for every cell."""
    return tuple(dict.fromkeys(measure.quantity for measure in measures(table)))


def measure_of(table: Table, id: str | None) -> Measure:
    """Return the measure with this id; the usual one for None.

    Raises:
        ChoiceError: the table has no measure with this id.
    """
    known: Sequence[Measure] = measures(table)
    if id is None:
        return known[0]
    match = next((measure for measure in known if measure.id == id), None)
    if match is None:
        names = join_or([measure.id for measure in known])
        raise ChoiceError(f'This table has no error measure "{id}". Choose {names}.')
    return match


def _of(id: str, title: str, noun: str, column: str, about: str, *, quantity: str = "") -> Measure:
    kind = "largest error" if column == "max_abs" else "mean absolute error"
    return Measure(
        id=id,
        title=title,
        unit=f"{kind} ({noun})",
        column=column,
        quantity=quantity,
        about=about,
    )
