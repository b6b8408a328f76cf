"""What runs in the process that reads files: its limits, then the reader."""

import ctypes
import json
import os
import signal
import sys
import tempfile
import time
from contextlib import suppress
from threading import Thread
from typing import Any

from hierdp_core.readers.limits import MEGABYTE, Limits

OUT_OF_MEMORY = 70  # exit code

_LOOKS = 0.1  # seconds between checks whether the calling process has ended
_ADDRESSES = 3 * 1024 * MEGABYTE  # bytes that libraries reserve and never use
_DIE_WITH_PARENT = 1  # Linux: PR_SET_PDEATHSIG


def main() -> None:
    """Read the files that standard input names, and write the reading to standard output."""
    request, limits = begun()
    out = sys.stdout.buffer
    try:
        from hierdp_core.readers.columns.layout import Layout
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
        os._exit(OUT_OF_MEMORY)


def begun() -> tuple[dict[str, Any], Limits]:
    """Take the request from standard input, and bound this process as it says."""
    request: dict[str, Any] = json.loads(sys.stdin.buffer.read())
    limits = Limits(**request["limits"])
    os.environ.clear()
    os.environ.update(request["environment"])
    tempfile.tempdir = None  # so that it is taken from the environment
    if folder := request["folder"]:
        os.chdir(folder)
    _end_with(request["parent"])
    _bound(limits)
    return request, limits


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
    """End this process when the process that started it ends, for whatever reason."""
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
