"""The report of `hierdp check` as text: the result, what to decide or correct, and the reading."""

import textwrap
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from hierdp_core.cli.remedies import as_flags
from hierdp_core.cli.terminal import table_lines
from hierdp_core.util.text import amount, by_number, capital, counted, join_and

if TYPE_CHECKING:
    from hierdp_core.readers import Finding, Reading

_WIDTH = 100  # characters of a line; codes, names and flags are never broken
_ROOT = ("total", 1)  # the level and number of areas of a root that is in no file
_MOST_LISTED = 40  # findings of one kind


def print_report(reading: "Reading", *, confidential: bool = False) -> None:
    """Print the result, then what needs an answer or a correction, then how the files were read.

    Args:
        reading: the reading of the files.
        confidential: whether the data are confidential; the report then states how to store it.
    """
    from hierdp_core.util.marks import truth_mark

    mark = f"{capital(truth_mark(confidential=True))}."
    findings = reading.report.findings
    faults = reading.report.faults
    sections = [
        ("", _summary(reading) if reading.table is not None and not faults else []),
        ("Question", _faults(reading, asks=True)),
        ("Problems", _faults(reading, asks=False)),
        ("Interpretation", [] if reading.question else _interpretation(reading)),
        ("Privacy unit", [] if faults else _items(filter(None, [_privacy_unit(reading)]))),
        ("Corrections", _items(_texts(reading, [f for f in findings if f.kind == "correction"]))),
        ("Notes", _items(_texts(reading, [f for f in findings if f.kind == "note"]))),
        ("Map", _items([f"{capital(reading.drawn)}."] if reading.drawn and not faults else [])),
        ("", _wrapped(mark, indent="") if confidential else []),
    ]
    texts = ["\n".join([title, *lines] if title else lines) for title, lines in sections if lines]
    print("\n\n".join(texts))


def _interpretation(reading: "Reading") -> list[str]:
    return _items(f"{capital(guess)}." for guess in reading.guesses)


def outcome(reading: "Reading") -> str:
    """Return the remedy for files that are not usable; empty if they are usable."""
    faults = reading.report.faults
    if not faults:
        return ""
    names = list(dict.fromkeys(fault.file or "The file" for fault in faults))
    files, n = join_and(names), len(names)
    if all(fault.asks for fault in faults):
        verb = by_number(n, "is", "are")
        return (
            f"{files} {verb} not read yet. Add the option of one of the answers, and check again."
        )
    them = by_number(len(faults), "it", "them")
    return (
        f"{files} {by_number(n, 'has', 'have')} {counted(len(faults), 'problem')}. "
        f"Correct {them} as the report states, and check again."
    )


def print_as_comments(reading: "Reading") -> None:
    """Print the questions and problems, each with the flags of its answers, as comments of TOML."""
    for title, lines in (
        ("Question", _faults(reading, asks=True)),
        ("Problems", _faults(reading, asks=False)),
    ):
        # A flag may hold a line break, and a comment no control character.
        for line in (part for text in [title, *lines] if lines for part in text.splitlines()):
            print(f"# {''.join(c if c.isprintable() else '�' for c in line)}")


def _summary(reading: "Reading") -> list[str]:
    from hierdp_core.readers.build.summary import counted_in_areas, summary

    assert reading.table is not None
    about = summary(reading.table)
    root, *below = about["levels"]
    generated = bool(below) and (root["level"], root["regions"]) == _ROOT
    rows = [
        {
            "level": level["level"],
            "areas": level["regions"],
            "areas with 0": level["zeros"],
            "largest count": level["value"],
            "area with the largest count": level["largest"],
        }
        for level in (below if generated else about["levels"])
    ]
    title = f"Usable: {reading.table.kind_words}, {amount(about['total'], about['quantity'])}"
    lines = [title, "", *table_lines(list(rows[0]), rows)]
    if generated:
        lines.append(f"Above these levels, the level “{root['level']}” is all areas together.")
    if counted := counted_in_areas(reading.table):
        lines.append(f"The count of an area is the number of {counted}.")
    return lines


def _privacy_unit(reading: "Reading") -> str:
    """Return the meaning of a row in a list of records, and the settings that change it."""
    table, layout = reading.table, reading.layout
    if table is None or layout is None or layout.row not in ("person", "trip", "group"):
        return ""
    person = table.domain.person
    if table.has_groups:
        row = "one member of a group" if layout.row == "person" else "one group"
        return (
            f"Each row is treated as {row}. The privacy unit is one member, called “{person}” "
            "(--column person=WORD changes the word). To protect whole groups, count them in a "
            "table of counts whose last level is the size."
        )
    return (
        f"The privacy unit is one row, called “{person}”. If a row is something "
        "else, name it (such as --column person=stay --column unit=stays). If one person can have "
        "several rows, the guarantee protects only one row, not the person. To protect a person, "
        "first keep at most m rows of each. Then use tree-dp at ε/m for counts, or inftda with "
        "trips=m and neighbours=unbounded."
    )


def _faults(reading: "Reading", *, asks: bool) -> list[str]:
    lines: list[str] = []
    faults = [fault for fault in reading.report.faults if fault.asks == asks]
    for fault in faults[:_MOST_LISTED]:
        lines += _items([_question(reading, fault) if asks else _text(reading, fault)])
        for choice in fault.choices:
            lines += [*_wrapped(capital(choice.words), indent="    "), f"      {choice.flags}"]
    return [*lines, *_items(_not_listed(faults))]


def _texts(reading: "Reading", findings: "Sequence[Finding]") -> list[str]:
    texts = [_text(reading, finding) for finding in findings[:_MOST_LISTED]]
    return [*texts, *_not_listed(findings)]


def _not_listed(findings: "Sequence[Finding]") -> list[str]:
    more = len(findings) - _MOST_LISTED
    verb = by_number(more, "is", "are")
    return [f"{more:,} more {verb} in the JSON output (--json)."] if more > 0 else []


def _text(reading: "Reading", finding: "Finding") -> str:
    """Return a finding, with the name of its file if there are several."""
    from hierdp_core.readers.report import CHOOSE, choose

    if finding.remedy == CHOOSE:  # the flags follow
        finding = replace(finding, remedy=choose(len(finding.choices)))
    return as_flags(finding.sentence if _one_of_several(reading, finding) else finding.text)


def _one_of_several(reading: "Reading", finding: "Finding") -> bool:
    return len({*reading.report.files, finding.file}) > 1


def _question(reading: "Reading", finding: "Finding") -> str:
    from hierdp_core.readers.report import choose

    subject = finding.file if _one_of_several(reading, finding) else "The file"
    return as_flags(f"{capital(finding.about(subject))}. {choose(len(finding.choices))}")


def _items(texts: Iterable[str]) -> list[str]:
    return [line for text in texts for line in _wrapped(text, indent="  ")]


def _wrapped(text: str, *, indent: str) -> list[str]:
    return textwrap.wrap(
        text,
        _WIDTH,
        initial_indent=indent,
        subsequent_indent=f"{indent}  ",
        break_long_words=False,
        break_on_hyphens=False,
    )
