"""Columns of names beside codes of known systems: each level has the names of its own column."""

from pathlib import Path

import pytest

from hierdp_core.readers.reading import read_here
from hierdp_core.readers.result import Reading
from hierdp_core.tables import GroupSizes
from tests.support.answers import read_text, total

_JAPAN = {
    "01": ("北海道", {"101": "札幌市", "202": "函館市", "203": "小樽市"}),
    "13": ("東京都", {"101": "千代田区", "102": "中央区", "206": "府中市"}),
    "34": ("広島県", {"100": "広島市", "202": "呉市", "208": "府中市"}),
}
_FRANCE = {
    "01": ("Ain", {"004": "Ambérieu-en-Bugey", "053": "Bourg-en-Bresse", "283": "Oyonnax"}),
    "2A": ("Corse-du-Sud", {"004": "Ajaccio", "041": "Bonifacio", "247": "Porto-Vecchio"}),
    "69": ("Rhône", {"123": "Lyon", "259": "Vénissieux", "266": "Villeurbanne"}),
}
_STATES = {
    "01": ("Alabama", {"001": "Autauga", "003": "Baldwin", "133": "Winston"}),
    "05": ("Arkansas", {"001": "Arkansas", "003": "Ashley", "029": "Conway"}),
    "19": ("Iowa", {"001": "Adair", "003": "Adams", "197": "Wright"}),
}
_GERMANY = {
    "03": ("Niedersachsen", {"101": "Braunschweig", "241": "Region Hannover", "454": "Emsland"}),
    "09": ("Bayern", {"161": "Ingolstadt", "162": "München", "184": "München"}),
}
_Places = dict[str, tuple[str, dict[str, str]]]


def _table(places: _Places, header: str, row: str, **changed: str) -> str:
    """A line for each place: {code}, {top}, {upper}, {lower} and {n} stand in `row`."""
    lines, k = [header], 0
    for top, (upper, below) in places.items():
        for rest, lower in below.items():
            k += 1
            name = changed.get(f"c{top}{rest}", lower)
            shown = row.format(code=top + rest, top=top, upper=upper, lower=name, n=211 + 37 * k)
            lines.append(shown)
    return "\n".join(lines)


def _named(reading: Reading, level: int) -> list[str]:
    assert reading.table is not None, reading.report.lines()
    regions = reading.table.regions
    return list(regions.names[regions.tree.level(level)])


def _uppers(places: _Places) -> list[str]:
    return [upper for upper, _ in places.values()]


def _lowers(places: _Places) -> list[str]:
    return [name for _, below in places.values() for name in below.values()]


def _codes(places: _Places) -> list[str]:
    return [top + rest for top, (_, below) in places.items() for rest in below]


@pytest.mark.parametrize(
    ("places", "header", "levels"),
    [
        (_JAPAN, "団体コード,都道府県名,市区町村名,総人口", ("prefecture", "municipality")),
        (_FRANCE, "CODGEO,nom_departement,nom_commune,population", ("département", "commune")),
        (_FRANCE, "code_commune,departement,LIBGEO,population", ("département", "commune")),
        (_STATES, "fips,state,county,population", ("state", "county")),
        (_GERMANY, "AGS,Bundesland,Kreis,Einwohner", ("state", "district")),
        (_GERMANY, "AGS,Land,Landkreis,Einwohner", ("state", "district")),
        (_FRANCE, "insee,department,municipality,population", ("département", "commune")),
    ],
)
def test_each_level_has_the_names_of_its_column(
    tmp_path: Path, places: _Places, header: str, levels: tuple[str, ...]
) -> None:
    text = _table(places, header, "{code},{upper},{lower},{n}")
    reading = read_text(tmp_path, text)
    assert _named(reading, 1) == _uppers(places)
    assert _named(reading, 2) == _lowers(places)
    assert reading.table is not None
    assert reading.table.regions.levels[1:] == levels
    assert list(reading.table.regions.ids[reading.table.regions.tree.leaves]) == _codes(places)
    numbers = [line.rpartition(",")[2] for line in text.splitlines()[1:]]
    assert total(reading) == sum(map(int, numbers))
    assert reading.layout is not None
    again = read_text(tmp_path, text, **reading.layout.words)
    assert again.table is not None, again.report.lines()
    assert again.table.regions.names == reading.table.regions.names


def test_names_stand_in_any_order_beside_one_column_for_each_size(tmp_path: Path) -> None:
    header = "county,state,fips,hh_1,hh_2,hh_3,hh_4_plus"
    reading = read_text(tmp_path, _table(_STATES, header, "{lower},{upper},{code},{n},31,12,5"))
    assert isinstance(reading.table, GroupSizes)
    assert _named(reading, 1) == _uppers(_STATES)
    assert _named(reading, 2) == _lowers(_STATES)


def test_names_of_the_lowest_level_alone_leave_codes_above(tmp_path: Path) -> None:
    reading = read_text(
        tmp_path, _table(_JAPAN, "団体コード,市区町村名,総人口", "{code},{lower},{n}")
    )
    assert _named(reading, 1) == [*_JAPAN]
    assert _named(reading, 2) == _lowers(_JAPAN)


@pytest.mark.parametrize(
    ("places", "header"),
    [
        (_JAPAN, "団体コード,都道府県名,総人口"),
        (_FRANCE, "CODGEO,nom_departement,population"),  # was taken as the name of each commune
        (_GERMANY, "AGS,Bundesland,Einwohner"),
    ],
)
def test_names_of_the_upper_level_alone_leave_codes_below(
    tmp_path: Path, places: _Places, header: str
) -> None:
    reading = read_text(tmp_path, _table(places, header, "{code},{upper},{n}"))
    assert _named(reading, 1) == _uppers(places)
    assert _named(reading, 2) == _codes(places)


def test_two_municipalities_of_one_name_keep_it(tmp_path: Path) -> None:
    header = "団体コード,都道府県名,市区町村名,総人口"
    reading = read_text(tmp_path, _table(_JAPAN, header, "{code},{upper},{lower},{n}"))
    assert _named(reading, 2).count("府中市") == 2
    header = "AGS,Bundesland,Kreis,Einwohner"
    reading = read_text(tmp_path, _table(_GERMANY, header, "{code},{upper},{lower},{n}"))
    assert _named(reading, 2).count("München") == 2


def test_a_column_that_names_a_prefecture_twice_is_not_used(tmp_path: Path) -> None:
    header = "団体コード,都道府県名,市区町村名,総人口"
    text = _table(_JAPAN, header, "{code},{upper},{lower},{n}").replace(
        "01202,北海道", "01202,北海道庁", 1
    )
    reading = read_text(tmp_path, text)
    assert _named(reading, 1) == [*_JAPAN]
    assert _named(reading, 2) == _lowers(_JAPAN)


def test_a_column_that_names_a_municipality_twice_is_not_used(tmp_path: Path) -> None:
    header = "団体コード,都道府県名,市区町村名,男女,総人口"
    text = "\n".join(
        [header]
        + [
            f"{top}{rest},{upper},{lower if sex == '男' else lower + '外'},{sex},{77 + 3 * k}"
            for top, (upper, below) in _JAPAN.items()
            for k, (rest, lower) in enumerate(below.items())
            for sex in "男女"
        ]
    )
    reading = read_text(tmp_path, text, levels=("団体コード",), add_up=True, count="総人口")
    assert _named(reading, 1) == _uppers(_JAPAN)
    assert _named(reading, 2) == _codes(_JAPAN)


def test_a_blank_name_leaves_the_code(tmp_path: Path) -> None:
    header = "団体コード,都道府県名,市区町村名,総人口"
    text = _table(_JAPAN, header, "{code},{upper},{lower},{n}", c13102="", c01101="")
    reading = read_text(tmp_path, text)
    assert _named(reading, 1) == _uppers(_JAPAN)
    named = ["01101", "函館市", "小樽市", "千代田区", "13102", "府中市", "広島市", "呉市", "府中市"]
    assert _named(reading, 2) == named


def test_a_blank_name_of_the_first_municipality_is_taken_from_the_next(tmp_path: Path) -> None:
    header = "団体コード,都道府県名,市区町村名,総人口"
    text = _table(_JAPAN, header, "{code},{upper},{lower},{n}")
    reading = read_text(tmp_path, text.replace("01101,北海道", "01101,"))
    assert _named(reading, 1) == _uppers(_JAPAN)


def test_the_word_for_a_level_decides_where_each_region_has_one_below(tmp_path: Path) -> None:
    places = {top: (upper, dict([*below.items()][:1])) for top, (upper, below) in _JAPAN.items()}
    places |= {"40": ("福岡県", {"130": "福岡市"}), "47": ("沖縄県", {"201": "那覇市"})}
    header = "団体コード,市区町村名,都道府県名,総人口"
    reading = read_text(tmp_path, _table(places, header, "{code},{lower},{upper},{n}"))
    assert _named(reading, 1) == _uppers(places)
    assert _named(reading, 2) == _lowers(places)


def test_one_prefecture_has_its_name(tmp_path: Path) -> None:
    places = {"13": ("東京都", {f"{101 + k}": f"第{chr(0x4E00 + k)}区" for k in range(6)})}
    header = "団体コード,都道府県名,市区町村名,総人口"
    reading = read_text(tmp_path, _table(places, header, "{code},{upper},{lower},{n}"))
    assert "東京都" in [name for level in (0, 1) for name in _named(reading, level)]
    assert _named(reading, reading.table.regions.tree.n_levels - 1) == _lowers(places)  # type: ignore[union-attr]


def test_a_class_of_municipalities_is_no_name(tmp_path: Path) -> None:
    header = "CODGEO,nom_departement,nom_zone,population"
    text = _table(_FRANCE, header, "{code},{upper},{lower},{n}")
    for k, name in enumerate(_lowers(_FRANCE)):
        text = text.replace(f",{name},", f",{('Plaine', 'Montagne')[k % 3 == 0]},")
    reading = read_text(tmp_path, text)
    assert _named(reading, 1) == _uppers(_FRANCE)
    assert _named(reading, 2) == _codes(_FRANCE)


def test_a_column_of_names_for_all_rows_names_the_upper_rows_too(tmp_path: Path) -> None:
    lines, k = ["fips,name,population"], 0
    for top, (upper, below) in _GERMANY.items():
        numbers = [300 + 41 * (k := k + 1) for _ in below]
        lines.append(f"{top},{upper},{sum(numbers)}")
        pairs = zip(below.items(), numbers, strict=True)
        lines += [f"{top}{rest},{lower},{number}" for (rest, lower), number in pairs]
    text = "\n".join(lines).replace("fips", "AGS")
    reading = read_text(tmp_path, text)
    assert _named(reading, 1) == _uppers(_GERMANY)
    assert _named(reading, 2) == _lowers(_GERMANY)


def test_mayors_and_regions_of_the_country_are_no_names(tmp_path: Path) -> None:
    header = "code_insee,departement,maire de la commune,population"
    text = _table(_FRANCE, header, "{code},{upper},M. {lower},{n}")
    assert _named(read_text(tmp_path, text), 2) == _codes(_FRANCE)
    header = "fips,region_name,county_name,population"
    text = _table(_STATES, header, "{code},Region {top},{lower},{n}")
    reading = read_text(tmp_path, text.replace("Region 01", "South").replace("Region 05", "West"))
    assert _named(reading, 1) == _uppers(_STATES)  # the known names of states
    assert _named(reading, 2) == _lowers(_STATES)


def test_an_abbreviation_gives_way_to_a_name(tmp_path: Path) -> None:
    text = _table(
        _STATES, "fips,state,state_name,county,population", "{code},{top},{upper},{lower},{n}"
    )
    for code, short in (("01", "AL"), ("05", "AR"), ("19", "IA")):
        text = text.replace(f",{code},", f",{short},")
    reading = read_text(tmp_path, text)
    assert _named(reading, 1) == _uppers(_STATES)
    assert _named(reading, 2) == _lowers(_STATES)


@pytest.mark.parametrize("listed", ["団体コード", "団体コード,市区町村名"])
def test_a_list_of_regions_alone_gives_names(tmp_path: Path, listed: str) -> None:
    named = "," in listed
    rows = [f"{code},L{code}市" if named else code for code in _codes(_JAPAN)]
    (tmp_path / "list.csv").write_text("\n".join([listed, *rows]))
    for header, row in (
        ("団体コード,都道府県名,市区町村名,総人口", "{code},{upper},{lower},{n}"),
        ("団体コード,市区町村名,総人口", "{code},{lower},{n}"),
    ):
        path = tmp_path / "t.csv"
        path.write_text(_table(_JAPAN, header, row))
        reading = read_here([path], regions=tmp_path / "list.csv")
        assert _named(reading, 1) == [*_JAPAN]
        assert _named(reading, 2) == [row.split(",")[-1] for row in rows]


def _list_of_sums(header: str, *, lower: bool = True, total: str = "") -> str:
    lines = [header]
    for top, (upper, below) in _JAPAN.items():
        numbers = [int(top) * 97 + 411 * k + 30 for k in range(1, len(below) + 1)]
        blank = f",{total}" if lower else ""
        lines.append(f"{top}000,{upper}{blank},{sum(numbers)}")
        for (rest, name), number in zip(below.items(), numbers, strict=True):
            shown = f",{name}" if lower else ""
            lines.append(f"{top}{rest},{upper}{shown},{number}")
    return "\n".join(lines)


@pytest.mark.parametrize("word", ["", "計", "-"])
def test_a_list_of_sums_has_the_names_and_levels_of_its_codes(tmp_path: Path, word: str) -> None:
    text = _list_of_sums("団体コード,都道府県名,市区町村名,総人口", total=word)
    reading = read_text(tmp_path, text, count="総人口")
    assert _named(reading, 1) == _uppers(_JAPAN)
    assert _named(reading, 2) == _lowers(_JAPAN)
    below = [line for line in text.splitlines()[1:] if line[2:5] != "000"]
    assert total(reading) == sum(int(line.rpartition(",")[2]) for line in below)
    assert reading.table is not None
    assert reading.table.regions.levels == ("total", "prefecture", "municipality")


def test_upper_names_in_all_rows_of_a_list_of_sums_name_no_lower_row(tmp_path: Path) -> None:
    text = _list_of_sums("団体コード,都道府県名,総人口", lower=False)
    reading = read_text(tmp_path, text, count="総人口")
    assert _named(reading, 1) == _uppers(_JAPAN)
    assert _named(reading, 2) == _codes(_JAPAN)


def test_wards_of_cities_are_no_municipalities_of_prefectures(tmp_path: Path) -> None:
    lines = ["団体コード,市区町村名,総人口"]
    for code, city in (("01100", "札幌市"), ("13200", "多摩市"), ("14100", "横浜市")):
        numbers = [int(code) % 97 + 411 * k + 30 for k in range(1, 5)]
        lines.append(f"{code},{city},{sum(numbers)}")
        lines += [
            f"{int(code) + k:05},{city[0]}{'東西南北'[k - 1]}区,{n}"
            for k, n in enumerate(numbers, 1)
        ]
    reading = read_text(tmp_path, "\n".join(lines), outline="sums", levels=("団体コード",))
    assert reading.table is not None, reading.report.lines()
    assert "prefecture" not in reading.table.regions.levels
