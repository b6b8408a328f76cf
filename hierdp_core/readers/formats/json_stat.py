"""JSON-stat, versions 1 and 2: dimensions with categories, and the numbers of all combinations."""

import math
from typing import Any

from hierdp_core.readers.formats.cube import Cube, Dimension


def cube_of(content: Any, most: int) -> Cube | None:
    """Return the table of a JSON-stat document with at most `most` cells; None for other JSON.

    Raises:
        ValueError: the document is JSON-stat that is damaged or too large.
    """
    dataset = _dataset(content)
    if dataset is None:
        return None
    about = dataset["dimension"]
    ids = dataset.get("id", about.get("id"))
    try:
        dimensions = tuple(_dimension(str(name), about[name]) for name in ids)
        return Cube(dimensions=dimensions, cells=_cells(dataset["value"], dimensions, most))
    except (KeyError, TypeError, AttributeError, IndexError):
        raise ValueError("damaged") from None


def _dataset(content: Any) -> dict[str, Any] | None:
    """Return the first dataset: the document itself, or one inside it."""
    if not isinstance(content, dict):
        return None
    for one in (content, *content.values(), *_linked(content)):
        if isinstance(one, dict) and isinstance(one.get("dimension"), dict) and "value" in one:
            ids = one.get("id", one["dimension"].get("id"))
            return one if isinstance(ids, list) else None
    return None


def _linked(content: dict[str, Any]) -> list[Any]:
    """Return the datasets in the list of a collection."""
    link = content.get("link")
    items = link.get("item") if isinstance(link, dict) else None
    return items if isinstance(items, list) else []


def _dimension(name: str, about: dict[str, Any]) -> Dimension:
    category = about["category"]
    labels: dict[str, str] = category.get("label", {})
    index = category.get("index", list(labels))
    codes = sorted(index, key=index.__getitem__) if isinstance(index, dict) else index
    return Dimension(
        name=str(about.get("label") or name),
        codes=tuple(str(code) for code in codes),
        labels=tuple(str(labels.get(code, code)) for code in codes),
    )


def _cells(value: Any, dimensions: tuple[Dimension, ...], most: int) -> list[str]:
    if isinstance(value, dict):  # filled cells by position
        n_cells = math.prod(len(dimension.codes) for dimension in dimensions)
        if n_cells > most:
            raise ValueError("too many cells")
        known = {int(place): number for place, number in value.items()}
        if any(not 0 <= place < n_cells for place in known):
            raise ValueError("a cell outside the table")
        value = (known.get(place) for place in range(n_cells))
    return [_text(number) for number in value]


def _text(number: Any) -> str:
    if number is None or isinstance(number, bool | dict | list):
        return ""
    if isinstance(number, float) and number.is_integer() and abs(number) < 1e15:
        return str(int(number))
    return str(number)
