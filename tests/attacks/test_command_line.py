"""The command line where its output cannot go, is long in coming, or is fed long words."""

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from hierdp_core.cli import main, terminal
from hierdp_core.exceptions import ChoiceError, HierdpError
from hierdp_core.util import user_cache

ROOT = Path(__file__).resolve().parents[2]
COMMAND = f"{sys.executable} -m hierdp_core"


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
@pytest.mark.parametrize(
    ("where", "output"), [("> /dev/full", "cannot be written"), (">&-", "is closed")]
)
def test_output_that_goes_nowhere_is_reported_in_a_line(where: str, output: str) -> None:
    done = subprocess.run(
        f"{COMMAND} samples {where}",
        shell=True,
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        check=False,
    )
    assert done.returncode == 2
    assert output in done.stderr
    assert done.stderr.count("\n") == 1


def test_long_words_are_cut_in_messages(capsys: pytest.CaptureFixture[str]) -> None:
    word = "a" * 4_000
    assert len(str(ChoiceError(f'There is no sample "{word}".'))) < 100
    assert main(["audit", word]) == 2
    assert len(capsys.readouterr().err) < 1_000
    path = "/a/path/of/a/usual/length/" + "folder/" * 8 + "table.csv"
    assert path in str(HierdpError(f"{path} cannot be read."))


def test_a_long_search_says_that_it_goes_on(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(terminal, "_FIRST_WORD", 0.01)
    with terminal.patience("searching"):
        time.sleep(0.2)
    output = capsys.readouterr().err
    assert output.startswith("hierdp: still searching after 0 s")
    assert output.count("\n") == 1
    time.sleep(0.05)
    assert capsys.readouterr().err == ""


def test_what_a_killed_writer_left_is_removed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import numpy as np

    monkeypatch.setenv("HIERDP_CACHE", str(tmp_path))
    old, young = tmp_path / "x-abc.tmp", tmp_path / "x-def.tmp"
    for file in (old, young):
        file.write_bytes(b"half")
    os.utime(old, (0, 0))
    user_cache.cached("x", "key", lambda: np.arange(3))
    assert sorted(p.name for p in tmp_path.iterdir()) == ["x-def.tmp", "x.cache"]
