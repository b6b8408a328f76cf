"""Reading in a separate process, which can be stopped and has bounded memory.

If a file makes the reader fail, only that process ends, and the calling process gets a report. The
reading process ends with the calling one, and its files are removed. At most two run at once.
"""

import json
import os
import signal
import subprocess
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from functools import cache
from pathlib import Path
from threading import BoundedSemaphore
from typing import Any

from hierdp_core.exceptions import FileError
from hierdp_core.readers.columns.layout import Layout
from hierdp_core.readers.isolated import start
from hierdp_core.readers.isolated.child import OUT_OF_MEMORY
from hierdp_core.readers.limits import Limits
from hierdp_core.readers.report import Notebook, Report
from hierdp_core.readers.result import Reading
from hierdp_core.util import temporary
from hierdp_core.util.argument_types import typed

AT_ONCE = 2  # readers of one process; others wait
_turns = BoundedSemaphore(AT_ONCE)

_LOOKS = 0.1  # seconds between checks whether to stop


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
        regions: a list of all areas that does not come from the records: a lookup table or
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
    }
    _sweep_once()
    outcome, parcel = _run(request, limits, stop)
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


def _run(
    request: dict[str, Any], limits: Limits, stop: Callable[[], bool] | None
) -> tuple[str, bytes]:
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
    folder: Path, request: dict[str, Any], limits: Limits, stop: Callable[[], bool] | None
) -> tuple[str, bytes]:
    until = time.monotonic() + limits.seconds
    places = dict.fromkeys(("TMPDIR", "TEMP", "TMP"), str(folder))
    environment = {**os.environ, **places, "PROJ_NETWORK": "OFF"}
    process = start.child(start.READER, environment)
    here = {"environment": environment, "folder": _folder(), "parent": process.parent}
    waiting: bytes | None = json.dumps(request | here).encode()
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


def _folder() -> str | None:
    """Return the folder that relative paths start from, or None if it has been removed."""
    try:
        return str(Path.cwd())
    except FileNotFoundError:
        return None


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


def _outcome(code: int | None) -> str:
    if code == 0:
        return "read"
    if code == -getattr(signal, "SIGXCPU", 0):
        return "busy"
    return "memory" if code == OUT_OF_MEMORY else "crashed"


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
