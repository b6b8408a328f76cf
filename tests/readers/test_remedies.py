"""Every statement that a report offers corrects what it is offered for."""

from pathlib import Path

import numpy as np
import pytest

from hierdp_core.readers.reading import read_here

# a table, the words of the choice, and the total once it is made
REMEDIES = [
    ("area;people\nx;1.000\ny;2.000\n",
     "A point separates thousands, so 1.000 is one thousand", 3000),
    ("area,people\nx,:\ny,5\nz,7\n", "Leave out rows without a number", 12),
    ("area,people\nx,\ny,5\nz,7\n", "Count missing numbers as 0", 12),
    ("area,people\nx,4\nx,5\nz,7\n", "Add up the rows of each area", 16),
    ("area,people\nx,4\ny,5\nTotal,10\n", "Leave out the rows of totals", 9),
    ("state,county,people\nA,a,1\nB,a,2\nA,b,3\nA,c,3\nB,d,4\nB,e,4\n",
     "A code in several upper areas stands for a different area in each", 17),
    ("NUTS_ID,people\nAT11,4\nAT12,5\nAT13,6\nEU27_2020,40\n",
     "Leave out the rows with these codes", 15),
    ("area,people\na,400\nb,300\nc,200\nd,100\nUtopia,1000\n",
     "These rows are totals: leave them out", 1000),
    ("area,people\na,400\nb,300\nc,200\nd,100\nUtopia,1000\n",
     "These rows are not totals: keep them", 2000),
    ("area,sex,people\nx,M,4\nx,F,5\ny,M,6\ny,F,7\n",
     "all rows of an area are added up, because they are parts of it", 22),
    ("area,year,people\nx,2020,4\nx,2021,5\ny,2020,6\ny,2021,7\n",
     'only rows with "2021" in column "year" are read', 12),
    ("iso,place,people\nX,a,1\n,b,2\n,c,3\nY,d,4\n,e,5\n,f,6\n",
     'A blank cell of column "iso" repeats the cell above', 21),
    ("iso,place,people\nX,a,1\n,b,2\n,c,3\nY,d,4\n,e,5\n,f,6\n", "Leave these rows out", 5),
    ("iso,place,people\nX,a,1\n,b,2\n,c,3\nY,d,4\n,e,5\n,f,6\n",
     'The only level is "place"', 21),
    ("area,men,women\nx,40,51\ny,20,33\nz,17,11\n",
     'the counts are the sum of columns "men" and "women"', 172),
    ("to,a,b,c\na,1,2,3\nb,4,5,6\nc,7,8,9\n", "flows go from the rows to the columns", 45),
    ("to,a,b,c\na,1,2,3\nb,4,5,6\nc,7,8,9\n", "flows go from the columns to the rows", 45),
    ("area,people\nx,12310\na,4105\nb,8200\ny,33015\nc,21000\nd,12020\n",
     "these rows are totals: leave them out", 45325),
    ("area,people\nx,12310\na,4105\nb,8200\ny,33015\nc,21000\nd,12020\n",
     "these rows are areas like the others", 90650),
    ("area,people\nx,5000\nmen,2000\nwomen,3000\ny,9000\nmen,4000\nwomen,5000\n",
     "these rows are left out, and the rows above them are areas", 14000),
    ("town,people\na,7001\n  b,3500\nc,9123\n  d,1002\ne,4005\n",
     "indents have no meaning, so all rows are one level",
     24631),
    ("area,people in thousands\na,5\nb,7\n", "each number is multiplied by 1,000", 12000),
    ("area,people in thousands\na,5\nb,7\n", "the numbers are used as they are", 12),
    ("area;people\na;5,25\nb;7,5\n", "Round each number to a whole number", 13),
    ("area,people\na,-9\nb,7\nc,5\n",
     "-9 means that a number is missing: leave these rows out", 12),
    ("area,people\nx,5000\na,2000\nb,3000\ny,9000\nc,4000\nd,5000\nloose,7777\n",
     "The sums are upper levels, and each row belongs to the sum that contains it", 21777),
    ("area,serial,sex,perwt\nx,1,1,65\nx,1,2,59\ny,2,1,30\ny,2,2,31\ny,2,2,32\nx,3,1,40\n",
     "each row is one person, who counts once", 6),
    ("area,serial,sex,perwt\nx,1,1,65\nx,1,2,59\ny,2,1,30\ny,2,2,31\ny,2,2,32\nx,3,1,40\n",
     'each person counts with the weight in column "perwt"', 257),
    ("area,trips_May 2023,trips_June 2023,trips_July 2023\na,5,6,7\nb,15,6,8\nc,2,3,4\n",
     'the counts are the sum of columns "trips_May 2023" to "trips_July 2023"', 56),
    ("area,s__1,s__2,s__3\na,5,6,7\nb,15,6,8\nc,2,3,4\n",
     'columns "s__1" to "s__3" count groups of size 1 to 3', 56),
    ("area,s__1,s__2,s__3\na,5,6,7\nb,15,6,8\nc,2,3,4\n",
     'columns "s__1" to "s__3" count groups of size 1 to 3, and the last also counts larger groups',
     56),
    ("province,town,Freq\n" + "".join(
        f"{p},t{k},{10 + k if k % 2 == p else 0}\n" for p in (0, 1) for k in range(6)),
     'the levels are "province" > "town", and rows with 0 are left out', 75),
    ("province,town,Freq\n" + "".join(
        f"{p},t{k},{10 + k if k % 2 == p else 0}\n" for p in (0, 1) for k in range(6)),
     'each combination of "province" and "town" is an area, even with 0', 75),
    ("area;people\na;5,25\nb;7,5\n",
     "The numbers are in thousands: multiply each by 1,000", 12750),
    ("area;people\nx;1.000\ny;2.000\n", "Round each number to a whole number", 3),
    ("origin,destination,n\na,b,4\n,b,2\nb,a,5\n", "Leave these rows out", 9),
    ("area,people\na,(5)\nb,700\nc,12\n", "Use numbers in brackets as they are", 717),
    ("area,people\na,(5)\nb,700\nc,12\n", "Leave out rows with a number in brackets", 712),
    ("area,people\na,(5)\nb,700\nc,12\n", "Count numbers in brackets as 0", 712),
    (
        "state,county,people\nN,A,(12)\nN,B,30\nS,C,40\nS,D,51\n",
        "Use numbers in brackets as they are",
        133,
    ),
    ("area,people\na,5 hab.\nb,700 hab.\nc,12 hab.\n", 'Leave out "hab." after numbers', 717),
    ("area,people\na,closed\nb,700\nc,12\n",
     'Leave out rows with "closed" in column "people"', 712),
    ("state,county,people\nA,a,1\nB,a,2\nA,b,3\nA,c,3\nB,d,4\nB,e,4\n",
     'The only level is "state"', 17),
    ("province,sector,people\nP,x,10\nP,y,21\nQ,x,33\nQ,y,42\nR,x,5\nR,y,6\n",
     ('the levels are "province" > "sector", '
      'and a value in several upper areas stands for a different area in each'), 117),
    ("town,quarter,arrivals\na,2023-Q1,4\na,2023-Q2,6\nb,2023-Q1,5\nb,2023-Q2,7\n",
     "all rows of an area are added up, because they are parts of one year", 22),
    ("area,household_id,age\nx,1,41\nx,1,12\nx,,51\ny,2,61\ny,3,31\ny,3,42\n",
     "Leave out persons without a group", 3),
    ("area,household_id,age\nx,1,41\nx,1,12\nx,,51\ny,2,61\ny,3,31\ny,3,42\n",
     "Count persons instead of groups", 6),
]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "words", "total"), REMEDIES, ids=[f"{k}-{r[1]}" for k, r in enumerate(REMEDIES)]
)
def test_a_choice_corrects_its_fault(tmp_path: Path, text: str, words: str, total: int) -> None:
    path = tmp_path / "t.csv"
    path.write_text(text)
    reading = read_here([path])
    assert reading.table is None
    choices = {c.words: c for fault in reading.report.faults for c in fault.choices}
    assert words in choices, reading.report.lines()
    after = read_here([path], stated=choices[words].stated)
    assert after.table is not None, after.report.lines()
    values = after.table.values
    whole = values.sum() if after.table.between_regions else np.sum(values[0])
    assert whole == total
