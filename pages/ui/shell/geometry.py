"""Boundaries for the browser: as files that it fetches once, or inside the figure.

With files a rerun sends values only. They lie in `static/` beside app.py, are made on first
use and carry a digest of their content in their names, so they never go stale.
"""

from pathlib import Path

import streamlit as st

from hierdp_core.figures.maps.error_map import Geometry
from hierdp_core.samples.sample import OWN, Sample

_FOLDER = Path(__file__).resolve().parents[3] / "static"


def of(sample: Sample, level: int) -> Geometry:
    """The polygons of one level: their address, or themselves where no file can be served."""
    if sample.id == OWN:  # a served file could be fetched by anybody
        return sample.boundaries.level(level)
    return _geometry(sample.id, sample)[level]


@st.cache_resource(max_entries=16, show_spinner=False)
def _geometry(id: str, _sample: Sample) -> list[Geometry]:
    boundaries = _sample.boundaries
    inline: list[Geometry] = [boundaries.level(k) for k in range(boundaries.regions.tree.n_levels)]
    if not st.get_option("server.enableStaticServing"):
        return inline
    try:
        _FOLDER.mkdir(exist_ok=True)
        return [_address(name, text) for name, text in boundaries.static_files().items()]
    except OSError:
        return inline


def _address(name: str, text: str) -> str:
    path = _FOLDER / name
    if not path.is_file():
        unfinished = path.with_suffix(".part")
        unfinished.write_text(text, encoding="utf-8")
        unfinished.replace(path)
    base = str(st.get_option("server.baseUrlPath") or "").strip("/")
    return f"{'/' + base if base else ''}/app/static/{name}"
