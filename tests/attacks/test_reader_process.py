"""The process that reads files: it ends with its parent, and takes no more than it may."""

import json
import math
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
import zipfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from support.modules import written_module

from hierdp_core.readers import process, read
from hierdp_core.readers.isolated import start
from hierdp_core.readers.limits import MEGABYTE, UPLOAD, Limits
from hierdp_core.util import temporary

ON_LINUX = pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
TABLE = "country,region,people\nX,r0,1\nX,r1,2\n"
BOUND = "import time; from hierdp_core.readers.isolated.child import begun; begun()\n"
ASKING = """
from hierdp_core.readers import process
from hierdp_core.readers.isolated import start
start.READER, start.HAS_SERVER = {function!r}, {has_server}
process.read("table.csv")
"""
WAYS = [pytest.param(True, marks=ON_LINUX, id="from a server"), pytest.param(False, id="anew")]


@pytest.fixture
def table(tmp_path: Path) -> Path:
    file = tmp_path / "table.csv"
    file.write_text(TABLE)
    return file


def until(done: Callable[[], object], seconds: float = 60) -> None:
    end = time.monotonic() + seconds
    while not done():
        assert time.monotonic() < end
        time.sleep(0.02)


def has_ended(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()[0]
    except OSError:
        return True
    return state == "Z"


def faults(reading: process.Reading) -> set[str]:
    return {finding.id for finding in reading.report.faults}


def folders(place: Path) -> list[Path]:
    return list(place.glob("hierdp-*"))


@ON_LINUX
@pytest.mark.parametrize("has_server", WAYS)
def test_it_ends_with_its_parent_and_its_files_go_at_the_next_start(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, has_server: bool
) -> None:
    note = "import os; open('child', 'w').write(str(os.getpid())); time.sleep(60)"
    function = written_module(tmp_path, BOUND + note)
    asking = ASKING.format(function=function, has_server=has_server)
    root = os.pathsep.join([str(Path(__file__).resolve().parents[2]), str(tmp_path)])
    parent = subprocess.Popen(
        [sys.executable, "-c", asking],
        cwd=tmp_path,
        env={**os.environ, "TMPDIR": str(tmp_path), "PYTHONPATH": root},
    )
    pid_file = tmp_path / "child"
    until(lambda: pid_file.is_file() and pid_file.read_text(encoding="utf-8"))
    assert len(folders(tmp_path)) == 1
    parent.send_signal(signal.SIGKILL)
    parent.wait()
    until(lambda: has_ended(int(pid_file.read_text(encoding="utf-8"))), seconds=10)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    with temporary.folder() as own:
        assert temporary.sweep() == 1
        assert folders(tmp_path) == [own]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("doing", "limits", "fault"),
    [
        ("kept = [b'x' * 2**20 for _ in range(4000)]; time.sleep(60)", {}, "memory"),
        ("while True: pass", {"cpu_seconds": 1}, "time"),
        ("time.sleep(60)", {"seconds": 0.5}, "time"),
    ],
)
@pytest.mark.parametrize("has_server", WAYS)
def test_what_it_takes_is_bounded(
    table: Path,
    monkeypatch: pytest.MonkeyPatch,
    calls_instead: Callable[[str], None],
    has_server: bool,
    doing: str,
    limits: dict[str, int],
    fault: str,
) -> None:
    monkeypatch.setattr(start, "HAS_SERVER", has_server)
    calls_instead(BOUND + doing)
    bounds = Limits(**{"memory_bytes": 200 * MEGABYTE, **limits})
    assert faults(read(table, limits=bounds)) == {fault}


@pytest.mark.parametrize("has_server", WAYS)
def test_no_more_than_two_run_at_once_and_a_waiting_one_can_be_stopped(
    table: Path,
    monkeypatch: pytest.MonkeyPatch,
    calls_instead: Callable[[str], None],
    has_server: bool,
) -> None:
    monkeypatch.setattr(start, "HAS_SERVER", has_server)
    calls_instead(BOUND + "time.sleep(60)")
    started, over = [], threading.Event()

    def one() -> None:
        read(table, stop=lambda: started.append(1) or over.is_set())

    readers = [threading.Thread(target=one) for _ in range(process.AT_ONCE)]
    for reader in readers:
        reader.start()
    until(lambda: process._turns._value == 0)
    assert faults(read(table, stop=lambda: True)) == {"stopped"}
    over.set()
    for reader in readers:
        reader.join(20)
    assert process._turns._value == process.AT_ONCE


def boundaries(folder: Path, ring: list[list[float]]) -> Path:
    square = [[2, 0], [3, 0], [3, 1], [2, 0]]
    features = [
        {"type": "Feature", "properties": {"code": code}, "geometry": shape}
        for code, shape in (
            ("r0", {"type": "Polygon", "coordinates": [[*ring, ring[0]]]}),
            ("r1", {"type": "Polygon", "coordinates": [square]}),
        )
    ]
    file = folder / "shapes.geojson"
    file.write_text(json.dumps({"type": "FeatureCollection", "features": features}))
    return file


def random_ring(n: int) -> list[list[float]]:
    return np.random.default_rng(3).random((n, 2)).round(6).tolist()


def zigzag(n: int) -> list[list[float]]:
    return [[k % 2, k * 0.618 % 1] for k in range(n)]


def coast(n: int) -> list[list[float]]:
    turns = [2 * math.pi * k / n for k in range(n)]
    noise = np.random.default_rng(4).normal(scale=1 / n, size=n)
    return [
        [math.cos(t) * (1 + e), math.sin(t) * (1 + e)] for t, e in zip(turns, noise, strict=True)
    ]


@pytest.mark.parametrize("ring", [random_ring(4_000), zigzag(20_000)])
def test_a_tangled_shape_is_refused_before_it_is_repaired(
    table: Path, tmp_path: Path, ring: list[list[float]]
) -> None:
    from hierdp_core.readers.reading import read_here

    reading = read_here([table, boundaries(tmp_path, ring)])
    assert faults(reading) == {"tangle"}


def test_a_long_coast_is_no_tangle(table: Path, tmp_path: Path) -> None:
    from hierdp_core.readers.reading import read_here

    assert "tangle" not in faults(read_here([table, boundaries(tmp_path, coast(20_000))]))


def test_unpacked_bytes_count_over_the_whole_archive(table: Path, tmp_path: Path) -> None:
    from hierdp_core.readers.reading import read_here

    noise = np.random.default_rng(1).integers(0, 4, 300_000, dtype=np.uint8).tobytes()
    packed = tmp_path / "shapes.zip"
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for suffix in ("shp", "shx", "dbf", "prj"):
            archive.writestr(f"a.{suffix}", noise)
    whole, most = read_here([table, packed]), Limits(unpacked_bytes=1_000_000)
    assert "too-large" not in faults(whole)
    assert faults(read_here([table, packed], limits=most)) == {"too-large"}


def test_uploads_have_less_than_files_of_ones_own() -> None:
    assert UPLOAD.memory_bytes <= 1.5 * 2**30
    assert UPLOAD.cpu_seconds <= 120


@pytest.mark.slow
@pytest.mark.parametrize(
    ("crs", "features"),
    [({"properties": 5}, True), ({"properties": {"name": 7}}, True), (None, False)],
)
def test_odd_boundaries_are_reported_and_do_not_stop_the_reader(
    table: Path, tmp_path: Path, crs: object, features: bool
) -> None:
    file = boundaries(tmp_path, [[0, 0], [1, 0], [1, 1]])
    content = json.loads(file.read_text(encoding="utf-8")) | {"crs": crs}
    if not features:
        content["features"] = [{"type": "Feature", "properties": {}, "geometry": None}]
    file.write_text(json.dumps(content))
    assert "crash" not in faults(read(table, file))


def test_a_zip_that_lies_about_its_offsets_is_reported(tmp_path: Path) -> None:
    from hierdp_core.readers.reading import read_here

    file = tmp_path / "table.zip"
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("table.csv", TABLE)
    data = bytearray(file.read_bytes())
    entry = data.index(b"PK\x01\x02")
    data[entry + 42 : entry + 46] = (2**32 - 2).to_bytes(4, "little")
    file.write_bytes(bytes(data))
    assert faults(read_here([file])) == {"archive"}
