"""Codes whose first letters name the region above: FIPS, ISTAT, NUTS."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

import pyarrow as pa
import pyarrow.compute as pc

from hierdp_core.readers.formats.sheet import Text, as_mask

# States, the District of Columbia, Puerto Rico and the island areas.
_STATES = frozenset(
    f"{n:02d}" for n in (*range(1, 57), 60, 66, 69, 72, 78) if n not in (3, 7, 14, 43, 52)
)


_SURE = ("fips", "geoid", "geo_id", "pro_com", "nuts")  # in a name, they leave no doubt


@dataclass(frozen=True, kw_only=True)
class Scheme:
    """A family of codes.

    Attributes:
        id: "fips", "istat" or "nuts".
        title: for people.
        lengths: of the code on each level, from the top.
        levels: what the levels are called.
        root: code and level name of what lies above the first level.
        pattern: of a whole code.
        hints: words in a column's name that speak for the scheme.
    """

    id: str
    title: str
    lengths: tuple[int, ...]
    levels: tuple[str, ...]
    root: tuple[str, str]
    pattern: str
    hints: tuple[str, ...]


SCHEMES = (
    Scheme(
        id="fips",
        title="US census codes (FIPS)",
        lengths=(2, 5, 11, 12, 15),
        levels=("state", "county", "tract", "block group", "block"),
        root=("US", "nation"),
        pattern="[0-9]+",
        hints=("fips", "geoid", "geo_id", "geocode", "county", "tract", "block", "state"),
    ),
    Scheme(
        id="istat",
        title="Italian municipality codes (ISTAT)",
        lengths=(3, 6),
        levels=("province", "municipality"),
        root=("IT", "country"),
        pattern="[0-9]+",
        hints=("istat", "pro_com", "comune", "municipality", "cod"),
    ),
    Scheme(
        id="nuts",
        title="European statistical regions (NUTS)",
        lengths=(2, 3, 4, 5),
        levels=("country", "NUTS 1 region", "NUTS 2 region", "NUTS 3 region"),
        root=("all", "all"),
        pattern="[A-Z]{2}[0-9A-Z]{0,3}",
        hints=("nuts",),
    ),
)


@dataclass(frozen=True, kw_only=True)
class Fit:
    """How a column of codes fits a scheme.

    Attributes:
        scheme: the family.
        prefix: lengths of the codes on the levels that occur, down to the longest.
        width: to which codes are filled with zeros; 0 where none were lost.
        levels: what those levels are called.
    """

    scheme: Scheme
    prefix: tuple[int, ...]
    width: int

    @property
    def levels(self) -> tuple[str, ...]:
        return self.scheme.levels[: len(self.prefix)]


def fit_of(codes: Text, hint: str) -> Fit | None:
    """The scheme that all codes fit, and whether leading zeros were lost; None for none.

    Args:
        codes: a column of text.
        hint: the column's name; it must speak for the scheme unless the codes do.
    """
    bare = bare_codes(pc.unique(codes))
    filled = bare.filter(pc.not_equal(bare, ""))
    if len(filled) == 0:
        return None
    return _whole_fit(filled, hint) or _near_fit(filled, hint)


def _whole_fit(filled: Text, hint: str) -> Fit | None:
    for scheme in SCHEMES:
        if not as_mask(pc.match_substring_regex(filled, f"^{scheme.pattern}$")).all():
            continue
        fit = _fit(scheme, filled)
        if fit is not None and (_hinted(scheme, hint) or _speaks(scheme, filled)):
            return fit
    return None


def _near_fit(filled: Text, hint: str) -> Fit | None:
    """The scheme that the column's name and most codes speak for; the rest are faults."""
    lengths = pc.utf8_length(filled)
    usual = pc.mode(lengths)[0].as_py()["mode"]
    most = filled.filter(pc.equal(lengths, usual))
    fit = _whole_fit(most, hint)
    named = fit is not None and any(word in hint.lower() for word in _SURE)
    return fit if named and len(most) * 3 >= len(filled) * 2 else None


def _fit(scheme: Scheme, codes: Text) -> Fit | None:
    widths = set(pc.unique(pc.utf8_length(codes)).to_pylist())
    if widths <= set(scheme.lengths):
        used = tuple(n for n in scheme.lengths if n <= max(widths))
        fit = Fit(scheme=scheme, prefix=used, width=0)
        if _valid(scheme, codes) and (scheme.id != "fips" or len(used) > 1):
            return fit
    # What loses its leading zeros loses all of them.
    kept = as_mask(pc.starts_with(codes, "0")).any()
    lost = 0 if kept else {"fips": 1, "istat": 2, "nuts": 0}[scheme.id]
    for length in scheme.lengths[1:]:
        if lost and widths <= set(range(length - lost, length + 1)):
            whole = pc.utf8_lpad(codes, length, padding="0")
            if _valid(scheme, whole):
                used = tuple(n for n in scheme.lengths if n <= length)
                return Fit(scheme=scheme, prefix=used, width=length)
    return None


def _valid(scheme: Scheme, codes: Text) -> bool:
    if scheme.id != "fips":
        return True
    tops = set(pc.unique(pc.utf8_slice_codeunits(codes, 0, 2)).to_pylist())
    return tops <= _STATES


def _hinted(scheme: Scheme, name: str) -> bool:
    plain = re.sub("[^a-z0-9]+", "_", name.lower())
    return any(hint in plain for hint in scheme.hints)


def _speaks(scheme: Scheme, codes: Text) -> bool:
    """Whether the codes alone are proof enough: long ones with leading zeros kept."""
    if scheme.id == "nuts":
        lengths = pc.utf8_length(codes)
        return bool(pc.min(lengths).as_py() >= 3) and len(codes) > 3
    zeros = as_mask(pc.starts_with(codes, "0"))
    return bool(zeros.any()) and bool(pc.min(pc.utf8_length(codes)).as_py() >= 5)


def bare_codes(codes: Text) -> Text:
    """Codes without the summary level before "US", as in 0500000US01001."""
    return pc.replace_substring_regex(codes, "^[0-9A-Z]{7,9}US([0-9]+)$", r"\1")


def scheme_of_prefix(prefix: Sequence[int]) -> Scheme | None:
    """The scheme whose first lengths these are."""
    for scheme in SCHEMES:
        if tuple(prefix) == scheme.lengths[: len(prefix)]:
            return scheme
    return None


def level_parts(codes: Text, prefix: Sequence[int]) -> list[Text]:
    """For each length the code's beginning, blank where the code is shorter."""
    lengths = pc.utf8_length(codes)
    return [
        pc.if_else(
            pc.greater_equal(lengths, n), pc.utf8_slice_codeunits(codes, 0, n), pa.scalar("")
        )
        for n in prefix
    ]
