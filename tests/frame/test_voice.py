"""What people read is plain English: no retired words, formats or endless sentences."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from support import voice
from support.voice import (
    ROOT,
    assembled,
    faults,
    fragments,
    nouns_for_actions,
    places,
    prose,
    strings,
    texts_of_the_project,
)


@pytest.mark.parametrize(
    "text",
    [
        "The mean over 100 draws of the error.",
        "There is no draw yet.",
        "All see different draws.",
        "Mended so that it adds up.",
        "Counties are off by 3 households.",
        "It holds but for a chance of 5%.",
        "The least budget that suffices.",
        "An error of 5 % of the count.",
        "A δ of 1e-08 is usual.",
        "Somebody who lives alone counts.",
        "Level 1 is surer than level 2.",
        "Plan on a stand-in for the table.",
        "It promises ε = 1.",
        "There are 3143 counties in the table.",
        "At ε = 2 a level, errors are small.",
        "One number of groups, one a level.",
        "Errors are 1.4 times smaller.",
        "States are 34% nearer.",
        "The error at the nation is 3.",
        "The total is a second answer.",
        "The tight account gives less noise.",
        "The margin is shown as a share of the number.",
        "A release adds exact noise.",
        "The noise is paid for by a ledger.",
        "The link is not used; this is the usual view.",
        "Mended",
        "Give one number a region.",
        "There is one curve a level.",
        "Threads, by default one a core.",
        "The cells were parted by tabs.",
        "What is wrong is told in the report.",
        "Blanks were taken off.",
        "Degrees were taken for granted.",
        "The table shows ε by every account.",
        "It moves 8 percent of the budget.",
        "The sentence, the chart and the way on.",
        "It is " + "very " * 40 + "long.",
    ],
)
def test_what_must_not_be_written_is_seen(text: str) -> None:
    assert list(faults(text))


@pytest.mark.parametrize(
    "text",
    [
        "A line is drawn at 5%.",
        "It draws a chart.",
        "Turn the light off.",
        "δ = 10⁻⁸",
        "There is one at level 3, at the nation level and at the nation's capital.",
        "There were 3,143 counties in the census of 2010.",
        "Use the option --stand-in for a table of the same shape.",
        "The two tables are told apart by one record.",
        "Workers were told to stop.",
        "Give a number at county level.",
        "The ledger has a user account. Tight accounting shares a budget.",
    ],
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
    found = [text for _, text, _ in prose(markdown)]
    assert found == ["# Title", "One x line.", "heard", "- item"]


PLANTED = {
    "words.py": 'HEADING = "Mended"\n\n\ndef said(n):\n    return f"Over {n} draws."\n',
    "command.py": 'parser.add_argument("--seed", help="of the new draw")\n',
    "message.py": 'raise ValueError("Whoever guesses the seed knows it.")\n',
    "docstring.py": '"""Counts are off by 3."""\n',
    "comment.py": "x = 1  # heard as 3\n",
    "page.md": "The table is made up.\n",
    "table.md": "| county |\n|---|\n| so many people |\n",
    "CITATION.cff": "abstract: It promises privacy.\n",
    "play.js": "button.title = 'Another draw';\n",
    "text.ipynb": '{"cells": [{"cell_type": "markdown", "source": ["It is mended."]}]}',
    "code.ipynb": '{"cells": [{"cell_type": "code", "source": ["print(\'a new draw\')"]}]}',
}


@pytest.mark.parametrize("name", PLANTED)
def test_a_planted_fault_is_found_in_every_kind_of_file(name: str, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_text(PLANTED[name], encoding="utf-8")
    assert places(tmp_path, path)


def test_every_kind_of_file_is_read_and_every_exception_is_needed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    paths = list(texts_of_the_project())
    assert {path.suffix for path in paths} == set(voice.READERS)
    allowed = dict(voice.ALLOWED)
    monkeypatch.setattr(voice, "ALLOWED", {})
    files = {ROOT / file for file, _ in allowed}
    found = {(place.file, place.words) for path in files for place in places(ROOT, path)}
    assert found >= set(allowed)


@pytest.mark.parametrize(
    "source",
    [
        'text += " and more"',
        'text = start + (f"; of {n} counties" if n else "")',
        'text = f"{n} counties " + rest',
        'text = f"{n} counties" + " or more" * top_coded',
        'text = start + ", the last" * (n > 1)',
        'clause = ", of which some are empty" if empty else ""',
        "text = f\"There are {n} areas{' with trips' if trips else ''}.\"",
        'text = "; ".join(facts)',
        'text = " or a ".join(rows)',
    ],
)
def test_assembly_of_a_sentence_is_seen(source: str) -> None:
    assert set(assembled(source)) == {1}


@pytest.mark.parametrize(
    "source",
    [
        "n = n + 1",
        "line += ['--seed', seed]",
        "key = name + '-x'",
        "text = 'A whole sentence.' if known else ''",
        "title = 'mean error' if relative else f'mean error, {unit}'",
        "mark = ' class=\"caution\"' if warned else ''",
        "row = ', '.join(cells)",
        "rule = '-' * width",
    ],
)
def test_other_sums_are_left(source: str) -> None:
    assert not list(assembled(source))


def test_no_sentence_is_assembled() -> None:
    lines = [
        f"{path.relative_to(ROOT)}:{line}"
        for path in voice.modules()
        for line in assembled(path.read_text(encoding="utf-8"))
    ]
    assert not lines, "\n".join(lines)


@pytest.mark.parametrize(
    "source",
    [
        'parser.add_argument("--seed", help="of the noise")',
        'parser.add_argument("--out", help=f"for {what}")',
    ],
)
def test_help_that_is_the_rest_of_a_phrase_is_seen(source: str) -> None:
    assert set(fragments(source)) == {1}
    assert not list(fragments('parser.add_argument("--seed", help="seed of the noise")'))


def test_a_docstring_that_names_a_thing_for_an_action_is_seen() -> None:
    assert set(nouns_for_actions('def show() -> None:\n    """The charts and the table."""')) == {1}
    assert not list(nouns_for_actions('def show() -> None:\n    """Show the charts."""'))
    assert not list(nouns_for_actions('def title() -> str:\n    """The title."""'))


@pytest.mark.parametrize("check", [fragments, nouns_for_actions])
def test_help_and_docstrings_are_phrases_of_their_own(
    check: Callable[[str], Iterator[int]],
) -> None:
    lines = [
        f"{path.relative_to(ROOT)}:{line}"
        for path in voice.modules()
        for line in check(path.read_text(encoding="utf-8"))
    ]
    assert not lines, "\n".join(lines)


def test_every_exception_from_whole_sentences_is_needed() -> None:
    for start in voice.ASSEMBLED:
        paths = [
            path for path in texts_of_the_project() if str(path.relative_to(ROOT)).startswith(start)
        ]
        assert any(list(assembled(p.read_text(encoding="utf-8"))) for p in paths), start


def test_what_people_read_is_plain_english() -> None:
    lines = [
        f"{place.file}:{place.line}: {place.words!r}: write {place.instead}"
        for path in texts_of_the_project()
        for place in places(ROOT, path)
    ]
    assert not lines, "\n".join(lines)
