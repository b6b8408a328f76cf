"""Codes whose first letters name the region above: FIPS, ISTAT, NUTS and others."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cache

import pyarrow as pa
import pyarrow.compute as pc

from hierdp_core.hierarchy.united_states import counties
from hierdp_core.readers.columns.vocabulary import plain_name
from hierdp_core.readers.formats.sheet import Text, as_mask
from hierdp_core.util.data_files import data_rows

_SURE = ("fips", "geoid", "geo_id", "pro_com", "nuts")  # in a name, they leave no doubt
_MOST_KNOWN = 0.9  # of the codes must exist in a system, where its codes are listed
_HALF = 0.5  # where the name of the column leaves no doubt
_NEARLY_ALL = 0.8  # in a system whose codes change from year to year


@dataclass(frozen=True, kw_only=True)
class Scheme:
    """A family of codes.

    Attributes:
        id: such as "fips".
        title: its name on screen.
        lengths: of the code on each level, from the top.
        levels: what the levels are called.
        root: code and level name of what lies above the first level.
        pattern: of a whole code.
        hints: words in a column's name that suggest the scheme.
        zeros: how many leading zeros a code loses when it is stored as a number.
        known: returns the proportion of some distinct codes that exist in the system.
        needs_name: codes are not enough; a word of `hints` must be in the column's name.
    """

    id: str
    title: str
    lengths: tuple[int, ...]
    levels: tuple[str, ...]
    root: tuple[str, str]
    pattern: str
    hints: tuple[str, ...]
    zeros: int = 0
    known: Callable[[Text], float] = field(default=lambda _: 1.0)
    needs_name: bool = False


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


@cache
def _us_counties() -> frozenset[str]:
    """County codes of 2010, and those that came later."""
    later = ["02063", "02066", "02158", "46102", "51019"]
    connecticut = [f"09{n}" for n in range(110, 200, 10)]
    return frozenset(row["geoid"] for row in counties()) | {*later, *connecticut}


@cache
def _us_states() -> frozenset[str]:
    return frozenset(code[:2] for code in _us_counties()) | {"60", "66", "69", "78"}


@cache
def _italian_codes() -> frozenset[str]:
    rows = data_rows("it_municipalities.csv")
    return frozenset(row["code"] for row in rows) | {row["province"] for row in rows}


# NUTS 2021 and 2024, first level; Z is the part outside all regions.
_NUTS_1 = _words(
    """
    AL0 AT1 AT2 AT3 BA0 BE1 BE2 BE3 BG3 BG4 CH0 CY0 CZ0 DE1 DE2 DE3 DE4 DE5 DE6 DE7 DE8 DE9 DEA
    DEB DEC DED DEE DEF DEG DK0 EE0 EL3 EL4 EL5 EL6 ES1 ES2 ES3 ES4 ES5 ES6 ES7 FI1 FI2 FR1 FRB
    FRC FRD FRE FRF FRG FRH FRI FRJ FRK FRL FRM FRY HR0 HU1 HU2 HU3 IE0 IS0 ITC ITF ITG ITH ITI
    LI0 LT0 LU0 LV0 ME0 MK0 MT0 NL1 NL2 NL3 NL4 NO0 PL2 PL4 PL5 PL6 PL7 PL8 PL9 PT1 PT2 PT3 RO1
    RO2 RO3 RO4 RS1 RS2 SE1 SE2 SE3 SI0 SK0 TR1 TR2 TR3 TR4 TR5 TR6 TR7 TR8 TR9 TRA TRB TRC UKC
    UKD UKE UKF UKG UKH UKI UKJ UKK UKL UKM UKN XK0
    """
)
_NUTS_0 = frozenset(code[:2] for code in _NUTS_1)
_BRAZIL = _words(
    """
    11 12 13 14 15 16 17 21 22 23 24 25 26 27 28 29 31 32 33 35 41 42 43 50 51 52 53
    """
)


def _share_in(codes: Text, known: frozenset[str]) -> float:
    return float(as_mask(pc.is_in(codes, value_set=pa.array(sorted(known)))).mean())


def _known_fips(codes: Text) -> float:
    """The share whose county exists; of states alone, whose state does."""
    states = pc.utf8_slice_codeunits(codes, 0, 2)
    if _share_in(pc.unique(states), _us_states()) < 1:
        return 0.0
    long = codes.filter(pc.greater_equal(pc.utf8_length(codes), 5))
    top = pc.utf8_slice_codeunits(long, 0, 2)
    long = long.filter(pc.invert(pc.is_in(top, value_set=pa.array(["60", "66", "69", "78"]))))
    if len(long) == 0:
        return 1.0
    return _share_in(pc.unique(pc.utf8_slice_codeunits(long, 0, 5)), _us_counties())


def _known_istat(codes: Text) -> float:
    return _share_in(codes, _italian_codes())


def _known_nuts(codes: Text) -> float:
    """The share whose country and first level exist."""
    lengths = pc.utf8_length(codes)
    bare = pc.match_substring_regex(codes, "^[A-Z]{2}Z{1,3}$")
    first = pc.is_in(pc.utf8_slice_codeunits(codes, 0, 3), value_set=pa.array(sorted(_NUTS_1)))
    country = pc.is_in(codes, value_set=pa.array(sorted(_NUTS_0)))
    return float(as_mask(pc.or_(bare, pc.if_else(pc.equal(lengths, 2), country, first))).mean())


def _known_brazil(codes: Text) -> float:
    return _share_in(pc.utf8_slice_codeunits(codes, 0, 2), _BRAZIL)


SCHEMES = (
    Scheme(
        id="fips",
        title="US census codes (FIPS)",
        lengths=(2, 5, 11, 12, 15),
        levels=("state", "county", "tract", "block group", "block"),
        root=("US", "nation"),
        pattern="[0-9]+",
        hints=("fips", "geoid", "geo_id", "geocode", "county", "tract", "block", "state"),
        zeros=1,
        known=_known_fips,
    ),
    Scheme(
        id="istat",
        title="Italian municipality codes (ISTAT)",
        lengths=(3, 6),
        levels=("province", "municipality"),
        root=("IT", "country"),
        pattern="[0-9]+",
        hints=("istat", "pro_com", "comune", "cod_com"),
        zeros=2,
        known=_known_istat,
    ),
    Scheme(
        id="nuts",
        title="European statistical regions (NUTS)",
        lengths=(2, 3, 4, 5),
        levels=("country", "NUTS 1 region", "NUTS 2 region", "NUTS 3 region"),
        root=("all", "total"),
        pattern="[A-Z]{2}[0-9A-Z]{0,3}",
        hints=("nuts", "geo"),
        known=_known_nuts,
    ),
    Scheme(
        id="ags",
        title="German municipality keys (AGS)",
        lengths=(2, 5, 8),
        levels=("state", "district", "municipality"),
        root=("DE", "country"),
        pattern="(0[1-9]|1[0-6])([0-9]{3}([0-9]{3})?)?",
        hints=("ags", "gemeindeschlussel", "kreisschlussel", "regionalschlussel"),
        zeros=1,
        needs_name=True,
    ),
    Scheme(
        id="insee",
        title="French commune codes (INSEE)",
        lengths=(2, 5),
        levels=("département", "commune"),
        root=("FR", "country"),
        pattern="(0[1-9]|[1-8][0-9]|9[0-5]|2[AB])([0-9]{3})?",
        hints=("codgeo", "insee", "codecommune", "code_commune", "depcom"),
        zeros=1,
        needs_name=True,
    ),
    Scheme(
        id="ibge",
        title="Brazilian municipality codes (IBGE)",
        lengths=(2, 7),
        levels=("state", "municipality"),
        root=("BR", "country"),
        pattern="[1-5][0-9]([0-9]{5})?",
        hints=("ibge", "cod_mun", "codmun", "cod_municipio", "codigo_municipio", "code_muni",
               "geocodigo", "cd_mun"),
        known=_known_brazil,
        needs_name=True,
    ),
    Scheme(
        id="jis",
        title="Japanese municipality codes (JIS X 0402)",
        lengths=(2, 5),
        levels=("prefecture", "municipality"),
        root=("JP", "country"),
        pattern="(0[1-9]|[1-3][0-9]|4[0-7])([0-9]{3})?",
        hints=("団体コード", "地域コード", "市区町村コード", "jis"),
        zeros=1,
        needs_name=True,
    ),
)  # fmt: skip


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
    named = fit is not None and any(word in hint.lower() for word in _SURE)
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
    named = _hinted(scheme, hint) and any(word in hint.lower() for word in _SURE)
    if known < (_HALF if named else _NEARLY_ALL if scheme.id == "istat" else _MOST_KNOWN):
        return None
    used = tuple(n for n in scheme.lengths if n <= longest)
    return Fit(scheme=scheme, prefix=used, width=width, known=known)


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
