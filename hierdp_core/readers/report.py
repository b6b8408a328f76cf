"""Findings of a reader: errors, corrections and notes, each with its place and its remedy.

A finding names columns, row numbers and the codes of regions, and gives the number of rows or
groups that it concerns. It repeats no other cell, but its numbers are exact, so a report is for
those who may see the data.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

from hierdp_core.exceptions import FileError
from hierdp_core.util.shown import Shown
from hierdp_core.util.text import (
    by_number,
    capital,
    counted,
    join_and,
    join_or,
    paragraph,
    several,
    some,
)

if TYPE_CHECKING:
    from hierdp_core.readers.columns.question import Choice

# Findings that say something of the file, which is then their subject.
_PREDICATE = re.compile(
    r"(cannot|contains|declares|explains|has|holds|is|lacks|lists|made|names|needs|nests|states|"
    r"stored|takes|unpacks|was) "
)
_SHOWN = 5  # places that a finding names
_LONGEST = 60  # letters of a code that a finding repeats
_COLUMNS = 20  # columns of a file that a finding names
CHOOSE = "Choose one: `hierdp check` names an option and the page Your data has a button for each."
_MOST = 40  # findings that a message or a screen lists

UNCLEAR = "unclear"  # the id of a question
NESTED = "nested-records"  # the id of the note that each record within a record is a row

Kind = Literal["error", "correction", "note"]


@dataclass(frozen=True, kw_only=True)
class Finding:
    """One kind of problem, correction or remark in one file.

    Attributes:
        kind: "error" for what prevents a table; "correction" for a correction made on reading;
            "note" for information.
        id: what it is about, in a word or two for scripts, such as "not-whole".
        file: the name of the file.
        what: what is wrong or what was done, without a full stop.
        places: where, at most five.
        more: the number of further places.
        remedy: how to correct it; often empty for a correction or a note.
        choices: statements about the columns, each of which resolves the error; people choose one.
    """

    kind: Kind
    id: str
    file: str
    what: str
    places: tuple[str, ...] = ()
    more: int = 0
    remedy: str = ""
    choices: "tuple[Choice, ...]" = ()

    @property
    def asks(self) -> bool:
        """Whether this is a question, so that the file can be read after any of `choices`."""
        return self.id == UNCLEAR

    @property
    def sentence(self) -> str:
        """The finding with the name of its file: what is wrong, where, and how to correct it."""
        return self._written(self.about(self.file, prefix=f"{self.file}: "))

    @property
    def text(self) -> str:
        """The finding without the name of its file, for reports on a single file."""
        return self._written(capital(self.about("The file")))

    def about(self, subject: str, *, prefix: str = "") -> str:
        """Return what is wrong or was done as a clause; `prefix` precedes one with a subject."""
        says_of_the_file = _PREDICATE.match(self.what)
        return f"{subject} {self.what}" if says_of_the_file else f"{prefix}{self.what}"

    def _written(self, clause: str) -> str:
        rest = [f"and {self.more:,} more of this kind"] if self.more else []
        where = several([*self.places, *rest])
        return paragraph(f"{clause} ({where})." if where else f"{clause}.", self.remedy)

    def as_dict(self) -> dict[str, Any]:
        return {
            "kind": self.kind,
            "id": self.id,
            "file": self.file,
            "what": self.what,
            "places": list(self.places),
            "more": self.more,
            "remedy": self.remedy,
            "choices": [
                {"words": c.words, "stated": dict(c.stated), "flags": c.flags} for c in self.choices
            ],
        }


class Unreadable(Exception):
    """One fault that ends the reading of a file; the report takes it in."""

    def __init__(self, finding: Finding) -> None:
        super().__init__(finding.sentence)
        self.finding = finding


class Notebook:
    """Collects the findings of one file while it is read.

    Attributes:
        file: the name of the file.
        findings: the findings so far.
        left_out: the rows that were left out, or read as part of the header, because of what their
            cells hold.
        totals: the codes of rows that were read as totals.
        keys: the codes by which lookup tables were joined to the table.
        partly_labelled: columns of which only some values have a label, so that all are numbers.
        confidential: whether no record may decide how others are read, since noise could not hide
            that.
    """

    def __init__(self, file: str, *, confidential: bool = False) -> None:
        self.file = file
        self.findings: list[Finding] = []
        self.left_out: list[tuple[str, ...]] = []
        self.totals: set[str] = set()
        self.keys: set[str] = set()
        self.partly_labelled: set[str] = set()
        self.confidential = confidential

    def fault(
        self,
        id: str,
        what: str,
        remedy: str = "",
        *,
        places: Sequence[str] = (),
        count: int | None = None,
        choices: "Sequence[Choice]" = (),
    ) -> None:
        """Record an error at `places`, of `count` in all (by default the number of places)."""
        finding = self._finding("error", id, what, remedy, places, count)
        self.findings.append(replace(finding, choices=tuple(choices)))

    def repair(
        self,
        id: str,
        what: str,
        remedy: str = "",
        *,
        places: Sequence[str] = (),
        count: int | None = None,
    ) -> None:
        """Record a correction made on reading."""
        self.findings.append(self._finding("correction", id, what, remedy, places, count))

    def note(self, id: str, what: str, remedy: str = "") -> None:
        """Record information, with what to do if it is not as intended."""
        self.findings.append(self._finding("note", id, what, remedy, (), None))

    def unreadable(
        self, id: str, what: str, remedy: str = "", *, choices: "Sequence[Choice]" = ()
    ) -> Unreadable:
        """Return the exception that ends the reading with one error."""
        finding = self._finding("error", id, what, remedy, (), None)
        return Unreadable(replace(finding, choices=tuple(choices)))

    @property
    def faulty(self) -> bool:
        return any(finding.kind == "error" for finding in self.findings)

    def _finding(
        self,
        kind: Kind,
        id: str,
        what: str,
        remedy: str,
        places: Sequence[str],
        count: int | None,
    ) -> Finding:
        shown = tuple(places[:_SHOWN])
        total = len(places) if count is None else count
        return Finding(
            kind=kind,
            id=id,
            file=self.file,
            what=what.rstrip("."),
            places=shown,
            more=max(total - len(shown), 0) if shown else 0,
            remedy=remedy,
        )


@dataclass(frozen=True, kw_only=True, repr=False)
class Report(Shown):
    """All findings in the files of one reading.

    Attributes:
        files: their names.
        findings: errors first, then corrections, then notes.
    """

    files: tuple[str, ...]
    findings: tuple[Finding, ...]

    @classmethod
    def of(cls, files: Iterable[str], findings: Iterable[Finding]) -> "Report":
        order = {"error": 0, "correction": 1, "note": 2}
        ranked = sorted(findings, key=lambda finding: order[finding.kind])
        return cls(files=tuple(files), findings=_each_once(ranked))

    @property
    def faults(self) -> tuple[Finding, ...]:
        return tuple(f for f in self.findings if f.kind == "error")

    @property
    def corrections(self) -> tuple[Finding, ...]:
        return tuple(f for f in self.findings if f.kind == "correction")

    @property
    def usable(self) -> bool:
        return not self.faults

    def lines(self) -> list[str]:
        """Return one line per finding, at most forty."""
        lines = [f"{finding.kind}: {finding.sentence}" for finding in self.findings[:_MOST]]
        left = len(self.findings) - _MOST
        return [*lines, f"and {counted(left, 'more finding')}"] if left > 0 else lines

    def require_usable(self) -> None:
        """Check that there is no error.

        Raises:
            FileError: there is one or more; the message states the first.
        """
        if self.faults:
            first, *others = self.faults
            rest = f"`hierdp check` shows {counted(len(others), 'more problem')}."
            raise FileError(paragraph(first.sentence, rest if others else ""))

    def as_dict(self) -> dict[str, Any]:
        return {
            "files": list(self.files),
            "usable": self.usable,
            "findings": [finding.as_dict() for finding in self.findings],
        }


def _each_once(findings: Sequence[Finding]) -> tuple[Finding, ...]:
    kept: list[Finding] = []
    for finding in findings:
        if finding not in kept:
            kept.append(finding)
    return tuple(kept)


def no_column(missing: Sequence[str], names: Sequence[str]) -> str:
    """Return which columns are missing, which exist, and what to do, without the last full stop."""
    lacks = lacks_column(missing, names)
    return f"{lacks}. Name one of its columns" if names else lacks


def lacks_column(missing: Sequence[str], names: Sequence[str]) -> str:
    """Return two sentences without the last full stop: which columns are missing, which exist.

    >>> lacks_column(["county"], ["id", "name", "parent"])
    'has no column "county". Its columns are "id", "name" and "parent"'
    """
    shown = [shown_code(name) for name in missing]
    first = f"has no column {join_or(shown) if len(shown) <= _SHOWN else some(shown, shown=_SHOWN)}"
    if not names:
        return first
    if len(names) == 1:
        return f"{first}. Its only column is {shown_code(names[0])}"
    columns = [shown_code(name) for name in names]
    listed = join_and(columns) if len(columns) <= _COLUMNS else some(columns, shown=_COLUMNS)
    return f"{first}. Its columns are {listed}"


def choose(n_answers: int) -> str:
    """Return what to do with the answers that follow a question."""
    return by_number(
        n_answers,
        "If this answer is right, choose it. Otherwise, correct the file.",
        "Choose one of these answers.",
    )


def shown_codes(codes: Sequence[object], *, shown: int) -> str:
    """Return the first of the codes in quotes, and how many more there are."""
    return some([shown_code(code) for code in codes], shown=shown)


def shown_code(code: object) -> str:
    """Return a code in quotes, shortened where it is long, without control characters."""
    text = "".join(c if c.isprintable() else "�" for c in str(code))
    return f'"{text[:_LONGEST]}…"' if len(text) > _LONGEST else f'"{text}"'
