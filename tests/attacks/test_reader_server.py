"""The process that starts readers: it keeps nothing of them, and readings outlive its end."""

import os
import signal
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from hierdp_core.readers import read
from hierdp_core.readers.isolated import start
from hierdp_core.readers.isolated.server import LONGEST_NAME
from hierdp_core.tables import Counts

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="there is a server on Linux only")

BOUND = "import os; from hierdp_core.readers.isolated.child import begun; begun()\n"


@pytest.fixture
def server() -> Iterator[start._Server]:
    yield start._running_server()
    start._stop_own()


@pytest.fixture
def table(tmp_path: Path) -> Path:
    file = tmp_path / "table.csv"
    file.write_text("country,region,people\nX,r0,1\nX,r1,2\n")
    return file


def answer(request: bytes = b"") -> tuple[bytes, int | None]:
    with start.child(start.READER, {}) as child:
        assert isinstance(child, start.Forked)
        written, _ = child.communicate(request, timeout=60)
        return written, child.returncode


def test_its_processes_are_those_of_one_server_and_share_nothing(
    calls_instead: Callable[[str], None],
) -> None:
    left = "import os, builtins; was = hasattr(builtins, 'left'); builtins.left = 1\n"
    calls_instead(left + "os.write(1, f'{was} {os.getpid()} {os.getppid()}'.encode())")
    first, second = (answer()[0].decode().split() for _ in range(2))
    assert first[0] == second[0] == "False"
    assert first[1] != second[1]
    assert {int(first[2]), int(second[2])} == {start._running_server().pid}


def test_it_runs_a_single_thread(server: start._Server, table: Path) -> None:
    """A fork copies one thread. Locks that another one holds would stay locked."""
    read(table)
    assert len(list(Path(f"/proc/{server.pid}/task").iterdir())) == 1


def test_a_process_holds_no_file_of_the_server_or_of_another_process(
    calls_instead: Callable[[str], None],
) -> None:
    calls_instead("import time; time.sleep(60)")
    with start.child(start.READER, {}) as other:
        calls_instead("import os; os.write(1, ' '.join(os.listdir('/proc/self/fd')).encode())")
        numbers = set(answer()[0].decode().split())
        other.kill()
    assert {"0", "1", "2"} <= numbers <= {"0", "1", "2", "3"}  # the last is that of the listing


@pytest.mark.parametrize(
    ("code", "returned"),
    [
        ("pass", 0),
        ("import os; os._exit(70)", 70),
        ("raise SystemExit(3)", 3),
        ("1 / 0", 1),
        ("import os; os.kill(os.getpid(), 9)", -9),
    ],
)
def test_the_exit_code_is_that_of_the_process(
    calls_instead: Callable[[str], None], code: str, returned: int
) -> None:
    calls_instead(code)
    assert answer(b"x" * 2**22) == (b"", returned)


def test_much_is_sent_and_returned(calls_instead: Callable[[str], None]) -> None:
    calls_instead("import sys; sys.stdout.buffer.write(sys.stdin.buffer.read())")
    much = os.urandom(2**23)
    assert answer(much) == (much, 0)


def test_the_name_of_the_reader_fits_into_one_message() -> None:
    assert len(start.READER) < LONGEST_NAME


def test_the_folder_and_the_environment_are_those_of_the_caller_at_the_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, calls_instead: Callable[[str], None]
) -> None:
    calls_instead(
        BOUND + "open('told', 'w').write(os.environ['HIERDP_TOLD'] + os.environ['TMPDIR']); 1 / 0"
    )
    monkeypatch.setenv("HIERDP_TOLD", "then ")
    monkeypatch.chdir(tmp_path)
    read("first.csv")
    place = tmp_path / "elsewhere"
    place.mkdir()
    monkeypatch.chdir(place)
    monkeypatch.setenv("HIERDP_TOLD", "now ")
    read("table.csv")
    told, folder = (place / "told").read_text(encoding="utf-8").split()
    assert told == "now"
    assert Path(folder).name.startswith("hierdp-")


def test_a_relative_path_is_read_where_the_caller_is(
    table: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    read(table)
    monkeypatch.chdir(table.parent)
    assert isinstance(read("table.csv").table, Counts)


def test_a_reading_survives_the_end_of_an_idle_server(server: start._Server, table: Path) -> None:
    assert isinstance(read(table).table, Counts)
    os.kill(server.pid, signal.SIGKILL)
    assert isinstance(read(table).table, Counts)
    assert start._running_server().pid != server.pid


def test_a_reading_whose_server_is_killed_is_a_report(
    table: Path, calls_instead: Callable[[str], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    calls_instead(BOUND + "import time; os.kill(os.getppid(), 9); time.sleep(60)")
    assert {finding.id for finding in read(table).report.faults} == {"crash"}
    monkeypatch.undo()
    assert isinstance(read(table).table, Counts)


def test_an_interrupt_of_the_caller_does_not_end_it(server: start._Server, table: Path) -> None:
    read(table)
    os.kill(server.pid, signal.SIGINT)
    assert isinstance(read(table).table, Counts)
    assert start._running_server() is server


def test_a_prepared_server_starts_the_next_reading(server: start._Server, table: Path) -> None:
    start._stop_own()
    start.prepare()
    prepared = start._running_server()
    assert prepared is not server
    read(table)
    assert start._running_server() is prepared


def test_elsewhere_no_server_is_prepared(monkeypatch: pytest.MonkeyPatch) -> None:
    start._stop_own()
    monkeypatch.setattr(start, "HAS_SERVER", False)
    start.prepare()
    assert os.getpid() not in start._servers
