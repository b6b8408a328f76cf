"""What a plan calls public is stated; what comes from the records is reported as such."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from support.examples import examples

from hierdp_core import mechanisms
from hierdp_core.cli import main
from hierdp_core.exceptions import ChoiceError, TableError
from hierdp_core.hierarchy import Regions
from hierdp_core.mechanisms import parse
from hierdp_core.privacy import NOT_COVERED
from hierdp_core.readers import Layout, Reading
from hierdp_core.readers.build.public_facts import COUNTED, NOT_COUNTED
from hierdp_core.readers.reading import read_here
from hierdp_core.readers.serialisation import packed, unpacked
from hierdp_core.simulation import plan
from hierdp_core.tables import Counts, Fact, Flows, GroupSizes
from hierdp_core.util.marks import CONFIDENTIAL
from hierdp_core.writers.label import label

LEVELS = ("state", "county")
LIST = "state,county\nA,A1\nA,A2\nB,B1\nB,B2\n"
COUNTIES = ("A1", "A2", "B1", "B2")
TAKEN = "(taken from the data)"

PERSONS = Layout(kind="counts", row="person", levels=LEVELS)
HOUSEHOLDS = Layout(kind="group-sizes", row="person", levels=LEVELS, group="home", largest=3)
GROUPS = Layout(
    kind="group-sizes", row="group", levels=LEVELS, size="size", largest=3, empty_groups=COUNTED
)
TRIPS = Layout(kind="flows", row="trip", levels=LEVELS, destinations=("to_state", "to_county"))


def written(folder: Path, name: str, text: str) -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def read_files(*paths: Path, **words: Any) -> Reading:
    return read_here(paths, **words)


def rows_of(layout: Layout, records: list[tuple[int, int]]) -> str:
    """A file of records: each a county, and a household, a size or a destination."""
    lines = []
    for k, (county, other) in enumerate(records):
        first, second = COUNTIES[county], COUNTIES[other % 4]
        cells = [first[0], first]
        cells += {"home": [str(other)], "size": [str(other)]}.get(layout.group or layout.size, [])
        cells += [second[0], second] if layout.kind == "flows" else []
        lines.append(",".join(cells) + "\n" * (k >= 0))
    head = [*layout.levels, layout.group, layout.size, *layout.destinations]
    return ",".join(filter(None, head)) + "\n" + "".join(lines)


def public_facts(table: Counts | GroupSizes | Flows) -> object:
    """All that a plan may use of a table, except totals."""
    domain = table.domain
    regions = domain.regions
    return (
        regions.ids,
        regions.names,
        regions.levels,
        regions.tree.parent.tolist(),
        domain.n_columns,
        domain.empty_groups,
        domain.taken_from_data,
        getattr(table, "top_coded", None),
    )


@pytest.mark.parametrize(
    "layout", [PERSONS, HOUSEHOLDS, GROUPS, TRIPS], ids=lambda x: x.row + x.kind
)
@settings(
    max_examples=examples(25),
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(
    records=st.lists(st.tuples(st.integers(0, 3), st.integers(0, 9)), min_size=1, max_size=6),
    more=st.tuples(st.integers(0, 3), st.integers(0, 9)),
)
def test_no_record_changes_what_is_public_where_all_of_it_is_stated(
    tmp_path: Path,
    layout: Layout,
    records: list[tuple[int, int]],
    more: tuple[int, int],
) -> None:
    regions = written(tmp_path, "list.csv", LIST)
    found = []
    for rows in (records, [more, *records]):
        # One person in each county has the rows of the list, which is refused as a copy of it.
        assume(sorted(county for county, _ in rows) != [0, 1, 2, 3])
        data = written(tmp_path, "data.csv", rows_of(layout, rows))
        reading = read_files(data, layout=layout, regions=regions, confidential=True)
        assert reading.report.usable, reading.report.lines()
        found.append(public_facts(reading.table))
    assert found[0] == found[1]
    assert found[0][6] == ()
    assert found[0][0] == ("all", "A", "B", *COUNTIES)


@pytest.mark.parametrize(
    ("layout", "facts"),
    [
        (PERSONS, {"regions"}),
        (TRIPS, {"regions"}),
        (Layout(**PERSONS.words | {"row": "region", "count": "size"}), {"regions"}),
        (Layout(**{k: v for k, v in HOUSEHOLDS.words.items() if k != "largest"}),
         {"regions", "max-size"}),
        (Layout(kind="group-sizes", row="group", levels=LEVELS, size="size"),
         {"regions", "max-size", "empty-groups"}),
    ],
    ids=["persons", "trips", "counts", "households", "groups"],
)  # fmt: skip
def test_confidential_records_are_refused_until_every_public_fact_is_stated(
    tmp_path: Path, layout: Layout, facts: set[str]
) -> None:
    keyed = layout if layout.row != "region" else GROUPS
    text = rows_of(keyed, [(0, 1), (1, 2), (2, 3)])
    data = written(tmp_path, "data.csv", text)
    reading = read_files(data, layout=layout, confidential=True)
    assert reading.table is None
    assert {f.id for f in reading.report.faults} == {f"{fact}-from-data" for fact in facts}
    assert all(finding.remedy for finding in reading.report.faults)
    public = read_files(data, layout=layout)
    assert public.report.usable
    assert {f.id for f in public.report.findings} >= {f"{fact}-from-data" for fact in facts}
    assert len(public.table.taken_from_data) == len(facts)


def test_columns_that_no_one_confirmed_are_guessed_from_the_records(tmp_path: Path) -> None:
    data = written(tmp_path, "data.csv", rows_of(PERSONS, [(0, 0), (0, 0), (1, 0), (2, 0)]))
    regions = written(tmp_path, "list.csv", LIST)
    reading = read_files(data, regions=regions, confidential=True)
    assert [f.id for f in reading.report.faults] == ["levels-from-data", "counts-from-data"]
    assert read_files(data, layout=reading.layout, regions=regions, confidential=True).report.usable


def test_a_person_more_changes_the_regions_and_every_statement_says_so(tmp_path: Path) -> None:
    """The audit's example: a county, or a whole level, comes or goes with one person."""
    one = written(tmp_path, "d.csv", "state,county\nA,A1\nA,A1\nA,A2\nB,B1\n")
    other = written(tmp_path, "e.csv", "state,county\nA,A1\nA,A1\nB,B1\n")
    readings = [read_files(one), read_files(other)]
    assert len({reading.table.regions.ids for reading in readings}) == 2
    for reading in readings:
        privacy = plan(reading.table, "tree-dp", epsilon=1).privacy
        nesting, counted = "the list of areas and how they nest", "what is counted"
        assert privacy.taken_from_data == (f"{nesting} {TAKEN}", f"{counted} {TAKEN}")
        assert TAKEN in privacy.sentence
        assert privacy.sentence.endswith(NOT_COVERED)
        assert NOT_COVERED in label(privacy, title="t", mechanism="m", note="n")
        assert privacy.as_dict()["taken_from_data"] == list(privacy.taken_from_data)
        assert {"regions-from-data", "levels-from-data"} <= {
            finding.id for finding in reading.report.findings
        }


@pytest.mark.parametrize("id", [id for id in mechanisms.names() if id not in ("pgsr-h", "pgsr-c")])
def test_every_mechanism_marks_the_facts_that_it_treats_as_public(id: str) -> None:
    regions = Regions.from_parents({"a": None, "b": "a", "c": "a"}, levels=("nation", "state"))
    every = {
        "counts": lambda **words: Counts.from_leaves(regions, [3, 4], **words),
        "group-sizes": lambda **words: GroupSizes.from_leaves(regions, [[1, 2], [0, 3]], **words),
        "flows": lambda **words: Flows.from_pairs(
            regions, regions, [0, 1], [1, 1], [2, 3], **words
        ),
    }
    for kind in mechanisms.get(id).kinds:
        budget = {"epsilon": 1, "delta": 1e-6}
        stated = plan(every[kind](), id, **budget).privacy
        taken = plan(every[kind](taken_from_data=tuple(Fact)), id, **budget).privacy
        assert not stated.taken_from_data
        assert TAKEN not in stated.sentence
        assert NOT_COVERED not in label(stated, title="t", mechanism="m", note="n")
        marked = set(taken.taken_from_data)
        public = {
            fact
            for fact in stated.invariants
            if "areas" in fact or "size" in fact or "empty" in fact
        } - {fact for fact in stated.invariants if "in every area" in fact}
        of_reading = {Fact.COUNTS.value, Fact.ROUNDING.value}
        assert not of_reading & {*stated.invariants}
        assert {fact.removesuffix(f" {TAKEN}") for fact in marked} == public | of_reading
        assert taken.sentence.count(TAKEN) == len(marked)


def test_a_maximum_size_from_the_groups_themselves_is_not_public() -> None:
    regions = Regions.from_parents({"a": None}, levels=("nation",))
    taken, _ = GroupSizes.from_groups(regions, [0, 0], [1, 3])
    stated, _ = GroupSizes.from_groups(regions, [0, 0], [1, 3], max_size=3)
    assert taken.taken_from_data == (Fact.MAX_SIZE,)
    assert stated.taken_from_data == ()
    assert (
        f"the maximum group size, 3 {TAKEN}"
        in plan(taken, "pgsr-c-dp", epsilon=1).privacy.invariants
    )
    chosen = plan(taken, "coc: cap=2", epsilon=1).privacy
    assert not chosen.taken_from_data


def test_the_only_member_of_a_group_is_not_covered_where_empty_groups_are_not_counted() -> None:
    regions = Regions.from_parents({"a": None}, levels=("nation",))
    for counted in (True, False):
        table = GroupSizes.from_leaves(regions, [[0, 2, 1]], empty_groups=counted)
        for id in ("pgsr-h-dp", "pgsr-c-opt", "coc"):
            stated = plan(table, id, epsilon=1).privacy
            assert ("except the only member of a group" in stated.difference) == (not counted)
            assert bool(stated.not_protected) == (not counted)
        private = plan(table, "coc: totals=private", epsilon=1).privacy
        assert "except" not in private.difference
        assert not private.not_protected


@pytest.mark.parametrize("trips", [1, 3])
@pytest.mark.parametrize("neighbours", ["bounded", "unbounded"])
@pytest.mark.parametrize("id", ["inftda", "vanilla-gauss", "stability-histogram"])
def test_a_person_who_is_replaced_is_replaced_by_one_with_as_many_trips(
    id: str, neighbours: str, trips: int
) -> None:
    regions = Regions.from_parents({"a": None, "b": "a", "c": "a"}, levels=("nation", "state"))
    table = Flows.from_pairs(regions, regions, [0, 1], [1, 1], [2, 3])
    options = {"neighbours": neighbours, "trips": trips}
    sentence = plan(table, parse(id, options), epsilon=1, delta=1e-6).privacy.sentence
    assert ("equally many" in sentence) == (neighbours == "bounded" and trips > 1)


def test_the_list_alone_says_names_and_order(tmp_path: Path) -> None:
    layout = Layout(kind="counts", row="person", levels=LEVELS, names=("county_name",))
    data = written(
        tmp_path, "data.csv", "state,county,county_name\nB,B2,from the data\nA,A1,from the data\n"
    )
    listed = written(
        tmp_path, "list.csv", "state,county,county_name\nA,A1,One\nA,A2,Two\nB,B1,\nB,B2,Four\n"
    )
    table = read_files(data, layout=layout, regions=listed, confidential=True).table
    assert table.regions.ids == ("all", "A", "B", *COUNTIES)
    assert table.regions.names[3:] == ("One", "Two", "B1", "Four")
    assert table.values.tolist() == [2, 1, 1, 1, 0, 0, 1]


def test_a_list_may_be_boundaries_with_another_name_for_the_code(tmp_path: Path) -> None:
    square = [[[0, 0], [1, 0], [1, 1], [0, 1], [0, 0]]]
    features = [
        {"type": "Feature", "properties": {"GEOID": code, "NAME": code.lower()},
         "geometry": {"type": "Polygon", "coordinates": square}}
        for code in COUNTIES
    ]  # fmt: skip
    shapes = written(
        tmp_path, "shapes.geojson", json.dumps({"type": "FeatureCollection", "features": features})
    )
    data = written(tmp_path, "data.csv", "area\nA1\nB1\nB1\n")
    layout = Layout(kind="counts", row="person", levels=("area",), list_columns=("GEOID",))
    reading = read_files(data, layout=layout, regions=shapes, confidential=True)
    assert reading.report.usable, reading.report.lines()
    assert reading.table.regions.ids == ("all", *COUNTIES)
    assert reading.table.values.tolist() == [3, 1, 0, 2, 0]


def test_a_list_by_code_and_parent(tmp_path: Path) -> None:
    layout = Layout(kind="counts", row="region", levels=("code",), parent="above", count="n")
    data = written(tmp_path, "data.csv", "code,above,n\nA1,A,3\n")
    listed = written(tmp_path, "list.csv", "code,above\nall,\nA,all\nB,all\nA1,A\nB1,B\n")
    table = read_files(data, layout=layout, regions=listed, confidential=True).table
    assert table.regions.ids == ("all", "A", "B", "A1", "B1")
    assert table.values.tolist() == [3, 3, 0, 3, 0]


@pytest.mark.parametrize(
    ("listed", "id", "what"),
    [
        ("state,county\nA,A1\n", "not-listed", "not in the list of areas"),
        ("x,y\n1,2\n", "no-column", "has no column"),
        ("", "empty", ""),
        ("state,county\nA,A1\nB,A1\n", "two-parents", "occurs under more than one"),
    ],
)
def test_what_is_wrong_with_a_list_is_reported(
    tmp_path: Path, listed: str, id: str, what: str
) -> None:
    data = written(tmp_path, "data.csv", rows_of(PERSONS, [(0, 0), (2, 0)]))
    reading = read_files(data, layout=PERSONS, regions=written(tmp_path, "list.csv", listed))
    assert reading.table is None
    (fault,) = reading.report.faults
    assert fault.id == id
    assert what in fault.what
    assert fault.file == ("data.csv" if id == "not-listed" else "list.csv")


def test_a_stated_maximum_fixes_the_columns(tmp_path: Path) -> None:
    for largest, sizes in ((5, [1, 2]), (2, [1, 2, 4])):
        rows = "".join(f"A,A1,{size}\n" for size in sizes)
        data = written(tmp_path, "data.csv", f"state,county,size\n{rows}")
        layout = Layout(**GROUPS.words | {"largest": largest})
        table = read_files(data, layout=layout).table
        assert table.n_sizes == largest + 1
        assert table.top_coded
        assert Fact.MAX_SIZE not in table.taken_from_data


def test_groups_without_members_contradict_that_they_are_not_counted(tmp_path: Path) -> None:
    data = written(tmp_path, "data.csv", "state,county,size\nA,A1,0\nA,A1,2\n")
    reading = read_files(data, layout=Layout(**GROUPS.words | {"empty_groups": NOT_COUNTED}))
    assert [f.id for f in reading.report.faults] == ["empty-groups"]
    with pytest.raises(ChoiceError, match="empty_groups cannot be"):
        Layout(**GROUPS.words | {"empty_groups": "maybe"})


@pytest.mark.parametrize("layout", [PERSONS, HOUSEHOLDS, TRIPS], ids=lambda x: x.kind)
def test_what_was_taken_from_the_data_comes_out_of_the_reading_process(
    tmp_path: Path, layout: Layout
) -> None:
    data = written(tmp_path, "data.csv", rows_of(layout, [(0, 1), (2, 3)]))
    here = read_files(data, layout=layout)
    there = unpacked(packed(here))
    assert there.table.taken_from_data == here.table.taken_from_data == (Fact.REGIONS,)
    assert public_facts(there.table) == public_facts(here.table)


@pytest.mark.parametrize("copied", [False, True])
def test_the_table_itself_is_no_list_of_areas(tmp_path: Path, copied: bool) -> None:
    table = written(tmp_path, "data.csv", rows_of(PERSONS, [(0, 0), (2, 0), (2, 0)]))
    listed = tmp_path / "list.csv" if copied else table
    listed.write_bytes(table.read_bytes())
    layout = Layout(kind="counts", levels=("state", "county"), row="person")
    for confidential in (False, True):
        reading = read_here([table], layout=layout, regions=listed, confidential=confidential)
        assert reading.table is None
        (fault,) = reading.report.faults
        assert fault.id == "list-of-records"
        assert fault.file == listed.name


RECORDS = [("A", "A1", 3), ("B", "B1", 4), ("A", "A1", 5), ("A", "A2", 4)]
COUNTED_AREAS = [("A", "A1", 2), ("A", "A2", 1), ("B", "B1", 1)]
IN_OTHER_FORMS: dict[str, Callable[[pd.DataFrame, Path], Any]] = {
    "list.csv": lambda frame, path: frame[::-1].to_csv(path, index=False),
    "list.tsv": lambda frame, path: frame.to_csv(path, index=False, sep="\t"),
    "list.xlsx": lambda frame, path: frame.to_excel(path, index=False),
    "list.parquet": lambda frame, path: frame.to_parquet(path),
    "list.csv.gz": lambda frame, path: frame.to_csv(path, index=False),
    "upper.csv": lambda frame, path: frame.rename(columns=str.upper).to_csv(path, index=False),
}


@pytest.mark.parametrize("name", IN_OTHER_FORMS)
@pytest.mark.parametrize(
    ("rows", "layout"),
    [
        (RECORDS, PERSONS),
        (COUNTED_AREAS, Layout(kind="counts", levels=LEVELS, row="region", count="n")),
    ],
    ids=["persons", "areas"],
)
def test_the_rows_of_the_table_in_another_form_are_no_list_of_areas(
    tmp_path: Path, rows: list[tuple[str, str, int]], layout: Layout, name: str
) -> None:
    frame = pd.DataFrame(rows, columns=[*LEVELS, "n"])
    frame.to_csv(tmp_path / "data.csv", index=False)
    IN_OTHER_FORMS[name](frame, tmp_path / name)
    reading = read_here([tmp_path / "data.csv"], layout=layout, regions=tmp_path / name)
    assert reading.table is None
    (fault,) = reading.report.faults
    assert (fault.id, fault.file) == ("list-of-records", name)


def test_records_without_their_other_columns_are_no_list_of_areas(tmp_path: Path) -> None:
    frame = pd.DataFrame(RECORDS, columns=[*LEVELS, "age"])
    frame.to_csv(tmp_path / "data.csv", index=False)
    columns = {"region_1": frame["county"], "region_2": frame["state"]}
    pd.DataFrame(columns).to_csv(tmp_path / "list.csv", index=False)
    layout = Layout(**PERSONS.words | {"list_columns": ("region_2", "region_1")})
    reading = read_here([tmp_path / "data.csv"], layout=layout, regions=tmp_path / "list.csv")
    assert [fault.id for fault in reading.report.faults] == ["list-of-records"]


def test_a_data_frame_is_no_list_of_its_own_areas() -> None:
    records = pd.DataFrame(RECORDS, columns=[*LEVELS, "age"])
    counted = pd.DataFrame(COUNTED_AREAS, columns=[*LEVELS, "n"])
    for frame, count in ((records, None), (counted, "n")):
        for listed in (frame, frame[::-1], frame.rename(columns={"age": "years"})):
            with pytest.raises(TableError, match="has the same rows as the table"):
                Counts.from_frame(frame, levels=LEVELS, count=count, regions=listed)


@pytest.mark.parametrize("population", [None, 7, "many"])
def test_a_list_may_name_exactly_the_areas_of_the_table(population: object) -> None:
    counted = pd.DataFrame(COUNTED_AREAS, columns=[*LEVELS, "n"])
    listed = counted[["state", "county"]]
    if population is not None:
        listed = listed.assign(n=[population, 1, {"a": 2} if population == "many" else 2])
    table = Counts.from_frame(counted, levels=LEVELS, count="n", regions=listed)
    assert table.taken_from_data == ()
    assert table.total == 4


@pytest.mark.slow
def test_the_command_line_takes_a_list_and_writes_it_down(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    written(tmp_path, "data.csv", rows_of(PERSONS, [(0, 0), (2, 0), (2, 0)]))
    written(tmp_path, "list.csv", LIST)
    columns = ["--column", "levels=state,county", "--column", "row=person"]
    assert main(["check", "data.csv", "--confidential", *columns]) == 2
    assert "--regions FILE" in capsys.readouterr().out
    stated = ["check", "data.csv", "--regions", "list.csv", "--confidential", *columns]
    assert main(stated) == 0
    assert "Usable: counts" in capsys.readouterr().out
    assert main([*stated, "--toml"]) == 0
    toml = capsys.readouterr().out
    assert 'regions = "list.csv"\nconfidential = true\n' in toml
    written(tmp_path, "run.toml", 'mechanism = "tree-dp"\nepsilon = 1\n' + toml)
    assert main(["simulate", "run.toml", "--json", "--out", "out"]) == 0
    result = json.loads(capsys.readouterr().out)
    assert result["privacy"]["taken_from_data"] == []
    assert [level["regions"] for level in result["levels"]] == [1, 2, 4]
    for name in ("statement.json", "errors-contains-true-values.csv"):
        assert CONFIDENTIAL in Path("out", name).read_text(encoding="utf-8")
    assert main(["simulate", "out/settings.toml", "--json"]) == 0


@pytest.mark.parametrize("records", ["12\n13\n", "12\n13\n14\n", "11\n12\n13\n"])
def test_the_records_never_choose_a_column_of_the_list(tmp_path: Path, records: str) -> None:
    """Found by a second audit: one record more matched the other column, so other regions."""
    listed = written(tmp_path, "list.csv", "old,new\n11,12\n12,13\n13,14\n")
    data = written(tmp_path, "data.csv", f"zone\n{records}")
    layout = Layout(kind="counts", row="person", levels=("zone",))
    reading = read_files(data, layout=layout, regions=listed, confidential=True)
    assert [f.id for f in reading.report.faults] == ["no-column"]
    stated = Layout(**layout.words | {"list_columns": ("new",)})
    reading = read_files(data, layout=stated, regions=listed, confidential=True)
    faults = {f.id for f in reading.report.faults}
    assert faults == ({"not-listed"} if "11" in records else set())


@pytest.mark.parametrize(
    "listed", ["state;county\nA;A1\nA;A2\nB;B1\nB;B2\n", LIST.replace(",", "\t")]
)
def test_notes_about_a_list_do_not_discard_the_table(tmp_path: Path, listed: str) -> None:
    data = written(tmp_path, "data.csv", rows_of(PERSONS, [(0, 0), (2, 0)]))
    path = written(tmp_path, "list.csv", listed)
    reading = read_files(data, layout=PERSONS, regions=path, confidential=True)
    assert reading.table is not None
    assert reading.table.regions.ids == ("all", "A", "B", *COUNTIES)
    one = written(tmp_path, "one.csv", "code\n01001\n01003\n02013\n")
    data = written(tmp_path, "codes.csv", "code\n01001\n01001\n02013\n")
    layout = Layout(kind="counts", row="person", levels=("code",), prefix=(2, 5))
    table = read_files(data, layout=layout, regions=one, confidential=True).table
    assert table.values.tolist() == [3, 2, 1, 2, 0, 1]


def test_a_list_may_be_ragged_or_have_rows_of_totals(tmp_path: Path) -> None:
    data = written(tmp_path, "data.csv", "state,county\nA,A1\nDC,\nDC,\n")
    listed = written(tmp_path, "list.csv", "state,county\nA,A1\nA,A2\nDC,\n")
    table = read_files(data, layout=PERSONS, regions=listed, confidential=True).table
    assert table.values.tolist() == [3, 1, 2, 1, 0, 2]
    codes = Layout(kind="counts", row="person", levels=("code",), prefix=(2, 5))
    listed = written(tmp_path, "codes.csv", "code\n01\n01001\n01003\n02\n02013\n")
    data = written(tmp_path, "persons.csv", "code\n01001\n02013\n")
    table = read_files(data, layout=codes, regions=listed, confidential=True).table
    assert table.values.tolist() == [2, 1, 1, 1, 0, 1]
    data = written(tmp_path, "upper.csv", "code\n01001\n02\n")
    reading = read_files(data, layout=codes, regions=listed, confidential=True)
    assert [f.id for f in reading.report.faults] == ["not-last-level"]


def test_confidential_records_do_not_say_where_regions_are_drawn(tmp_path: Path) -> None:
    listed = written(tmp_path, "list.csv", "zone\n1\n2\n3\n")
    layout = Layout(kind="counts", row="person", levels=("zone",))
    drawn = set()
    for last in ("", "3,42,-70\n"):
        text = f"zone,lat,lon\n1,40,-70\n2,41,-71\n{last}"
        data = written(tmp_path, "data.csv", text)
        drawn.add(read_files(data, layout=layout, regions=listed, confidential=True).drawn)
    assert len(drawn) == 1


@pytest.mark.parametrize("confidential", [True, False])
def test_codes_in_records_do_not_say_where_centres_belong(
    tmp_path: Path, confidential: bool
) -> None:
    """Only the centre file has coordinates, and only the records say which code is of which zone.

    Without records in a zone, its centre would be unknown, which a published map would show.
    """
    listed = written(tmp_path, "list.csv", "zone\nred\nblue\ngreen\n")
    centres = written(tmp_path, "centres.csv", "key,lat,lon\nk1,40,-70\nk2,41,-71\nk3,42,-70\n")
    layout = Layout(kind="counts", row="region", levels=("zone",), count="people")
    drawn = []
    for last in ("", "green,k3,1\n"):
        text = f"zone,key,people\nred,k1,5\nblue,k2,6\n{last}"
        data = written(tmp_path, "data.csv", text)
        reading = read_here([data, centres], layout=layout, regions=listed,
                            confidential=confidential)  # fmt: skip
        drawn.append(reading.drawn)
    assert (len(set(drawn)) == 1) == confidential


HOMES = [(100 + a, 100 + b) for a in range(6) for b in range(6)]
LOOKUP = "{},district\n" + "".join(f"{100 + k},D{k % 3}\n" for k in range(12))
DISTRICTS = "district\nD0\nD1\nD2\n"


@pytest.mark.parametrize(
    ("name", "more", "totals"),
    [
        ("code", [], None),
        ("code", [(106, 101)], None),
        ("code", [(101, 106)], None),
        ("home", [], [36, 12, 12, 12]),
        ("home", [(106, 101)], [37, 13, 12, 12]),
        ("home", [(101, 106)], [37, 12, 13, 12]),
    ],
)
def test_records_do_not_decide_by_which_column_a_lookup_is_joined(
    tmp_path: Path, name: str, more: list[tuple[int, int]], totals: list[int] | None
) -> None:
    """With one more code in a column of records, it was joined by that column instead."""
    rows = "".join(f"{home},{work}\n" for home, work in [*HOMES, *more])
    data = written(tmp_path, "data.csv", f"home,work\n{rows}")
    lookup = written(tmp_path, "lookup.csv", LOOKUP.format(name))
    listed = written(tmp_path, "list.csv", DISTRICTS)
    layout = Layout(kind="counts", row="person", levels=("district",))
    reading = read_here([data, lookup], layout=layout, regions=listed, confidential=True)
    if totals is None:
        assert [fault.id for fault in reading.report.faults] == ["join-from-data"]
    else:
        assert reading.table.values.tolist() == totals


@pytest.mark.parametrize("last", ["W", "S"])
def test_records_do_not_decide_whether_a_joined_column_repeats_another(
    tmp_path: Path, last: str
) -> None:
    """While everybody worked in the state of their home, the states of the lookup were dropped."""
    areas = "".join(f"{place},{state}\n" for place, state in zip("abcdef", "NNSSWW", strict=True))
    rows = areas.removesuffix("f,W\n") + f"f,{last}\n"
    data = written(tmp_path, "data.csv", f"county,work\n{rows}")
    lookup = written(tmp_path, "lookup.csv", f"county,state\n{areas}")
    listed = written(tmp_path, "list.csv", f"county,state\n{areas}")
    layout = Layout(kind="counts", row="person", levels=("state", "county"))
    reading = read_here([data, lookup], layout=layout, regions=listed, confidential=True)
    assert not reading.report.faults
    assert reading.table is not None
    assert reading.table.values.tolist() == [6, 2, 2, 2, *[1] * 6]


@pytest.mark.parametrize("note", ["", "free text", "N001", "S002"])
@pytest.mark.parametrize("records", [0, 4])
def test_a_record_does_not_decide_against_the_two_columns_of_a_lookup(
    tmp_path: Path, records: int, note: str
) -> None:
    """With a code of the lookup in an unused column, it was joined by that column instead."""
    rows = ["N,1,", "N,2,", "S,1,", "S,2,"][:records]
    data = written(tmp_path, "data.csv", "\n".join(["state,county,note", *rows, f"N,1,{note}\n"]))
    areas = "N,1,N001,north\nN,2,N002,north\nS,1,S001,south\nS,2,S002,south\n"
    lookup = written(tmp_path, "lookup.csv", f"state,county,code,part\n{areas}")
    listed = written(tmp_path, "list.csv", "part\nnorth\nsouth\n")
    layout = Layout(kind="counts", row="person", levels=("part",))
    reading = read_here([data, lookup], layout=layout, regions=listed, confidential=True)
    assert not reading.report.faults
    assert reading.table is not None
    assert reading.table.values.tolist() == [records + 1, records // 2 + 1, records // 2]


@pytest.mark.parametrize("header", ["home", "home,age"])
@pytest.mark.parametrize("records", [0, 1])
def test_a_confidential_table_without_records_is_joined_by_the_column_of_the_same_name(
    tmp_path: Path, records: int, header: str
) -> None:
    row = ",".join(["101", "101"][: len(header.split(","))])
    data = written(tmp_path, "data.csv", f"{header}\n" + f"{row}\n" * records)
    lookup = written(tmp_path, "lookup.csv", LOOKUP.format("home"))
    listed = written(tmp_path, "list.csv", DISTRICTS)
    layout = Layout(kind="counts", row="person", levels=("district",))
    reading = read_here([data, lookup], layout=layout, regions=listed, confidential=True)
    assert not reading.report.faults
    assert reading.table is not None
    assert reading.table.values.tolist() == [records, 0, records, 0]


def test_a_record_does_not_decide_which_file_is_the_table(tmp_path: Path) -> None:
    """A record that is called as a column of the lookup made the records a text about it."""
    lookup = written(tmp_path, "lookup.csv", LOOKUP.format("home"))
    listed = written(tmp_path, "list.csv", DISTRICTS)
    layout = Layout(kind="counts", row="person", levels=("district",))
    rows = "".join(f"{home},{30 + k}\n" for k, (home, _) in enumerate(HOMES))
    for more, totals in (("", [38, 12, 13, 13]), ("district,1\n", None)):
        text = f"home,age\n{rows}{more}101,1\n102,1\n"
        data = written(tmp_path, "data.csv", text)
        reading = read_here([data, lookup], layout=layout, regions=listed, confidential=True)
        assert (None if reading.table is None else reading.table.values.tolist()) == totals


def _squares(zones: list[str]) -> str:
    return json.dumps({
        "type": "FeatureCollection",
        "features": [
            {
                "type": "Feature",
                "properties": {"zone": zone, "people": 9 + k},
                "geometry": {
                    "type": "Polygon",
                    "coordinates": [[[k, 0], [k + 1, 0], [k + 1, 1], [k, 1], [k, 0]]],
                },
            }
            for k, zone in enumerate(zones)
        ],
    })  # fmt: skip


def test_boundaries_do_not_replace_records_that_cannot_be_used(tmp_path: Path) -> None:
    """With one record of an unknown zone, their rows were counted instead of the records."""
    zones = [f"Z{k}" for k in range(5)]
    shapes = written(tmp_path, "shapes.geojson", _squares([*zones, "Z0", "Z0", "Z0"]))
    listed = written(tmp_path, "list.csv", "\n".join(["zone", *zones]))
    layout = Layout(kind="counts", row="person", levels=("zone",))
    read = []
    for more in ([], ["Z9,x"]):
        rows = ["zone,mark", *(f"{zone},a" for zone in zones), *more]
        data = written(tmp_path, "data.csv", "\n".join(rows))
        reading = read_here([data, shapes], layout=layout, regions=listed, confidential=True)
        read.append(None if reading.table is None else reading.table.values.tolist())
    assert read == [[5, 1, 1, 1, 1, 1], None]


def test_boundaries_may_hold_the_counts_beside_a_list(tmp_path: Path) -> None:
    zones = [f"Z{k}" for k in range(5)]
    shapes = written(tmp_path, "shapes.geojson", _squares(zones))
    listed = written(tmp_path, "list.csv", "\n".join(["zone", *zones]))
    codes = written(tmp_path, "codes.csv", "\n".join(["zone,mark", *(f"{z},m{z}" for z in zones)]))
    layout = Layout(kind="counts", levels=("zone",), count="people")
    reading = read_here([codes, shapes], layout=layout, regions=listed, confidential=True)
    assert reading.table.values.tolist() == [55, 9, 10, 11, 12, 13]


@pytest.mark.parametrize("people", [[9, 10, 11], [1, 2, 3], [1, 2, 4]])
@pytest.mark.parametrize("name", ["code", "geo_code"])
def test_counts_of_boundaries_do_not_decide_how_a_list_is_joined(
    tmp_path: Path, people: list[int], name: str
) -> None:
    """If numbers of people were codes of the list, it was joined by them."""
    zones = ["1", "2", "3"]
    shapes = json.loads(_squares(zones))
    for feature, number in zip(shapes["features"], people, strict=True):
        feature["properties"] = {"code": feature["properties"]["zone"], "people": number}
    data = written(tmp_path, "shapes.geojson", json.dumps(shapes))
    lookup = written(tmp_path, "lookup.csv", f"{name},district\n1,north\n2,north\n3,south\n")
    listed = written(tmp_path, "list.csv", "district,code\nnorth,1\nnorth,2\nsouth,3\n")
    layout = Layout(kind="counts", levels=("district", "code"), count="people")
    reading = read_here([lookup, data], layout=layout, regions=listed, confidential=True)
    if name == "code":
        assert reading.table.values.tolist() == [sum(people), *_parts(people), *people]
    else:
        assert reading.table is None


def _parts(people: list[int]) -> list[int]:
    return [people[0] + people[1], people[2]]


@pytest.mark.parametrize("more", ["", "101,105\n"])
def test_the_only_columns_that_share_codes_are_not_joined(tmp_path: Path, more: str) -> None:
    """A record with a code in another column was enough to refuse the file."""
    rows = "".join(f"{home},x{work}\n" for home, work in HOMES)
    data = written(tmp_path, "data.csv", f"home,work\n{rows}{more}")
    lookup = written(tmp_path, "lookup.csv", LOOKUP.format("code"))
    listed = written(tmp_path, "list.csv", DISTRICTS)
    layout = Layout(kind="counts", row="person", levels=("district",))
    reading = read_here([data, lookup], layout=layout, regions=listed, confidential=True)
    assert [fault.id for fault in reading.report.faults] == ["join-from-data"]


@pytest.mark.parametrize(
    "trips",
    [
        [],
        [(101, 102)],
        [(101, 102), (101, 103), (102, 102)],
        [(100 + k, 111 - k) for k in range(12)],
        HOMES,
        [*HOMES, (101, 107)],
        [*HOMES, (101, 107), (108, 102), (110, 111)],
    ],
)
@pytest.mark.parametrize("ends", [("home", "work"), ("from_area", "to_area"), ("start", "x")])
@pytest.mark.parametrize("row", ["trip", "pair"])
def test_records_do_not_decide_to_which_ends_of_trips_a_lookup_is_joined(
    tmp_path: Path, trips: list[tuple[int, int]], ends: tuple[str, str], row: str
) -> None:
    """Too few different codes, or those of one end that determine the other, left one end out."""
    counted = row == "pair"
    rows = "".join(f"{a},{b}{',1' * counted}\n" for a, b in trips)
    data = written(tmp_path, "data.csv", f"{','.join(ends)}{',n' * counted}\n{rows}")
    lookup = written(tmp_path, "lookup.csv", LOOKUP.format(ends[0]))
    listed = written(tmp_path, "list.csv", DISTRICTS)
    words = {"levels": ("district",), "destinations": (f"district: {ends[1]}",)}
    words |= {"list_columns": ("district",), "kind": "flows", "row": row}
    words |= {"count": "n", "add_up": True} if counted else {}
    layout = Layout.of(words)
    reading = read_here([data, lookup], layout=layout, regions=listed, confidential=True)
    assert not reading.report.faults
    assert reading.table is not None
    assert reading.table.values.sum() == len(trips)


@pytest.mark.parametrize("records", [[], ["A1"], ["A2", "A3"], ["A1", "A1", "A2", "A3"]])
def test_records_do_not_decide_what_a_codebook_says(tmp_path: Path, records: list[str]) -> None:
    """It named a level only if the records had two of its codes and no others."""
    rows = "".join(f"{code}\n" for code in records)
    data = written(tmp_path, "data.csv", f"area\n{rows}")
    codes = written(tmp_path, "codes.txt", "area\nA1 = Ash\nA2 = Elm\n")
    listed = written(tmp_path, "list.csv", "area\nA1\nA2\nA3\n")
    layout = Layout(kind="counts", row="person", levels=("area",), names=("area name",))
    reading = read_here([data, codes], layout=layout, regions=listed, confidential=True)
    assert not reading.report.faults
    assert reading.table is not None
    assert reading.table.values.sum() == 2 * len(records)


@pytest.mark.parametrize("areas", [["A", "B", "C"], ["A", "B"], ["A"]])
def test_records_do_not_decide_whether_a_list_belongs_to_a_matrix(
    tmp_path: Path, areas: list[str]
) -> None:
    """Without the trips of one area, the list was taken for a description of the columns."""
    rows = "".join(f"{area},1,2,3\n" for area in areas)
    data = written(tmp_path, "data.csv", f"area,A,B,C\n{rows}")
    lookup = written(tmp_path, "lookup.csv", "area,place\nA,Ash\nB,Box\nC,Elm\n")
    listed = written(tmp_path, "list.csv", "area\nA\nB\nC\n")
    words = {"kind": "flows", "levels": ("area",), "destinations": ("destination",)}
    words |= {"matrix": "origins", "count": "count", "row": "pair"}
    layout = Layout.of(words)
    reading = read_here([data, lookup], layout=layout, regions=listed, confidential=True)
    found = {finding.id for finding in reading.report.findings}
    assert "dictionary" not in found


@pytest.mark.parametrize("homes", [[], ["1"], ["2", "10"], ["1", "2", "10"]])
def test_records_do_not_decide_how_many_levels_a_lookup_adds(
    tmp_path: Path, homes: list[str]
) -> None:
    """Without a record of an area with few levels above it, more of them were added."""
    data = written(tmp_path, "data.csv", "home\n" + "".join(f"{home}\n" for home in homes))
    rows = "1,10\n2,20\n10,100\n20,200\n100,\n200,\n"
    lookup = written(tmp_path, "lookup.csv", f"home,above\n{rows}")
    listed = written(tmp_path, "list.csv", "above 2,home\n100,1\n200,2\n100,10\n")
    layout = Layout(kind="counts", row="person", levels=("above 2", "home"))
    reading = read_here([data, lookup], layout=layout, regions=listed, confidential=True)
    assert "no-column" not in {fault.id for fault in reading.report.faults}
    assert "above 2" in reading.columns
    assert "above 3" not in reading.columns


@pytest.mark.parametrize("number", ["5", "700", "907"])
@pytest.mark.parametrize("name", ["Suma", "Total"])
def test_a_count_does_not_decide_whether_an_area_called_a_total_is_one(
    tmp_path: Path, number: str, name: str
) -> None:
    """A small number would show that an area is no total where the settings state that none is."""
    listed = written(tmp_path, "list.csv", f"state,town\nA,Ash\nA,{name}\nB,Elm\nB,Oak\n")
    rows = f"A,Ash,700\nA,{name},{number}\nB,Elm,300\nB,Oak,600\n"
    data = written(tmp_path, "data.csv", f"state,town,n\n{rows}")
    layout = Layout(kind="counts", levels=("state", "town"), count="n", totals="none")
    reading = read_here([data], layout=layout, regions=listed, confidential=True)
    assert reading.table is None
    faults = [fault.id for fault in reading.report.faults]
    assert faults == ["area-left-out" if number == "700" else "total-differs"]


def test_a_column_of_the_same_name_is_joined_even_if_another_shares_all_codes(
    tmp_path: Path,
) -> None:
    """A record with the first code in that column would otherwise decide it."""
    layout = Layout(kind="counts", row="person", levels=("district",))
    listed = written(tmp_path, "list.csv", DISTRICTS)
    lookup = written(tmp_path, "lookup.csv", LOOKUP.format("work"))
    rows = "".join(f"{home},\n" for home, _ in HOMES)
    data = written(tmp_path, "data.csv", f"home,work\n{rows}")
    reading = read_here([data, lookup], layout=layout, regions=listed, confidential=True)
    assert [fault.id for fault in reading.report.faults] == ["blank-code"]


NUTS = "nuts\nDE1\nDE2\nFR1\nFR2\nFR3\n"


def test_how_codes_nest_is_not_public_where_a_record_decides_it(tmp_path: Path) -> None:
    """The levels are stated, but whether codes begin with those of a country is guessed."""
    listed = written(tmp_path, "list.csv", NUTS)
    stated = {"levels": ("nuts",), "row": "region", "count": "n"}
    one = written(tmp_path, "one.csv", "nuts,n\nFR3,1\nDE1,1\nFR2,2\n")
    more = written(tmp_path, "more.csv", "nuts,n\nFR3,1\nDE1,1\nFR2,2\nFR1,1\n")
    flat = read_files(one, stated=stated, regions=listed, confidential=True)
    assert flat.table.regions.levels == ("total", "nuts")
    refused = read_files(more, stated=stated, regions=listed, confidential=True)
    (fault,) = refused.report.faults
    assert fault.id == "levels-from-data"
    assert "--column prefix=" in fault.remedy
    marked = read_files(more, stated=stated, regions=listed).table
    assert marked.taken_from_data == (Fact.LEVELS,)
    for path in (one, more):
        nested = read_files(path, stated=stated | {"prefix": (2, 3)}, regions=listed)
        assert nested.table.taken_from_data == ()
        assert len(nested.table.regions.levels) == 3


@pytest.mark.parametrize("more", ["", ",4 persons"])
def test_sizes_that_are_guessed_from_the_columns_are_not_public(tmp_path: Path, more: str) -> None:
    listed = written(tmp_path, "list.csv", LIST)
    head = f"state,county,1 person,2 persons,3 persons{more}\n"
    rows = [f"{c[0]},{c},5,3,1{',1' if more else ''}\n" for c in COUNTIES]
    data = written(tmp_path, "data.csv", head + "".join(rows))
    stated = {"levels": LEVELS, "kind": "group-sizes"}
    refused = read_files(data, stated=stated, regions=listed, confidential=True)
    assert refused.table is None
    assert [f.id for f in refused.report.faults] == ["max-size-from-data", "empty-groups-from-data"]
    assert all("--column sizes=" in fault.remedy for fault in refused.report.faults)
    marked = read_files(data, stated=stated, regions=listed).table
    assert marked.taken_from_data == (Fact.MAX_SIZE, Fact.EMPTY_GROUPS)
    columns = tuple(head.strip().split(",")[2:])
    usable = read_files(data, stated=stated | {"sizes": columns}, regions=listed, confidential=True)
    assert usable.table.taken_from_data == ()


@pytest.mark.parametrize(
    "words",
    [
        {"kind": "counts", "count": "n"},
        {"kind": "group-sizes", "sizes": ("m", "n")},
        {"kind": "group-sizes", "size": "m", "count": "n", "largest": 3},
    ],
    ids=["counts", "sizes", "size"],
)
def test_a_table_that_names_only_upper_areas_of_the_list_is_reported(
    tmp_path: Path, words: dict[str, Any]
) -> None:
    listed = written(tmp_path, "list.csv", "a,b,c\nA,A1,A10\nA,A2,A20\nA,A2,A21\nB,B2,B21\n")
    data = written(tmp_path, "data.csv", "a,b,c,m,n\nA,A2,,1,2\n")
    layout = Layout(row="region", levels=("a", "b", "c"), **words)
    reading = read_files(data, layout=layout, regions=listed)
    assert reading.table is None
    assert [fault.id for fault in reading.report.faults] == ["total-differs"]


def features_of(codes: tuple[str, ...]) -> str:
    """Boundaries with counts: of each code a square, its name and a number."""
    square = [[0, 0], [1, 0], [1, 1], [0, 1], [0, 0]]
    features = [
        {"type": "Feature", "properties": {"code": code, "name": f"Name of {code}", "n": 3},
         "geometry": {"type": "Polygon", "coordinates": [[[x + k, y] for x, y in square]]}}
        for k, code in enumerate(codes)
    ]  # fmt: skip
    return json.dumps({"type": "FeatureCollection", "features": features})


@pytest.mark.parametrize("beside", [False, True])
@pytest.mark.parametrize("confidential", [False, True])
def test_boundaries_that_hold_the_counts_name_no_areas_of_a_list(
    tmp_path: Path, confidential: bool, beside: bool
) -> None:
    """An area without records has no shape, so its name would show that it has none."""
    codes = "code\n" + "".join(f"{code}\n" for code in COUNTIES)
    listed = written(tmp_path, "list.csv", codes)
    lookup = written(tmp_path, "lookup.csv", codes.replace("code", "code,state", 1).replace(
        "\n", ",s\n").replace("state,s", "state"))  # fmt: skip
    layout = Layout(kind="counts", row="region", levels=("code",), count="n")
    found = []
    for counties in (COUNTIES[:3], COUNTIES):
        data = written(tmp_path, "data.geojson", features_of(counties))
        paths = [lookup, data] if beside else [data]
        reading = read_files(*paths, layout=layout, regions=listed, confidential=confidential)
        assert reading.report.usable, reading.report.lines()
        assert (reading.drawn.startswith("boundaries")) == (not confidential)
        found.append(public_facts(reading.table))
    assert found[0] == found[1]
    assert found[0][1] == ("All areas", *COUNTIES)


def test_boundaries_beside_the_table_name_its_areas(tmp_path: Path) -> None:
    listed = written(tmp_path, "list.csv", "code\n" + "".join(f"{code}\n" for code in COUNTIES))
    shapes = written(tmp_path, "shapes.geojson", features_of(COUNTIES))
    data = written(tmp_path, "data.csv", "code,people\nA1,3\n")
    layout = Layout(kind="counts", row="region", levels=("code",), count="people")
    reading = read_files(data, shapes, layout=layout, regions=listed, confidential=True)
    assert reading.table.regions.names[1:] == tuple(f"Name of {code}" for code in COUNTIES)
    assert reading.drawn.startswith("boundaries")


@pytest.mark.parametrize("row", ["trip", "pair"])
@pytest.mark.parametrize("made", ["whole", "destinations", "renamed", "both ends"])
def test_the_destinations_of_flows_are_no_list_of_areas(
    tmp_path: Path, made: str, row: str
) -> None:
    trips = [("A1", "A2"), ("A1", "B1"), ("A2", "A1"), ("B1", "A1"), ("A2", "B1")]
    flows = pd.DataFrame([(*trip, k + 1) for k, trip in enumerate(trips)], columns=["o", "d", "n"])
    frame, column = {
        "whole": (flows[::-1], "d"),
        "destinations": (flows[["d"]], "d"),
        "renamed": (flows[["d"]].rename(columns={"d": "o"}), "o"),
        "both ends": (pd.concat([flows["d"], flows["o"]]).to_frame("code"), "code"),
    }[made]
    flows.to_csv(tmp_path / "flows.csv", index=False)
    frame.to_csv(tmp_path / "list.csv", index=False)
    words = {"kind": "flows", "row": row, "levels": ("o",), "destinations": ("d",)}
    words |= {"list_columns": (column,)} | ({"count": "n"} if row == "pair" else {})
    listed = tmp_path / "list.csv"
    reading = read_files(tmp_path / "flows.csv", layout=Layout.of(words), regions=listed)
    assert [fault.id for fault in reading.report.faults] == ["list-of-records"]
    once = frame[[column]].drop_duplicates()
    once.to_csv(listed, index=False)
    usable = read_files(tmp_path / "flows.csv", layout=Layout.of(words), regions=listed)
    assert usable.report.usable


@pytest.mark.parametrize("word", ["levels", "destinations", "sizes", "parts"])
def test_a_setting_of_columns_names_columns(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], word: str
) -> None:
    data = written(tmp_path, "data.csv", rows_of(PERSONS, [(0, 0), (2, 0)]))
    assert main(["check", str(data), "--column", f"{word}="]) == 2
    output = capsys.readouterr().err
    assert f"The column setting {word} has an empty name." in output
    with pytest.raises(ChoiceError, match="has an empty name"):
        Layout.parsed({word: ["county", ""]})
