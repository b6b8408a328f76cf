"""Figures as picture files, through kaleido, which drives an installed browser."""

from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path

import plotly.graph_objects as go
import plotly.io as pio

from hierdp_core.exceptions import ChoiceError
from hierdp_core.figures.style import CONFIG

_SUFFIXES = (".png", ".svg", ".pdf", ".jpeg", ".webp")


def save_image(figure: go.Figure, path: str | Path, *, scale: float) -> None:
    """Write a figure in the format that the suffix of `path` names.

    Raises:
        ChoiceError: kaleido or its browser is missing, or the suffix is unknown.
    """
    suffix = Path(path).suffix.lower()
    if suffix not in _SUFFIXES:
        raise ChoiceError(f'Pictures are {", ".join(_SUFFIXES)}; got "{suffix}".')
    with _told():
        figure.write_image(str(path), scale=scale)


def png(figure: go.Figure, *, width: int, height: int, scale: float = 1) -> bytes:
    """Return a figure as a PNG of `scale` times these pixels.

    Raises:
        ChoiceError: kaleido or its browser is missing.
    """
    with _told():
        return bytes(figure.to_image(format="png", width=width, height=height, scale=scale))


@contextmanager
def _told() -> Iterator[None]:
    """Say in a line why there is no picture."""
    if not available():
        raise ChoiceError(
            'Pictures need the extra "images". Install it with: pip install "hierdp[images]"'
        )
    pio.defaults.topojson = CONFIG["topojsonURL"]  # otherwise maps need the network
    try:
        yield
    except (RuntimeError, ValueError, OSError) as error:
        first = str(error).strip().splitlines() or ["kaleido found no browser"]
        raise ChoiceError(f"The picture was not written: {first[0]}.") from None


def available() -> bool:
    """Whether the extra for pictures is installed."""
    return find_spec("kaleido") is not None
