"""Codes of offices: which system they follow, and the levels that they tell by themselves."""

from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from hierdp_core.readers.columns.code_trees import code_tree, nested_lengths
from hierdp_core.readers.columns.codes import fit_of, scheme_of
from hierdp_core.readers.columns.facts import ColumnFacts, SheetFacts
from hierdp_core.readers.columns.known_names import names_disagree
from hierdp_core.readers.formats.sheet import Sheet
from hierdp_core.readers.reading import read_here
from hierdp_core.readers.result import Reading


def read_text(folder: Path, text: str, **stated: object) -> Reading:
    path = folder / "t.csv"
    path.write_text(text)
    return read_here([path], stated=stated)


def facts(text: str) -> SheetFacts:
    names, *rows = [line.split(",") for line in text.strip().splitlines()]
    columns = tuple(pa.array(cells, pa.string()) for cells in zip(*rows, strict=True))
    return SheetFacts(Sheet(file="t.csv", names=tuple(names), columns=columns))


@pytest.mark.parametrize(
    ("codes", "name", "system"),
    [
        (["01001", "01003", "11001", "02013"], "county_fips", "fips"),
        (["01001", "01002", "05111", "11000"], "AGS", "ags"),
        (["01001", "01004", "75056", "69123"], "CODGEO", "insee"),
        (["01101", "13101", "47201", "01202"], "市区町村コード", "jis"),
        (["99001", "99002", "98001", "97004"], "code", None),
    ],
)
def test_equal_lengths_do_not_make_codes_those_of_us_counties(
    codes: list[str], name: str, system: str | None
) -> None:
    found = scheme_of(pa.array(codes), (2, 5), name)
    assert (found and found.id) == system


@pytest.mark.parametrize(
    ("head", "root"), [("Kreisschlüssel,Kreis", "DE"), ("Kreisschlüssel (AGS),Kreis", "DE")]
)
def test_german_keys_are_not_called_after_us_states(tmp_path: Path, head: str, root: str) -> None:
    keys = ("01001", "01002", "01003", "05111", "05112", "11000", "12051", "12052")
    rows = "".join(f"{key},Town {k},{4000 + 37 * k}\n" for k, key in enumerate(keys))
    table = read_text(tmp_path, f"{head},Einwohner\n{rows}").table
    assert table is not None
    assert table.regions.names[0] == root
    assert not {"Alabama", "District of Columbia", "United States"} & {*table.regions.names}


COUNTIES = {
    "01001": "Autauga County", "01003": "Baldwin County", "01005": "Barbour County",
    "02013": "Aleutians East Borough", "02016": "Aleutians West",
}  # fmt: skip


@pytest.mark.parametrize(
    ("head", "names", "disagree"),
    [
        ("county_code,county_name", list(COUNTIES.values()), False),
        ("county_code,county_name", ["Autauga", "Baldwin", "x", "y", "z"], False),
        ("county_code,county_name", ["Nairobi", "Kwale", "Kilifi", "Lamu", "Meru"], True),
        ("county_fips,county_name", ["Nairobi", "Kwale", "Kilifi", "Lamu", "Meru"], False),
        ("county_code,mayor", ["Smith", "Jones", "Brown", "White", "Green"], False),
    ],
)
def test_names_beside_codes_may_refute_their_system(
    head: str, names: list[str], disagree: bool
) -> None:
    table = facts(head + "\n" + "\n".join(map(",".join, zip(COUNTIES, names, strict=True))))
    code, name = head.split(",")
    fit = fit_of(table[code].text, code)
    assert fit is not None
    assert names_disagree(table, code, fit, [name]) == disagree


def test_a_region_above_beside_the_codes_is_a_level(tmp_path: Path) -> None:
    rows = [("84", "01", "01001"), ("84", "01", "01004"), ("84", "69", "69123"),
            ("11", "75", "75056"), ("11", "92", "92012"), ("11", "92", "92014")]  # fmt: skip
    text = "CODGEO,REG,DEP,habitants\n" + "".join(
        f"{code},{region},{part},{1000 + 31 * k}\n" for k, (region, part, code) in enumerate(rows)
    )
    table = read_text(tmp_path, text).table
    assert table is not None
    assert set(table.regions.ids[table.regions.tree.level(1)]) == {"84", "11"}
    assert table.regions.tree.n_levels == 4


@pytest.mark.parametrize(
    ("codes", "lengths"),
    [
        (["05", "051", "052", "05111", "05214"], (2, 3, 5)),
        (["AX", "AX1", "AX2", "AX11"], (2, 3, 4)),
        (["05", "051", "06111"], ()),
        (["05", "06"], ()),
    ],
)
def test_codes_nest_where_each_begins_with_another(
    codes: list[str], lengths: tuple[int, ...]
) -> None:
    assert nested_lengths(pa.array(codes)) == lengths


NESTED = {"05": 1500, "051": 900, "05101": 400, "05102": 500, "053": 600, "05301": 250,
          "05302": 350}  # fmt: skip


@pytest.mark.parametrize(
    ("changed", "found"),
    [({}, "levels"), ({"051": 905}, "asked"), ({"051": 100, "053": 9, "05": 40}, "nothing")],
)
def test_nested_codes_are_levels_where_the_numbers_agree(
    changed: dict[str, int], found: str
) -> None:
    numbers = NESTED | changed
    column = ColumnFacts("code", pa.array(list(numbers)))
    tree = code_tree(column, np.array(list(numbers.values()), dtype=np.float64)[:, None])
    assert (tree.words == {"prefix": (2, 3, 5)}) == (found == "levels")
    assert (tree.question is not None) == (found == "asked")


def test_plain_numbers_are_no_nested_codes() -> None:
    column = ColumnFacts("id", pa.array([str(k) for k in range(1, 60)]))
    tree = code_tree(column, np.arange(100.0, 159.0)[:, None])
    assert not tree.words
    assert tree.question is None


def test_rows_of_upper_codes_name_their_regions(tmp_path: Path) -> None:
    names = ("Land", "North", "N one", "N two", "South", "S one", "S two")
    rows = "".join(
        f"{code},{name},{n}\n" for (code, n), name in zip(NESTED.items(), names, strict=True)
    )
    table = read_text(tmp_path, f"key,name,people\n{rows}").table
    assert table is not None
    assert table.regions.names[:3] == ("Land", "North", "South")
    assert int(table.values[0]) == 1500


def test_codes_of_one_length_are_levels_by_their_sums(tmp_path: Path) -> None:
    """Prefectures and cities of Japan end in zeros, and the towns in them do not."""
    towns = {f"11{k}": 10_007 + 131 * k for k in range(201, 209)}
    others = {f"14{k}": 20_011 + 173 * k for k in range(201, 209)}
    rows = {"11000": sum(towns.values()), **towns, "14000": sum(others.values()), **others}
    text = "地域コード,人口\n" + "".join(f"{code},{n}\n" for code, n in rows.items())
    table = read_text(tmp_path, text).table
    assert table is not None
    assert int(table.values[0]) == rows["11000"] + rows["14000"]
    assert table.regions.tree.n_leaves == 16
    assert "United States" not in table.regions.names
