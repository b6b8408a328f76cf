"""Codes whose first letters name the region above: which system they follow, and their levels."""

from collections.abc import Sequence
from dataclasses import dataclass

import pyarrow as pa
import pyarrow.compute as pc

from hierdp_core.readers.columns.code_schemes import SCHEMES, Scheme
from hierdp_core.readers.columns.vocabulary import plain_name
from hierdp_core.readers.formats.sheet import Text, as_mask

_SURE = ("fips", "geoid", "geo_id", "pro_com", "nuts")  # in a name, they leave no doubt
_MIN_KNOWN = 0.9  # of the codes must exist in a system, where its codes are listed
_HALF = 0.5  # where the name of the column leaves no doubt
_NEARLY_ALL = 0.8  # in a system whose codes change from year to year


@dataclass(frozen=True, kw_only=True)
class Fit:
    """How a column of codes fits a scheme.

    Attributes:
        scheme: the family.
        prefix: lengths of the codes on the levels that occur, down to the longest.
        width: to which codes are filled with zeros; 0 where none were lost.
        known: the share of codes that exist in the scheme.
        levels: what those levels are called.
    """

    scheme: Scheme
    prefix: tuple[int, ...]
    width: int
    known: float = 1.0

    @property
    def levels(self) -> tuple[str, ...]:
        return self.scheme.levels[: len(self.prefix)]


def fit_of(codes: Text, hint: str) -> Fit | None:
    """The scheme that the codes fit, and whether leading zeros were lost; None for none.

    A scheme needs evidence: the codes have its form, most of them exist in it, and either the
    column's name speaks for it or the codes cannot well be others.

    Args:
        codes: a column of text.
        hint: the column's name.
    """
    bare = bare_codes(pc.unique(codes))
    filled = bare.filter(pc.not_equal(bare, ""))
    if len(filled) == 0:
        return None
    return _whole_fit(filled, hint) or _near_fit(filled, hint)


def _whole_fit(filled: Text, hint: str) -> Fit | None:
    fits = [fit for scheme in SCHEMES if (fit := _fit(scheme, filled, hint)) is not None]
    hinted = [fit for fit in fits if _hinted(fit.scheme, hint)]
    if hinted:
        return max(hinted, key=lambda fit: fit.known)
    proven = [fit for fit in fits if _speaks(fit, filled)]
    return proven[0] if len(proven) == 1 else None


def _near_fit(filled: Text, hint: str) -> Fit | None:
    """The scheme that the column's name and most codes speak for; the rest are faults."""
    lengths = pc.utf8_length(filled)
    usual = pc.mode(lengths)[0].as_py()["mode"]
    most = filled.filter(pc.equal(lengths, usual))
    fit = _whole_fit(most, hint)
    named = fit is not None and names_scheme(hint)
    return fit if named and len(most) * 3 >= len(filled) * 2 else None


def _fit(scheme: Scheme, codes: Text, hint: str) -> Fit | None:
    if scheme.needs_name and not _hinted(scheme, hint):
        return None
    widths = set(pc.unique(pc.utf8_length(codes)).to_pylist())
    if widths <= set(scheme.lengths):
        fit = _checked(scheme, codes, max(widths), 0, hint)
        if fit is not None and (scheme.id != "fips" or len(fit.prefix) > 1):
            return fit
    # What loses its leading zeros loses all of them.
    if not scheme.zeros or as_mask(pc.starts_with(codes, "0")).any():
        return None
    for length in scheme.lengths[1:]:
        if widths <= set(range(length - scheme.zeros, length + 1)):
            whole = pc.utf8_lpad(codes, length, padding="0")
            fit = _checked(scheme, whole, length, length, hint)
            if fit is not None:
                return fit
    return None


def _checked(scheme: Scheme, codes: Text, longest: int, width: int, hint: str) -> Fit | None:
    """The fit, where the codes have the form of the scheme and enough of them exist in it.

    A name that leaves no doubt, such as "fips", makes up for codes of another year.
    """
    if not as_mask(pc.match_substring_regex(codes, f"^({scheme.pattern})$")).all():
        return None
    known = scheme.known(codes)
    named = _hinted(scheme, hint) and names_scheme(hint)
    if known < (_HALF if named else _NEARLY_ALL if scheme.id == "istat" else _MIN_KNOWN):
        return None
    used = tuple(n for n in scheme.lengths if n <= longest)
    return Fit(scheme=scheme, prefix=used, width=width, known=known)


def names_scheme(column: str) -> bool:
    """Whether the name of a column leaves no doubt which system its codes are of."""
    return any(word in column.lower() for word in _SURE)


def _hinted(scheme: Scheme, name: str) -> bool:
    plain = plain_name(name)
    return any(hint in plain or hint in plain.replace("_", "") for hint in scheme.hints)


def _speaks(fit: Fit, codes: Text) -> bool:
    """Whether the codes alone are proof enough: several long ones with leading zeros kept."""
    lengths = pc.utf8_length(codes)
    if fit.scheme.id == "nuts":
        return bool(pc.min(lengths).as_py() >= 3) and len(codes) > 3
    zeros = as_mask(pc.starts_with(codes, "0"))
    return bool(zeros.any()) and bool(pc.min(lengths).as_py() >= 5) and len(codes) > 3


def bare_codes(codes: Text) -> Text:
    """Codes without the summary level before "US", as in 0500000US01001."""
    return pc.replace_substring_regex(codes, "^[0-9A-Z]{7,9}US([0-9]+)$", r"\1")


def scheme_of(codes: Text, prefix: Sequence[int], hint: str) -> Scheme | None:
    """The system that codes of these lengths follow; None where nothing proves it.

    Several systems have codes of the same lengths, as those of US, German and Japanese counties do.

    Args:
        codes: whole ones, filled with zeros.
        prefix: the lengths of the codes on each level.
        hint: the names of their columns.
    """
    bare = bare_codes(pc.unique(codes))
    filled = bare.filter(pc.not_equal(bare, ""))
    alike = [scheme for scheme in SCHEMES if tuple(prefix) == scheme.lengths[: len(prefix)]]
    likely = [s for s in alike if _hinted(s, hint)] or [s for s in alike if not s.needs_name]
    fits = [
        fit for scheme in likely
        if (fit := _checked(scheme, filled, max(prefix), 0, hint)) is not None
    ]  # fmt: skip
    return max(fits, key=lambda fit: fit.known).scheme if len(filled) and fits else None


def level_parts(codes: Text, prefix: Sequence[int]) -> list[Text]:
    """For each length the code's beginning, blank where the code is shorter."""
    lengths = pc.utf8_length(codes)
    return [
        pc.if_else(
            pc.greater_equal(lengths, n), pc.utf8_slice_codeunits(codes, 0, n), pa.scalar("")
        )
        for n in prefix
    ]
