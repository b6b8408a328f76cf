"""A process that starts readers: it has imported what they need, so each starts at once.

Importing takes most of the time in which a small file is read. The server imports once and then
forks a process for each reading. It reads no file itself, and none of its processes sees the files
of another. It runs a single thread, because a fork copies no other, and ends with its caller.
"""

import gc
import os
import selectors
import signal
import socket
import struct
import sys
from importlib import import_module

IMPORTED = (
    "dateutil.parser",
    "hierdp_core.readers.reading",
    "hierdp_core.readers.serialisation",
    "pandas",
    "pyarrow.csv",
)
SINGLE_THREAD = {"OPENBLAS_NUM_THREADS": "1", "JE_ARROW_MALLOC_CONF": "background_thread:false"}
LONGEST_NAME = 4096  # bytes
NUMBER = struct.Struct("i")  # a process id or an exit code

_IDLE_SECONDS = 600.0  # after which it ends, to free its memory
_CONTROL = 0  # standard input


def serve() -> None:
    """Start a process for each request of the caller, until the caller ends or is idle."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl+C is meant for the caller
    for module in IMPORTED:
        import_module(module)
    gc.collect()
    gc.freeze()
    control = socket.socket(fileno=_CONTROL)
    with selectors.DefaultSelector() as awaited:
        awaited.register(control, selectors.EVENT_READ)
        while True:
            ready = awaited.select(_IDLE_SECONDS)
            if not ready and len(awaited.get_map()) == 1:
                os._exit(0)
            for key, _ in ready:
                if key.fileobj is control:
                    _start(control, awaited)
                else:
                    awaited.unregister(key.fd)
                    _report_end(key.fd, *key.data)


def _start(control: socket.socket, awaited: selectors.BaseSelector) -> None:
    name, sockets, _, _ = socket.recv_fds(control, LONGEST_NAME, 2)
    if not name:  # The caller has ended. Its readers end with this process.
        os._exit(0)
    talk, status = sockets
    pid = os.fork()
    if pid == 0:
        _run(name.decode(), talk)
    os.close(talk)
    end = os.pidfd_open(pid)
    awaited.register(end, selectors.EVENT_READ, (pid, status))
    _tell(status, pid)


def _report_end(end: int, pid: int, status: int) -> None:
    os.close(end)
    _, code = os.waitpid(pid, 0)
    _tell(status, os.waitstatus_to_exitcode(code))
    os.close(status)


def _tell(status: int, number: int) -> None:
    try:
        os.write(status, NUMBER.pack(number))
    except OSError:  # the caller no longer waits for it
        return


def _run(name: str, talk: int) -> None:
    """Call a function of a module, with `talk` as standard input and output, and end."""
    ended = 1
    try:
        os.dup2(talk, 0)
        os.dup2(talk, 1)
        os.closerange(3, os.sysconf("SC_OPEN_MAX"))
        signal.signal(signal.SIGINT, signal.default_int_handler)
        gc.unfreeze()
        module, function = name.split(":")
        getattr(import_module(module), function)()
        sys.stdout.flush()
        ended = 0
    except SystemExit as exit:
        ended = exit.code if isinstance(exit.code, int) else 1
    finally:
        os._exit(ended)
