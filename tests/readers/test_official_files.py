"""Small files in the exact layout of the official ones, and what columns are guessed to mean."""

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from hierdp_core.exceptions import ChoiceError
from hierdp_core.readers import Layout, Limits, Reading
from hierdp_core.readers.formats.sheet import Sheet
from hierdp_core.readers.formats.text import read_text
from hierdp_core.readers.reading import read_here
from hierdp_core.readers.report import Notebook
from hierdp_core.tables import Counts, Flows, GroupSizes

ISTAT_2011 = """\
S 1 001 001  1 1 1 001 001 000 +  + + ND                     5  \n\
S 1 001 001  2 2 2 001 002 000 +  + + ND                     7  \n\
S 1 001 002  1 2 2 001 001 000 +  + + ND                     3  \n\
S 1 001 002  1 2 3 000 000 215 +  + + ND                     9  \n\
L 1 001 001  1 1 1 001 001 000 04 2 1 0000005.00         ND  \n"""

TRIPS_2013 = (
    "medallion, hack_license, vendor_id, rate_code, store_and_fwd_flag, pickup_datetime, "
    "dropoff_datetime, passenger_count, trip_time_in_secs, trip_distance, pickup_longitude, "
    "pickup_latitude, dropoff_longitude, dropoff_latitude"
)
TRIP = "{m},A,CMT,1,N,2013-01-01 15:11:48,2013-01-01 15:18:10,4,382,1.0,-73.97,40.75,-73.98,40.75"

FILES: dict[str, str] = {
    "h13.csv": "GEO_ID,NAME,H013001," + ",".join(f"H01300{i}" for i in range(2, 9)) + "\n"
    "0500000US01001,Autauga,28,1,2,3,4,5,6,7\n0500000US01003,Baldwin,7,1,1,1,1,1,1,1\n",
    "h13_sf1.csv": "geoid," + ",".join(f"H013000{i}" for i in range(1, 9)) + "\n"
    "01001,28,1,2,3,4,5,6,7\n01003,7,1,1,1,1,1,1,1\n",
    "h9.csv": "GEOID," + ",".join(f"H9_00{i}N" for i in range(1, 9)) + "\n"
    "01001,28,1,2,3,4,5,6,7\n01003,7,1,1,1,1,1,1,1\n",
    "gazetteer.txt": "USPS\tGEOID\tANSICODE\tNAME\tPOP10\tHU10\tALAND\tAWATER\tALAND_SQMI\t"
    "AWATER_SQMI\tINTPTLAT\tINTPTLONG   \nAL\t01001\t00161526\tAutauga County\t54571\t22135\t"
    "1539582278\t25775735\t594.436\t9.952\t 32.536382\t-86.644490   \nNM\t35013\t00929108\t"
    "Doña Ana County\t209233\t81492\t9862046437\t17911742\t3807.757\t6.916\t 32.350912\t"
    "-106.832182   \n",
    "mdf.txt": "SCHEMA_TYPE_CODE|SCHEMA_BUILD_ID|TABBLKST|TABBLKCOU|TABTRACTCE|TABBLKGRPCE|TABBLK"
    "|RTYPE|GQTYPE|TEN|VACS|HHSIZE\n" + "".join(
        f"MUD|1|01|001|020100|1|100{b}|{r}|000|1|0|{n}\n"
        for b, r, n in ((1, 2, 3), (1, 2, 0), (2, 2, 7), (2, 4, 0))
    ),
    "lodes.csv": "w_geocode,h_geocode,S000,SA01,SA02,SA03,SE01,SE02,SE03,SI01,SI02,SI03,createdate"
    "\n010010201001000,010010201001001,2,1,1,0,1,1,0,0,0,2,20251202\n"
    "010030201001000,010010201001001,1,1,0,0,1,0,0,0,0,1,20251202\n",
    "matrix_pendo2011.txt": ISTAT_2011,
    "matrix_pendoLAVORO_2021.txt": "Prov_res\tProcom_res\tProv_lav\tProcom_lav\tPersone\n"
    "1\t001001\t1\t001002\t5\n1\t001002\t15\t015146\t3\n",
    "yellow.csv": "VendorID,tpep_pickup_datetime,PULocationID,DOLocationID,fare_amount\n"
    "1,2020-01-01,4,7,10.5\n1,2020-01-01,4,7,3.5\n2,2020-01-01,7,4,9\n",
    "trips.csv": TRIPS_2013 + ",pickup_zone\n" + "".join(
        f"{TRIP.format(m=m)},{z}\n" for m, z in (("A", 1), ("A", 1), ("B", 1), ("A", 2))
    ),
}  # fmt: skip


def read_text_file(folder: Path, name: str, text: str) -> Reading:
    path = folder / name
    path.write_bytes(text.encode("latin-1" if name == "gazetteer.txt" else "utf-8"))
    return read_here([path])


@pytest.mark.parametrize("name", ["h13.csv", "h13_sf1.csv", "h9.csv"])
def test_households_by_size(tmp_path: Path, name: str) -> None:
    reading = read_text_file(tmp_path, name, FILES[name])
    table = reading.table
    assert isinstance(table, GroupSizes), reading.report.lines()
    assert "households by size" in reading.title
    assert table.regions.ids[table.regions.tree.leaves] == ("01001", "01003")
    assert table.values[-2].tolist() == [0, 1, 2, 3, 4, 5, 6, 7]
    assert table.top_coded


def test_the_gazetteer_of_2010_is_latin_with_trailing_blanks(tmp_path: Path) -> None:
    reading = read_text_file(tmp_path, "gazetteer.txt", FILES["gazetteer.txt"])
    table = reading.table
    assert isinstance(table, Counts), reading.report.lines()
    assert table.values[0] == 54571 + 209233
    assert "Doña Ana County" in table.regions.names
    assert table.regions.names[:3] == ("United States", "Alabama", "New Mexico")
    assert reading.drawn.startswith("approximate boundaries")


def test_the_gazetteer_of_today_has_no_counts(tmp_path: Path) -> None:
    rows = ["|".join(line.split("\t")[:4] + line.split("\t")[6:])
            for line in FILES["gazetteer.txt"].splitlines()]  # fmt: skip
    reading = read_text_file(tmp_path, "g.txt", "\n".join(rows) + "\n")
    assert reading.table is None
    assert "lists areas and holds no counts" in reading.report.faults[0].what


def test_microdata_of_units(tmp_path: Path) -> None:
    table = read_text_file(tmp_path, "mdf.txt", FILES["mdf.txt"]).table
    assert isinstance(table, GroupSizes)
    leaves = table.regions.tree.leaves
    assert table.regions.ids[leaves] == ("010010201001001", "010010201001002")
    assert table.values[leaves].tolist() == [[1, 0, 0, 1, 0, 0, 0, 0], [0] * 7 + [1]]


def test_lodes_goes_from_home_to_work(tmp_path: Path) -> None:
    reading = read_text_file(tmp_path, "lodes.csv", FILES["lodes.csv"])
    table = reading.table
    assert isinstance(table, Flows), reading.report.lines()
    assert table.unit == "jobs"
    home = table.regions.ids[table.regions.tree.leaves]
    pairs = {(home[o], home[d]): int(v) for o, d, v in
             zip(table.origin, table.destination, table.values, strict=True)}  # fmt: skip
    assert pairs["010010201001001", "010030201001000"] == 1
    assert pairs["010010201001001", "010010201001000"] == 2
    assert any("already protected" in f.what for f in reading.report.findings)


def test_istat_2011_counts_records_of_type_s_within_italy(tmp_path: Path) -> None:
    reading = read_text_file(tmp_path, "m.txt", ISTAT_2011)
    table = reading.table
    assert isinstance(table, Flows), reading.report.lines()
    assert int(np.sum(table.values)) == 5 + 7 + 3
    assert table.regions.ids[table.regions.tree.leaves] == ("001001", "001002")
    (shown,) = [f for f in reading.report.corrections if f.id == "records"]
    assert "1 of commuters abroad" in shown.what


def test_istat_2021(tmp_path: Path) -> None:
    name = "matrix_pendoLAVORO_2021.txt"
    table = read_text_file(tmp_path, name, FILES[name]).table
    assert isinstance(table, Flows)
    assert table.regions.ids[1:3] == ("001", "015")
    assert int(np.sum(table.values)) == 8


def test_trips_of_2013_are_grouped_by_taxi_and_zone(tmp_path: Path) -> None:
    table = read_text_file(tmp_path, "trips.csv", FILES["trips.csv"]).table
    assert isinstance(table, GroupSizes)
    assert table.values[table.regions.tree.leaves].tolist() == [[0, 1, 1], [0, 1, 0]]
    bare = "\n".join(line.rpartition(",")[0] for line in FILES["trips.csv"].splitlines())
    reading = read_text_file(tmp_path, "bare.csv", bare + "\n")
    assert "Add a column pickup_zone" in reading.report.faults[0].what


def test_later_trips_name_no_taxi(tmp_path: Path) -> None:
    reading = read_text_file(tmp_path, "yellow.csv", FILES["yellow.csv"])
    assert isinstance(reading.table, Flows)
    assert any("name no taxi" in f.what for f in reading.report.findings)


GUESSES: list[tuple[str, dict[str, object]]] = [
    ("state,county,people\nA,a,1\nA,b,2\nB,c,3\n",
     {"kind": "counts", "row": "region", "levels": ("state", "county"), "count": "people"}),
    ("state,county\nA,a\nA,a\nA,b\nB,c\n",
     {"kind": "counts", "row": "person", "levels": ("state", "county")}),
    ("state,county,household_size\nA,a,1\nA,a,2\nA,b,1\nB,c,3\n",
     {"kind": "group-sizes", "row": "group", "levels": ("state", "county"),
      "size": "household_size"}),
    ("state,county,household_id,age\nA,a,1,30\nA,a,1,3\nA,b,2,5\nB,c,3,7\n",
     {"kind": "group-sizes", "row": "person", "levels": ("state", "county"),
      "group": "household_id"}),
    ("county,1,2,3+\na,1,2,3\nb,4,5,6\n",
     {"kind": "group-sizes", "row": "region", "levels": ("county",), "sizes": ("1", "2", "3+"),
      "top_coded": True}),
    ("county,size,households\na,1,5\na,2,4\nb,1,3\n",
     {"kind": "group-sizes", "row": "region", "levels": ("county",), "size": "size",
      "count": "households"}),
    ("origin,destination,trips\na,b,3\nb,a,1\n",
     {"kind": "flows", "row": "pair", "levels": ("origin",), "destinations": ("destination",),
      "level_names": ("area",), "count": "trips", "unit": "trips", "person": "trip"}),
    ("home_region,home_town,work_region,work_town\nR,a,R,b\nR,b,S,c\n",
     {"kind": "flows", "row": "trip", "levels": ("home_region", "home_town"),
      "destinations": ("work_region", "work_town"), "level_names": ("region", "town")}),
    ("nuts_id,population\nITC11,1\nITC12,2\nITF11,3\n",
     {"kind": "counts", "row": "region", "levels": ("nuts_id",), "prefix": (2, 3, 4, 5),
      "count": "population"}),
    ("PRO_COM,Comune,popolazione\n1001,Agliè,1\n15146,Milano,2\n100005,Prato,3\n",
     {"kind": "counts", "row": "region", "levels": ("PRO_COM",), "prefix": (3, 6), "fill": 6,
      "names": ("", "Comune"), "count": "popolazione"}),
]  # fmt: skip


@pytest.mark.parametrize(("text", "words"), GUESSES)
def test_columns_are_guessed_with_reasons(
    tmp_path: Path, text: str, words: dict[str, object]
) -> None:
    reading = read_text_file(tmp_path, "t.csv", text)
    assert reading.layout is not None, reading.report.lines()
    assert reading.layout.words == words
    assert reading.guesses
    assert reading.table is not None, reading.report.lines()
    assert Layout.of(reading.layout.words) == reading.layout


@pytest.mark.parametrize(
    "words",
    [
        {"kind": "wrong", "levels": ["a"]},
        {"levels": [], "count": "n"},
        {"levels": ["a"]},
        {"levels": ["a", "b"], "parent": "c", "count": "n"},
        {"levels": ["a"], "count": 5},
        {"levels": ["a"], "count": "n", "prefix": [5, 2]},
        {"levels": ["a"], "count": "n", "colour": "red"},
        {"kind": "flows", "row": "pair", "levels": ["a"], "count": "n"},
        {"kind": "group-sizes", "row": "person", "levels": ["a"]},
    ],
)
def test_a_layout_that_does_not_fit_is_refused(words: dict[str, object]) -> None:
    with pytest.raises(ChoiceError):
        Layout.of(words)


@pytest.mark.parametrize("rows", ["person", "group"])
def test_a_stream_gives_what_the_whole_gives(
    tmp_path: Path, rows: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = np.random.default_rng(1)
    n = 5_000
    county = rng.integers(0, 30, n)
    frame = pa.table(
        {
            "state": [f"S{c // 10}" for c in county],
            "county": [f"C{c:02d}" for c in county],
            "household_id" if rows == "person" else "size": rng.integers(0, 9, n),
        }
    )
    path = tmp_path / "records.parquet"
    pq.write_table(frame, path, row_group_size=700)
    whole = read_here([path])
    assert isinstance(whole.table, GroupSizes), whole.report.lines()
    monkeypatch.setattr("hierdp_core.readers.formats.parquet._WHOLE_ROWS", 1000)
    monkeypatch.setattr("hierdp_core.readers.build.grouping._WAITING", 100)
    streamed = read_here([path])
    assert streamed.layout == whole.layout
    assert isinstance(streamed.table, GroupSizes)
    order = np.argsort(streamed.table.regions.ids), np.argsort(whole.table.regions.ids)
    assert streamed.table.values[order[0]].tolist() == whole.table.values[order[1]].tolist()


def test_a_long_text_is_streamed_too(tmp_path: Path) -> None:
    path = tmp_path / "records.csv"
    path.write_text("state,county\n" + "".join(f"S{i % 2},C{i % 6}\n" for i in range(3000)))
    whole, streamed = read_here([path]), read_here([path], limits=Limits(text_bytes=2000))
    assert whole.table is not None
    assert streamed.table is not None, streamed.report.lines()
    assert sorted(streamed.table.values.tolist()) == sorted(whole.table.values.tolist())


@pytest.mark.parametrize("kind", ["number", "digits", "words"])
def test_groups_are_counted_alike_however_they_are_named(
    tmp_path: Path, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In one pass or several, by sorting or by grouping; 07 and 7 are two groups."""
    rng = np.random.default_rng(3)
    county, number = rng.integers(0, 7, 3000), rng.integers(0, 400, 3000)
    group = [{"number": int(g), "digits": f"{g:0{3 + g % 2}d}", "words": f"H{g}"}[kind]
             for g in number]  # fmt: skip
    members: dict[tuple[int, object], int] = {}
    for c, g in zip(county.tolist(), group, strict=True):
        members[c, g] = members.get((c, g), 0) + 1
    wanted: dict[str, list[int]] = {}
    for (c, _), size in members.items():
        row = wanted.setdefault(f"C{c}", [0] * (max(members.values()) + 1))
        row[size] += 1
    path = tmp_path / "persons.parquet"
    pq.write_table(pa.table({"county": [f"C{c}" for c in county], "household": group}), path)
    layout = Layout(kind="group-sizes", row="person", levels=("county",), group="household")
    for most, whole in ((10**6, 10**6), (500, 10**6), (500, 100)):
        monkeypatch.setattr("hierdp_core.readers.build.members._MOST_KEYS", most)
        monkeypatch.setattr("hierdp_core.readers.build.members._PIECE", most)
        monkeypatch.setattr("hierdp_core.readers.formats.parquet._WHOLE_ROWS", whole)
        table = read_here([path], layout=layout).table
        assert isinstance(table, GroupSizes)
        leaves = table.regions.tree.leaves
        rows = table.values[leaves].tolist()
        assert dict(zip(table.regions.ids[leaves], rows, strict=True)) == wanted


CELLS = st.text(
    st.characters(codec="utf-8", exclude_categories=("Cc", "Cs", "Cf", "Z")), max_size=6
)


@pytest.mark.slow
@given(st.lists(st.tuples(CELLS, CELLS), min_size=1, max_size=20))
def test_text_comes_back_as_it_was_written_or_it_is_told(rows: list[tuple[str, str]]) -> None:
    def quoted(cell: str) -> str:
        return '"' + cell.replace('"', '""') + '"'

    text = "\n".join(",".join(map(quoted, row)) for row in [("first", "second"), *rows])
    notes = Notebook("t.csv")
    sheet = sheet_of(text, notes)
    # Lines taken for a second header or for notes are left out, and the report says so.
    shown = {finding.id for finding in notes.findings}
    assume(not shown & {"preamble", "two-headers", "notes-below"})
    kept = [row for row in rows if any(row)]
    if sheet is None:
        assert not kept
        return
    import unicodedata

    wanted = [[unicodedata.normalize("NFC", cell) for cell in row] for row in kept]
    assert sheet.preview(len(rows)) == wanted


def sheet_of(text: str, notes: Notebook) -> Sheet | None:
    from hierdp_core.readers.report import Unreadable

    try:
        return read_text(text.encode(), notes, Limits())
    except Unreadable:
        return None


@pytest.mark.parametrize(
    "text",
    [
        "tpep_pickup_datetime,PULocationID,DOLocationID,trips\n2020-01-01,4,7,31\n2020-01-01,7,4,12\n",
        "PULocationID,DOLocationID,mean_fare,number_of_trips\n4,7,10.5,31\n7,4,9.25,12\n4,4,5,2\n",
        "PULocationID,DOLocationID,mean_fare\n4,7,10.5\n7,4,9.25\n4,4,5\n7,7,4.5\n",
        "medallion,pickup_datetime,pickup_zone,pickups\nA,2013-01-01,1,5\nB,2013-01-01,2,7\n",
    ],
)
def test_a_summary_of_trips_is_not_read_as_one_trip_a_row(tmp_path: Path, text: str) -> None:
    reading = read_text_file(tmp_path, "summary.csv", text)
    assert "TLC" not in reading.title
    rows = len(text.splitlines()) - 1
    assert reading.table is None or int(reading.table.values.flat[0]) != rows
