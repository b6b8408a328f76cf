"""Which shape of a boundary file belongs to which region."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from hierdp_core.hierarchy import Regions
from hierdp_core.readers.build.region_codes import leading_codes
from hierdp_core.readers.columns.code_schemes import SCHEMES
from hierdp_core.readers.columns.vocabulary import (
    ROW_NUMBER,
    plain_name,
)
from hierdp_core.readers.formats.features import Features
from hierdp_core.readers.report import Notebook, shown_code

_LEAST_SHARE = 0.5  # of the regions that a boundary file must contain
_SHOWN = 5


@dataclass(frozen=True, eq=False, kw_only=True)
class Match:
    """Which feature belongs to which region of a level.

    Attributes:
        level: the number of the level.
        column: the attribute that was matched.
        rule: how codes were changed to match, in words; empty where they were not.
        region: shape (n_features,), the position of the region in the level; -1 for none.
    """

    level: int
    column: str
    rule: str
    region: np.ndarray[tuple[int], np.dtype[np.int64]] = field(repr=False)

    @property
    def n_regions(self) -> int:
        """The number of regions with a shape."""
        return len(set(self.region.tolist()) - {-1})


def best_match(features: Features, regions: Regions) -> Match | None:
    """Return the attribute that matches the most regions of the last level, or of one above it.

    The result is for the lowest level of which at least half of the regions have a shape. For an
    upper level, at least half of the shapes must match too, since short codes agree by chance. If
    there is no such level, the result is the best match of the last level; None if no shape
    matches a region of that level.
    """
    last = len(regions.levels) - 1
    lowest = _matched(features, regions, last)
    sizes = regions.tree.level_sizes
    for level in range(last, 0, -1):
        match = lowest if level == last else _matched(features, regions, level)
        if match is None or match.n_regions < _LEAST_SHARE * sizes[level]:
            continue
        if level == last or (match.region >= 0).mean() >= _LEAST_SHARE:
            return match
    return lowest


def _matched(features: Features, regions: Regions, level: int) -> Match | None:
    """Return the attribute that matches the most regions of a level, by code or name."""
    own = regions.tree.level(level)
    ids = regions.ids[own]
    by_code = {code: i for i, code in enumerate(ids)}
    names = [name.casefold() for name in regions.names[own]]
    often = Counter(names)
    unique = {name: i for i, name in enumerate(names) if often[name] == 1}
    by_start = {code: i for i, code in enumerate(leading_codes(ids)) if code}
    best: Match | None = None
    width = len(ids[0]) if len({len(code) for code in ids}) == 1 and ids[0].isdigit() else 0
    for column, values in features.columns.items():
        if _numbers_shapes(column, values):
            continue
        for rule, codes, known in (
            ("", values, by_code),
            ("using only the part after US", [v.rpartition("US")[2] for v in values], by_code),
            (f"with leading zeros added, to {width} digits",
             [v.zfill(width) if v.isdigit() else v for v in values], by_code),
            ("using the code before the name", values, by_start),
            ("by name", [v.casefold() for v in values], unique),
        ):  # fmt: skip
            region = np.array([known.get(code, -1) for code in codes], dtype=np.int64)
            match = Match(level=level, column=column, rule=rule, region=region)
            if match.n_regions > (best.n_regions if best else 0):
                best = match
    return best


def _numbers_shapes(column: str, values: Sequence[str]) -> bool:
    """Return whether an attribute only numbers the shapes of the file."""
    numbers = [str(k) for k in range(len(values) + 1)]
    own = plain_name(column)
    return len(values) > 1 and (
        list(values) == numbers[:-1]
        or (list(values) == numbers[1:] and own != "id" and bool(ROW_NUMBER.fullmatch(own)))
    )


def report_match(match: Match, features: Features, regions: Regions, notes: Notebook) -> None:
    own = regions.tree.level(match.level)
    ids = regions.ids[own]
    level = regions.levels[match.level]
    has_shape = np.zeros(len(ids), dtype=np.bool_)
    has_shape[match.region[match.region >= 0]] = True
    rule = f" ({match.rule})" if match.rule else ""
    scheme = next((s for s in SCHEMES if any(h in match.column.lower() for h in s.hints)), None)
    kind = f", {scheme.title}" if scheme else ""
    notes.note(
        "match",
        f"shapes were matched to {int(has_shape.sum()):,} of {len(ids):,} areas of the level "
        f"{level} by attribute {shown_code(match.column)}{rule}{kind}",
    )
    missing = np.flatnonzero(~has_shape)
    if len(missing):
        places = [f"{level} {shown_code(ids[int(i)])}" for i in missing[:_SHOWN]]
        too_few = bool(has_shape.mean() < _LEAST_SHARE)
        record = notes.fault if too_few else notes.repair
        record(
            "no-shape",
            "an area has no shape, and fewer than half of the areas of this level have one"
            if too_few
            else "an area has no shape and is shown as a square below the map",
            "Use boundaries of the same year as the table.",
            places=places,
            count=len(missing),
        )
    unused = np.flatnonzero(match.region < 0)
    if len(unused):
        values = features.columns[match.column]
        notes.repair(
            "no-region",
            "a shape matches no area of the table and was left out",
            places=[shown_code(values[i]) for i in unused[:_SHOWN]],
            count=len(unused),
        )
