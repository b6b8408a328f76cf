"""Figures as picture files, made by kaleido with an installed browser."""

from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path

import plotly.graph_objects as go
import plotly.io as pio

from hierdp_core.exceptions import ChoiceError
from hierdp_core.figures.style import CONFIG
from hierdp_core.util.text import join_or

_SUFFIXES = (".png", ".svg", ".pdf", ".jpeg", ".webp")


def save_image(figure: go.Figure, path: str | Path, *, scale: float) -> None:
    """Write a figure in the format that the suffix of `path` names.

    Args:
        figure: the figure.
        path: the path of the file.
        scale: the number of pixels of the picture per pixel of the figure.

    Raises:
        ChoiceError: kaleido or its browser is missing, or the suffix is unknown.
    """
    suffix = Path(path).suffix.lower()
    if suffix not in _SUFFIXES:
        raise ChoiceError(
            f'"{Path(path).name}" is not the name of a picture. Use a name that ends in '
            f"{join_or(_SUFFIXES)}."
        )
    with _errors_in_one_line():
        figure.write_image(str(path), scale=scale)


def png(figure: go.Figure, *, width: int, height: int, scale: float = 1) -> bytes:
    """Return a figure as a PNG of `scale` times `width` by `height` pixels.

    Raises:
        ChoiceError: kaleido or its browser is missing.
    """
    with _errors_in_one_line():
        return bytes(figure.to_image(format="png", width=width, height=height, scale=scale))


@contextmanager
def _errors_in_one_line() -> Iterator[None]:
    """Turn errors of kaleido into a `ChoiceError` with a message of one line."""
    if not available():
        raise ChoiceError(
            'Pictures need the extra "images". Install it in the folder of the repository: '
            'pip install ".[images]"'
        )
    pio.defaults.topojson = CONFIG["topojsonURL"]  # without it, maps need a network
    try:
        yield
    except (RuntimeError, ValueError, OSError) as error:
        lines = str(error).strip().splitlines() or ["kaleido found no browser"]
        raise ChoiceError(
            f"The picture could not be made: {lines[0].rstrip('.')}. Install Chrome "
            "or Chromium, which draws pictures."
        ) from None


def available() -> bool:
    """Return whether the extra "images" is installed."""
    return find_spec("kaleido") is not None
