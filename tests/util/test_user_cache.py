"""The cache helps when it can and is never in the way."""

import os
from pathlib import Path

import numpy as np
import pytest

from hierdp_core.util.user_cache import cache_folder, cached

VALUES = np.arange(12, dtype=np.int64).reshape(4, 3)


class Maker:
    def __init__(self):
        self.made = 0

    def __call__(self):
        self.made += 1
        return VALUES


@pytest.fixture
def folder(monkeypatch, tmp_path):
    monkeypatch.setenv("HIERDP_CACHE", str(tmp_path / "kept"))
    return tmp_path / "kept"


def test_made_once_read_afterwards(folder):
    make = Maker()
    for _ in range(3):
        assert np.array_equal(cached("a", "1", make), VALUES)
    assert make.made == 1
    assert [file.name for file in folder.iterdir()] == ["a.cache"]


def test_another_key_is_stale_and_replaces_it(folder):
    make = Maker()
    cached("a", "1", make)
    cached("a", "2", make)
    cached("a", "2", make)
    assert make.made == 2
    assert len(list(folder.iterdir())) == 1


@pytest.mark.parametrize("damage", ["empty", "cut", "long", "text", "flipped"])
def test_a_broken_file_is_made_anew(folder, damage):
    make = Maker()
    cached("a", "1", make)
    file = folder / "a.cache"
    good = file.read_bytes()
    bad = {
        "empty": b"",
        "cut": good[: len(good) // 2],
        "long": good + b"x",
        "text": b"hello",
        "flipped": good[:-5] + bytes([good[-5] ^ 1]) + good[-4:],
    }
    file.write_bytes(bad[damage])
    assert np.array_equal(cached("a", "1", make), VALUES)
    assert np.array_equal(cached("a", "1", make), VALUES)
    assert make.made == 2


def test_a_folder_that_cannot_be_made_means_no_cache(monkeypatch, tmp_path):
    (tmp_path / "file").write_text("in the way")
    monkeypatch.setenv("HIERDP_CACHE", str(tmp_path / "file"))
    make = Maker()
    assert np.array_equal(cached("a", "1", make), VALUES)
    assert np.array_equal(cached("a", "1", make), VALUES)
    assert make.made == 2


def test_a_write_that_fails_leaves_nothing_behind(folder, monkeypatch):
    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "replace", full)
    make = Maker()
    assert np.array_equal(cached("a", "1", make), VALUES)
    assert list(folder.iterdir()) == []


def test_where_it_is_kept(monkeypatch, tmp_path):
    monkeypatch.delenv("HIERDP_CACHE", raising=False)
    monkeypatch.setattr("sys.platform", "linux")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert cache_folder() == tmp_path / "hierdp"
    monkeypatch.delenv("XDG_CACHE_HOME")
    assert cache_folder() == Path.home() / ".cache" / "hierdp"
    monkeypatch.setenv("XDG_CACHE_HOME", "relative/is/ignored")
    assert cache_folder() == Path.home() / ".cache" / "hierdp"
    monkeypatch.setattr("sys.platform", "win32")
    monkeypatch.setenv("LOCALAPPDATA", str(tmp_path / "Local"))
    assert cache_folder() == tmp_path / "Local" / "hierdp" / "Cache"
    monkeypatch.setenv("HIERDP_CACHE", os.fspath(tmp_path / "mine"))
    assert cache_folder() == tmp_path / "mine"
