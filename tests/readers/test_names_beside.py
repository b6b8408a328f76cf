"""Columns of names beside codes, which some regions may share, at every level and end of flows."""

import json
from itertools import product
from pathlib import Path

from hierdp_core.readers.reading import read_here
from hierdp_core.readers.result import Reading
from hierdp_core.tables import Flows
from tests.support.answers import read_text

_STATES = {"11": "Ash", "12": "Birch", "13": "Cedar"}
_TOWNS = ("Union", "Elm", "Fir", "Oak", "Pine")


def _rows(code: str = "{state}{k:03}") -> list[tuple[str, str, str, str]]:
    """Towns of three states; the town Union is in two of them."""
    return [
        (state, name, code.format(state=state, k=k), town if town == "Union" and state != "13"
         else f"{town} {state}")
        for state, name in _STATES.items() for k, town in enumerate(_TOWNS)
    ]  # fmt: skip


def _named(reading: Reading, level: int) -> list[str]:
    assert reading.table is not None, reading.report.lines()
    regions = reading.table.regions
    return list(regions.names[regions.tree.level(level)])


def _text(header: str, rows: list[tuple[str, ...]]) -> str:
    body = [",".join((*row, str(40 + 7 * k))) for k, row in enumerate(rows)]
    return "\n".join([f"{header},people", *body])


def test_a_name_of_two_towns_stays_the_name_of_both(tmp_path: Path) -> None:
    text = _text("codigo_state,state,codigo_town,town", _rows())
    reading = read_text(tmp_path, text)
    assert _named(reading, 1) == ["Ash", "Birch", "Cedar"]
    assert _named(reading, 2)[:6] == ["Union", "Elm 11", "Fir 11", "Oak 11", "Pine 11", "Union"]
    assert 'names are in "state", "town"' in reading.guesses


def test_codes_called_otherwise_than_names_have_them_still(tmp_path: Path) -> None:
    text = _text("STATEA,STATE,GISJOIN,COUNTY", _rows("G{state}{k:04}"))
    reading = read_text(tmp_path, text)
    assert _named(reading, 1) == ["Ash", "Birch", "Cedar"]
    assert _named(reading, 2).count("Union") == 2


def test_a_list_of_sums_has_its_names(tmp_path: Path) -> None:
    rows = [("0000000", "Country", 3 * 4 * 100)]
    for s in (1, 2, 3):
        rows.append((f"0{s}00000", f"State {s}", 400))
        rows += [(f"0{s}0{k}000", "Union" if (s, k) in ((1, 1), (2, 3)) else f"Town {s}{k}",
                  70 + 20 * k) for k in range(1, 5)]  # fmt: skip
        rows[-4:] = [(c, n, v - 20) for c, n, v in rows[-4:]]
    text = "\n".join(["Kod;Nazwa;people", *(f'"{c}";"{n}";{v}' for c, n, v in rows)])
    text = text.replace("1200", str(3 * sum(50 + 20 * k for k in range(1, 5))))
    text = text.replace(";400", f";{sum(50 + 20 * k for k in range(1, 5))}")
    reading = read_text(tmp_path, text)
    assert _named(reading, 2).count("Union") == 2
    assert _named(reading, 1) == ["State 1", "State 2", "State 3"]


def test_numbers_after_an_apostrophe_are_codes_with_names(tmp_path: Path) -> None:
    rows = [(a, c, "'22" + d[1:].zfill(4), e) for a, _, d, e in _rows() for c in [f"D{a}"]]
    text = _text("County Name,District Name,Campus Number,Campus Name", rows)
    reading = read_text(tmp_path, text)
    assert reading.table is not None, reading.report.lines()
    assert _named(reading, reading.table.regions.tree.n_levels - 1).count("Union") == 2
    (shown,) = [f for f in reading.report.corrections if f.id == "apostrophe"]
    assert shown.what == (
        'an apostrophe before digits in column "Campus Number" was removed (15 cells)'
    )
    assert not any("'" in code for code in reading.table.regions.ids)
    assert not any(f.id == "trimmed" for f in reading.report.corrections)


def test_an_attribute_of_a_town_is_not_its_name(tmp_path: Path) -> None:
    rows = [(*row[:3], f"Person {k}") for k, row in enumerate(_rows())]
    reading = read_text(tmp_path, _text("state_code,state,town_code,mayor_name", rows))
    assert "mayor_name" not in str(reading.layout)


def test_names_that_are_not_used_are_told(tmp_path: Path) -> None:
    rows = [row for row in _rows() for _ in range(2)]
    rows[2] = (*rows[2][:3], "Elm (new name)")
    text = "\n".join(
        ["town_code,town_name,sex,people",
         *(f"{c},{n},{'fm'[k % 2]},{40 + k}" for k, (_, _, c, n) in enumerate(rows))]
    )  # fmt: skip
    reading = read_text(tmp_path, text, levels=("town_code",), add_up=True)
    assert any("town_name" in line and "not used" in line for line in reading.guesses) or (
        reading.layout is not None and "town_name" in reading.layout.names
    )


def _trips() -> str:
    places = {f"X{k}": name for k, name in enumerate(("Union", "Elm", "Fir", "Union", "Oak"))}
    rows = [
        f"{one},{places[one]},{other},{places[other]},{7 + 3 * k}"
        for k, (one, other) in enumerate(product(places, [*places][:4]))
    ]
    return "\n".join(["home code,home label,work code,work label,trips", *rows])


def test_places_of_flows_are_called_by_the_labels_at_both_ends(tmp_path: Path) -> None:
    stated = {"kind": "flows", "levels": ("home code",), "destinations": ("work code",)}
    reading = read_text(tmp_path, _trips(), **stated)
    assert isinstance(reading.table, Flows)
    names = reading.table.regions.names
    assert sorted(names[1:]) == ["Elm", "Fir", "Oak", "Union", "Union"]
    assert reading.layout is not None
    assert reading.layout.names == ("home label", "work label")
    again = read_text(tmp_path, _trips(), **reading.layout.words)
    assert isinstance(again.table, Flows)
    assert again.table.regions.names == names


def test_names_of_an_upper_level_come_from_the_boundaries(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text(
        "geoid,people\n" + "\n".join(f"{s}00{k},{50 + k}" for s in ("NUA", "NUB") for k in range(3))
    )
    features = []
    for i, s in enumerate(("NUA", "NUB")):
        for k in range(3):
            x, y = k, i
            square = [[x, y], [x + 1, y], [x + 1, y + 1], [x, y + 1], [x, y]]
            features.append({
                "type": "Feature",
                "properties": {"code": f"{s}00{k}", "name": f"Town {s}{k}",
                               "region_name": f"Region {s}", "kind": "town"},
                "geometry": {"type": "Polygon", "coordinates": [square]},
            })  # fmt: skip
    path = tmp_path / "b.geojson"
    path.write_text(json.dumps({"type": "FeatureCollection", "features": features}))
    stated = {"levels": ("geoid",), "prefix": (3, 6), "level_names": ("region", "town")}
    reading = read_here([tmp_path / "t.csv", path], stated=stated)
    assert _named(reading, 2)[0] == "Town NUA0"
    assert _named(reading, 1) == ["Region NUA", "Region NUB"]


def _french_trips() -> str:
    towns = {"2A004": "Ajaccio", "2B033": "Bastia", "01053": "Bourg-en-Bresse", "69123": "Lyon"}
    rows = [
        f"{one};{towns[one]};{other};{towns[other]};{61 + 7 * k}"
        for k, (one, other) in enumerate(product(towns, towns))
    ]
    return "\n".join(["CODGEO;LIBGEO;DCLT;L_DCLT;NBFLUX", *rows])


def test_codes_of_a_known_system_at_both_ends_have_their_names(tmp_path: Path) -> None:
    stated = {"kind": "flows", "levels": ("CODGEO",), "destinations": ("DCLT",), "count": "NBFLUX"}
    reading = read_text(tmp_path, _french_trips(), **stated)
    assert any('names are in "LIBGEO", "L_DCLT"' in line for line in reading.guesses)
    assert sorted(_named(reading, 2)) == ["Ajaccio", "Bastia", "Bourg-en-Bresse", "Lyon"]
    assert _named(reading, 1)[0] == "2A"


def test_codes_of_upper_and_lower_rows_have_the_names_beside_them(tmp_path: Path) -> None:
    lines = ["地域コード,都道府県名,市区町村名,総人口"]
    for code, prefecture, towns in (
        ("01", "北海道", "札幌市 函館市 小樽市 旭川市"),
        ("13", "東京都", "千代田区 中央区 港区 八王子市"),
        ("47", "沖縄県", "那覇市 宜野湾市 石垣市 竹富町"),
    ):
        numbers = [int(code) * 97 + 411 * k + 30 for k in range(1, 5)]
        lines.append(f"{code}000,{prefecture},,{sum(numbers)}")
        lines += [
            f"{code}{100 + 3 * k},{prefecture},{town},{number}"
            for k, (town, number) in enumerate(zip(towns.split(), numbers, strict=True))
        ]
    reading = read_text(tmp_path, "\n".join(lines), count="総人口")
    assert _named(reading, 1) == ["北海道", "東京都", "沖縄県"]
    assert _named(reading, 2)[:2] == ["札幌市", "函館市"]
    assert reading.table is not None
    assert reading.table.regions.levels == ("total", "prefecture", "municipality")
    assert reading.layout is not None
    again = read_text(tmp_path, "\n".join(lines), **reading.layout.words)
    assert again.table is not None, again.report.lines()
    assert again.table.regions.names == reading.table.regions.names
