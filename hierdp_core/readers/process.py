"""Reading in a separate process, which can be stopped and has bounded memory.

If a file makes the reader fail, only that process ends, and the calling process gets a report. The
reading process ends with the calling one, and its files are removed. At most two run at once.
"""

import ctypes
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict
from functools import cache
from pathlib import Path
from threading import BoundedSemaphore, Thread
from typing import Any

from hierdp_core.exceptions import FileError
from hierdp_core.readers.columns.layout import Layout
from hierdp_core.readers.limits import MEGABYTE, Limits
from hierdp_core.readers.report import Notebook, Report
from hierdp_core.readers.result import Reading
from hierdp_core.util import temporary
from hierdp_core.util.argument_types import typed

AT_ONCE = 2  # readers of one process; others wait
_turns = BoundedSemaphore(AT_ONCE)

_LOOKS = 0.1  # seconds between checks whether to stop
_ADDRESSES = 3 * 1024 * MEGABYTE  # bytes that libraries reserve and never use
_DIE_WITH_PARENT = 1  # Linux: PR_SET_PDEATHSIG
_OUT_OF_MEMORY = 70  # exit codes of the child
_CHILD = "from hierdp_core.readers.process import main; main()"


def read(
    *paths: str | Path,
    layout: Layout | None = None,
    stated: Mapping[str, Any] | None = None,
    regions: str | Path | None = None,
    confidential: bool = False,
    limits: Limits | None = None,
    stop: Callable[[], bool] | None = None,
) -> Reading:
    """Read a table, with boundaries or centres beside it.

    Args:
        paths: one table, optionally with one file of boundaries, one of centres, and lookup tables
            with the parents and names of areas.
        layout: what the columns mean; if None, it is guessed, for someone to confirm.
        stated: settings of a layout, such as {"count": "people"}, that are fixed while the others
            are guessed.
        regions: a list of all areas that does not come from the records: a lookup file or
            boundaries. Without one, the regions are those that the rows name, and every statement
            about the table states this.
        confidential: treat as public only what is stated: a list of areas, the layout and, for
            group sizes, a maximum size are then required.
        limits: the limits on size, time and memory.
        stop: a function called ten times a second, also while the reading waits; True ends it.

    Returns:
        The reading. Its report holds every fault; a file cannot make this raise.
    """
    limits = limits or Limits()
    request = {
        "paths": [str(path) for path in paths],
        "layout": None if layout is None else layout.words,
        "stated": dict(stated or {}),
        "regions": None if regions is None else str(regions),
        "confidential": confidential,
        "limits": asdict(limits),
        "parent": os.getpid(),
    }
    _sweep_once()
    outcome, parcel = _run(json.dumps(request).encode(), limits, stop)
    if outcome == "read":
        from hierdp_core.readers.serialisation import unpacked

        return unpacked(parcel)
    return _failed(outcome, paths, limits)


@typed
def read_table(
    *paths: str | Path,
    layout: Layout | Mapping[str, Any] | None = None,
    regions: str | Path | None = None,
    confidential: bool = False,
    limits: Limits | None = None,
    strict: bool = True,
) -> Reading:
    """Return a table from files, with boundaries beside it and a report of all that was found.

        reading = hdp.read_table("counties.csv", "counties.geojson")
        reading.table, reading.boundaries, reading.report

    Args:
        paths: one table (CSV, Excel, Parquet …), optionally with one file of boundaries, one of
            centres, and lookup tables with the parents and names of areas.
        layout: what the columns mean, such as {"levels": ["state", "county"], "count": "people"};
            if None, it is guessed, and `reading.layout` is the guess.
        regions: a list of all areas that does not come from the records.
        confidential: refuse to treat as public what would be taken from the records.
        limits: the limits on size, time and memory.
        strict: whether to raise an error if the files have one. If not, the report lists the
            errors, and `reading.table` is None.

    Raises:
        FileError: no path is given, or `strict` is set and the files have errors. The message is
            about the first of them.
        ChoiceError: the layout is not valid.
    """
    if not paths:
        raise FileError('No file was given. Pass the path of a table, such as "counties.csv".')
    stated = Layout.of(layout) if isinstance(layout, Mapping) else layout
    reading = read(*paths, layout=stated, regions=regions, confidential=confidential, limits=limits)
    if strict:
        reading.report.require_usable()
    return reading


def _run(request: bytes, limits: Limits, stop: Callable[[], bool] | None) -> tuple[str, bytes]:
    """Return how the child process ended, and what it wrote."""
    with _turn(stop) as given, temporary.folder() as folder:
        return _run_in(folder, request, limits, stop) if given else ("stopped", b"")


@contextmanager
def _turn(stop: Callable[[], bool] | None) -> Iterator[bool]:
    """Wait until fewer than `AT_ONCE` readers run; False when the reading was stopped before."""
    while not _turns.acquire(timeout=_LOOKS):
        if stop is not None and stop():
            yield False
            return
    try:
        yield True
    finally:
        _turns.release()


def _run_in(
    folder: Path, request: bytes, limits: Limits, stop: Callable[[], bool] | None
) -> tuple[str, bytes]:
    root = str(Path(__file__).resolve().parents[2])
    path = os.pathsep.join(filter(None, [root, os.environ.get("PYTHONPATH", "")]))
    places = dict.fromkeys(("TMPDIR", "TEMP", "TMP"), str(folder))
    process = subprocess.Popen(
        [sys.executable, "-P", "-c", _CHILD],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env={**os.environ, **places, "PYTHONPATH": path, "PROJ_NETWORK": "OFF"},
    )
    until = time.monotonic() + limits.seconds
    waiting: bytes | None = request
    with process:
        try:
            while True:
                try:
                    parcel, _ = process.communicate(waiting, timeout=_LOOKS)
                    break
                except subprocess.TimeoutExpired:
                    waiting = None
                    if why := _reason_to_end(process.pid, until, limits, stop):
                        return why, b""
        finally:
            process.kill()  # has no effect if it has ended
    return _outcome(process.returncode), parcel


def _reason_to_end(
    pid: int, until: float, limits: Limits, stop: Callable[[], bool] | None
) -> str | None:
    if time.monotonic() > until:
        return "late"
    if stop is not None and stop():
        return "stopped"
    return "memory" if _resident_bytes(pid) > limits.memory_bytes else None


def _resident_bytes(pid: int) -> int:
    """Return the memory that a process uses, in bytes; 0 if the system does not report it."""
    try:
        pages = Path(f"/proc/{pid}/statm").read_text().split()[1]
    except (OSError, IndexError):
        return 0
    return int(pages) * os.sysconf("SC_PAGE_SIZE")


def _outcome(code: int) -> str:
    if code == 0:
        return "read"
    if code == -getattr(signal, "SIGXCPU", 0):
        return "busy"
    return "memory" if code == _OUT_OF_MEMORY else "crashed"


@cache
def _sweep_once() -> None:
    temporary.sweep()


def _failed(outcome: str, paths: Sequence[str | Path], limits: Limits) -> Reading:
    names = [Path(str(path)).name for path in paths]
    notes = Notebook(", ".join(names))
    gigabytes = limits.memory_bytes / 2**30
    faults = {
        "late": ("time", f"takes longer than {limits.seconds:,.0f} s to read"),
        "busy": ("time", f"takes more than {limits.cpu_seconds:,} s of processor time to read"),
        "stopped": ("stopped", "was not read to the end, because reading was stopped"),
        "memory": ("memory", f"needs more memory than {gigabytes:.3g} GB"),
        "crashed": ("crash", "made the reader stop unexpectedly, so it may be damaged"),
    }
    notes.fault(
        *faults[outcome],
        "" if outcome == "stopped" else "Save it again, or save a part of it as a separate file.",
    )
    return Reading(report=Report.of(names, notes.findings))


def main() -> None:
    """Run the child process: read the files that standard input names, and write the reading."""
    request: dict[str, Any] = json.loads(sys.stdin.buffer.read())
    limits = Limits(**request["limits"])
    _end_with(request["parent"])
    _bound(limits)
    out = sys.stdout.buffer
    try:
        from hierdp_core.readers.reading import read_here
        from hierdp_core.readers.serialisation import packed

        layout = None if request["layout"] is None else Layout.of(request["layout"])
        reading = read_here(
            request["paths"],
            layout=layout,
            stated=request["stated"],
            regions=request["regions"],
            confidential=request["confidential"],
            limits=limits,
        )
        out.write(packed(reading))
        out.flush()
    except MemoryError:
        os._exit(_OUT_OF_MEMORY)


def _bound(limits: Limits) -> None:
    """Limit the resources of this process and block the network, where the system allows it."""
    sys.addaudithook(_no_network)
    try:
        import resource
    except ImportError:  # Windows: time is bounded still
        return
    for what, most in (
        (resource.RLIMIT_AS, limits.memory_bytes + _ADDRESSES),
        (resource.RLIMIT_CPU, limits.cpu_seconds),
        (resource.RLIMIT_FSIZE, limits.unpacked_bytes),
        (resource.RLIMIT_CORE, 0),
    ):
        _, hard = resource.getrlimit(what)
        most = most if hard == resource.RLIM_INFINITY else min(most, hard)
        resource.setrlimit(what, (most, hard))


def _end_with(parent: int) -> None:
    """End this process when the calling process ends, for whatever reason."""
    with suppress(OSError, AttributeError):  # Linux: at once, whatever a library is doing
        ctypes.CDLL(None).prctl(_DIE_WITH_PARENT, signal.SIGKILL)

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(_LOOKS)
        os._exit(1)

    Thread(target=watch, daemon=True).start()


def _no_network(event: str, _: tuple[object, ...]) -> None:
    if event in ("socket.connect", "socket.getaddrinfo", "urllib.Request"):
        raise OSError("A file reader may not use the network.")
