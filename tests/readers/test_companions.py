"""Files beside a table that are no tables: documents are left out, codebooks name the areas."""

from pathlib import Path

import pyarrow as pa
import pytest
from support.companion_files import companion_files
from support.offices import File

from hierdp_core.readers import Reading
from hierdp_core.readers.build.companions import codebook_of
from hierdp_core.readers.formats.sheet import Sheet
from hierdp_core.readers.reading import read_here
from hierdp_core.tables import Flows

FILES = dict(companion_files())
TABLE = "area_code,people\n11,500\n12,700\n13,900\n"


def read_beside(folder: Path, name: str, data: str | bytes, table: str = TABLE) -> Reading:
    (folder / "people.csv").write_text(table)
    (folder / name).write_bytes(data if isinstance(data, bytes) else data.encode())
    return read_here([folder / "people.csv", folder / name])


@pytest.mark.parametrize("first", [False, True])
@pytest.mark.parametrize("file", FILES.values(), ids=FILES)
def test_a_document_beside_a_table_does_not_keep_it_from_being_read(
    tmp_path: Path, file: File, first: bool
) -> None:
    ((name, data),) = file.beside
    paths = [tmp_path / file.name, tmp_path / name]
    paths[0].write_bytes(file.data)
    paths[1].write_bytes(data)
    reading = read_here(paths[::-1] if first else paths)
    assert reading.table is not None, reading.report.lines()
    regions = reading.table.regions
    names = regions.names[regions.tree.leaves]
    found = dict(zip(names, reading.table.values[regions.tree.leaves].tolist(), strict=True))
    assert found == dict(file.leaves)
    (note,) = [finding for finding in reading.report.findings if finding.file == name]
    assert note.id in ("document", "codebook")


@pytest.mark.parametrize("listed", ["11 West\n12 East\n", "11 West\n12 West\n13 East\n"])
def test_a_codebook_names_no_areas_unless_it_names_all_of_them_differently(
    tmp_path: Path, listed: str
) -> None:
    reading = read_beside(tmp_path, "codebook.txt", f"area_code\n{listed}")
    assert reading.table is not None, reading.report.lines()
    regions = reading.table.regions
    assert regions.names[regions.tree.leaves] == ("11", "12", "13")
    assert [f.id for f in reading.report.findings if f.file == "codebook.txt"] == ["document"]


def test_a_lookup_table_is_still_joined(tmp_path: Path) -> None:
    reading = read_beside(tmp_path, "lookup.txt", "area_code,name\n11,West\n12,East\n13,Far East\n")
    assert reading.table is not None, reading.report.lines()
    assert "joined" in {finding.id for finding in reading.report.findings}


LAYOUTS = {
    "italian": "Campo;Descrizione;Posizione\n1;Residenza;1-2\n2;Sesso;4\n3;Persone;6-9\n",
    "spanish": "Campo;Descripción;Longitud\n1;Lugar;2\n2;Sexo;1\n3;Personas;4\n",
    "german": "Feld;Bezeichnung;Stellen\n1;Wohnort;2\n2;Geschlecht;1\n3;Personen;4\n",
    "english": "Field no;Position;Remark\n1;1-2;home\n2;4;sex\n3;6-9;persons\n",
}


@pytest.mark.parametrize("data", LAYOUTS.values(), ids=LAYOUTS)
def test_a_record_layout_is_not_joined_by_the_numbers_of_its_fields(
    tmp_path: Path, data: str
) -> None:
    table = "place,sex,people\n1,1,500\n1,2,510\n2,1,700\n2,2,710\n"
    (tmp_path / "people.csv").write_text(table)
    (tmp_path / "layout.txt").write_text(data)
    alone = read_here([tmp_path / "people.csv"], stated={"add_up": True, "levels": ("place",)})
    reading = read_here(
        [tmp_path / "people.csv", tmp_path / "layout.txt"],
        stated={"add_up": True, "levels": ("place",)},
    )
    assert alone.table is not None
    assert reading.table is not None, reading.report.lines()
    assert reading.table.values.tolist() == alone.table.values.tolist()
    notes = [finding.id for finding in reading.report.findings if finding.file == "layout.txt"]
    assert {"dictionary", "document"} & {*notes}
    assert "joined" not in notes


def _commuters() -> str:
    places = [(f"{k:03d}", f"{to:03d}") for k in range(1, 5) for to in range(1, 5)]
    return "".join(
        f"S 1 001 {own}  {sex} {why} 1 001 {to} 000 +  + + ND {10 + 7 * k * sex + why:5d}  \n"
        for k, (own, to) in enumerate(places)
        for sex in (1, 2)
        for why in (1, 2)
    )


@pytest.mark.parametrize("head", ["Campo;Descrizione;Posizione", "N.;Nome del dato;Note"])
def test_a_record_layout_beside_an_official_file_leaves_it_recognised(
    tmp_path: Path, head: str
) -> None:
    (tmp_path / "flows.txt").write_text(_commuters())
    fields = [f"{k};dato {k};{2 * k}" for k in range(1, 16)]
    (tmp_path / "layout.txt").write_text("\n".join(["Tracciato record", head, *fields]) + "\n")
    alone = read_here([tmp_path / "flows.txt"])
    reading = read_here([tmp_path / "flows.txt", tmp_path / "layout.txt"])
    assert alone.table is not None
    assert reading.table is not None, reading.report.lines()
    assert isinstance(reading.table, Flows)
    assert reading.table.total == alone.table.total
    notes = {finding.id for finding in reading.report.findings if finding.file == "layout.txt"}
    assert "dictionary" in notes
    assert "joined" not in notes


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("lookup.csv", "area_code,name\n21,West\n22,East\n23,Far East\n"),
        ("map.kml", "<kml><Placemark/></kml>"),
        ("other.xls", b"\xd0\xcf\x11\xe0" + bytes(600)),
    ],
)
def test_a_second_file_that_may_hold_areas_is_not_ignored(
    tmp_path: Path, name: str, data: str | bytes
) -> None:
    reading = read_beside(tmp_path, name, data)
    assert reading.table is None
    assert [fault.file for fault in reading.report.faults] == [name]


def test_a_document_alone_is_refused_as_before(tmp_path: Path) -> None:
    (tmp_path / "a.pdf").write_bytes(b"%PDF-1.7 ...")
    (tmp_path / "b.pdf").write_bytes(b"%PDF-1.7 ...")
    for paths in ([tmp_path / "a.pdf"], [tmp_path / "a.pdf", tmp_path / "b.pdf"]):
        faults = read_here(paths).report.faults
        assert [fault.id for fault in faults] == ["kind"] * len(paths)


def test_names_of_columns_that_are_codes_begin_no_section() -> None:
    cells = {"area": ["x", "y"], "11": ["1", "2"], "12": ["3", "4"]}
    columns = tuple(pa.array(own) for own in cells.values())
    sheet = Sheet(file="t.csv", names=tuple(cells), columns=columns, rows=None)
    assert not codebook_of("11,West\n12,East\n", sheet).sections
    assert not codebook_of("area_code,name\n11,West\n12,East\n", sheet).sections
    assert codebook_of("area\nx,West\ny,East\n", sheet).names == {
        "area": {"x": "West", "y": "East"}
    }
