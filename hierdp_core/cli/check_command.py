"""`hierdp check`: one report of all problems in a table and the files that belong to it."""

import argparse
from typing import TYPE_CHECKING, Any

from hierdp_core.cli.check_report import outcome, print_as_comments, print_report
from hierdp_core.cli.own_data import add_column_flags, stated_columns
from hierdp_core.cli.terminal import print_json
from hierdp_core.cli.words import Command
from hierdp_core.exceptions import FileError
from hierdp_core.readers.formats.registry import titles

if TYPE_CHECKING:
    from hierdp_core.readers import Reading

_SORTS = {"error": "fault", "correction": "repair", "note": "note"}  # earlier names of kinds
# What to do with a finding in the JSON output, which lists the answers and their flags.
_CHOOSE = "Choose one of `choices`, and add its `flags`."

EXAMPLES = """examples:
  hierdp check counties.csv
  hierdp check counties.csv counties.geojson
  hierdp check counties.csv names-of-counties.csv
  hierdp check counties.csv --column count=people
  hierdp check counties.csv --column levels=state,county --column count=people
  hierdp check persons.csv --regions counties.csv
  hierdp check counties.csv --toml > counties.toml
"""


def add(command: Command) -> None:
    check = command("check", _check, "check a table and its boundaries, and report all problems")
    check.epilog, check.formatter_class = EXAMPLES, argparse.RawDescriptionHelpFormatter
    check.add_argument(
        "files",
        nargs="+",
        metavar="FILE",
        help=f"a table, with optional boundaries ({', '.join(titles('boundaries'))}), centres of "
        "areas, or lookup tables with the parents and names of areas",
    )
    add_column_flags(check)
    check.add_argument(
        "--toml",
        action="store_true",
        help="print the meaning of the columns as a settings file for `hierdp simulate`",
    )


def _check(flags: argparse.Namespace) -> None:
    from hierdp_core.readers import read

    reading = read(
        *flags.files,
        stated=stated_columns(flags),
        regions=flags.regions,
        confidential=flags.confidential,
    )
    if flags.toml:
        _print_toml(flags, reading)
    elif flags.json:
        print_json(as_dict(reading, confidential=flags.confidential))
    else:
        print_report(reading, confidential=flags.confidential)
    if what_to_do := outcome(reading):
        raise FileError(what_to_do)


def _print_toml(flags: argparse.Namespace, reading: "Reading") -> None:
    from hierdp_core.settings.own_files import OwnFiles

    words = OwnFiles.of_paths(
        flags.files,
        columns=reading.layout,
        stated=stated_columns(flags),
        regions=flags.regions or "",
        confidential=flags.confidential,
    )
    print(_settled(words.to_toml(), reading), end="")
    print_as_comments(reading)


def _settled(toml: str, reading: "Reading") -> str:
    """Return a settings file without the settings that the open question asks about."""
    answers = () if reading.question is None else reading.question.choices
    open_words = {word for choice in answers for word in choice.stated}
    return "".join(
        line
        for line in toml.splitlines(keepends=True)
        if line.partition(" = ")[0] not in open_words
    )


def as_dict(reading: "Reading", *, confidential: bool = False) -> dict[str, Any]:
    """Return the output of `hierdp check --json`, with stable names and without rows of the table.

    Args:
        reading: the reading of the files.
        confidential: whether the data are confidential; `mark` then states how to store the output.
    """
    from hierdp_core.readers.build.summary import summary
    from hierdp_core.util.marks import truth_mark

    report = reading.report.as_dict()
    # While a question is open, the guesses are those of one of its answers.
    known = reading.question is None
    return report | {
        "findings": [_finding(finding) for finding in report["findings"]],
        "title": reading.title,
        "guesses": list(reading.guesses) if known else [],
        "question": _question(reading),
        "unused": list(reading.unused) if known else [],
        "layout": reading.layout.words if known and reading.layout is not None else None,
        "summary": None if reading.table is None else summary(reading.table),
        "map": reading.drawn,
        "mark": truth_mark(confidential=True) if confidential else "",
    }


def _finding(finding: dict[str, Any]) -> dict[str, Any]:
    """Return a finding as values for JSON; one with choices refers to these and their flags."""
    from hierdp_core.readers.report import CHOOSE

    finding = finding | {"sort": _SORTS[finding["kind"]]}  # the earlier name of `kind`
    if finding["remedy"] != CHOOSE:
        return finding
    return finding | {"places": [], "more": 0, "remedy": _CHOOSE}


def _question(reading: "Reading") -> dict[str, Any] | None:
    question = reading.question
    if question is None:
        return None
    choices = [
        {"words": c.words, "stated": dict(c.stated), "flags": c.flags} for c in question.choices
    ]
    return {"what": question.what, "choices": choices}
