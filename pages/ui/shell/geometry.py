"""Boundaries for the browser: as files that it fetches once, or in the figure.

With files, a rerun sends values only. The files are in `static/` beside app.py and are made on
first use. Their names contain a digest of their content, so they are never out of date.
"""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import streamlit as st

from hierdp_core.maps.boundaries import MapLayer, static_file
from hierdp_core.samples.sample import OWN, Sample

_FOLDER = Path(__file__).resolve().parents[3] / "static"


def of(sample: Sample, level: int) -> MapLayer:
    """Return the polygons of one level, as an address, or in full if no file can be served."""
    boundaries = sample.boundaries
    if sample.id == OWN:  # a served file could be fetched by anybody
        return boundaries.layer(level)
    return _of(sample.id, level, sample)


def within(sample: Sample, level: int, above: int, id: str) -> MapLayer:
    """Return the detailed polygons of one level within a region of level number `above`."""
    if above == 0:
        return of(sample, level)
    if sample.id == OWN:
        return sample.boundaries.layer_within(level, above, id)
    return _within(sample.id, level, above, id, sample)


@st.cache_resource(max_entries=64, show_spinner=False)
def _of(id: str, level: int, _sample: Sample) -> MapLayer:
    boundaries = _sample.boundaries
    if not st.get_option("server.enableStaticServing"):
        return boundaries.layer(level)
    try:
        address = _address(boundaries.static_name(level), lambda: boundaries.static_file(level)[1])
    except OSError:
        return boundaries.layer(level)
    return MapLayer(polygons=address, caption=boundaries.caption)


@st.cache_resource(max_entries=256, show_spinner=False)
def _within(id: str, level: int, above: int, region: str, _sample: Sample) -> MapLayer:
    boundaries = _sample.boundaries
    regions = boundaries.regions
    # A number, not the code, which may contain characters that a file name cannot.
    label = f"{boundaries.label}-{regions.levels[level]}-in-{regions.node(region, above)}"
    return _served(boundaries.layer_within(level, above, region), label)


def _served(layer: MapLayer, label: str) -> MapLayer:
    if not st.get_option("server.enableStaticServing") or isinstance(layer.polygons, str):
        return layer
    try:
        name, text = static_file(label, layer.polygons)
        return replace(layer, polygons=_address(name, lambda: text))
    except OSError:
        return layer


def _address(name: str, text: Callable[[], str]) -> str:
    """Return the address of a file in the folder; write the file if it is missing."""
    _FOLDER.mkdir(exist_ok=True)
    path = _FOLDER / name
    if not path.is_file():
        unfinished = path.with_suffix(".part")
        unfinished.write_text(text(), encoding="utf-8")
        unfinished.replace(path)
    base = str(st.get_option("server.baseUrlPath") or "").strip("/")
    return f"{'/' + base if base else ''}/app/static/{name}"
