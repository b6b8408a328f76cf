"""Codes that begin with the code of the region above: their system and their levels."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from hierdp_core.readers.columns.code_schemes import SCHEMES, Scheme
from hierdp_core.readers.columns.vocabulary import plain_name
from hierdp_core.readers.formats.sheet import Text, as_mask

_SURE = ("fips", "geoid", "geo_id", "pro_com", "nuts", "dguid")  # in a name, they leave no doubt
_MIN_KNOWN = 0.9  # proportion of the codes that must exist in a system
_HALF = 0.5  # the same, if the name of the column states the system
_MANY_COUNTED = 25  # codes below each upper code, of which a system lacks some
_NEARLY_ALL = 0.8  # the same for Italy, whose municipalities change from year to year


@dataclass(frozen=True, kw_only=True)
class Fit:
    """How the codes of a column agree with a known system.

    Attributes:
        scheme: the system.
        prefix: the lengths of the codes on the levels that occur, from the top down.
        width: the length to which codes are filled with zeros; 0 if no zeros were lost.
        known: the proportion of codes that exist in the system.
    """

    scheme: Scheme
    prefix: tuple[int, ...]
    width: int
    known: float = 1.0

    @property
    def levels(self) -> tuple[str, ...]:
        """The names of the levels that occur."""
        return self.scheme.levels[: len(self.prefix)]


def fit_of(codes: Text, hint: str) -> Fit | None:
    """Return the system that codes follow, and whether leading zeros were lost; None for none.

    All codes must have the form of the system, and most must exist in it. In addition, either the
    name of the column must suggest the system, or the codes must be unlikely to be anything else.

    Args:
        codes: the cells of a column.
        hint: the name of the column.
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
    proven = [fit for fit in fits if _proves(fit, filled)]
    return proven[0] if len(proven) == 1 else None


def _near_fit(filled: Text, hint: str) -> Fit | None:
    """Return the system that the name and two thirds of the codes support, despite errors."""
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
    """Return the fit if the codes have the form of the system and enough of them exist in it.

    If the name of the column states the system, as "fips" does, fewer codes must exist, because
    codes change from year to year.
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
    """Return whether the name of a column states the system of its codes without doubt."""
    return any(word in column.lower() for word in _SURE)


def _hinted(scheme: Scheme, name: str) -> bool:
    plain = plain_name(name)
    return any(hint in plain or hint in plain.replace("_", "") for hint in scheme.hints)


def _proves(fit: Fit, codes: Text) -> bool:
    """Return whether the codes alone are proof.

    More than three long codes are, if one has a leading zero or the system is NUTS.
    """
    lengths = pc.utf8_length(codes)
    if fit.scheme.id == "nuts":
        return bool(pc.min(lengths).as_py() >= 3) and len(codes) > 3
    if fit.scheme.id == "istat" and _only_counted(codes, fit.prefix[0]):
        return False
    zeros = as_mask(pc.starts_with(codes, "0"))
    return bool(zeros.any()) and bool(pc.min(lengths).as_py() >= 5) and len(codes) > 3


def _only_counted(codes: Text, upper: int) -> bool:
    """Return whether codes count from 1 in few steps below each upper code, as in any system.

    Nearly all such numbers exist in a system that also counts from 1, so that they prove nothing.
    """
    lower = np.array([int(code[upper:] or 0) for code in codes.to_pylist()])
    n_upper = len(pc.unique(pc.utf8_slice_codeunits(codes, 0, upper)))
    each = len(lower) / n_upper
    return bool(each < _MANY_COUNTED and np.median(lower) <= each)


def bare_codes(codes: Text) -> Text:
    """Return codes without the level before them, as in 0500000US01001 and 2021A00031001.

    The first is a GEO_ID of the US census, the second a DGUID of Statistics Canada. The DGUID of a
    level that does not nest, such as a metropolitan area, is returned as it is.
    """
    us = pc.replace_substring_regex(codes, "^[0-9A-Z]{7,9}US([0-9]+)$", r"\1")
    return pc.replace_substring_regex(us, "^(19|20)[0-9]{2}A000[235]([0-9]{2,7})$", r"\2")


def scheme_of(codes: Text, prefix: Sequence[int], hint: str) -> Scheme | None:
    """Return the system that codes of these lengths follow; None if nothing proves it.

    Several systems have codes of equal lengths. For example, codes of US, German and Japanese
    counties all have two levels of 2 and 5 digits.

    Args:
        codes: whole codes, filled with zeros.
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
    """Return the beginning of each code for each length; blank where the code is shorter."""
    lengths = pc.utf8_length(codes)
    return [
        pc.if_else(
            pc.greater_equal(lengths, n), pc.utf8_slice_codeunits(codes, 0, n), pa.scalar("")
        )
        for n in prefix
    ]
