"""The app on this machine: tables are taken once, windows end their server, launchers start it."""

import configparser
import html
import os
import socket
import stat
import subprocess
import sys
import time
from http.client import HTTPConnection, HTTPResponse
from pathlib import Path
from types import SimpleNamespace
from urllib.parse import urlsplit

import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

import hierdp_core as hdp
from hierdp_core.cli import main
from hierdp_core.desktop import handover, server, shortcut, window
from hierdp_core.desktop.app import App
from hierdp_core.exceptions import ChoiceError
from hierdp_core.maps.tiles import tile_layout
from pages.ui.shell.session import Key

ROOT = Path(__file__).resolve().parents[2]
PEOPLE = pd.DataFrame({"state": ["Aland", "Bland"], "people": [70, 90]})


@pytest.fixture
def table() -> hdp.Counts:
    return hdp.Counts.from_frame(PEOPLE, levels="state", count="people")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv(handover.FOLDER, str(tmp_path))
    return tmp_path


def test_a_table_is_taken_once(table: hdp.Counts, folder: Path) -> None:
    token = handover.give(folder, table, tile_layout(table.regions), confidential=True)
    found = handover.take(token)
    assert found is not None
    assert found.table.values.tolist() == [160, 70, 90]
    assert found.table.regions.ids == table.regions.ids
    assert found.boundaries is not None
    assert found.confidential
    assert handover.take(token) is None
    assert list(folder.iterdir()) == []


def test_only_the_owner_reads_it_and_no_file_name_tells_the_token(
    table: hdp.Counts, folder: Path
) -> None:
    token = handover.give(folder, table, None)
    (file,) = folder.iterdir()
    assert token not in file.name
    if os.name == "posix":
        assert stat.S_IMODE(file.stat().st_mode) == 0o600


@pytest.mark.parametrize("token", ["", "x", "../secret", "a" * 43, "a" * 42 + "/"])
def test_another_word_takes_nothing(table: hdp.Counts, folder: Path, token: str) -> None:
    handover.give(folder, table, None)
    assert handover.take(token) is None
    assert len(list(folder.iterdir())) == 1


def test_an_app_that_was_not_opened_from_python_takes_nothing(
    table: hdp.Counts, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv(handover.FOLDER, raising=False)
    assert handover.take(handover.give(tmp_path, table, None)) is None


def test_the_page_opens_on_the_table_and_the_address_is_used_up(
    table: hdp.Counts, folder: Path
) -> None:
    token = handover.give(folder, table, None)
    test = AppTest.from_file(str(ROOT / "app.py"), default_timeout=60)
    test.query_params[handover.WORD] = token
    test.run()
    assert not test.exception
    assert not test.error
    assert test.session_state[Key.OWN].sample.table.values.tolist() == [160, 70, 90]
    assert handover.WORD not in test.query_params
    again = AppTest.from_file(str(ROOT / "app.py"), default_timeout=60)
    again.query_params[handover.WORD] = token
    again.run()
    assert not again.exception
    assert "used already" in again.error[0].value
    assert again.title
    assert Key.OWN not in again.session_state


def test_boundaries_of_other_areas_start_no_app(
    table: hdp.Counts, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("hierdp_core.desktop.app.start", pytest.fail)
    other = hdp.samples.load("running-example").boundaries
    with pytest.raises(ChoiceError, match="belong to other areas"):
        hdp.app(table, boundaries=other)


def opened_at(address: str) -> HTTPResponse:
    """Return what a browser gets first at an address; it has no cookie yet."""
    parts = urlsplit(address)
    connection = HTTPConnection(parts.netloc, timeout=10)
    connection.request("GET", f"{parts.path}?{parts.query}", headers={"Host": parts.netloc})
    answer = connection.getresponse()
    answer.read()
    connection.close()
    return answer


@pytest.mark.slow
def test_the_app_runs_and_ends_with_what_started_it(table: hdp.Counts) -> None:
    opened = hdp.app(table, browser=False)
    assert opened.url.startswith("http://127.0.0.1:")
    assert opened_at(f"{opened.url}/").status in (401, 403)
    first = opened_at(opened.first_url)
    cookie = first.headers["Set-Cookie"]
    assert "HttpOnly" in cookie
    assert "SameSite=Strict" in cookie
    assert opened_at(opened.first_url).headers["Set-Cookie"] is None
    if os.name == "posix":
        assert stat.S_IMODE(opened.server.folder.stat().st_mode) == 0o700
    assert "<a href" in opened._repr_html_()
    opened.stop()
    assert not opened.server.running
    assert not opened.server.folder.exists()
    assert "<a href" not in opened._repr_html_()


@pytest.mark.slow
def test_a_cell_shows_the_app_in_a_frame_that_only_pages_of_this_machine_may_have(
    table: hdp.Counts,
) -> None:
    opened = hdp.app(table, frame=True)
    try:
        policy = opened_at(f"{opened.url}/").headers["Content-Security-Policy"]
        assert "frame-ancestors http://127.0.0.1:* http://localhost:*;" in f"{policy};"
        port = urlsplit(opened.url).port
        if opened.server.held is not None:
            with socket.socket(socket.AF_INET6) as other, pytest.raises(OSError, match="in use"):
                other.bind(("::1", port))
        page = opened._repr_html_()
        assert f'<iframe src="{html.escape(opened.first_url)}"' in page
        assert "<a href" in page
    finally:
        opened.stop()


@pytest.mark.slow
def test_it_ends_when_the_python_that_opened_it_is_killed() -> None:
    code = (
        "import sys; from hierdp_core.desktop.server import start; one = start(); "
        "print(one.process.pid, flush=True); sys.stdin.read()"
    )
    parent = subprocess.Popen(
        [sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=ROOT
    )
    with parent:
        assert parent.stdout is not None
        app = int(parent.stdout.readline())
        os.kill(app, 0)
        parent.kill()
    until = time.monotonic() + 10
    while time.monotonic() < until:
        try:
            os.kill(app, 0)
        except ProcessLookupError:
            return
        if Path(f"/proc/{app}/stat").read_text(encoding="utf-8").split()[2] == "Z":
            return
        time.sleep(0.1)
    pytest.fail("the app is still there")


def test_the_window_of_a_browser_ends_with_its_command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    browser = tmp_path / "chromium"
    browser.write_text(f'#!/bin/sh\nprintf "%s\\n" "$@" > {tmp_path}/called\n')
    browser.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=os.pathsep)
    monkeypatch.setenv("HIERDP_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(window, "find_spec", lambda name: None)
    stated: list[str] = []
    running = SimpleNamespace(entry="http://127.0.0.1:1")
    window.show(running, full_screen=True, say=stated.append)
    called = (tmp_path / "called").read_text(encoding="utf-8").splitlines()
    assert called[0] == "--app=http://127.0.0.1:1"
    assert "--start-fullscreen" in called
    assert any(word.startswith("--user-data-dir=") for word in called)
    assert 'the extra "desktop"' in stated[0]


def test_the_command_stops_the_server_when_the_window_closes(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    done: list[str] = []
    running = SimpleNamespace(url="http://127.0.0.1:1", stop=lambda: done.append("stopped"))

    def closed(server: object, *, full_screen: bool, say: object) -> None:
        done.append(f"shown {full_screen}")
        raise KeyboardInterrupt

    monkeypatch.setattr(server, "start", lambda **_: running)
    monkeypatch.setattr(window, "show", closed)
    assert main(["--window", "--full-screen"]) == 130
    assert done == ["shown True", "stopped"]


def test_a_window_has_the_requested_settings_and_no_other_visitors(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    given: list[dict[str, object]] = []
    running = SimpleNamespace(stop=lambda: None)
    monkeypatch.setattr(server, "start", lambda **how: given.append(how) or running)
    monkeypatch.setattr(window, "show", lambda *_, **how: None)
    ledger = tmp_path / "agency.db"
    assert main(["ledger", str(ledger), "add-dataset", "pop", "--epsilon", "1"]) == 0
    free = server._free_port()
    line = ["--window", "--ledger", str(ledger), "--paths", "--port", str(free)]
    assert main(line) == 0
    assert given == [{"port": free, "options": ["--ledger", str(ledger), "--paths"]}]
    capsys.readouterr()
    for words, why in (
        (["--host", "0.0.0.0"], "--host is for browsers, not for a window"),
        (["--no-token"], "--no-token is for browsers, not for a window"),
        (["--ledger", str(tmp_path / "none.db")], "none.db"),
        (["--package", str(tmp_path)], "is not a package"),
    ):
        assert main(["--window", *words]) == 2
        assert why in capsys.readouterr().err
    assert len(given) == 1


def test_the_launcher_is_a_desktop_entry(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    monkeypatch.setattr(sys, "executable", "/opt/my python/100%/bin/python")
    entry = shortcut.make("linux")
    words = configparser.ConfigParser(interpolation=None)
    words.optionxform = str
    words.read(entry, encoding="utf-8")
    section = words["Desktop Entry"]
    assert section["Exec"] == '"/opt/my python/100%%/bin/python" -m hierdp_core --window'
    assert section["Type"] == "Application"
    assert (
        (tmp_path / "icons/hicolor/scalable/apps/hierdp.svg")
        .read_text(encoding="utf-8")
        .startswith("<svg")
    )


def test_a_launcher_that_cannot_be_written_is_reported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "applications").write_text("a file in the way")
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    with pytest.raises(ChoiceError, match="cannot be written"):
        shortcut.make("linux")


def test_the_bundle_of_a_mac_starts_this_python(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Path, "home", lambda: tmp_path)
    bundle = shortcut.make("darwin")
    program = bundle / "Contents" / "MacOS" / "hierdp"
    assert f"'{sys.executable}' -m hierdp_core --window" in program.read_text(encoding="utf-8")
    assert program.stat().st_mode & stat.S_IXUSR


def test_an_app_states_where_it_is() -> None:
    running = SimpleNamespace(running=True)
    app = App(url="http://127.0.0.1:1", first_url='http://x/?a="b', server=running)
    assert repr(app) == "<App: http://127.0.0.1:1, running>"
    assert "&quot;b" in app._repr_html_()


@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # of ipywidgets itself
def test_controls_in_a_cell_show_errors_and_a_map(table: hdp.Counts) -> None:
    box = hdp.explore(table)
    (chosen, size), (shares, shown), result = (
        box.children[0].children, box.children[1].children, box.children[2],
    )  # fmt: skip
    assert "mean absolute error" in result.value
    assert "<svg" in result.value
    before = result.value
    size.value = 0.01
    assert result.value != before
    shares.value = "1,1,1"
    assert 'role="note"' in result.value
    assert (
        "The allocation has 3 weights. Give one for each level that can get noise: total, state."
        in result.value
    )
    shares.value = "1,one"
    assert "Give one whole number per level" in result.value
    shares.value = "1,2"
    chosen.value = "topdown"
    shown.value = "total"
    assert "1 total" in result.value


def test_controls_without_ipywidgets_say_how_to_get_it(
    table: hdp.Counts, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("hierdp_core.display.widget.find_spec", lambda name: None)
    with pytest.raises(ChoiceError, match=r'pip install "\.\[notebook\]"'):
        hdp.explore(table)
