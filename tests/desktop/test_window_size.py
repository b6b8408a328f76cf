"""The window opens in the size it had, and what it keeps is its owner's alone."""

import json
import os
import stat
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from hierdp_core.desktop import window, window_size

RUNNING = SimpleNamespace(entry="http://127.0.0.1:1")


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HIERDP_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


def test_a_size_is_remembered_where_only_the_owner_reads(cache: Path) -> None:
    assert window_size.remembered() == window_size.USUAL
    cache.mkdir()
    (cache / "window").mkdir(mode=0o755)
    window_size.remember((1000, 700))
    window_size.remember((1100, 800))
    assert window_size.remembered() == (1100, 800)
    (file,) = (cache / "window").iterdir()
    if os.name == "posix":
        assert stat.S_IMODE(file.stat().st_mode) == 0o600
        assert stat.S_IMODE(file.parent.stat().st_mode) == 0o700


@pytest.mark.parametrize(
    "size", [None, (), (10, 10), (1000, 1e6), ("1000", "700"), (True, 700), {"width": 1000}]
)
def test_what_is_no_size_of_a_window_is_not_kept(cache: Path, size: object) -> None:
    window_size.remember(size)
    assert window_size.remembered() == window_size.USUAL
    assert not cache.exists()


@pytest.mark.parametrize("text", ["", "[1000]", "[1, 2]", '["a", "b"]', "{", "null"])
def test_a_spoilt_file_means_the_usual_size(cache: Path, text: str) -> None:
    (cache / "window").mkdir(parents=True)
    (cache / "window" / "size.json").write_text(text, encoding="utf-8")
    assert window_size.remembered() == window_size.USUAL


def test_the_window_of_a_browser_opens_as_it_was_closed(
    cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    edges = {"left": 10, "top": 20, "right": 1110, "bottom": 820, "maximized": False}
    note = {"browser": {"app_window_placement": {"127": {"0": {"0": {"1_/": edges}}}}}}
    kept = tmp_path / "note.json"
    kept.write_text(json.dumps(note), encoding="utf-8")
    browser = tmp_path / "chromium"
    browser.write_text(
        "#!/bin/sh\nfor word; do case $word in --user-data-dir=*) at=${word#*=};; esac; done\n"
        f'mkdir -p "$at/Default" && cp {kept} "$at/Default/Preferences"\n'
    )
    browser.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=os.pathsep)
    monkeypatch.setattr(window, "find_spec", lambda name: None)
    window.show(RUNNING, full_screen=False, say=lambda line: None)
    call = window.browser_call(str(browser), RUNNING.entry, full_screen=False)
    assert "--window-size=1100,800" in call


def test_a_window_of_its_own_opens_as_it_was_closed(
    cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened: list[tuple[int, int]] = []

    class Event:
        def __iadd__(self, callback):
            callback(1200.0, 760.0)  # the user drags the corner
            return self

    def create_window(title, url, *, width, height, fullscreen):
        opened.append((width, height))
        return SimpleNamespace(events=SimpleNamespace(resized=Event()))

    fake = SimpleNamespace(create_window=create_window, start=lambda **how: None)
    monkeypatch.setitem(sys.modules, "webview", fake)
    monkeypatch.setattr(window, "find_spec", lambda name: object())
    for _ in range(2):
        window.show(RUNNING, full_screen=False, say=lambda line: None)
    assert opened == [window_size.USUAL, (1200, 760)]
    if os.name == "posix":
        assert stat.S_IMODE((cache / "webview").stat().st_mode) == 0o700
