"""Start a process that reads files: from a server where the system has what it needs, or anew."""

import atexit
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Mapping
from contextlib import ExitStack, suppress
from pathlib import Path
from threading import Lock
from types import TracebackType
from typing import Self

from hierdp_core.readers.isolated.server import NUMBER, SINGLE_THREAD

READER = "hierdp_core.readers.isolated.child:main"  # the function of a module

# Elsewhere a fork may break system libraries.
HAS_SERVER = sys.platform == "linux" and hasattr(os, "pidfd_open")

_SERVE = "from hierdp_core.readers.isolated.server import serve; serve()"
_LONGEST_START = 60.0  # seconds
_LOOKS = 0.1
_AT_ONCE = 2**20  # bytes
_ROOT = str(Path(__file__).resolve().parents[3])


class Forked:
    """A process that a server has started, with what is used of `subprocess.Popen`.

    Attributes:
        pid: its number.
        parent: the number of the server.
        returncode: its exit code, negative if a signal ended it; None as long as it runs.
    """

    def __init__(self, server: "_Server", function: str) -> None:
        """Have a server call `function` in a new process; raises OSError if it does not."""
        with ExitStack() as opened:
            self._talk, theirs = map(opened.enter_context, socket.socketpair())
            self._status, report = map(opened.enter_context, socket.socketpair())
            self._status.settimeout(_LONGEST_START)
            server.send(function, theirs, report)
            theirs.close()
            report.close()
            self.pid, self.parent = self._number(), server.pid
            self._end = os.pidfd_open(self.pid)
            self._opened = opened.pop_all()
        self._opened.callback(os.close, self._end)
        self.returncode: int | None = None
        self._parts: list[bytes] = []

    def communicate(self, request: bytes | None = None, timeout: float = 0.0) -> tuple[bytes, None]:
        """Send what the process reads, and return what it writes until it ends.

        Raises:
            TimeoutExpired: it has not ended. What it has written is kept for the next call.
        """
        if request is not None:
            self._talk.settimeout(None)
            with suppress(OSError):  # it has ended, and its exit code says why
                self._talk.sendall(request)
                self._talk.shutdown(socket.SHUT_WR)
        until = time.monotonic() + timeout
        while part := self._part(until, timeout):
            self._parts.append(part)
        try:
            self.returncode = self._number()
        except OSError:  # the server has ended, and its processes with it
            self.returncode = -signal.SIGKILL
        return b"".join(self._parts), None

    def kill(self) -> None:
        """End the process, if it runs."""
        if self.returncode is None:
            with suppress(OSError):
                signal.pidfd_send_signal(self._end, signal.SIGKILL)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        with suppress(OSError):
            if self.returncode is None:
                self.returncode = self._number()
        self._opened.close()

    def _part(self, until: float, timeout: float) -> bytes:
        left = until - time.monotonic()
        if left <= 0:
            raise subprocess.TimeoutExpired(READER, timeout)
        self._talk.settimeout(left)
        try:
            return self._talk.recv(_AT_ONCE)
        except TimeoutError:
            raise subprocess.TimeoutExpired(READER, timeout) from None
        except ConnectionError:  # it has ended before it read the request
            return b""

    def _number(self) -> int:
        told = self._status.recv(NUMBER.size)
        if len(told) < NUMBER.size:
            raise ConnectionError("The server has ended.")
        number: int = NUMBER.unpack(told)[0]
        return number


class Spawned(subprocess.Popen[bytes]):
    """A process that imports what it needs itself."""

    def __init__(self, function: str, environment: Mapping[str, str]) -> None:
        """Start Python with a call of `function`."""
        module, name = function.split(":")
        super().__init__(
            [sys.executable, "-P", "-c", f"from {module} import {name}; {name}()"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={**environment, **_surroundings()},
        )
        self.parent = os.getpid()


class _Server:
    def __init__(self) -> None:
        self._control, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with theirs:
            self._process = subprocess.Popen(
                [sys.executable, "-P", "-W", "ignore", "-c", _SERVE],
                stdin=theirs.fileno(),
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                env={**os.environ, **SINGLE_THREAD, **_surroundings()},
            )
        self.pid = self._process.pid

    def send(self, function: str, talk: socket.socket, report: socket.socket) -> None:
        socket.send_fds(self._control, [function.encode()], [talk.fileno(), report.fileno()])

    def stop(self) -> None:
        self._control.close()
        try:
            self._process.wait(_LOOKS)
        except subprocess.TimeoutExpired:  # it is still importing
            self._process.kill()
            self._process.wait()


_lock = Lock()
_servers: dict[int, _Server] = {}  # by the process that started it, since a process may fork


def prepare() -> None:
    """Start the server, if the system has one, so that the first reading does not wait for it."""
    if HAS_SERVER:
        _running_server()


def child(function: str, environment: Mapping[str, str]) -> Forked | Spawned:
    """Start a process that calls `function`.

    Args:
        function: a module and its function, "module:function". It reads standard input and writes
            to standard output.
        environment: the environment, if no server starts the process. Otherwise it has that of
            the server, until the function sets another.
    """
    if HAS_SERVER:
        for _ in range(2):  # An idle server may end just before it is asked.
            server = _running_server()
            try:
                return Forked(server, function)
            except OSError:
                _stop(server)
    return Spawned(function, environment)


def _running_server() -> _Server:
    with _lock:
        own = os.getpid()
        if own not in _servers:
            _servers[own] = _Server()
        return _servers[own]


def _stop(server: _Server) -> None:
    with _lock:
        if _servers.get(os.getpid()) is server:
            del _servers[os.getpid()]
    server.stop()


@atexit.register
def _stop_own() -> None:
    if server := _servers.get(os.getpid()):
        _stop(server)


def _surroundings() -> dict[str, str]:
    path = os.pathsep.join(filter(None, [_ROOT, os.environ.get("PYTHONPATH", "")]))
    return {"PYTHONPATH": path}
