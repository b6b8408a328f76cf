"""Names that several regions share, and rows of totals among rows that would be added up."""

from itertools import product
from pathlib import Path

import pytest

from hierdp_core.tables import Flows
from tests.support.answers import offered, read_text, total

_TOWNS = {
    "North": ("Centre", "Ash", "Birch", "Cedar", "Elm"),
    "East": ("Centre", "Fir", "Hazel", "Larch"),
    "South": ("Centre", "Maple", "Oak", "Ash"),
}
_PLACES = [(up, town) for up, towns in _TOWNS.items() for town in towns]


def _by_sex(*, column: str = "province") -> str:
    rows = [f"{up},{town},{sex},{300 + 17 * k + 5 * (sex == 'women')}"
            for k, (up, town) in enumerate(_PLACES) for sex in ("women", "men")]  # fmt: skip
    return f"{column},town,sex,people\n" + "\n".join(rows)


def test_a_name_that_repeats_is_told_by_the_level_above(tmp_path: Path) -> None:
    reading = read_text(tmp_path, _by_sex())
    assert reading.table is None
    path = {"levels": ("province", "town"), "within": True}
    assert path in offered(reading)
    assert {"add_up": True} not in offered(reading)
    second = read_text(tmp_path, _by_sex(), **path)
    assert {"add_up": True} in offered(second)
    whole = read_text(tmp_path, _by_sex(), **path, add_up=True)
    assert whole.table is not None
    assert whole.table.regions.tree.n_leaves == len(_PLACES)
    assert total(whole) == sum(605 + 34 * k for k in range(len(_PLACES)))


def test_an_answer_that_merges_regions_says_so(tmp_path: Path) -> None:
    (fault,) = read_text(tmp_path, _by_sex()).report.faults
    merging = [c for c in fault.choices if c.stated["levels"] == ("town",)]
    towns = [town for _, town in _PLACES]
    names = {town for town in towns if towns.count(town) > 1}
    n_areas = sum(town in names for town in towns)
    merges = f"{n_areas} areas with the same name or code are merged into {len(names)}"
    assert [c.words for c in merging] == [f'the only level is "town", and {merges}']
    assert fault.choices[-1] == merging[0]
    merged = read_text(tmp_path, _by_sex(), **merging[0].stated, add_up=True)
    assert merged.table is not None
    assert merged.table.regions.tree.n_leaves == len({town for _, town in _PLACES})


def test_codes_that_start_again_are_never_merged(tmp_path: Path) -> None:
    counties = [(up, k) for up in (1, 2, 3) for k in (1, 3, 5, 7, 9) if k != up]
    rows = [f"{up},00{k},{sector},{60 + 9 * k + 40 * up + s}" for up, k in counties
            for s, sector in enumerate(("a", "b", "c"))]  # fmt: skip
    reading = read_text(tmp_path, "state,county,sector,firms\n" + "\n".join(rows))
    paths = {choice.get("levels") for choice in offered(reading)}
    assert ("county",) not in paths
    assert {"levels": ("state", "county"), "within": True} in offered(reading)


def test_a_key_beside_names_that_repeat_is_offered(tmp_path: Path) -> None:
    schools = [(f"R{k % 3}", f"D{k % 3}{k % 2}", 100 + 7 * k, f"School {k % 8}", 40 + k)
               for k in range(24)]  # fmt: skip
    text = "region_name,district_name,school_id,school_name,kind,people\n" + "\n".join(
        f"{a},{b},{c},{d},{c % 2},{n}" for a, b, c, d, n in schools
    )
    reading = read_text(tmp_path, text)
    if reading.table is None:
        answer = next(c for c in offered(reading) if "school_id" in c["levels"])
        reading = read_text(tmp_path, text, **answer)
    assert reading.table is not None, reading.report.lines()
    assert reading.table.regions.tree.n_leaves == 24
    assert reading.table.regions.tree.n_nodes == 24 + 6 + 3 + 1


def test_blocks_of_a_pivot_table_that_begin_with_a_total_are_filled_down(tmp_path: Path) -> None:
    body = []
    for up, towns in _TOWNS.items():
        numbers = [50 + 3 * len(town) + len(up) for town in towns]
        body.append(f"2023,{up},Total,{sum(numbers)},{sum(numbers) - 20 * len(towns)}")
        body[-1] += f",{20 * len(towns)}"
        body += [f",,{town},{n},{n - 20},20" for town, n in zip(towns, numbers, strict=True)]
    reading = read_text(tmp_path, ",,,Total,Men,Women\n" + "\n".join(body))
    assert reading.table is not None, reading.report.lines()
    assert reading.table.regions.tree.n_leaves == len(_PLACES)
    assert reading.layout is not None
    assert len(reading.layout.levels) == 2


# ------------------------------------------------------------------------------ rows of totals


def _sectors(total_code: str) -> str:
    rows = []
    for k, (_, town) in enumerate(_PLACES):
        parts = [90 + 7 * k + j for j in range(4)]
        rows.append(f"{town}{k},{total_code},{'GHJ'[k % 3]},{sum(parts)}")
        rows += [f"{town}{k},{j}1----,{'GHJ'[(k + j) % 3]},{n}" for j, n in enumerate(parts, 1)]
    return "town,sector,emp_nf,firms\n" + "\n".join(rows)


@pytest.mark.parametrize("code", ["------", "000000", "ALLE"])
def test_a_row_that_is_the_sum_of_the_others_is_not_added_to_them(
    tmp_path: Path, code: str
) -> None:
    right = sum(4 * (90 + 7 * k) + 6 for k in range(len(_PLACES)))
    reading = read_text(tmp_path, _sectors(code), levels=("town",))
    assert {"keep": ("emp_nf=J",)} not in offered(reading)
    assert total(reading) == right
    added = read_text(tmp_path, _sectors(code), levels=("town",), add_up=True)
    assert [fault.id for fault in added.report.faults] == ["mixed-rows"]
    assert total(read_text(tmp_path, _sectors(code), levels=("town",), add_up=True,
                           **offered(added)[0])) == right  # fmt: skip


def test_a_total_is_found_where_other_parts_are_not_published(tmp_path: Path) -> None:
    rows = _sectors("XX").splitlines()
    hidden = [line for k, line in enumerate(rows) if k % 13 != 4]
    reading = read_text(tmp_path, "\n".join(hidden), levels=("town",), add_up=True)
    assert reading.table is None
    assert offered(reading)[0] == {"keep": ("sector=XX",)}


def _moves() -> tuple[str, int]:
    codes = [(1, k) for k in range(1, 5)] + [(2, k) for k in range(1, 5)]
    rows, right = [], 0
    for state, county in codes[:6]:
        numbers = {(s, c): 11 * s + 3 * c + county for s, c in codes if (s, c) != (state, county)}
        right += sum(numbers.values())
        whole = sum(numbers.values()) + 9
        rows.append(f"0{state},00{county},96,000,Total moves,{whole}")
        rows.append(f"0{state},00{county},97,000,Total moves of the state,{whole}")
        rows.append(f"0{state},00{county},59,000,Other flows,9")
        rows += [
            f"0{state},00{county},0{s},00{c},Place {s}{c},{n}" for (s, c), n in numbers.items()
        ]
    head = "dest_state,dest_county,orig_state,orig_county,orig_county_name,moves"
    return head + "\n" + "\n".join(rows), right


def test_rows_of_totals_among_flows_are_asked_about(tmp_path: Path) -> None:
    text, right = _moves()
    reading = read_text(tmp_path, text, within=True)
    assert reading.table is None
    first, second = offered(reading)
    assert set(second["leave_out"]) == {"orig_state=96", "orig_state=97"}
    assert set(first["leave_out"]) - set(second["leave_out"]) == {"orig_state=59"}
    flows = read_text(tmp_path, text, within=True, **first).table
    assert isinstance(flows, Flows)
    assert int(flows.values.sum()) == right


@pytest.mark.parametrize("end", ["origin", "destination"])
def test_an_origin_that_is_the_sum_of_all_is_left_out(tmp_path: Path, end: str) -> None:
    towns = [f"T{k}" for k in range(1, 8)]
    rows = [(a, b, 20 + 3 * i + 5 * j) for i, a in enumerate(towns) for j, b in enumerate(towns)]
    sums = [("T9", b, sum(n for _, to, n in rows if to == b)) for b in towns]
    listed = [(a, b, n) if end == "origin" else (b, a, n) for a, b, n in [*rows, *sums]]
    text = "origin,destination,trips\n" + "\n".join(f"{a},{b},{n}" for a, b, n in listed)
    reading = read_text(tmp_path, text)
    answers = [choice for choice in offered(reading) if "leave_out" in choice]
    assert {"leave_out": (f"{end}=T9",)} in answers
    flows = read_text(tmp_path, text, leave_out=(f"{end}=T9",)).table
    assert isinstance(flows, Flows)
    assert int(flows.values.sum()) == sum(n for _, _, n in rows)


def test_shortened_names_of_levels_are_asked_about_where_areas_cross(tmp_path: Path) -> None:
    names = ("North", "South", "East", "West", "Centre")
    rows = [f"{p},{d},{k}" for k, (p, d) in enumerate(product("ABCD", names * 4), start=30)]
    reading = read_text(tmp_path, "\n".join(["prov,dist,age", *rows]))
    assert {"levels": ("prov", "dist"), "within": True} in offered(reading)


def test_an_answer_that_merges_codes_of_several_states_comes_last(tmp_path: Path) -> None:
    rows = [f"{up},Lake {k},{100 * k + 7 * j}" for j, up in enumerate("ABC") for k in (1, 2, 3)]
    rows += ["A,River,55", "B,Hill,66"]
    text = "state,county,people\n" + "\n".join(rows) + "\n"
    reading = read_text(tmp_path, text, levels=("state", "county"))
    (fault,) = reading.report.faults
    assert fault.choices[-1].stated["levels"] == ("county",)
    assert fault.choices[-1].words == (
        'The only level is "county", and 9 areas with the same name or code are merged into 3'
    )
    assert dict(fault.choices[0].stated) == {"within": True}
