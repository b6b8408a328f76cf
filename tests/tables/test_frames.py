"""Data frames in and out: the same table from every library, errors that name row and column."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import hierdp_core as hdp
from hierdp_core.exceptions import ChoiceError, FileError, TableError
from hierdp_core.tables import Fact

PEOPLE = pd.DataFrame(
    {"state": ["A", "A", "B", "B"], "county": [1, 2, 3, 4], "people": [10, 20, 30, 40]}
)
GROUPS = pd.DataFrame({"state": ["A", "A", "B"], "unit": ["u", "u", "v"], "members": [2, 3, 1]})
TRIPS = pd.DataFrame({"home": ["A", "A", "B"], "work": ["B", "A", "A"], "trips": [3, 4, 5]})
COUNTIES = {"levels": ["state", "county"], "count": "people"}


@pytest.mark.parametrize("library", [lambda f: f, pl.from_pandas, pa.Table.from_pandas])
def test_every_library_gives_the_same_table(library):
    table = hdp.Counts.from_frame(library(PEOPLE), **COUNTIES)
    assert table.regions.levels == ("total", "state", "county")
    assert table.regions.ids[1:] == ("A", "B", "1", "2", "3", "4")
    assert table.values.tolist() == [100, 30, 70, 10, 20, 30, 40]


def test_a_frame_and_its_file_give_the_same_table(tmp_path: Path) -> None:
    file = tmp_path / "people.csv"
    PEOPLE.to_csv(file, index=False)
    read = hdp.read_table(file, layout=COUNTIES).table
    table = hdp.Counts.from_frame(pd.read_csv(file), **COUNTIES)
    assert read.regions.ids == table.regions.ids
    assert read.values.tolist() == table.values.tolist()
    assert read.taken_from_data == table.taken_from_data


def test_unusable_files_are_an_error_or_a_report(tmp_path: Path) -> None:
    file = tmp_path / "people.csv"
    PEOPLE.assign(people=-1).to_csv(file, index=False)
    with pytest.raises(FileError, match="negative"):
        hdp.read_table(file, layout=COUNTIES)
    reading = hdp.read_table(file, layout=COUNTIES, strict=False)
    assert reading.table is None
    assert reading.report.faults


def test_a_call_without_a_file_asks_for_one() -> None:
    with pytest.raises(FileError, match="Pass the path of a table"):
        hdp.read_table()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"people": [1, -2, 3, 4]}, r'a count is negative \(row 1, column "people"'),
        ({"people": [1, 2, 3, np.nan]}, r'a count is blank \(row 3, column "people"'),
        ({"people": [1, 2, 3.5, 4]}, r'not a whole number \(row 2, column "people"'),
        ({"county": [1, 1, 3, 4]}, r'more than one row \(row 0, county "1"; row 1.*add_up=True'),
        ({"county": [1, 2, 2, 4]}, r'more than one state \(county "2".*within=True'),
        ({"state": [None, "A", "B", "B"]}, r'a row names no area \(row 0, column "state"'),
        ({"county": [1, "x", 2.5, 4]}, 'Column "county".*several types: float, int, str'),
    ],
)
def test_faults_name_row_and_column(change, message):
    with pytest.raises(TableError, match=message):
        hdp.Counts.from_frame(PEOPLE.assign(**change), **COUNTIES)


def test_a_column_that_is_named_twice_is_refused() -> None:
    with pytest.raises(ChoiceError, match=r'"state" occurs twice in levels\. Name it once'):
        hdp.Counts.from_frame(PEOPLE, **(COUNTIES | {"levels": ["state", "state"]}))


@pytest.mark.parametrize("cells", [["3.5"], ["(3)"], [".."], [""], ["1.000"]])
def test_remedies_name_no_settings_of_files(cells: list[str]) -> None:
    frame = PEOPLE.assign(people=["1", "2", *cells, "4"])
    with pytest.raises(TableError) as error:
        hdp.Counts.from_frame(frame, **COUNTIES)
    assert " = " not in str(error.value)


def test_a_total_of_sizes_that_differs_has_a_remedy_for_frames() -> None:
    frame = pd.DataFrame({"area": ["a"] * 3, "size": ["1", "2", "total"], "n": [5, 6, 12]})
    with pytest.raises(TableError, match="Remove the rows of totals, or add") as error:
        hdp.GroupSizes.from_frame(frame, levels="area", size="size", count="n")
    assert " = " not in str(error.value)


def test_rows_of_persons_are_checked_before_they_are_counted() -> None:
    blank = PEOPLE.assign(county=[1, None, 3, 4])
    with pytest.raises(TableError, match='row 1, column "county"'):
        hdp.Counts.from_frame(blank, levels=["state", "county"])
    counted = hdp.Counts.from_frame(PEOPLE, levels="state")
    assert counted.values.tolist() == [4, 2, 2]
    with pytest.raises(TableError, match=r'negative \(row 1, column "members"'):
        hdp.GroupSizes.from_frame(GROUPS.assign(members=[1, -1, 2]), levels="state", size="members")


@pytest.mark.parametrize(
    ("frame", "message"),
    [
        ([1, 2], "pandas, Polars or PyArrow is needed; got list"),
        (
            PEOPLE.drop(columns="people"),
            'no column "people". Its columns are "state" and "county". Name one of its columns.',
        ),
        (PEOPLE.set_axis(["state", "people", "people"], axis=1), 'no column "county"'),
        (PEOPLE.assign(x=1).set_axis(["state", "county", "people", "people"], axis=1), "Two col"),
    ],
)
def test_what_is_no_such_frame_is_refused(frame, message):
    with pytest.raises(ChoiceError, match=message):
        hdp.Counts.from_frame(frame, **COUNTIES)


def test_parts_are_added_up_and_codes_within_their_state_kept_apart() -> None:
    parts = hdp.Counts.from_frame(PEOPLE.assign(county=[1, 1, 3, 4]), **COUNTIES, add_up=True)
    assert parts.values.tolist() == [100, 30, 70, 30, 30, 40]
    within = hdp.Counts.from_frame(PEOPLE.assign(county=[1, 2, 1, 2]), **COUNTIES, within=True)
    assert within.regions.ids[3:] == ("A/1", "A/2", "B/1", "B/2")


def test_regions_are_public_only_from_a_list() -> None:
    taken = hdp.Counts.from_frame(PEOPLE, **COUNTIES)
    assert taken.taken_from_data == (Fact.REGIONS,)
    listed = hdp.Counts.from_frame(PEOPLE.head(3), **COUNTIES, regions=PEOPLE)
    assert listed.taken_from_data == ()
    assert listed.values.tolist() == [60, 30, 30, 10, 20, 30, 0]
    with pytest.raises(TableError, match=r"not in the list of areas \(row 3\)"):
        hdp.Counts.from_frame(PEOPLE, **COUNTIES, regions=PEOPLE.head(3))


def test_group_sizes_come_in_four_forms() -> None:
    by_person = hdp.GroupSizes.from_frame(GROUPS, levels="state", group_id="unit")
    assert by_person.values.tolist() == [[0, 1, 1], [0, 0, 1], [0, 1, 0]]
    by_group = hdp.GroupSizes.from_frame(GROUPS, levels="state", size="members", max_size=2)
    assert by_group.values.tolist() == [[0, 1, 2], [0, 0, 2], [0, 1, 0]]
    assert by_group.top_coded
    long = pd.DataFrame({"state": ["A", "A", "B"], "size": [0, 2, 1], "n": [5, 6, 7]})
    in_rows = hdp.GroupSizes.from_frame(long, levels="state", size="size", count="n")
    wide = pd.DataFrame({"state": ["A", "B"], "s0": [5, 0], "s1": [0, 7], "s2": [6, 0]})
    in_columns = hdp.GroupSizes.from_frame(
        wide, levels="state", sizes=["s0", "s1", "s2"], first_size=0
    )
    assert (
        in_rows.values.tolist() == in_columns.values.tolist() == [[5, 7, 6], [5, 0, 6], [0, 7, 0]]
    )
    assert Fact.MAX_SIZE in in_rows.taken_from_data
    assert Fact.MAX_SIZE not in in_columns.taken_from_data


@pytest.mark.parametrize(
    ("words", "kind", "message"),
    [
        ({}, ChoiceError, "none of these is given"),
        ({"count": "n"}, ChoiceError, "got count"),
        ({"size": "size", "group_id": "n"}, ChoiceError, "got size and group_id"),
        ({"size": "size", "max_size": 0}, TableError, "max_size, is a whole number, at least 1"),
        (
            {"size": "size", "count": "n", "empty_groups": False},
            TableError,
            "1 group has size 0.* pass empty_groups=True",
        ),
        ({"sizes": ["n"], "first_size": -1}, ChoiceError, "a whole number, at least 0"),
    ],
)
def test_what_selects_no_form_of_group_sizes_is_refused(words, kind, message) -> None:
    frame = pd.DataFrame({"state": ["A", "A", "B"], "size": [0, 2, 1], "n": [1, 6, 7]})
    with pytest.raises(kind, match=message):
        hdp.GroupSizes.from_frame(frame, levels="state", **words)


def test_both_ends_of_a_flow_have_as_many_columns() -> None:
    ends = {"origin": "home", "destination": ["work", "trips"]}
    with pytest.raises(ChoiceError, match="origin has 1 column, and destination has 2"):
        hdp.Flows.from_frame(TRIPS, **ends)


def test_a_frame_without_rows_is_not_to_be_saved() -> None:
    with pytest.raises(TableError, match=r"no rows\. Pass a data frame with rows"):
        hdp.Counts.from_frame(PEOPLE.head(0), **COUNTIES)


def test_flows_come_in_pairs_and_as_single_trips() -> None:
    flows = hdp.Flows.from_frame(TRIPS, origin="home", destination="work", count="trips")
    assert flows.to_frame()["count"].tolist() == [4, 3, 5]
    single = hdp.Flows.from_frame(TRIPS, origin="home", destination="work")
    assert single.total == 3


@pytest.mark.parametrize(
    "table",
    [
        hdp.Counts.from_frame(PEOPLE, **COUNTIES),
        hdp.GroupSizes.from_frame(GROUPS, levels="state", size="members"),
        hdp.Flows.from_frame(TRIPS, origin="home", destination="work", count="trips"),
    ],
    ids=lambda table: table.kind,
)
def test_what_goes_out_is_tidy_and_described(table, tmp_path):
    frame = table.to_frame()
    assert set(frame.attrs["columns"]) == set(frame.columns)
    assert int(frame["count"].sum()) == int(table.values.sum())
    mechanism = hdp.mechanisms.names(table.kind)[0]
    sim = hdp.simulate(table, hdp.plan(table, mechanism, epsilon=2), seed=1)
    both = sim.to_frame()
    assert set(both.attrs["columns"]) == set(both.columns)
    assert both.attrs["note"].startswith("contains true values")
    by_region = sim.to_frame(table.quantities[0].id)
    assert set(by_region.attrs["columns"]) == set(by_region.columns)
    assert both["exact"].sum() == table.values.sum()
    assert both["released"].sum() == sim.table.values.sum()
    assert (both["released"] - both["exact"] - both["error"] == 0).all()
    one = sim.to_frame(table.quantities[0].id)
    assert {"exact", "released", "error", "relative_error"} <= set(one)


def test_a_file_carries_the_statement_and_no_true_value_unless_asked(tmp_path: Path) -> None:
    table = hdp.Counts.from_frame(PEOPLE, **COUNTIES)
    sim = hdp.simulate(table, hdp.plan(table, "tree-dp", epsilon=0.01), seed=1)
    sim.to_parquet(tmp_path / "released.parquet")
    schema = pq.read_schema(tmp_path / "released.parquet")
    about = json.loads(schema.metadata[b"hierdp"])
    assert about["statement"]["epsilon"] == sim.privacy.epsilon
    assert set(about["columns"]) == {"level", "id", "name", "parent", "count"}
    released = pd.read_parquet(tmp_path / "released.parquet")
    assert "exact" not in released
    assert released["count"].tolist() == sim.table.values.tolist()
    sim.to_parquet(tmp_path / "both.parquet", exact=True)
    assert pd.read_parquet(tmp_path / "both.parquet")["exact"].tolist() == table.values.tolist()
    with pytest.raises(ChoiceError, match="cannot be written"):
        sim.to_parquet(tmp_path / "no" / "folder.parquet")
