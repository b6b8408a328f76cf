"""Columns that differ only in a size, whatever else all of their names have in common.

Examples are "Households 2024 1 person", "Households 2024 2 persons" and so on. After the single
sizes, bands such as "7-10" and "11 or more" may follow. They are read as one open class.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from hierdp_core.readers.columns.count_rules import rank_counts
from hierdp_core.readers.columns.facts import SheetFacts
from hierdp_core.readers.columns.measure import MAX_CHOICES, Measure
from hierdp_core.readers.columns.measures_of_counts import number_columns
from hierdp_core.readers.columns.measures_of_sizes import members_or_groups, totals_beside
from hierdp_core.readers.columns.no_counts import named_as_a_measure
from hierdp_core.readers.columns.partitions import year_in
from hierdp_core.readers.columns.question import Choice, Question
from hierdp_core.readers.columns.size_shapes import larger_than, once
from hierdp_core.readers.columns.vocabulary import HOUSEHOLD, SIZE, plain_name, size_in
from hierdp_core.readers.report import shown_code, shown_codes

_PLACE = re.compile(r" \((row|column) [0-9]+\)$")
_BETWEEN_WORDS = re.compile(r"(?:!!|[\s_:;,|])+|(?<=[^\W\d_])-(?=[0-9])")
_BAND = re.compile(r"([0-9]{1,2})\s?(?:[-–—~]|to|bis|a|à|til|till|tot)\s?([0-9]{1,2})(\D*)")
_GROUPS = re.compile(HOUSEHOLD)
_MIN_SIZES = 3  # columns of a series, with those of bands
_MOST_WORDS = 12  # of a name
_MOST_AFTER = 3  # words after the size


@dataclass(frozen=True, kw_only=True)
class SizeSeries:
    """Columns of one size each, and then those of bands of larger sizes.

    Attributes:
        names: the columns, in the order of their sizes.
        first: the size of the first column.
        n_single: how many columns count a single size, or the open class after the single ones.
        more: whether the last column, or the bands, include larger groups.
    """

    names: tuple[str, ...]
    first: int
    n_single: int
    more: bool

    @property
    def bands(self) -> tuple[str, ...]:
        """The columns of bands, which are one class of the first size in them and more."""
        return self.names[self.n_single :]

    @property
    def stated(self) -> dict[str, Any]:
        """The settings that read these columns."""
        words = {"kind": "group-sizes", "sizes": self.names, "first_size": self.first}
        return words | ({"top_coded": True} if self.more else {})


@dataclass(frozen=True, kw_only=True)
class _Label:
    """What differs in the name of a column: its sizes, and whether they have a word for sizes."""

    column: str
    low: int
    high: int
    more: bool
    worded: bool


def series_of_sizes(names: Sequence[str]) -> list[SizeSeries]:
    """Return the series of columns that differ only in a size, the longest first.

    Words say that the numbers are sizes of groups. What the names have in common, such as a year,
    is ignored.

    >>> names = ["Households 2024 1 person", "Households 2024 2 persons"]
    >>> [one] = series_of_sizes(["area", *names, "Households 2024 3 persons or more"])
    >>> len(one.names), one.first, one.more
    (3, 1, True)
    >>> [one] = series_of_sizes([f"Household size {s}" for s in ("1", "2", "3-5", "6+")])
    >>> one.names[:one.n_single], one.bands
    (('Household size 1', 'Household size 2'), ('Household size 3-5', 'Household size 6+'))
    >>> series_of_sizes(["2024 1", "2024 2", "2024 3", "Age 1", "Age 2", "Age 3"])
    []
    """
    alike: dict[tuple[tuple[str, ...], tuple[str, ...]], list[_Label]] = {}
    for name in names:
        words = _BETWEEN_WORDS.split(_PLACE.sub("", name).strip())[:_MOST_WORDS]
        for start in range(len(words)):
            for end in range(len(words), max(start, len(words) - _MOST_AFTER - 1), -1):
                after = tuple(words[end:])
                if after and not re.search("[0-9]", " ".join(after)):
                    continue
                label = _label(name, words[:start], words[start:end])
                if label is not None:
                    alike.setdefault((tuple(words[:start]), after), []).append(label)
    found: dict[tuple[str, ...], SizeSeries] = {}
    for labels in alike.values():
        for run in _runs(labels):
            series = _series(run)
            if series is not None:
                found.setdefault(series.names, series)
    longest: list[SizeSeries] = []
    for series in sorted(found.values(), key=lambda one: -len(one.names)):
        if not any({*series.names} & {*longer.names} for longer in longest):
            longest.append(series)
    return longest


def _label(column: str, before: Sequence[str], words: Sequence[str]) -> _Label | None:
    """Return what the words of a size say; None for other words."""
    text = " ".join(words)
    named = plain_name(" ".join(before))
    of_groups = bool(_GROUPS.search(named)) or named in SIZE
    if band := _BAND.fullmatch(text):
        low, high = int(band[1]), int(band[2])
        known = not band[3].strip() or size_in(f"{low}{band[3]}") is not None
        if low >= high or not known:
            return None
        worded = of_groups or bool(band[3].strip())
        return _Label(column=column, low=low, high=high, more=False, worded=worded)
    size = size_in(text)
    if size is None:  # an open class in two languages, such as "6 und mehr / 6 and more"
        size = size_in(once(text))
        size = size if size and size[1] else None
    if size is None:
        return None
    low, more, worded = size
    # "Shoe size 1" is not a size of a group, so the word alone says nothing after other words.
    worded = worded and not (before and re.match("size", text, re.IGNORECASE))
    return _Label(column=column, low=low, high=low, more=more, worded=worded or of_groups)


def _runs(labels: Sequence[_Label]) -> list[list[_Label]]:
    """Return the runs of labels that each begin where the label before ends."""
    runs: list[list[_Label]] = []
    for label in labels:
        last = runs[-1][-1] if runs else None
        if last is None or last.more or label.low != last.high + 1:
            runs.append([])
        runs[-1].append(label)
    return runs


def _series(run: Sequence[_Label]) -> SizeSeries | None:
    """Return the series of a run of labels; None where they may not be sizes of groups."""
    if len(run) < _MIN_SIZES or run[0].low > 1 or run[0].high > run[0].low:
        return None
    if not all(label.worded or label.more for label in run):
        return None
    n_single = next((k for k, label in enumerate(run) if label.high > label.low), len(run))
    return SizeSeries(
        names=tuple(label.column for label in run), first=run[0].low, n_single=n_single,
        more=run[-1].more or n_single < len(run),
    )  # fmt: skip


def bands_among(names: Sequence[str]) -> int:
    """Return how many of the last columns of sizes are bands that belong to one open class.

    >>> bands_among(["size 1", "size 2", "size 3-5", "size 6+"]), bands_among(["1", "2", "3+"])
    (2, 0)
    """
    whole = next((one for one in series_of_sizes(names) if one.names == tuple(names)), None)
    return len(whole.bands) if whole is not None else 0


def size_series(facts: SheetFacts, free: Sequence[str], stated: dict[str, Any]) -> Measure | None:
    """Return the layout of a table with columns that differ only in a size.

    Columns whose whole names are sizes are left to another rule. Several series, such as those of
    several years, lead to a question.
    """
    if stated.keys() & {"sizes", "count", "parts", "group", "size", "blocks"}:
        return None
    numbers = [
        n for n in free
        if (facts[n].numeric or facts[n].all_missing) and not facts[n].fractions
        and not named_as_a_measure(facts[n])
    ]  # fmt: skip
    found = [
        one for one in series_of_sizes(numbers)
        if any(facts[n].numeric for n in one.names)
        and (one.bands or not all(size_in(n) for n in one.names))
    ]  # fmt: skip
    if not found:
        return None
    found.sort(key=lambda one: -year_in(one.names[0]))
    first = found[0]
    inside = {name for one in found for name in one.names}
    left = number_columns(rank_counts(facts, [n for n in free if n not in inside]))
    reasons: list[str] = [in_words(first).replace("columns", "Columns", 1)]
    question: Question | None = None
    if len(found) > 1:
        totals = [n for one in found for n in _totals_of(facts, one, left)]
        question = Question(
            what="several series of columns count groups by size. It is not clear which of them "
            "to read",
            choices=(
                *(Choice(words=in_words(one), stated=one.stated) for one in found[:MAX_CHOICES]),
                *(
                    Choice(words=f"column {shown_code(name)} holds the counts",
                           stated={"kind": "counts", "count": name})
                    for name in dict.fromkeys(totals)
                ),
            ),
        )  # fmt: skip
    else:
        beside, question = totals_beside(facts, first.names, left)
        reasons += beside
        if not first.bands:
            of_size = dict(enumerate(first.names, start=first.first))
            counted = members_or_groups(facts, of_size, first.stated, more=first.more)
            question = counted or question
        larger = larger_than(first.first + first.n_single - 1, left)
        if question is None and larger and not first.more:
            question = Question(
                what=f"{shown_codes(larger, shown=MAX_CHOICES)} may count larger groups than "
                f"{shown_code(first.names[-1])}",
                choices=(
                    Choice(words=f"{in_words(first)}, and larger groups are left out",
                           stated=first.stated),
                    *(
                        Choice(words=f"column {shown_code(name)} holds the counts",
                               stated={"kind": "counts", "count": name})
                        for name in left[:MAX_CHOICES]
                    ),
                ),
            )  # fmt: skip
    words = {**first.stated, "row": "region", "top_coded": first.more}
    return Measure(
        words=words, taken=frozenset({*inside, *left}), reasons=tuple(reasons), question=question,
        unused=left,
    )  # fmt: skip


def _totals_of(facts: SheetFacts, series: SizeSeries, names: Sequence[str]) -> list[str]:
    """Return the columns that are the sum of a series."""
    sums = sum(facts[name].values for name in series.names)
    return [n for n in names if bool((facts[n].values == sums).all())]


def in_words(series: SizeSeries) -> str:
    """Return what the columns of a series count."""
    shown = f"columns {shown_code(series.names[0])} to {shown_code(series.names[-1])}"
    last = series.first + series.n_single - 1
    if series.bands:
        return (
            f"{shown} count groups of size {series.first} to {last}, and all of {last + 1} or more "
            "as one class"
        )
    if series.more:
        return f"{shown} count groups of size {series.first} to {last} or more"
    return f"{shown} count groups of size {series.first} to {last}"
