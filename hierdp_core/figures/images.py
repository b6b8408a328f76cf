"""Figures as picture files, through kaleido, which drives an installed browser."""

from importlib.util import find_spec
from pathlib import Path

import plotly.graph_objects as go

from hierdp_core.exceptions import ChoiceError

_SUFFIXES = (".png", ".svg", ".pdf", ".jpeg", ".webp")


def save_image(figure: go.Figure, path: str | Path, *, scale: float) -> None:
    """Write a figure in the format that the suffix of `path` names.

    Raises:
        ChoiceError: kaleido or its browser is missing, or the suffix is unknown.
    """
    suffix = Path(path).suffix.lower()
    if suffix not in _SUFFIXES:
        raise ChoiceError(f'Pictures are {", ".join(_SUFFIXES)}; got "{suffix}".')
    if find_spec("kaleido") is None:
        raise ChoiceError(
            'Pictures need the extra "images". Install it with: pip install "hierdp[images]"'
        )
    try:
        figure.write_image(str(path), scale=scale)
    except (RuntimeError, ValueError, OSError) as error:
        first = str(error).strip().splitlines() or ["kaleido found no browser"]
        raise ChoiceError(f"The picture was not written: {first[0]}.") from None
