"""The app as a separate process, which ends with the process that started it."""

import atexit
import errno
import os
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from queue import Empty, Queue
from tempfile import mkdtemp
from threading import Thread

from hierdp_core.desktop.handover import FOLDER
from hierdp_core.exceptions import HierdpError

ENDS_WITH_INPUT = "HIERDP_ENDS_WITH_INPUT"  # if set, the app ends when its standard input does
_SECONDS = 120.0  # time limit of a first start, which includes compilation
_PORTS_TRIED = 20
_LOOKS = 0.2  # seconds between two attempts to connect
_AT = "HierDP is at "  # before the first address, in what the app prints


@dataclass(frozen=True, eq=False, kw_only=True)
class Server:
    """An app that runs on this machine.

    Attributes:
        url: the address of the app, on the loopback interface.
        entry: the first address, whose token admits one browser, once.
        folder: the folder through which tables are passed; only its owner can enter it.
        process: the process of the app.
        held: keeps the port of the IPv6 loopback address from others, since a browser may look for
            `localhost` there first.
    """

    url: str
    entry: str
    folder: Path
    process: "subprocess.Popen[bytes]"
    held: socket.socket | None = None

    @property
    def running(self) -> bool:
        """Whether the process of the app has not ended."""
        return self.process.poll() is None

    def stop(self) -> None:
        """End the app, and remove tables that were passed to it and not taken."""
        if self.process.stdin is not None and not self.process.stdin.closed:
            self.process.stdin.close()
        try:
            self.process.wait(timeout=3)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)
        if self.held is not None:
            self.held.close()
        atexit.unregister(self.stop)


def start(*, framed: bool = False, port: int | None = None, options: Sequence[str] = ()) -> Server:
    """Start the app on a port of the loopback address, and return when it answers.

    The app ends when `stop` is called. It also ends when this process ends in any way, since the
    pipe to its standard input closes then.

    Args:
        framed: whether pages of this machine, on any port, may show the app in a frame.
        port: the port; a free one by default.
        options: more options of `hierdp`.

    Raises:
        HierdpError: the app ended, or did not answer in time.
    """
    folder, (port, held) = Path(mkdtemp(prefix="hierdp-")), _held_port(port)
    root = str(Path(__file__).resolve().parents[2])
    path = os.pathsep.join(filter(None, [root, os.environ.get("PYTHONPATH", "")]))
    process = subprocess.Popen(
        [sys.executable, "-u", "-m", "hierdp_core", "--no-browser", "--port", str(port)]
        + (["--framed"] if framed else [])
        + list(options),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env={**os.environ, "PYTHONPATH": path, FOLDER: str(folder), ENDS_WITH_INPUT: "1"},
    )
    lines: Queue[str] = Queue()
    Thread(target=_listen, args=(process, lines), daemon=True).start()
    url = f"http://127.0.0.1:{port}"
    starting = Server(url=url, entry="", folder=folder, process=process, held=held)
    entry = _entry(lines)
    if entry is None or not _accepts(port):
        starting.stop()
        raise HierdpError(
            f"The app ended, or did not start within {_SECONDS:.0f} s. Start `hierdp` in a "
            "terminal to see the reason."
        )
    server = replace(starting, entry=entry)
    atexit.register(server.stop)
    return server


def _listen(process: "subprocess.Popen[bytes]", printed: "Queue[str]") -> None:
    """Put the lines that the app prints into a queue, and "" after the last."""
    assert process.stdout is not None
    with process.stdout as lines:
        for line in lines:
            printed.put(line.decode(errors="replace").rstrip())
    printed.put("")


def _entry(lines: "Queue[str]") -> str | None:
    """Return the first address, which the app prints; None if it ends or takes too long."""
    until = time.monotonic() + _SECONDS
    while (left := until - time.monotonic()) > 0:
        try:
            line = lines.get(timeout=left)
        except Empty:
            return None
        if line.startswith(_AT):
            return line.removeprefix(_AT)
        if not line:
            return None
    return None


def end_with_input() -> None:
    """End this process when its standard input closes, if it was started by `start`."""
    if os.environ.get(ENDS_WITH_INPUT):
        Thread(target=_wait_for_the_end, daemon=True).start()


def _wait_for_the_end() -> None:
    sys.stdin.buffer.read()
    os._exit(0)  # an ordinary exit would wait for open connections


def _held_port(wanted: int | None) -> tuple[int, socket.socket | None]:
    """Return a port, and a socket that holds it on the IPv6 loopback address, if possible."""
    for _ in range(_PORTS_TRIED):
        port = wanted or _free_port()
        try:
            held = socket.socket(socket.AF_INET6)
        except OSError:  # no IPv6
            return port, None
        try:
            held.bind(("::1", port))
        except OSError as error:
            held.close()
            if error.errno != errno.EADDRINUSE or wanted:
                return port, None
        else:
            return port, held
    raise HierdpError("No free port was found on this machine. Close another server, or try again.")


def _free_port() -> int:
    with socket.socket() as door:
        door.bind(("127.0.0.1", 0))
        return int(door.getsockname()[1])


def _accepts(port: int) -> bool:
    """Return whether the app accepts connections within the time limit."""
    until = time.monotonic() + _SECONDS
    while time.monotonic() < until:
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
        except OSError:
            time.sleep(_LOOKS)
        else:
            return True
    return False
