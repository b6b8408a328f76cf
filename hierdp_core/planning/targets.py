"""Accuracy targets: a proportion of a level's areas within a tolerance of the true count.

A target is written `LEVEL[/QUANTITY]=[AREAS:]TOLERANCE`:

    county=5%                 95% of counties within 5%
    county=90%:5%             90% of counties within 5%
    state=all:50              every state within 50
    county=median:2%          the median county within 2%: half of all counties
    county/members=mean:10    a mean absolute error of 10 over counties, in people, not households

A tolerance with % is relative to the true count, one without is absolute.
"""

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Self

from hierdp_core.exceptions import ChoiceError
from hierdp_core.hierarchy import Regions
from hierdp_core.tables import Table, quantity_regions
from hierdp_core.tables import quantity as quantity_of
from hierdp_core.util.text import plural

USUAL_SHARE = 0.95
GRAMMAR = "LEVEL[/QUANTITY]=[AREAS:]TOLERANCE"
EXAMPLES = "county=5%, county=90%:5%, state=all:50, county=median:2%, county/members=mean:10"

_LARGEST_TOLERANCE = 1e12
_NUMBER = r"[0-9]+(?:\.[0-9]*)?|\.[0-9]+"
_LONGEST_NUMBER = 30  # characters


@dataclass(frozen=True, kw_only=True)
class Target:
    """An accuracy target for one level.

    Attributes:
        level: the name of the level.
        tolerance: the largest error allowed, as a proportion of the true count or in the unit of
            the quantity.
        relative: whether the tolerance is relative.
        share: the proportion of areas that must be within the tolerance; None if the tolerance is
            for the mean error of all areas.
        quantity: the id of the quantity that is compared; the table's first if None.

    Raises:
        ChoiceError: a number is not possible.
    """

    level: str
    tolerance: float
    relative: bool
    share: float | None = USUAL_SHARE
    quantity: str | None = None

    def __post_init__(self) -> None:
        if not self.tolerance > 0:
            raise ChoiceError(
                f"A tolerance is a number above 0; {self.level} has {_plain(self.tolerance)}. "
                "Noisy counts are not exact, so give an acceptable error, such as 5% or 50."
            )
        if self.tolerance > _LARGEST_TOLERANCE:
            raise ChoiceError(
                f"A tolerance goes up to {_plain(_LARGEST_TOLERANCE)}; {self.level} has "
                f"{_plain(self.tolerance)}. Give a smaller one."
            )
        if self.relative and self.tolerance > 1:
            raise ChoiceError(
                f"A relative tolerance goes up to 100%; {self.level} has "
                f"{_plain(self.tolerance * 100)}%. Give a smaller one, or a number without %."
            )
        if self.share is not None and not 0 < self.share <= 1:
            raise ChoiceError(
                f"The proportion of areas lies above 0% and goes up to 100%; {self.level} has "
                f"{_plain(self.share * 100)}%. Give a proportion such as 95%, or all."
            )

    @classmethod
    def parse(cls, text: str) -> Self:
        """Read a target from text.

        >>> Target.parse("county=5%").text, Target.parse("state = all : 50").text
        ('county=95%:5%', 'state=all:50')

        Raises:
            ChoiceError: the text is not a target.
        """
        subject, equals, condition = text.partition("=")
        level, slash, tolerance_text = subject.strip().rpartition("/")
        if not slash:
            level, tolerance_text = tolerance_text, ""
        who, _, tolerance = condition.rpartition(":")
        if not equals or not level.strip() or (slash and not tolerance_text.strip()):
            raise _unreadable(text)
        value, relative = _number(tolerance, text)
        return cls(
            level=level.strip(),
            tolerance=value,
            relative=relative,
            share=_who(who.strip().lower(), text),
            quantity=tolerance_text.strip() or None,
        )

    @property
    def text(self) -> str:
        """The text that `parse` reads as this target."""
        subject = self.level if self.quantity is None else f"{self.level}/{self.quantity}"
        return f"{subject}={self._who}:{self.tolerance_text}"

    @property
    def tolerance_text(self) -> str:
        """The tolerance as in `text`, such as "5%" or "50"."""
        return f"{_plain(100 * self.tolerance)}%" if self.relative else _plain(self.tolerance)

    @property
    def _who(self) -> str:
        if self.share is None:
            return "mean"
        return {1.0: "all", 0.5: "median"}.get(self.share, f"{_plain(100 * self.share)}%")

    def words(self, *, places: int, unit: str = "") -> str:
        """Return the target in words: "95% of counties within 5%".

        Args:
            places: the number of areas of the level.
            unit: what is counted, plural; empty for the table's first quantity.
        """
        areas = plural(self.level)
        amount = f"{_plain(100 * self.tolerance)}%" if self.relative else _plain(self.tolerance)
        within = f"within {amount} in {unit}" if unit else f"within {amount}"
        if places == 1:
            return f"the {self.level} {within}"
        if self.share is None:
            measure = "relative" if self.relative else "absolute"
            return f"the mean {measure} error of {areas} {within}"
        who = {1.0: f"every {self.level}", 0.5: f"the median {self.level}"}.get(
            self.share, f"{_plain(100 * self.share)}% of {areas}"
        )
        return f"{who} {within}"


def parse_targets(texts: Sequence[str]) -> tuple[Target, ...]:
    """Read targets from texts, several in one text separated by commas.

    Raises:
        ChoiceError: no target is given, one is repeated, or a text is not a target.
    """
    parts = [part for text in texts for part in text.split(",") if part.strip()]
    targets = tuple(Target.parse(part) for part in parts)
    if not targets:
        raise ChoiceError(f"No target is given. Give at least one as {GRAMMAR}, such as county=5%.")
    if len(set(targets)) < len(targets):
        again = next(target for k, target in enumerate(targets) if target in targets[:k])
        raise ChoiceError(f"The target {again.text} is given twice. Leave one out.")
    return targets


def check_targets(table: Table, targets: Sequence[Target]) -> None:
    """Check that targets fit a table.

    Raises:
        ChoiceError, HierarchyError: no target is given, or a level or quantity is unknown.
    """
    if not targets:
        raise ChoiceError(f"No target is given. Give at least one as {GRAMMAR}, such as county=5%.")
    for target in targets:
        quantity_of(table, quantity_id(table, target))
        regions_for(table, target).level_index(target.level)


def quantity_id(table: Table, target: Target) -> str:
    """Return the id of the quantity that a target compares."""
    return target.quantity or table.quantities[0].id


def regions_for(table: Table, target: Target) -> Regions:
    """Return the areas that a target is about."""
    return quantity_regions(table, quantity_of(table, quantity_id(table, target)))


def _who(text: str, whole: str) -> float | None:
    if text in ("all", "every"):
        return 1.0
    if text == "median":
        return 0.5
    if text == "mean":
        return None
    if not text:
        return USUAL_SHARE
    if not text.endswith("%"):
        raise ChoiceError(
            f'"{text[:20]}" in the target "{whole.strip()[:60]}" is not a proportion of areas. '
            "Give one such as 95%, or all, median or mean."
        )
    return _number(text, whole)[0]


def _number(text: str, whole: str) -> tuple[float, bool]:
    bare = text.strip()
    relative = bare.endswith("%")
    number = bare.removesuffix("%").strip()
    if re.fullmatch(rf"[+-](?:{_NUMBER})", number):
        raise ChoiceError(
            f'Numbers in a target are above 0 and have no sign; "{whole.strip()[:60]}" has '
            f"{number}. Correct the number."
        )
    if not re.fullmatch(_NUMBER, number) or len(number) > _LONGEST_NUMBER:
        raise _unreadable(whole)
    # Through an exact fraction, since 14.1 / 100 in floats need not be the float 0.141.
    return float(Fraction(number) / (100 if relative else 1)), relative


def _unreadable(text: str) -> ChoiceError:
    return ChoiceError(
        f'"{text.strip()[:60]}" is not a target. Write it as {GRAMMAR}, such as {EXAMPLES}.'
    )


def _plain(value: float) -> str:
    """Return a number without powers of ten or trailing zeros."""
    if not math.isfinite(value):
        return str(value)
    return f"{value:.6f}".rstrip("0").rstrip(".") if value < 1e6 else f"{value:,.0f}"
