"""What people read is plain English: no retired words, formats or endless sentences."""

import pytest
from support.voice import ROOT, faults, places, prose, strings, texts_of_the_project


@pytest.mark.parametrize(
    "text",
    [
        "The mean over 100 draws of the error.",
        "Mended so that it adds up.",
        "Counties are off by 3 households.",
        "It holds but for a chance of 5%.",
        "The least budget that suffices.",
        "An error of 5 % of the count.",
        "A δ of 1e-08 is usual.",
        "Somebody who lives alone counts.",
        "It is " + "very " * 40 + "long.",
    ],
)
def test_what_must_not_be_written_is_seen(text: str) -> None:
    assert list(faults(text))


@pytest.mark.parametrize(
    "text",
    ["A line is drawn at 5%.", "It draws a chart.", "Turn the light off.", "δ = 10⁻⁸", "In 2010."],
)
def test_what_may_be_written_is_left(text: str) -> None:
    assert not list(faults(text))


def test_strings_are_taken_from_the_syntax() -> None:
    source = '"""Module."""\n\ndef f(n):\n    # A note.\n    return f"Error of {n} " "and more"\n'
    assert list(strings(source)) == [
        (1, "Module.", False),
        (5, "Error of x and more", True),
        (4, "# A note.", False),
    ]


def test_paragraphs_are_taken_from_markdown() -> None:
    markdown = "# Title\n\nOne `code x`\nline.\n\n```sh\nheard\n```\n\n| heard |\n\n- item\n"
    assert [text for _, text, _ in prose(markdown)] == ["# Title", "One x line.", "- item"]


def test_what_people_read_is_plain_english() -> None:
    lines = [
        f"{place.file}:{place.line}: {place.words!r}: write {place.instead}"
        for path in texts_of_the_project()
        for place in places(ROOT, path)
    ]
    assert not lines, "\n".join(lines)
