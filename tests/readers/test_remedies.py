"""Every statement that a report offers corrects what it is offered for."""

from pathlib import Path

import pytest

from hierdp_core.readers.reading import read_here

# a table, the words of the choice, and the total once it is made
REMEDIES = [
    ("area;people\nx;1.000\ny;2.000\n", "A point stands between thousands", 3000),
    ("area,people\nx,:\ny,5\nz,7\n", "Leave out rows without a number", 12),
    ("area,people\nx,\ny,5\nz,7\n", "Count missing numbers as 0", 12),
    ("area,people\nx,4\nx,5\nz,7\n", "Add up the rows of a region", 16),
    ("area,people\nx,4\ny,5\nTotal,10\n", "Leave out the rows of totals", 9),
    ("state,county,people\nA,a,1\nB,a,2\nA,b,3\nA,c,3\nB,d,4\nB,e,4\n",
     "Codes repeat on purpose", 17),
    ("NUTS_ID,people\nAT11,4\nAT12,5\nAT13,6\nEU27_2020,40\n",
     "Leave out the rows with these codes", 15),
    ("area,people\na,400\nb,300\nc,200\nd,100\nUtopia,1000\n",
     "Leave these rows out: they are totals", 1000),
    ("area,people\na,400\nb,300\nc,200\nd,100\nUtopia,1000\n",
     "Keep them: they are no totals", 2000),
    ("area,sex,people\nx,M,4\nx,F,5\ny,M,6\ny,F,7\n",
     "the rows of a region are parts of it and are added up", 22),
    ("area,year,people\nx,2020,4\nx,2021,5\ny,2020,6\ny,2021,7\n",
     'only rows with "2021" in column "year" are read', 12),
]  # fmt: skip


@pytest.mark.parametrize(("text", "words", "total"), REMEDIES, ids=[r[1] for r in REMEDIES])
def test_a_choice_corrects_its_fault(tmp_path: Path, text: str, words: str, total: int) -> None:
    path = tmp_path / "t.csv"
    path.write_text(text)
    reading = read_here([path])
    assert reading.table is None
    choices = {c.words: c for fault in reading.report.faults for c in fault.choices}
    assert words in choices, reading.report.lines()
    after = read_here([path], stated=choices[words].stated)
    assert after.table is not None, after.report.lines()
    assert after.table.values[0] == total
