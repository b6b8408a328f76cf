"""Tables with a codebook, a readme or another document beside them, as portals pack them."""

from collections import Counter
from collections.abc import Iterator

import numpy as np

from support.offices import File, text

_PARISHES = [
    "Alnwick", "Beford", "Calder", "Dunmore", "Eastry", "Fairley", "Glenton", "Hartwell",
    "Inver", "Jarrow", "Kelling", "Lorton",
]  # fmt: skip
_SHIRES = ("Northshire", "Midshire", "Southshire")
_README = """SURVEY OF LIVING CONDITIONS 2023

This file holds one record for each person who took part in the survey.
All persons in a household have the same number in the column HH.
The parish is the place in which the household lived at the end of May.
Do not use the file to identify a person.
"""


def _persons() -> tuple[list[list[object]], dict[str, int]]:
    """Rows of persons in twelve parishes of three shires, and the persons of each parish."""
    rng = np.random.default_rng([101, 41])
    where = rng.integers(0, 12, 300)
    rows: list[list[object]] = [["ID", "COUNTY", "PARISH", "SEX", "AGE"]]
    for number, place in enumerate(where.tolist(), start=1):
        rows.append([
            f"{number:05d}", 701 + place // 4, 701001 + place // 4 * 1000 + place % 4,
            int(rng.integers(1, 3)), int(rng.integers(0, 95)),
        ])  # fmt: skip
    return rows, dict(Counter(_PARISHES[place] for place in where.tolist()))


def _codebooks() -> Iterator[tuple[str, str]]:
    parishes = [
        (str(701001 + k // 4 * 1000 + k % 4), name) for k, name in enumerate(_PARISHES)
    ]  # fmt: skip
    shires = [(str(701 + k), name) for k, name in enumerate(_SHIRES)]
    sexes = [("1", "Female"), ("2", "Male")]
    lists = (("COUNTY", shires), ("PARISH", parishes), ("SEX", sexes))
    yield (
        "tabs",
        "Extract 12\n\nVariable\tLabel\nCOUNTY\tCounty [level 1]\nPARISH\tParish [level 2]\n\n"
        + "\n".join(
            f"{column}\n" + "".join(f"{code}\t{name}\n" for code, name in own)
            for column, own in lists
        ),
    )
    yield (
        "described",
        "\n".join(
            f"Variable: {column}    Where the person lives\n"
            + "".join(f"    {code} = {name}\n" for code, name in own)
            for column, own in lists
        ),
    )
    yield (
        "blanks",
        "DATA DICTIONARY\n\n"
        + "\n".join(
            f"{column.lower()}:\n" + "".join(f'  {code}  "{name}"\n' for code, name in own)
            for column, own in lists
        )
        + "\nEnd of the file.\n",
    )


def companion_files() -> Iterator[tuple[str, File]]:
    """Every table with a document beside it, each with an id."""
    rows, persons = _persons()
    for id, codebook in _codebooks():
        yield (
            f"codebook_{id}",
            File(
                name="extract.csv",
                data=text(rows),
                leaves=persons,
                depth=2,
                beside=(("extract_codebook.txt", codebook.encode()),),
            ),
        )
    codes = {str(701001 + k // 4 * 1000 + k % 4): persons[name] for k, name in enumerate(_PARISHES)}
    for id, name, data in (
        ("readme", "about.txt", _README.encode()),
        ("pdf", "record_layout.pdf", b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n1 0 obj\n"),
        ("commands", "extract.sps", b"DATA LIST FILE='extract.dat' / ID 1-5.\nEXECUTE.\n"),
        ("ddi", "extract.xml", b'<?xml version="1.0"?>\n<codeBook xmlns="ddi:codebook:2_5"/>\n'),
        (
            "variables",
            "variables.txt",
            b"ID number of the person\nCOUNTY county\nPARISH parish\nSEX sex\nAGE years\n",
        ),
    ):
        yield (
            f"beside_{id}",
            File(
                name="extract.csv",
                data=text(rows),
                leaves=codes,
                depth=2,
                beside=((name, data),),
            ),
        )
