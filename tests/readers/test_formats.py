"""The registry of formats: whatever is in it is recognised, read and offered."""

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from support.pages import open_page, unbroken

from hierdp_core.cli import main
from hierdp_core.readers import Limits
from hierdp_core.readers.build.grouping import batches_of
from hierdp_core.readers.formats import registry
from hierdp_core.readers.formats.registry import (
    FORMATS,
    Content,
    Format,
    TableReader,
    recognised,
    starts_with,
)
from hierdp_core.readers.formats.sheet import Sheet, clean_sheet
from hierdp_core.readers.formats.sniff import Source
from hierdp_core.readers.reading import read_here
from hierdp_core.readers.report import Notebook
from hierdp_core.tables import Counts
from pages.ui.data import data_words
from pages.ui.shell.session import Key


def read_planted(source: Source, notes: Notebook, limits: Limits) -> Sheet:
    """One line of names, then one of cells for each row, after the mark of the format."""
    names, *rows = [
        line.split() for line in source.path.read_text(encoding="utf-8").splitlines()[1:]
    ]
    columns = [pa.array(cells, pa.string()) for cells in zip(*rows, strict=True)]
    return clean_sheet(notes.file, names, columns, np.arange(len(rows)) + 2, notes, limits)


PLANTED_READER = TableReader(read=read_planted)
PLANTED = Format(
    id="planted", title="Planted", suffixes=("plant",), holds="table",
    reader=f"{__name__}:PLANTED_READER", recognises=starts_with(b"PLANT"),
)  # fmt: skip


@pytest.fixture
def planted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry, "FORMATS", (*FORMATS, PLANTED))


@pytest.mark.usefixtures("planted")
def test_a_planted_format_is_recognised_and_read(tmp_path: Path) -> None:
    path = tmp_path / "own.csv"
    path.write_text("PLANT\nstate county n\nA a 1\nA b 2\nB c 4\n")
    table = read_here([path]).table
    assert isinstance(table, Counts)
    assert table.values[table.regions.tree.leaves].tolist() == [1, 2, 4]


def test_a_format_without_batches_says_so(tmp_path: Path) -> None:
    source = Source(name="own.csv", path=tmp_path / "own.csv", format=PLANTED)
    with pytest.raises(TypeError, match="planted are not read in batches"):
        batches_of(source, ["n"], Notebook("own.csv"), Limits())


@pytest.mark.usefixtures("planted")
def test_a_planted_format_is_offered() -> None:
    test = unbroken(open_page("pages/data_page.py"))
    test = unbroken(test.radio(key=Key.DATA_WHAT).set_value("public").run())
    for uploader in test.file_uploader:
        assert ".plant" in uploader.proto.type
    assert (
        "CSV, Parquet, Excel, OpenDocument, PX, JSON, Stata, SPSS or Planted" in data_words.takes()
    )


@pytest.mark.parametrize("one", FORMATS, ids=lambda one: one.id)
def test_every_format_has_the_reader_it_names(one: Format) -> None:
    reader = one.table_reader if one.holds == "table" else one.boundary_reader
    assert callable(reader.read)
    with pytest.raises(TypeError, match="is not a"):
        _ = one.boundary_reader if one.holds == "table" else one.table_reader


def test_the_list_of_formats_loads_no_library() -> None:
    use = (
        "import sys\n"
        "import hierdp_core.cli\n"
        "from hierdp_core.readers.formats import sniff, registry\n"
        "assert not {'numpy', 'pyarrow', 'pyogrio', 'geopandas', 'shapely'} & {*sys.modules}"
    )
    subprocess.run([sys.executable, "-c", use], check=True)


def test_the_help_of_check_names_the_formats(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["check", "--help"])
    shown = " ".join(capsys.readouterr().out.split())
    assert "(GeoJSON, GeoPackage, zipped shapefile)" in shown


@pytest.mark.parametrize(
    "word", ["Feature", "FeatureCollection", "Topology", "features", "geometry", '"type": "Feature']
)
@pytest.mark.parametrize("way", ["list", "inner list", "lines"])
def test_a_text_in_a_record_does_not_turn_a_table_into_boundaries(
    tmp_path: Path, word: str, way: str
) -> None:
    areas = tmp_path / "areas.csv"
    areas.write_text("state,county\nA,A1\nA,A2\nB,B1\n")
    records = [{"state": "A", "county": "A1", "note": note} for note in (word, "x")]
    path = tmp_path / "persons.json"
    path.write_text(
        {
            "list": json.dumps(records),
            "inner list": json.dumps({"persons": records}),
            "lines": "\n".join(map(json.dumps, records)),
        }[way]
    )
    stated = {"kind": "counts", "row": "person", "levels": ("state", "county")}
    table = read_here([path], stated=stated, regions=areas, confidential=True).table
    assert isinstance(table, Counts)
    assert table.values[table.regions.tree.leaves].tolist() == [2, 0, 0]


@pytest.mark.parametrize(
    ("head", "holds"),
    [
        ('\ufeff {"type": "FeatureCollection", "features": []}', "boundaries"),
        ('{"name": "x", "crs": {"type": "name"}, "features": [{"type"', "boundaries"),
        ('{"type":"Topology","arcs":[[[0,', "boundaries"),
        ('{"type": "Feature", "properties": {"a": "long', "boundaries"),
        ('{"geometry": null, "type": "Feature"}', "boundaries"),
        ('{"type": "Feature", "state": "A"}', "table"),
        ('{"features": "garden", "state": "A"}', "table"),
        ('{"state": "A"}\n{"type": "FeatureCollection"}', "table"),
        ('{"state": "A", "note": "He said \\"type\\": \\"Topology\\"', "table"),
        ('[{"type": "FeatureCollection"}]', "table"),
    ],
)
def test_boundaries_in_json_are_recognised_by_their_outermost_object(head: str, holds: str) -> None:
    found = recognised(Content(head=head.encode()))
    assert found is not None
    assert found.holds == holds
