"""`hdp.explore(table)`: controls for budget, mechanism and allocation in a notebook cell."""

from importlib.util import find_spec
from typing import Any

import numpy as np

from hierdp_core import mechanisms
from hierdp_core.display.cards import html as card_html
from hierdp_core.display.places import boundaries_of
from hierdp_core.evaluation.evaluation import evaluate
from hierdp_core.exceptions import ChoiceError, HierdpError
from hierdp_core.simulation import plan, simulate
from hierdp_core.tables import Table
from hierdp_core.util import html as piece
from hierdp_core.util.argument_types import typed

_SMALLEST, _LARGEST = -2, 2  # powers of ten of ε


@typed
def explore(
    table: Table,
    *,
    mechanism: str | None = None,
    epsilon: float = 1.0,
    boundaries: Any = None,
    seed: int = 0,
) -> Any:
    """Return controls for ε, mechanism and allocation, with the error by level and a map below.

    Each change starts a new simulation with the same seed. The extra `notebook` is required.

    Args:
        table: the table.
        mechanism: the id of the mechanism to start with; by default the first for this kind of
            table.
        epsilon: the ε to start with, from 0.01 to 100.
        boundaries: `Boundaries` or a GeoDataFrame, as in `simulation.chart.map`. Flows have no map.
        seed: the seed of the noise.

    Raises:
        ChoiceError: ipywidgets is not installed, ε is out of range, or the mechanism is unknown or
            does not fit the table.
        HierdpError: the boundaries do not fit the table.
    """
    if find_spec("ipywidgets") is None:
        raise ChoiceError(
            'hdp.explore needs the extra "notebook". Install it in the folder of the repository: '
            'pip install ".[notebook]"'
        )
    import ipywidgets as widgets

    ids = mechanisms.names(table.kind)
    first = mechanism or ids[0]
    mechanisms.get(first)
    if first not in ids:
        raise ChoiceError(f"{first} is not for {table.kind_words}. Choose {', '.join(ids)}.")
    if not 10.0**_SMALLEST <= epsilon <= 10.0**_LARGEST:
        raise ChoiceError(
            f"epsilon must lie between {10.0**_SMALLEST:g} and {10.0**_LARGEST:g}, the ends of the "
            "slider. Give a value in this range."
        )
    levels = table.regions.levels
    chosen = widgets.Dropdown(options=ids, value=first, description="Mechanism")
    size = widgets.FloatLogSlider(
        value=epsilon, base=10, min=_SMALLEST, max=_LARGEST, step=0.05, readout_format=".3g",
        description="ε", continuous_update=False,
    )  # fmt: skip
    shares = widgets.Text(
        value="", placeholder=",".join("1" for _ in levels), description="Allocation",
        continuous_update=False,
    )  # fmt: skip
    level_choice = widgets.Dropdown(options=levels, value=levels[-1], description="Map of")
    shapes = None if table.between_regions else boundaries_of(table.regions, boundaries)
    result = widgets.HTML()

    def look(*_: Any) -> None:
        result.value = _page(
            table, chosen.value, size.value, shares.value, level_choice.value, shapes, seed
        )

    for control in (chosen, size, shares, level_choice):
        control.observe(look, names="value")
    look()
    return widgets.VBox(
        [widgets.HBox([chosen, size]), widgets.HBox([shares, level_choice]), result]
    )


def _page(
    table: Table, id: str, size: float, shares: str, level: str, shapes: Any, seed: int
) -> str:
    """Return the card of the errors and the map, or the message of an error."""
    try:
        weights = _weights(shares)
        epsilon = float(np.format_float_positional(size, 3, fractional=False))
        page_plan = plan(table, id, epsilon=epsilon, allocation=weights)
        sim = simulate(table, page_plan, seed=seed)
        page = card_html(evaluate(table, sim, quantity=table.quantities[0].id))
        if shapes is not None:
            drawn = sim.chart.map(level, boundaries=shapes)
            page += str(drawn._repr_mimebundle_()["text/html"])
        return page
    except HierdpError as error:
        return piece.warning(str(error))


def _weights(text: str) -> list[int] | None:
    parts = [part.strip() for part in text.split(",") if part.strip()]
    if not all(part.isdecimal() and len(part) < 10 for part in parts):
        raise ChoiceError(
            f'"{text[:40]}" is not an allocation. Give one whole number per level, such as 1,1,2.'
        )
    return [int(part) for part in parts] or None
