"""People that a table lists twice: no sensible answer may count them twice without a warning."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from hierdp_core.readers.columns.count_rules import rank_counts
from hierdp_core.readers.columns.facts import SheetFacts
from hierdp_core.readers.columns.flow_sums import totals_of_flows
from hierdp_core.readers.columns.no_counts import named_as_a_measure
from hierdp_core.readers.columns.things import counted_unit
from hierdp_core.readers.formats.sheet import Sheet
from hierdp_core.readers.result import Reading
from hierdp_core.tables import Flows
from tests.support.answers import offered, read_text, total

_TOWNS = ("Ash", "Birch", "Cedar", "Elm", "Fir", "Hazel", "Larch", "Maple", "Oak")


def fault_ids(reading: Reading) -> list[str]:
    return [fault.id for fault in reading.report.faults]


def _numbers(salt: int, n: int, most: int = 9_000) -> list[int]:
    return [int(x) for x in np.random.default_rng([17, salt]).integers(900, most, n)]


def _lines(head: str, rows: Sequence[Sequence[object]]) -> str:
    return head + "\n" + "".join(",".join(map(str, row)) + "\n" for row in rows)


# -------------------------------------------------------------------------- areas of several kinds


def _sizes(upper: Sequence[tuple[str, Sequence[str]]], *, missing: int = 0) -> str:
    rows: list[tuple[str, int, int]] = []
    for k, (region, towns) in enumerate(upper):
        numbers = {town: _numbers(10 * k + j, 4) for j, town in enumerate(towns)}
        sums = [sum(row[s] for row in numbers.values()) + missing * (s == 0) for s in range(4)]
        for area, row in ((region, sums), *numbers.items()):
            rows += [(area, s + 1, n) for s, n in enumerate(row)]
    return _lines("area,household_size,households", rows)


_UPPER = (("Northland", _TOWNS[:4]), ("Southland", _TOWNS[4:]))


def test_upper_areas_among_sizes_in_rows_are_levels(tmp_path: Path) -> None:
    reading = read_text(tmp_path, _sizes(_UPPER))
    assert reading.table is not None, reading.report.lines()
    assert reading.table.regions.tree.n_leaves == len(_TOWNS)
    assert reading.table.regions.tree.n_levels == 3
    wrong = read_text(tmp_path, _sizes(_UPPER), outline="none")
    assert wrong.table is None


@pytest.mark.parametrize("stated", [{"outline": "sums"}, {"outline": "sums", "totals": "left out"}])
def test_the_remedies_for_totals_work_for_sizes_in_rows(
    tmp_path: Path, stated: dict[str, str]
) -> None:
    reading = read_text(tmp_path, _sizes(_UPPER), **stated)
    assert reading.table is not None, reading.report.lines()
    assert reading.table.regions.tree.n_leaves == len(_TOWNS)


def test_a_size_without_a_row_counts_no_group(tmp_path: Path) -> None:
    rows = [("a", 1, 5), ("a", 3, 2), ("b", 2, 4), ("c", 1, 1)]
    reading = read_text(tmp_path, _lines("area,household_size,households", rows))
    assert reading.table is not None, reading.report.lines()
    assert reading.table.values[0].tolist() == [0, 6, 4, 2]


def test_a_stated_maximum_bounds_sizes_in_rows(tmp_path: Path) -> None:
    rows = [("a", 1, 5), ("a", 3, 2), ("a", 7, 3), ("b", 2, 4)]
    text = _lines("area,household_size,households", rows)
    for largest, row in ((3, [0, 5, 4, 5]), (9, [0, 5, 4, 2, 0, 0, 0, 3, 0, 0])):
        reading = read_text(tmp_path, text, largest=largest)
        assert reading.table is not None, reading.report.lines()
        assert reading.table.values[0].tolist() == row


def test_blocks_with_the_same_sum_are_refused(tmp_path: Path) -> None:
    numbers = dict(zip(_TOWNS, _numbers(3, 9), strict=True))
    upper = [
        ("P", sum(numbers[t] for t in _TOWNS[::2])),
        ("Q", sum(numbers[t] for t in _TOWNS[1::2])),
    ]
    text = _lines("area,people", [*upper, *numbers.items()])
    reading = read_text(tmp_path, text)
    assert fault_ids(reading) == ["equal-kinds"]
    assert {"leave_out": ("area=P", "area=Q")} in offered(reading)
    assert total(read_text(tmp_path, text, leave_out=("area=P", "area=Q"))) == sum(numbers.values())
    off = _lines("area,people", [("P", upper[0][1] + 400), upper[1], *numbers.items()])
    assert read_text(tmp_path, off).table is not None


def test_areas_named_by_a_level_with_nearly_the_sum_of_the_others_are_refused(
    tmp_path: Path,
) -> None:
    numbers = dict(zip(_TOWNS, _numbers(4, 9), strict=True))
    mixed: list[tuple[str, int]] = []
    for k, (town, n) in enumerate(numbers.items()):
        mixed.append((town, n))
        if k % 4 == 3:
            mixed.append((f"Region {k}", sum(numbers.values()) // 2 + 11 * k - 50))
    text = _lines("area,people", mixed)
    reading = read_text(tmp_path, text)
    assert fault_ids(reading) == ["equal-kinds"]
    assert offered(reading)[0] == {"leave_out": ("area=Region 3", "area=Region 7")}


def test_without_a_total_the_kinds_below_it_are_still_counted_once(tmp_path: Path) -> None:
    numbers = dict(zip(_TOWNS, _numbers(5, 9), strict=True))
    whole = sum(numbers.values())
    parts = {"X1": whole // 3 + 7, "Y1": whole // 4 - 3}
    parts["Z1"] = whole - sum(parts.values())
    order = [
        "Ash",
        "X1",
        "Birch",
        "Cedar",
        "Y1",
        "Elm",
        "Fir",
        "Hazel",
        "Z1",
        "Larch",
        "Maple",
        "Oak",
    ]
    rows = [("Everywhere", whole), *((name, (numbers | parts)[name]) for name in order)]
    text = _lines("area,people", rows)
    out = read_text(tmp_path, text, leave_out=("area=Everywhere",))
    assert fault_ids(out) == ["read-twice"]
    assert offered(out) == [{"totals": "none"}]
    four = ("area=Everywhere", *(f"area={name}" for name in parts))
    assert total(read_text(tmp_path, text, leave_out=four)) == whole


# --------------------------------------------------------------------------------------- flows


def _cube(n: int) -> tuple[list[str], np.ndarray[tuple[int, int], np.dtype[np.float64]]]:
    rng = np.random.default_rng(n)
    sizes = rng.lognormal(0, 2, (2, n))
    flows = (sizes[0][:, None] * sizes[1] * 50 * rng.uniform(0.5, 1.5, (n, n))).round()
    return [f"c{k:03d}" for k in range(n)], flows


def _listed(
    starts: Sequence[str],
    ends: Sequence[str],
    flows: np.ndarray[tuple[int, int], np.dtype[np.float64]],
) -> tuple[list[str], list[str], np.ndarray[tuple[int], np.dtype[np.float64]]]:
    rows, columns = np.nonzero(flows)
    return [starts[k] for k in rows], [ends[k] for k in columns], flows[rows, columns]


@pytest.mark.parametrize("n", [12, 60, pytest.param(150, marks=pytest.mark.slow)])
def test_totals_are_found_at_each_end_and_nowhere_else(n: int) -> None:
    codes, flows = _cube(n)
    assert not totals_of_flows(*_listed(codes, codes, flows))
    group = np.arange(n) % 4
    upper = np.vstack([flows[group == k].sum(axis=0) for k in range(4)])
    named = [f"R{k}" for k in range(4)]
    origins = np.vstack([flows, upper, flows.sum(axis=0)])
    assert set(totals_of_flows(*_listed([*codes, *named, "W"], codes, origins)).origins) == {
        *named, "W",
    }  # fmt: skip
    both = np.hstack([origins, origins[:, :n].sum(axis=1, keepdims=True)])
    sums = totals_of_flows(*_listed([*codes, *named, "W"], [*codes, "W"], both))
    assert set(sums.origins) == {*named, "W"}
    assert sums.destinations == ("W",)
    origins[n, int(origins[n].argmax())] -= 1
    assert "R0" not in totals_of_flows(*_listed([*codes, *named, "W"], codes, origins)).origins


@pytest.mark.parametrize(("spoil", "n"), [("rounded", 20), ("hidden", 9)])
def test_totals_with_rounded_or_unpublished_parts_are_found(spoil: str, n: int) -> None:
    ends = [f"d{k}" for k in range(20)]
    flows = np.array(_numbers(6, 20 * n), dtype=np.float64).reshape(n, 20)
    group = np.arange(n) % 3
    upper = np.vstack([flows[group == k].sum(axis=0) for k in range(3)])
    whole = np.vstack([flows, upper, flows.sum(axis=0)])
    if spoil == "rounded":
        whole = 10 * (3.7 * whole).round()
    else:
        whole[4:6, :3] = 0
    named = [*(f"c{k}" for k in range(n)), "R0", "R1", "R2", "W"]
    assert set(totals_of_flows(*_listed(named, ends, whole)).origins) == set(named[n:])


def _gravity(n: int, salt: int, within: float = 1.5) -> np.ndarray[tuple[int, int], np.dtype[Any]]:
    """Flows between places of which each has more within itself than from any other."""
    rng = np.random.default_rng([salt, n])
    place, size = rng.random((n, 2)), rng.lognormal(0, 1, n)
    distance = np.hypot(*(place[:, None] - place[None]).transpose(2, 0, 1)) + 0.02
    flows = size[:, None] * size / distance**1.5
    np.fill_diagonal(flows, within * flows.sum(axis=1))
    return rng.poisson(flows * 1e4 * n / flows.sum()).astype(np.float64)


def _all_totals(
    starts: list[str], ends: list[str], flows: np.ndarray[tuple[int], np.dtype[np.float64]]
) -> set[str]:
    """The codes of all totals, found one after the other as a person leaves them out."""
    codes: set[str] = set()
    while sums := totals_of_flows(starts, ends, flows):
        codes |= {*sums.origins, *sums.destinations}
        kept = [a not in codes and b not in codes for a, b in zip(starts, ends, strict=True)]
        starts = [a for a, keep in zip(starts, kept, strict=True) if keep]
        ends = [b for b, keep in zip(ends, kept, strict=True) if keep]
        flows = flows[np.array(kept)]
    return codes


@pytest.mark.parametrize("both", [False, True])
@pytest.mark.parametrize("least", [0, 5, 20])
@pytest.mark.parametrize("n", [40, 120, pytest.param(360, marks=pytest.mark.slow)])
def test_regional_totals_are_found_where_most_of_their_parts_are_unpublished(
    n: int, least: int, both: bool
) -> None:
    flows = _gravity(n, 3)
    group = np.arange(n) % 5
    upper = [flows[group == k].sum(axis=0) for k in range(5)]
    whole = np.vstack([flows, *upper, flows.sum(axis=0)])
    codes = [f"c{k:04d}" for k in range(n)]
    named = [*(f"t{k:04d}" for k in range(6))]
    ends = list(codes)
    if both:
        across = [whole[:, group == k].sum(axis=1) for k in range(5)]
        whole = np.column_stack([whole, *across, whole.sum(axis=1)])
        ends += named
    whole[whole < least] = 0
    assert _all_totals(*_listed([*codes, *named], ends, whole)) == set(named)
    alone = np.where(flows < least, 0, flows)
    assert not totals_of_flows(*_listed(codes, codes, alone))


@pytest.mark.parametrize("stem", ["{0}", "{0}000"])
def test_totals_whose_codes_begin_those_of_their_parts_are_found(stem: str) -> None:
    """Flows between different places, so that none has flows within itself."""
    flows = _gravity(60, 4, within=0)
    group = np.arange(60) % 4
    upper = [flows[group == k].sum(axis=0) for k in range(4)]
    whole = np.vstack([flows, *upper])
    codes = [f"{group[k] + 1}{k + 101:03d}" for k in range(60)]
    named = [stem.format(k + 1) for k in range(4)]
    whole[whole < 20] = 0
    assert _all_totals(*_listed([*codes, *named], codes, whole)) == set(named)
    assert not totals_of_flows(*_listed(codes, codes, whole[:60]))


def test_totals_of_unpublished_parts_are_asked_about_with_another_answer(tmp_path: Path) -> None:
    flows = _gravity(30, 5)
    upper = [flows[np.arange(30) % 3 == k].sum(axis=0) for k in range(3)]
    whole = np.vstack([flows, *upper])
    whole[whole < 12] = 0
    whole[30:] += 2  # trips from places that are not listed
    codes = [f"{k + 1001}" for k in range(30)]
    starts, ends, trips = _listed([*codes, "2001", "2002", "2003"], codes, whole)
    rows = zip(starts, ends, trips.astype(int), strict=True)
    text = "origin,destination,trips\n" + "".join(f"{a},{b},{n}\n" for a, b, n in rows)
    asked = read_text(tmp_path, text)
    out, areas = offered(asked)
    assert out == {"leave_out": ("origin=2001", "origin=2002", "origin=2003")}
    assert areas == {"totals": "none"}
    left = read_text(tmp_path, text, **out)
    assert left.table is not None
    assert left.table.values.sum() == whole[:30].sum()
    kept = read_text(tmp_path, text, **areas)
    assert kept.table is not None
    assert kept.table.values.sum() == whole.sum()


def test_lists_of_flows_with_equal_sums_are_counted_once() -> None:
    codes, flows = _cube(20)
    starts, ends, values = _listed(codes, codes, flows)
    whole = totals_of_flows([*starts, "W"], [*ends, "W"], np.append(values, values.sum()))
    assert (whole.origins, whole.destinations) == (("W",), ("W",))
    assert not totals_of_flows([*starts, "W"], [*ends, "W"], np.append(values, values.sum() - 1))


def _twice(swap: bool) -> str:
    numbers = iter(_numbers(8, 81))
    flows = [(a, b, next(numbers)) for a in _TOWNS for b in _TOWNS]
    rows = [("OUT", *flow) for flow in flows]
    rows += [("IN", b, a, n) if swap else ("IN", a, b, n) for a, b, n in flows]
    return _lines("side,home,work,people", rows)


@pytest.mark.parametrize("swap", [False, True])
def test_flows_that_stand_twice_are_never_added_up(tmp_path: Path, swap: bool) -> None:
    text = _twice(swap)
    once = sum(_numbers(8, 81))
    asked = read_text(tmp_path, text)
    assert offered(asked) == [{"keep": ("side=OUT",)}, {"keep": ("side=IN",)}]
    assert total(read_text(tmp_path, text, levels=("home",), count="people", add_up=True,
                           keep=("side=OUT",))) == once  # fmt: skip
    for stated in (
        {"kind": "flows", "levels": ("home",), "destinations": ("work",), "add_up": True},
        {"levels": ("home",), "count": "people", "add_up": True},
        {"levels": ("side", "home"), "count": "people", "within": True, "add_up": True},
    ):
        assert read_text(tmp_path, text, **stated).table is None, stated


def test_numbers_that_differ_are_no_repetition(tmp_path: Path) -> None:
    numbers = _numbers(9, 18)
    rows = [(town, kind, numbers[2 * k + j]) for k, town in enumerate(_TOWNS)
            for j, kind in enumerate("ab")]  # fmt: skip
    reading = read_text(tmp_path, _lines("town,kind,people", rows), levels=("town",), add_up=True)
    assert total(reading) == sum(numbers)


# ------------------------------------------------------------------------------- kept values


def _kinds() -> str:
    rows = [(town, kind, 100 * k + j) for k, town in enumerate(_TOWNS, start=3)
            for j, kind in enumerate(("TOWN", "VILLAGE", "CAMP"))]  # fmt: skip
    return _lines("district,type,people", rows)


def test_several_kept_values_of_one_column_are_added_up(tmp_path: Path) -> None:
    kept = ("type=TOWN", "type=VILLAGE")
    reading = read_text(tmp_path, _kinds(), keep=kept)
    assert total(reading) == sum(2 * 100 * k + 1 for k in range(3, 12))
    assert total(read_text(tmp_path, _kinds(), keep=kept[:1])) == sum(100 * k for k in range(3, 12))


def test_several_values_in_one_condition_are_named(tmp_path: Path) -> None:
    reading = read_text(tmp_path, _kinds(), keep=("type=TOWN,VILLAGE",))
    (fault,) = reading.report.faults
    assert 'no row has "TOWN,VILLAGE" in column "type"' in fault.sentence
    assert "type=TOWN,type=VILLAGE" in fault.sentence


# --------------------------------------------------------------------- levels, names and units


def test_levels_that_are_no_origins_are_those_of_people(tmp_path: Path) -> None:
    rows = [(f"{e:02d}", f"{m:03d}", f"Mun{e}{m}", f"{k:04d}",
             f"Mun{e}{m}" if k == 1 else f"Loc{k}", 40 * e + 7 * m + k)
            for e in (1, 2, 3) for m in (1, 2, 3) for k in (1, 2, 3)]  # fmt: skip
    text = _lines("ENTIDAD,MUN,NOM_MUN,LOC,NOM_LOC,POBTOT", rows)
    levels = ("ENTIDAD", "MUN", "LOC")
    reading = read_text(tmp_path, text, levels=levels, within=True)
    assert total(reading) == sum(int(str(row[-1])) for row in rows)
    assert reading.table is not None
    assert reading.table.kind == "counts"
    assert read_text(tmp_path, text).table is not None


def test_flows_with_fewer_levels_are_offered_at_both_ends(tmp_path: Path) -> None:
    places = [("N", "Ash"), ("N", "Elm"), ("N", "Oak"), ("S", "Ash"), ("S", "Fir"), ("E", "Elm")]
    numbers = iter(_numbers(12, 36))
    rows = [(*a, *b, next(numbers)) for a in places for b in places]
    text = _lines("home_region,home_town,work_region,work_town,people", rows)
    reading = read_text(tmp_path, text)
    assert fault_ids(reading) == ["two-parents"]
    whole = sum(int(str(row[-1])) for row in rows)
    for stated in offered(reading):
        answered = read_text(tmp_path, text, **stated)
        assert answered.table is not None, (stated, answered.report.lines())
        assert int(answered.table.values.sum()) == whole


@pytest.mark.parametrize(
    ("name", "unit"),
    [
        ("Total households by number of persons", "households"),
        ("Haushalte nach Zahl der Personen", "households"),
        ("persons in households", ""),
    ],
)
def test_what_is_counted_stands_before_its_attribute(name: str, unit: str) -> None:
    assert counted_unit(name)[0] == unit


@pytest.mark.parametrize(
    "name",
    ["Median pay", "Revenu moyen", "Medianlohn", "Renta media", "Rendimento médio", "Età media",
     "Gemiddelde leeftijd", "Medelålder", "Gennemsnitsindkomst", "Gjennomsnittsalder", "Keskitulo",
     "Stopa bezrobocia", "Ortalama gelir", "失業率"],
)  # fmt: skip
def test_averages_and_shares_are_no_counts(name: str) -> None:
    cells = {"area": list(_TOWNS), name: [str(n) for n in _numbers(1, 9)]}
    columns = tuple(pa.array(column, pa.string()) for column in cells.values())
    facts = SheetFacts(Sheet(file="t.csv", names=tuple(cells), columns=columns))
    assert named_as_a_measure(facts[name])
    assert rank_counts(facts, [name]).best == ""


@pytest.mark.parametrize("name", ["Ensino médio", "Medelpad", "Andelsboliger", "Part-time jobs",
                                  "Szkoły średnie"])  # fmt: skip
def test_words_that_only_begin_like_averages_are_no_measures(name: str) -> None:
    column = SheetFacts(Sheet(file="t.csv", names=(name,), columns=(pa.array(["12"]),)))[name]
    assert not named_as_a_measure(column)


@pytest.mark.parametrize(("changed", "noted"), [(0, True), (1, False)])
def test_flows_that_are_equal_in_both_directions_are_noted(
    tmp_path: Path, changed: int, noted: bool
) -> None:
    number = np.random.default_rng(5).integers(900, 9_000, (len(_TOWNS), len(_TOWNS)))
    number += number.T
    number[3, 1] += changed
    rows = [
        (one, other, number[k, j])
        for k, one in enumerate(_TOWNS)
        for j, other in enumerate(_TOWNS)
        if k != j
    ]
    reading = read_text(tmp_path, _lines("origin,destination,trips", rows))
    assert isinstance(reading.table, Flows)
    assert reading.table.pairs.values.sum() == sum(row[2] for row in rows)
    assert ("both-directions" in {finding.id for finding in reading.report.findings}) == noted


# ------------------------------------------------------------------- totals wider than their parts

_AREAS = tuple(f"Area {k}" for k in range(12))
_OWN = dict(zip(_AREAS, _numbers(71, 12), strict=True))


@pytest.mark.parametrize(
    ("name", "code"), [("Canada", "11124"), ("Česko", "19"), ("The whole", "0"), ("Whole", "AR")]
)
def test_a_country_wider_than_its_listed_parts_is_no_area_beside_them(
    tmp_path: Path, name: str, code: str
) -> None:
    parts = [(f"AR{k + 10}", area, n) for k, (area, n) in enumerate(_OWN.items())]
    text = _lines("code,area,people", [(code, name, 900_000), *parts])
    reading = read_text(tmp_path, text, levels=("code",), names=("area",))
    assert fault_ids(reading) == ["outsized-area"]
    (answer,) = offered(reading)
    assert answer == {"leave_out": (f"code={code}",)}
    assert total(read_text(tmp_path, text, levels=("code",), **answer)) == sum(_OWN.values())


def test_a_country_beside_upper_areas_from_sums_is_reported(tmp_path: Path) -> None:
    rows: list[tuple[str, int]] = [("Canada", 900_000)]
    for k in range(3):
        own = _AREAS[4 * k : 4 * k + 4]
        rows += [(f"Province {k}", sum(_OWN[a] for a in own)), *((a, _OWN[a]) for a in own)]
    text = _lines("area,people", rows)
    reading = read_text(tmp_path, text, levels=("area",), outline="sums")
    assert fault_ids(reading) == ["outsized-area"]
    out = read_text(tmp_path, text, levels=("area",), outline="sums", leave_out=("area=Canada",))
    assert total(out) == sum(_OWN.values())


@pytest.mark.parametrize("names", [("Paris", "Lyon"), ("Germany", "France")])
def test_a_large_area_among_its_equals_is_kept(tmp_path: Path, names: tuple[str, str]) -> None:
    rows = [(names[0], 900_000), (names[1], 5_000), *_OWN.items()]
    reading = read_text(tmp_path, _lines("area,people", rows), levels=("area",))
    assert total(reading) == 905_000 + sum(_OWN.values())


@pytest.mark.parametrize("blank", [False, True])
def test_exact_totals_cannot_be_kept_beside_their_parts(tmp_path: Path, blank: bool) -> None:
    rows: list[tuple[str, object]] = [("Utopia", sum(_OWN.values()))]
    rows += [("Gap", "")] if blank else []
    for k in range(4):
        own = _AREAS[3 * k : 3 * k + 3]
        rows += [(f"Upper {k}", sum(_OWN[a] for a in own)), *((a, _OWN[a]) for a in own)]
    stated: dict[str, Any] = {"outline": "none"} | ({"missing": "left out"} if blank else {})
    text = _lines("area,people", rows)
    reading = read_text(tmp_path, text, levels=("area",), **stated)
    assert reading.table is None
    assert fault_ids(reading)
    assert {"totals": "none"} not in offered(reading)
    assert "none" not in " ".join(fault.remedy for fault in reading.report.faults)
