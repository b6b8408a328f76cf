"""The role of each column, chosen by a person; the other roles are guessed around it."""

from pathlib import Path
from typing import Any

import pytest

from hierdp_core.readers import Reading
from hierdp_core.readers.reading import read_here
from hierdp_core.readers.roles import (
    UNUSED,
    Role,
    possible_roles,
    roles_in,
    settled_words,
    with_role,
)

COUNTS = "state,county,people,homes\nA,a,10,5\nA,b,20,9\nB,c,5,2\nB,d,8,4\n"
YEARS = "zone,persons_2011,persons_2021\nx,100,130\ny,220,210\nz,50,70\n"
SIZES = "area,h1,h2,h3,tot\na,5,4,3,12\nb,6,2,2,10\nc,9,9,1,19\n"
PERSONS = "dwelling,age,town\n1,30,A\n1,4,A\n2,50,A\n3,20,B\n3,22,B\n"
PAIRS = "from_zone,visits,n\na,b,5\nb,a,6\na,a,9\nb,b,3\n"
NAMED = "code,label,st,n\n1,Aa,X,5\n2,Bb,X,6\n3,Cc,Y,7\n"


def chosen(folder: Path, text: str, *moves: tuple[str, Role]) -> Reading:
    """The reading after a person gave columns their roles, one after the other."""
    path = folder / "t.csv"
    path.write_text(text)
    stated: dict[str, Any] = {}
    reading = read_here([path])
    for column, role in moves:
        stated = with_role(stated, settled_words(reading), column, role, columns=reading.columns)
        reading = read_here([path], stated=stated)
    return reading


@pytest.mark.parametrize(
    ("text", "moves", "words"),
    [
        (COUNTS, [("homes", Role(word="count"))],
         {"levels": ("state", "county"), "count": "homes"}),
        (COUNTS, [("homes", Role(word="count")), ("people", Role(word="count"))],
         {"count": "people"}),
        (COUNTS, [("state", UNUSED)], {"levels": ("county",), "count": "people"}),
        (COUNTS, [("state", UNUSED), ("state", Role(word="levels", place=1))],
         {"levels": ("state", "county")}),
        (YEARS, [("persons_2021", Role(word="count"))], {"count": "persons_2021"}),
        (SIZES, [("h1", Role(word="sizes")), ("h3", Role(word="sizes")),
                 ("h2", Role(word="sizes"))],
         {"kind": "group-sizes", "sizes": ("h1", "h2", "h3"), "first_size": 1}),
        (PERSONS, [("dwelling", Role(word="group"))],
         {"kind": "group-sizes", "row": "person", "group": "dwelling", "levels": ("town",)}),
        (PAIRS, [("from_zone", Role(word="levels", place=1)),
                 ("visits", Role(word="destinations", place=1)), ("n", Role(word="count"))],
         {"kind": "flows", "levels": ("from_zone",), "destinations": ("visits",), "count": "n"}),
        (NAMED, [("label", UNUSED)], {"levels": ("st", "code"), "count": "n"}),
    ],
)  # fmt: skip
def test_a_column_gets_its_role(
    tmp_path: Path, text: str, moves: list[tuple[str, Role]], words: dict[str, Any]
) -> None:
    reading = chosen(tmp_path, text, *moves)
    assert reading.layout is not None
    assert reading.layout.words | {"first_size": reading.layout.first_size} | words == (
        reading.layout.words | {"first_size": reading.layout.first_size}
    )
    assert reading.table is not None, reading.report.lines()


def test_what_is_not_clear_has_no_role_yet(tmp_path: Path) -> None:
    reading = chosen(tmp_path, YEARS)
    assert roles_in(settled_words(reading)) == {"zone": Role(word="levels", place=1)}


def test_every_role_in_use_can_be_chosen(tmp_path: Path) -> None:
    for text in (COUNTS, SIZES, PERSONS, PAIRS, NAMED):
        words = settled_words(chosen(tmp_path, text))
        assert set(roles_in(words).values()) <= set(possible_roles(words))


def test_the_only_column_of_names_is_that_of_the_last_level() -> None:
    words = {"levels": ("state", "county"), "names": ("label",)}
    assert roles_in(words)["label"] == Role(word="names", place=2)


@pytest.mark.parametrize(
    ("stated", "message"),
    [
        (
            {
                "kind": "group-sizes",
                "row": "person",
                "group": "dwelling",
                "levels": "town,dwelling",
            },
            'Both levels and group name the column "dwelling"',
        ),
        ({"count": "age", "levels": ["town", "age"]}, "Both levels and count name the column"),
        ({"levels": ["town", "town"]}, 'The column "town" occurs twice in levels'),
    ],
)
def test_a_column_stated_in_two_roles_is_an_error(
    tmp_path: Path, stated: dict[str, Any], message: str
) -> None:
    path = tmp_path / "t.csv"
    path.write_text(PERSONS)
    (line,) = read_here([path], stated=stated).report.lines()
    assert line.startswith("error: ")
    assert message in line


def test_a_guess_in_which_a_column_has_two_roles_is_asked_about(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("1001,5\n1002,6\n1003,7\n")
    reading = read_here([path])
    assert reading.question is not None
    assert reading.table is None
