"""Names and codes that repeat below several regions: the deepest nesting is read or offered."""

from pathlib import Path
from typing import Any

import pytest

from hierdp_core.tables import Flows
from tests.support.answers import offered, read_text, total

_PROVINCES = {
    "Norte": {
        "San José": ("Alto", "Bajo"),
        "Rivera": ("Cerro", "Duna"),
        "Artigas": ("Era", "Faro"),
    },
    "Sur": {"San José": ("Gala", "Hito"), "Maldonado": ("Isla", "Jara")},
    "Este": {"Rocha": ("Kilo", "Loma"), "San José": ("Monte", "Nido"), "Treinta": ("Oro", "Pino")},
}
_PLACES = [(up, mid, low) for up, mids in _PROVINCES.items() for mid, lows in mids.items()
           for low in lows]  # fmt: skip
_COUNTS = [1030 + 217 * k for k in range(len(_PLACES))]


def _text(header: str, rows: list[tuple[object, ...]]) -> str:
    return "\n".join(",".join(map(str, row)) for row in [tuple(header.split(",")), *rows])


def test_names_of_a_middle_level_that_repeat_are_offered_with_all_levels(tmp_path: Path) -> None:
    rows = [(*place, n) for place, n in zip(_PLACES, _COUNTS, strict=True)]
    reading = read_text(tmp_path, _text("provincia,municipio,barrio,habitantes", rows))
    first = offered(reading)[0]
    assert first == {"levels": ("provincia", "municipio", "barrio"), "within": True}
    answered = read_text(tmp_path, _text("provincia,municipio,barrio,habitantes", rows), **first)
    assert answered.table is not None
    assert answered.table.regions.tree.n_levels == 4
    assert len(answered.table.regions.ids) == 1 + 3 + 8 + 16


def test_names_of_four_levels_that_repeat_are_offered_with_all_levels(tmp_path: Path) -> None:
    rows = [("AB"[k // 8], *place, n)
            for k, (place, n) in enumerate(zip(_PLACES, _COUNTS, strict=True))]  # fmt: skip
    reading = read_text(tmp_path, _text("country,province,district,village,people", rows))
    levels = [c.get("levels") for c in offered(reading)]
    assert ("country", "province", "district", "village") in levels


@pytest.mark.parametrize("sizes", [False, True])
def test_a_name_below_two_regions_is_resolved_in_a_short_table(tmp_path: Path, sizes: bool) -> None:
    """The rows are distinguished by both levels, as in a long table, so the names are no error."""
    pairs = [*list(dict.fromkeys((up, mid) for up, mid, _ in _PLACES))[:-2], ("Este", "Treinta")]
    numbers = [[n, n // 2, n // 3] for n in _COUNTS[: len(pairs)]]
    header = "1 person,2 persons,3 persons or more" if sizes else "people"
    rows = [(*pair, *(own if sizes else own[:1])) for pair, own in zip(pairs, numbers, strict=True)]
    reading = read_text(tmp_path, _text(f"state,county,{header}", rows))
    assert reading.table is not None, reading.report.lines()
    assert reading.table.regions.tree.n_leaves == len(pairs)
    assert any("different" in guess for guess in reading.guesses)


def test_a_row_by_size_below_another_region_is_an_error(tmp_path: Path) -> None:
    """One of five rows of a town names another state: that is no second town."""
    rows: list[tuple[object, ...]] = []
    for up, towns in (("North", ("Ash", "Birch", "Cedar")), ("South", ("Elm", "Fir", "Oak"))):
        rows += [("South" if (town, size) == ("Ash", 3) else up, town, size, 90 + 7 * size)
                 for town in towns for size in range(1, 6)]  # fmt: skip
    reading = read_text(tmp_path, _text("state,county,household size,households", rows))
    assert reading.table is None
    assert any(fault.id == "two-parents" for fault in reading.report.faults)


def test_codes_that_start_again_do_not_hide_the_level_above(tmp_path: Path) -> None:
    """Codes of parishes start again in each county, and counties lie within regions."""
    rows = []
    counties = [(region, county) for region in (11, 12, 13) for county in (1, 2)]
    for k, (region, county) in enumerate(counties):
        rows += [(f"R{region}", f"C{region}{county}", f"{parish:03d}", f"Parish {k}{parish}",
                  800 + 31 * k + parish) for parish in (1, 2, 4 + k % 2)]  # fmt: skip
    text = _text("region code,county code,parish code,name of the parish,people", rows)
    reading = read_text(tmp_path, text)
    assert reading.table is not None, reading.report.lines()
    assert reading.table.regions.tree.n_levels == 4
    assert total(reading) == sum(int(row[-1]) for row in rows)


_ENDS = [("Uri", "U1"), ("Uri", "U2"), ("Zug", "Z1"), ("Zug", "Z2"), ("Jura", "J1"),
         ("Jura", "J2"), ("Bern", "B1"), ("Bern", "B2")]  # fmt: skip


@pytest.mark.parametrize(
    "header",
    [
        "KT_WOHN,GM_WOHN,KT_ARB,GM_ARB,VALUE",
        "Kanton A,Gemeinde A,Kanton B,Gemeinde B,VALUE",
        "top1,low1,upper,lower,VALUE",
    ],
)
def test_two_levels_at_each_end_of_flows_are_read_or_offered(tmp_path: Path, header: str) -> None:
    rows = [(*start, *end, 40 + 13 * j + 7 * k)
            for j, start in enumerate(_ENDS) for k, end in enumerate(_ENDS)
            if (j + k) % 5]  # fmt: skip
    text = _text(header, rows)
    start = tuple(header.split(",")[:2])
    reading = read_text(tmp_path, text)
    stated: dict[str, Any] = {}
    if reading.table is None:
        stated = next(c for c in offered(reading) if c.get("kind") == "flows")
        assert stated["levels"] == start
        reading = read_text(tmp_path, text, **stated)
    assert isinstance(reading.table, Flows)
    assert reading.table.regions.tree.n_levels == 3
    assert reading.table.regions.tree.n_leaves == len(_ENDS)
    single = {"kind": "flows", "levels": start[:1], "add_up": True}
    if stated:
        assert any(single.items() <= c.items() for c in offered(read_text(tmp_path, text)))


def test_classes_of_schools_come_first_below_their_schools(tmp_path: Path) -> None:
    rows = [(f"Lean {k // 2}", f"Scoil {k}", f"Rang {c}", 14 + 3 * k + c)
            for k in range(6) for c in range(1, 8)]  # fmt: skip
    reading = read_text(tmp_path, _text("Contae,Scoil,Rang,Daltaí", rows), count="Daltaí")
    first = offered(reading)[0]
    assert first == {"levels": ("Contae", "Scoil", "Rang"), "within": True}
