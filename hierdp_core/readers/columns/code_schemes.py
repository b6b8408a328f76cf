"""Known systems of codes, such as FIPS, ISTAT and NUTS, and the codes that exist in them."""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache

import pyarrow as pa
import pyarrow.compute as pc

from hierdp_core.hierarchy.united_states import counties
from hierdp_core.readers.formats.sheet import Text, as_mask
from hierdp_core.util.data_files import data_rows


@dataclass(frozen=True, kw_only=True)
class Scheme:
    """A system of codes.

    Attributes:
        id: a short name, such as "fips".
        title: the name on screen.
        lengths: the length of the codes of each level, from the top down.
        levels: the names of the levels.
        root: the code and the name of the level above the first one.
        pattern: a regular expression for a whole code.
        hints: words in the name of a column that suggest the system.
        zeros: the number of leading zeros that a code loses when it is stored as a number.
        known: returns the proportion of some distinct codes that exist in the system.
        needs_name: codes alone are not sufficient. The name of the column must contain a hint.
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
    """Return the county codes of 2010 and those introduced later."""
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
# Standard Geographical Classification of Canada, provinces and territories.
_CANADA = _words("10 11 12 13 24 35 46 47 48 59 60 61 62")
_BRAZIL = _words(
    """
    11 12 13 14 15 16 17 21 22 23 24 25 26 27 28 29 31 32 33 35 41 42 43 50 51 52 53
    """
)


def _share_in(codes: Text, known: frozenset[str]) -> float:
    return float(as_mask(pc.is_in(codes, value_set=pa.array(sorted(known)))).mean())


def _known_fips(codes: Text) -> float:
    """Return the proportion of codes whose county exists; 0 if a state does not exist."""
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
    """Return the proportion of codes whose country and first level exist."""
    lengths = pc.utf8_length(codes)
    bare = pc.match_substring_regex(codes, "^[A-Z]{2}Z{1,3}$")
    first = pc.is_in(pc.utf8_slice_codeunits(codes, 0, 3), value_set=pa.array(sorted(_NUTS_1)))
    country = pc.is_in(codes, value_set=pa.array(sorted(_NUTS_0)))
    return float(as_mask(pc.or_(bare, pc.if_else(pc.equal(lengths, 2), country, first))).mean())


def _known_brazil(codes: Text) -> float:
    return _share_in(pc.utf8_slice_codeunits(codes, 0, 2), _BRAZIL)


def _known_canada(codes: Text) -> float:
    return _share_in(pc.utf8_slice_codeunits(codes, 0, 2), _CANADA)


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
        id="sgc",
        title="Canadian codes (SGC, as in DGUID)",
        lengths=(2, 4, 7),
        levels=("province", "census division", "census subdivision"),
        root=("CA", "country"),
        pattern="[1-6][0-9]([0-9]{2}([0-9]{3})?)?",
        hints=("dguid", "sgc"),
        known=_known_canada,
        needs_name=True,
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
        id="ubigeo",
        title="Peruvian district codes (UBIGEO)",
        lengths=(2, 4, 6),
        levels=("department", "province", "district"),
        root=("PE", "country"),
        pattern="(0[1-9]|1[0-9]|2[0-5])([0-9]{2}([0-9]{2})?)?",
        hints=("ubigeo",),
        zeros=1,
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
