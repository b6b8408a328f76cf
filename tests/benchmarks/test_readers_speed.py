"""The time to read a small table, a million leaves, ten million persons or 20,000 polygons.

HIERDP_PERSONS sets another number of persons.
"""

import json
import os
import resource
import time
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from hierdp_core.readers import Layout, read
from hierdp_core.readers.isolated import start as starting
from hierdp_core.tables import Counts, GroupSizes

PERSONS = int(os.environ.get("HIERDP_PERSONS", "10000000"))
BATCH = 1_000_000


@pytest.fixture(autouse=True)
def own_children(monkeypatch: pytest.MonkeyPatch) -> None:
    """The memory of processes that a server starts is not reported to this one."""
    monkeypatch.setattr(starting, "HAS_SERVER", False)


def written_persons(path: Path, n: int) -> None:
    rng = np.random.default_rng(0)
    codes = pa.array([f"{i // 62:02d}{i % 62:03d}" for i in range(3143)])
    states = pa.array([f"{i:02d}" for i in range(51)])
    writer = None
    for _ in range(n // BATCH):
        county = rng.integers(0, 3143, BATCH)
        batch = pa.table(
            {
                "state": states.take(pa.array(county // 62)),
                "county": codes.take(pa.array(county)),
                "household": rng.integers(0, n // 3, BATCH),
                "age": rng.integers(0, 90, BATCH).astype(np.int8),
            }
        )
        writer = writer or pq.ParquetWriter(path, batch.schema)
        writer.write_table(batch)
    assert writer is not None
    writer.close()


def shown(what: str, start: float) -> None:
    heaviest = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1e6
    print(f"\n{what}: {time.perf_counter() - start:.1f} s, at most {heaviest:.2f} GB")


@pytest.mark.skipif(not starting.HAS_SERVER, reason="there is a server on Linux only")
def test_a_small_table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, seconds = tmp_path / "small.csv", {}
    path.write_text("state,county,people\nN,a,10\nN,b,20\nS,c,30\n")
    read(path)
    for turn in range(10):
        for has_server in (True, False):
            monkeypatch.setattr(starting, "HAS_SERVER", has_server)
            start = time.perf_counter()
            assert read(path).table is not None
            if turn > 0:
                seconds.setdefault(has_server, []).append(time.perf_counter() - start)
    served, anew = (float(np.median(seconds[has])) for has in (True, False))
    print(
        f"\na small table: {served:.2f} s from a server, {anew:.2f} s anew, {anew / served:.1f} x"
    )


def test_a_million_leaves(tmp_path: Path) -> None:
    path = tmp_path / "leaves.csv"
    with path.open("w") as file:
        file.write("state,county,place,people\n")
        for i in range(1_000_000):
            file.write(f"S{i // 20_000:02d},C{i // 250:04d},P{i:07d},{i % 977}\n")
    start = time.perf_counter()
    reading = read(path)
    shown("one million leaf rows of CSV", start)
    assert isinstance(reading.table, Counts), reading.report.lines()
    assert reading.table.regions.tree.n_leaves == 1_000_000


def test_persons_in_parquet(tmp_path: Path) -> None:
    path = tmp_path / "persons.parquet"
    written_persons(path, PERSONS)
    levels = ("state", "county")
    start = time.perf_counter()
    counts = read(path, layout=Layout(row="person", levels=levels)).table
    shown(f"{PERSONS:,} persons counted", start)
    assert isinstance(counts, Counts)
    assert counts.values[0] == PERSONS
    start = time.perf_counter()
    households = Layout(kind="group-sizes", row="person", levels=levels, group="household")
    groups = read(path, layout=households).table
    shown(f"{PERSONS:,} persons grouped by household", start)
    assert isinstance(groups, GroupSizes)
    assert groups.values[0] @ np.arange(groups.n_sizes) == PERSONS


def test_twenty_thousand_polygons(tmp_path: Path) -> None:
    table, shapes = tmp_path / "table.csv", tmp_path / "shapes.geojson"
    side, step = 142, 0.05
    codes = [f"Z{i:05d}" for i in range(side * side)]
    table.write_text("area,zone,n\n" + "".join(f"A{i // 500},{c},1\n" for i, c in enumerate(codes)))
    features = []
    for i, code in enumerate(codes):
        x, y = (i % side) * step, (i // side) * step
        edge = np.linspace(0, step, 8)
        ring = [[x + e, y] for e in edge] + [[x + step, y + e] for e in edge[1:]]
        ring += [[x + step - e, y + step] for e in edge[1:]] + [[x, y + step - e] for e in edge[1:]]
        ring[-1] = ring[0]
        points = [[round(a, 6), round(b, 6)] for a, b in ring]
        geometry = {"type": "Polygon", "coordinates": [points]}
        features.append({"type": "Feature", "properties": {"zone": code}, "geometry": geometry})
    shapes.write_text(json.dumps({"type": "FeatureCollection", "features": features}))
    start = time.perf_counter()
    reading = read(table, shapes)
    shown(f"{len(codes):,} polygons read, matched and dissolved", start)
    assert reading.drawn == "boundaries of shapes.geojson", reading.report.lines()
