"""Numbers that are no counts by what stands beside them, and numbers that each area repeats."""

from pathlib import Path

from support.offices import workbook

from hierdp_core.readers.reading import read_here
from tests.support.answers import offered, read_text, total

_PARTIES = ("Sun", "Moon", "Star", "Sea", "Hill", "Blank")
_TOWNS = [(k, f"Town {k}", 2311 + 977 * k) for k in range(8)]


def _election() -> str:
    rows = [
        f"R{k // 4},{town},{party},{voters},{31 + 7 * k + 5 * p}"
        for k, town, voters in _TOWNS for p, party in enumerate(_PARTIES)
    ]  # fmt: skip
    return "\n".join(["region,town,party,registered voters,votes for the party", *rows])


def test_a_number_that_all_rows_of_an_area_repeat_is_not_added_up(tmp_path: Path) -> None:
    reading = read_text(tmp_path, _election(), count="registered voters")
    assert reading.question is not None
    assert "counted more than once" in reading.question.what
    answers = offered(reading)
    assert not any(answer.get("add_up") for answer in answers)
    kept = next(answer for answer in answers if "keep" in answer)
    once = read_text(tmp_path, _election(), count="registered voters", **kept)
    assert total(once) == sum(voters for _, _, voters in _TOWNS)


def test_adding_them_up_is_cautioned(tmp_path: Path) -> None:
    levels = ("region", "town")
    for count, repeated in (("registered voters", True), ("votes for the party", False)):
        reading = read_text(tmp_path, _election(), count=count, levels=levels, add_up=True)
        notes = [finding.what for finding in reading.report.findings]
        assert any("counted once for each row" in note for note in notes) == repeated


def test_school_years_are_no_counts(tmp_path: Path) -> None:
    rows = [f"202{k % 3}/2{k % 3 + 1},LA{k // 3},{120 + 13 * k}" for k in range(12)]
    for text in (rows, [row.replace("/", "", 1) for row in rows]):
        answers = offered(read_text(tmp_path, "\n".join(["time_period,area,headcount", *text])))
        assert not any(answer.get("count") == "time_period" for answer in answers)


def test_codes_whose_first_digits_are_those_of_the_district_are_doubted(tmp_path: Path) -> None:
    rows = [f"{(k // 4 + 3) * 100 + k % 4 + 1},Place {k},District {k // 4},{40 + 9 * k}"
            for k in range(16)]  # fmt: skip
    text = "\n".join(["register,name,district,boats", *rows])
    reading = read_text(tmp_path, text, count="register", levels=("district", "name"))
    notes = [finding.what for finding in reading.report.findings]
    assert any("begin with one code" in note for note in notes)
    boats = read_text(tmp_path, text, count="boats", levels=("district", "name"))
    assert not any("begin with one code" in finding.what for finding in boats.report.findings)


def test_numbers_of_voters_close_together_are_no_coordinates(tmp_path: Path) -> None:
    rows = [f"C{k:02},Seat {k},{61_000 + 517 * k},{40_000 + 311 * k}" for k in range(24)]
    answers = offered(read_text(tmp_path, "\n".join(["code,seat,electorate,valid votes", *rows])))
    assert [answer.get("count") for answer in answers[:2]] == ["electorate", "valid votes"]


def test_codes_that_every_area_has_may_be_sizes_or_kinds(tmp_path: Path) -> None:
    sizes = ["1 heikan", "2 heikar", "3 heikar", "4+ heikar"]
    rows = [f"0{k},Plats {k},{s + 1},{size},{23 + 5 * k - s}"
            for k in range(1, 7) for s, size in enumerate(sizes)]  # fmt: skip
    text = "\n".join(["plats code,plats,oiko code,oiko,value", *rows])
    answers = offered(read_text(tmp_path, text))
    assert any(a.get("size") == "oiko" and "oiko code" not in str(a["levels"]) for a in answers)
    assert any(a.get("add_up") and "oiko code" not in str(a["levels"]) for a in answers)


def test_a_header_of_several_rows_on_each_page_is_left_out(tmp_path: Path) -> None:
    head: list[list[object]] = [
        ["Area", "Families", "Members of the family", "", "", "", "Mean size"],
        ["", "", "1", "2", "3", "4+", ""], [str(k) for k in range(1, 8)],
    ]  # fmt: skip
    title, rest = "Families by size", [""] * 6
    counts = [[1200 + 31 * k, 900 + 17 * k, 700 + 13 * k, 200 + 7 * k] for k in range(10)]
    lines = [[f"Area {k}", sum(own), *own, "2.2"] for k, own in enumerate(counts)]
    rows = [[title, *rest], *head, *lines[:5], [f"{title} (contd.)", *rest], *head, *lines[5:]]
    path = tmp_path / "pages.xlsx"
    path.write_bytes(workbook(rows))
    reading = read_here([path], stated={"levels": "Area"})
    assert reading.table is not None, reading.report.lines()
    assert reading.table.regions.names[1:] == tuple(f"Area {k}" for k in range(10))
    assert total(reading) == sum(map(sum, counts))


def test_a_total_and_a_smaller_total_beside_it_are_asked_about(tmp_path: Path) -> None:
    schools = [[83, 149, 384, 154, 54, 90, 42], [71, 118, 558, 16, 122, 43, 30]]
    rows = []
    for k, counts in enumerate(schools):
        whole, most = sum(counts), sum(counts) - counts[-1]
        pairs = [*zip((1, 6, 9, 12, 23, 25, 90), counts, strict=True), (58, most), (99, whole)]
        rows += [f"U{k},{state},{n}" for state, n in pairs]
    text = "\n".join(["school,state,students", *rows])
    answers = offered(read_text(tmp_path, text, levels="state", add_up=True))
    out = next(answer["leave_out"] for answer in answers if "leave_out" in answer)
    assert {*out} == {"state=58", "state=99"}  # type: ignore[misc]
    reading = read_text(tmp_path, text, levels="state", add_up=True, leave_out=out)
    assert total(reading) == sum(map(sum, schools))


def test_a_zone_in_two_municipalities_is_asked_about(tmp_path: Path) -> None:
    zones = [("Alta", 1), ("Alta", 2), ("Baixa", 3), ("Clara", 3), ("Doce", 4), ("Eira", 5)]
    rows = [
        f"ST,{town},{zone},{sex},{age},{90 + 11 * k + 5 * (age == 'old')}"
        for k, (town, zone) in enumerate(zones) for sex in "FM" for age in ("young", "old")
    ]  # fmt: skip
    text = "\n".join(["uf,municipio,zona,sexo,faixa etaria,eleitores", *rows])
    answers = offered(read_text(tmp_path, text))
    both = ("uf", "municipio", "zona")
    assert {"levels": both, "within": True} in answers
    reading = read_text(tmp_path, text, add_up=True, levels=both, within=True)
    assert reading.table is not None
    assert reading.table.regions.tree.n_leaves == len(zones)


def test_weights_that_members_of_a_household_share_are_not_doubted(tmp_path: Path) -> None:
    rows = [
        f"H{house:03},{member},R{house % 3},{1040 + 37 * house},{(7 * house + 11 * member) % 80}"
        for house in range(30) for member in range(1, 2 + house % 4)
    ]  # fmt: skip
    reading = read_text(tmp_path, "\n".join(["hogar,miembro,region,PONDERA,edad", *rows]))
    assert reading.question is not None
    weighted = [c for c in reading.question.choices if c.stated.get("count") == "PONDERA"]
    assert weighted
    assert not any("although" in choice.words for choice in weighted)


def test_sums_by_chance_can_be_answered_with_no_total(tmp_path: Path) -> None:
    parts = [(310 + 17 * k, 240 + 23 * k) for k in range(8)]
    rows = [f"A{k},{kind},{n}" for k, (one, other) in enumerate(parts)
            for kind, n in ((1, one + other), (2, one), (3, other))]  # fmt: skip
    text = "\n".join(["area,part,people", *rows])
    stated: dict[str, object] = {"levels": "area", "count": "people", "add_up": True}
    reading = read_text(tmp_path, text, **stated)
    assert reading.table is None
    assert {"totals": "none"} in offered(reading)
    assert total(read_text(tmp_path, text, **stated, totals="none")) == 2 * sum(map(sum, parts))
