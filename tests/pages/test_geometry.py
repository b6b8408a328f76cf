"""Boundaries as files that the browser fetches."""

import json

from hierdp_core import samples
from pages.ui.shell import geometry


def test_a_file_for_the_browser_is_written_once(tmp_path, monkeypatch):
    monkeypatch.setattr(geometry, "_FOLDER", tmp_path / "static")
    monkeypatch.setattr("streamlit.get_option", lambda _: True)
    sample = samples.load("us-population")
    layer = geometry._of.__wrapped__("us-population", 1, sample)
    (path,) = (tmp_path / "static").iterdir()
    assert layer.polygons.endswith(f"/app/static/{path.name}")
    assert json.loads(path.read_text()) == sample.boundaries.level(1)
    path.write_text("{}")
    assert geometry._of.__wrapped__("us-population", 1, sample).polygons == layer.polygons
    assert path.read_text() == "{}"
