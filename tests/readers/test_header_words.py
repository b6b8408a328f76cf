"""Names from merged headers, names that hold commas, and parts where no total column exists."""

import io
import re
import shlex
import zipfile
from pathlib import Path

import pytest

from hierdp_core.readers.columns.layout import Layout
from hierdp_core.readers.columns.question import Choice
from hierdp_core.readers.columns.units import scale_in
from hierdp_core.readers.formats.header_block import block_of
from hierdp_core.readers.reading import read_here
from tests.support.answers import offered, read_text, total
from tests.support.offices import workbook

_HEADER = [
    ["Code", "Region", "2022", "", "", "", "", ""],
    ["", "", "Urban", "", "", "Rural", "", ""],
    ["", "", "Total", "Men", "Women", "Total", "Men", "Women"],
]
_NUMBERS = [[400 + 31 * k, 200 + 11 * k, 200 + 20 * k, 90 + 7 * k, 40 + 5 * k, 50 + 2 * k]
            for k in range(9)]  # fmt: skip
_ROWS = [*_HEADER, *([f"R{k}", f"Area {k}", *map(str, row)] for k, row in enumerate(_NUMBERS))]


def test_every_label_of_merged_cells_is_carried_to_its_columns() -> None:
    header = block_of(_ROWS, 8)
    assert header is not None
    assert header.names[2:] == tuple(
        f"2022 {kind} {who}" for kind in ("Urban", "Rural") for who in ("Total", "Men", "Women")
    )


def test_totals_of_both_kinds_of_places_are_offered_as_a_sum(tmp_path: Path) -> None:
    text = "\n".join(",".join(row) for row in _ROWS)
    reading = read_text(tmp_path, text)
    parts = {"parts": ("2022 Urban Total", "2022 Rural Total")}
    assert reading.table is None
    assert offered(reading)[0] == parts
    whole = read_text(tmp_path, text, **parts)
    assert total(whole) == sum(row[0] + row[3] for row in _NUMBERS)


def test_the_flags_of_an_answer_with_commas_say_the_answer() -> None:
    stated = {
        "names": ("Country, region and state", "town"),
        "leave_out": ("Country, region and state=North, upper",),
    }
    flags = shlex.split(Choice(words="…", stated=stated).flags)
    words: dict[str, str] = {}
    for flag in flags[1::2]:
        name, value = re.fullmatch("([a-z_]+)=(.*)", flag, re.DOTALL).groups()  # type: ignore[union-attr]
        words[name] = value
    assert Layout.parsed(words) == stated


def test_dates_marks_and_prices_are_no_counts_and_no_weights(tmp_path: Path) -> None:
    days = [f"A{k},{20200101 + k},{20210101 + k},{1.5 + k / 7}" for k in range(20)]
    reading = read_text(tmp_path, "area,begin,end,mm\n" + "\n".join(days))
    assert reading.table is None
    named = {choice.get("count") for choice in offered(reading)}
    assert not {"begin", "end"} & named
    pupils = [f"R{k % 3},{k},{10 + k % 7},{40 + k % 51}.5,{'mf'[k % 2]}" for k in range(300)]
    text = "region,pupil_id,age,score,sex\n" + "\n".join(pupils)
    assert total(read_text(tmp_path, text)) == 300
    weights = read_text(tmp_path, text.replace("score", "faktor"))
    assert any(choice.get("count") == "faktor" for choice in offered(weights))


@pytest.mark.parametrize(
    ("since", "days"),
    [("", ["2023-03-15", "2023-03-16"]),
     ("<workbookPr date1904='1'/>", ["2027-03-16", "2027-03-17"]),
     ("<workbookPr date1904='true'/>", ["2027-03-16", "2027-03-17"])],
)  # fmt: skip
def test_days_of_a_workbook_are_no_numbers(tmp_path: Path, since: str, days: list[str]) -> None:
    last = 2_957_003 if since else 2_958_465  # 9999-12-31, which stands for "without an end"
    starts = [45_000, 45_001, last, 45_003, 45_004, 45_005]
    rows = [["region", "begin", "people"]]
    rows += [[f"R{k}", start, 70 + k] for k, start in enumerate(starts)]
    path = tmp_path / "days.xlsx"
    with (
        zipfile.ZipFile(io.BytesIO(workbook(rows))) as plain,
        zipfile.ZipFile(path, "w") as dated,
    ):
        for name in plain.namelist():
            text = plain.read(name).decode().replace("<sheets>", f"{since}<sheets>")
            dated.writestr(name, re.sub('(<c r="B[2-7]")', r'\1 s="1"', text))
        dated.writestr(
            "xl/styles.xml",
            '<styleSheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main">'
            '<cellXfs><xf numFmtId="0"/><xf numFmtId="14"/></cellXfs></styleSheet>',
        )
    reading = read_here([path])
    assert total(reading) == sum(70 + k for k in range(6))
    assert [row[1] for row in reading.preview][:3] == [*days, "9999-12-31"]
    assert "begin" not in reading.unused


@pytest.mark.parametrize("suffix", [".do", ".sps", ".sas", ".dct"])
def test_commands_that_read_fixed_widths_are_no_table(tmp_path: Path, suffix: str) -> None:
    commands = tmp_path / f"extract{suffix}"
    commands.write_text("infix int year 1-4 byte sex 5 int age 6-8 using extract.dat\n")
    data = tmp_path / "extract.dat"
    data.write_text("".join(f"2012{k % 2}{k % 90:03}0000{k:05}123456\n" for k in range(90)))
    both = read_here([data, commands])
    assert both.table is None
    fault = next(fault for fault in both.report.faults if fault.id == "commands")
    assert "save it as CSV" in str(fault.remedy)
    alone = read_here([data])
    assert alone.table is None
    assert "fixed width" in " ".join(alone.report.lines())


@pytest.mark.parametrize("line", ["单位：万人", "Unit: in 10,000", "单位：万", "人口（万）"])
def test_numbers_in_ten_thousands_are_not_rounded_before_their_sums(
    tmp_path: Path, line: str
) -> None:
    assert scale_in(line) == 10_000
    parts = [(f"Town {k}", 100.25 + 1.5 * k) for k in range(6)]
    rows = [("Whole", sum(n for _, n in parts)), *parts]
    text = f'name,"{line} residents"\n' + "\n".join(f"{a},{n}" for a, n in rows)
    count = f"{line} residents"
    assert {"times": 10_000} in offered(read_text(tmp_path, text, count=count))
    with_total = read_text(tmp_path, text, count=count, times=10_000)
    answer = {"leave_out": ("name=Whole",)}
    assert answer in offered(with_total)  # the sums hold, as nothing was rounded before
    whole = read_text(tmp_path, text, count=count, times=10_000, **answer)
    assert total(whole) == round(10_000 * sum(n for _, n in parts))


def test_thousands_and_plain_numbers_are_not_ten_thousands() -> None:
    assert scale_in("Towns with more than 10,000 inhabitants") == 1
    assert scale_in("rate in 100,000") == 1
