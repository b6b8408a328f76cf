"""Flows and sizes as statistical offices publish them: totals beside parts, several formats."""

import io
from collections.abc import Iterator

import numpy as np
import pandas as pd

from support.exports import spss_file, stata_file
from support.offices import File, text

_TOWNS = [
    "Alva", "Borne", "Cresk", "Dolna", "Elmet", "Forsa", "Gruda", "Hvide", "Ilmen", "Jasna",
    "Korfu", "Lasko",
]  # fmt: skip
_REGIONS = ("Nord", "Syd", "Vest")


def _gravity(n: int, salt: int) -> list[list[int]]:
    """Flows between places of which each has more within itself than from any other."""
    rng = np.random.default_rng([salt, n])
    place, size = rng.random((n, 2)), rng.lognormal(0, 1, n)
    distance = np.hypot(*(place[:, None] - place[None]).transpose(2, 0, 1)) + 0.05
    flows = size[:, None] * size / distance
    np.fill_diagonal(flows, 1.4 * flows.sum(axis=1))
    return [[int(x) for x in row] for row in rng.poisson(flows * 1500 * n / flows.sum())]


def _starts(pairs: list[tuple[str, str, int]], codes: list[str]) -> dict[str, int]:
    return {code: sum(n for a, _, n in pairs if a == code) for code in codes}


def _parquet(frame: pd.DataFrame) -> bytes:
    buffer = io.BytesIO()
    frame.to_parquet(buffer)
    return buffer.getvalue()


def _px(title: str, stub: tuple[str, list[str]], head: tuple[str, list[str]], unit: str,
        rows: list[list[int]]) -> bytes:  # fmt: skip
    def quoted(cells: list[str]) -> str:
        return ",".join(f'"{cell}"' for cell in cells)

    lines = [
        'CHARSET="ANSI";', 'AXIS-VERSION="2010";', 'MATRIX="T1";', f'TITLE="{title}";',
        f'STUB="{stub[0]}";', f'HEADING="{head[0]}";', f'VALUES("{stub[0]}")={quoted(stub[1])};',
        f'VALUES("{head[0]}")={quoted(head[1])};', f'UNITS="{unit}";', "DATA=",
        *(" ".join(map(str, row)) for row in rows),
    ]  # fmt: skip
    return ("\n".join(lines) + ";\n").encode()


def _flows() -> Iterator[tuple[str, File]]:
    flows = _gravity(12, 1)
    codes = [f"{101 + 7 * k}" for k in range(12)]
    pairs = [(codes[i], codes[j], flows[i][j]) for i in range(12) for j in range(12)]
    listed = [pair for pair in pairs if pair[2] >= 5]
    names = dict(zip(codes, _TOWNS, strict=True))
    rows: list[list[object]] = [["orig_kode", "orig_navn", "dest_kode", "dest_navn", "antal"]]
    rows += [[a, names[a], b, names[b], n] for a, b, n in listed]
    rows += [[c, names[c], "999", "Hele landet", sum(flows[k])] for k, c in enumerate(codes)]
    yield (
        "flows_to_the_whole",
        File(
            name="pendling.csv",
            data=text(rows),
            kind="flows",
            leaves=_starts(listed, codes),
            answers={"leave_out": ("dest_kode=999",)},
        ),
    )
    both = [
        (year, sex, a, b, part)
        for year in (2021, 2022)
        for a, b, n in pairs
        for sex, part in (("M", n // 2), ("F", n + year - 2021 - n // 2), ("T", n + year - 2021))
    ]
    frame = pd.DataFrame(both, columns=["year", "sex", "residence", "workplace", "persons"])
    yield (
        "flows_by_sex_and_year",
        File(
            name="commuters.parquet",
            data=_parquet(frame),
            kind="flows",
            leaves=_starts([(a, b, n + 1) for a, b, n in pairs], codes),
            answers={"keep": ("year=2022",)},
        ),
    )
    yield (
        "flows_px",
        File(
            name="commuters.px",
            data=_px("Commuters", ("residence", _TOWNS), ("workplace", _TOWNS), "persons", flows),
            kind="flows",
            leaves=dict(zip(_TOWNS, map(sum, flows), strict=True)),
        ),
    )
    flows = _gravity(40, 5)
    codes = [f"{k // 8 + 1}{k % 8 + 1:02d}" for k in range(40)]
    pairs = [
        (codes[i], codes[j], flows[i][j]) for i in range(40) for j in range(40)
        if flows[i][j] >= 10
    ]  # fmt: skip
    # Each region has trips from places that are not listed, so that no sum is exact.
    regions = [
        (f"{r + 1}00", codes[j], 3 + sum(flows[8 * r + k][j] for k in range(8)))
        for r in range(5)
        for j in range(40)
    ]
    yield (
        "flows_of_unpublished_parts",
        File(
            name="movers.csv",
            data=text([["from_code", "to_code", "movers"], *map(list, pairs + regions)]),
            kind="flows",
            leaves=_starts(pairs, codes),
            answers={"leave_out": tuple(f"from_code={r + 1}00" for r in range(5))},
        ),
    )


def _sizes() -> Iterator[tuple[str, File]]:
    rng = np.random.default_rng([101, 51])
    sizes = rng.integers(20, 900, (12, 5)).tolist()
    titles = ["Total", "1 person", "2 persons", "3 persons", "4 persons", "5 persons and more"]
    yield (
        "sizes_px",
        File(
            name="households.px",
            data=_px(
                "Households", ("municipality", _TOWNS), ("household size", titles), "households",
                [[sum(row), *row] for row in sizes],
            ),
            kind="group-sizes",
            leaves={town: (0, *row) for town, row in zip(_TOWNS, sizes, strict=True)},
        ),
    )  # fmt: skip
    frame = pd.DataFrame(
        {
            "kommune": [town for town in _TOWNS for _ in range(5)],
            "personer_i_husstand": [k + 1 for _ in _TOWNS for k in range(5)],
            "husstande": [n for row in sizes for n in row],
        }
    )
    yield (
        "sizes_parquet",
        File(
            name="husstande.parquet",
            data=_parquet(frame),
            kind="group-sizes",
            leaves={town: (0, *row) for town, row in zip(_TOWNS, sizes, strict=True)},
            answers={"count": "husstande", "kind": "group-sizes", "size": "personer_i_husstand"},
        ),
    )


def _programs() -> Iterator[tuple[str, File]]:
    births = [0, 12, 33, 41, 0, 55, 61, 72, 83, 94, 15, 26]
    frame = pd.DataFrame(
        {"kommune": np.arange(1, 13, dtype=np.int8), "births": np.array(births, np.int16)}
    )
    labels = {"kommune": dict(enumerate(_TOWNS, start=1)), "births": {0: "none"}}
    yield (
        "stata_special_number",
        File(
            name="births.dta",
            data=stata_file(frame, labels),
            leaves=dict(zip(_TOWNS, births, strict=True)),
            depth=1,
        ),
    )
    rng = np.random.default_rng([101, 52])
    where = rng.integers(0, 12, 400)
    frame = pd.DataFrame(
        {
            "IDHH": np.sort(rng.integers(1, 150, 400)) * 1.0,
            "IDPERS": np.arange(1.0, 401.0),
            "PROV": where // 4 + 1.0,
            "MUN": (where // 4 + 1) * 100 + where % 4 + 1.0,
            "EDAD": rng.integers(0, 96, 400) * 1.0,
            "FACTOR": rng.uniform(50, 400, 400),
        }
    )
    named = {float(k): region for k, region in enumerate(_REGIONS, start=1)}
    codes = ((where // 4 + 1) * 100 + where % 4 + 1).tolist()
    yield (
        "spss_weighted",
        File(
            name="encuesta.sav",
            data=spss_file(frame, {"PROV": named, "EDAD": {0.0: "menos de 1"}}),
            leaves={str(code): codes.count(code) for code in sorted(set(codes))},
            depth=2,
            answers={"kind": "counts", "row": "person"},
        ),
    )


def office_flow_files() -> Iterator[tuple[str, File]]:
    """Every file, each with an id."""
    for family in (_flows, _sizes, _programs):
        yield from family()
