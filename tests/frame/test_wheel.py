"""The wheel carries the app and its samples, and runs from an empty folder."""

import json
import os
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
import venv
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
CARRIED = ["app.py", ".streamlit/config.toml", "pages/", "sample_data/"]

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Built by way of the source archive, so that both are complete."""
    out = tmp_path_factory.mktemp("dist")
    subprocess.run([sys.executable, "-m", "build", "--outdir", str(out), str(ROOT)], check=True)
    (built,) = out.glob("*.whl")
    return built


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The `hierdp` of a fresh environment."""
    folder = tmp_path_factory.mktemp("environment")
    venv.create(folder, with_pip=True)
    programs = folder / ("Scripts" if os.name == "nt" else "bin")
    subprocess.run([programs / "python", "-m", "pip", "install", "-q", str(wheel)], check=True)
    return programs / "hierdp"


def test_the_wheel_carries_the_app_and_no_litter(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
    for carried in CARRIED:
        assert any(name.startswith(f"hierdp_core/_app/{carried}") for name in names), carried
    for folder in ("pages", "sample_data"):
        for path in (ROOT / folder).rglob("*"):
            if path.is_file() and "__pycache__" not in path.parts:
                assert f"hierdp_core/_app/{path.relative_to(ROOT).as_posix()}" in names
    assert not [name for name in names if "__pycache__" in name or name.endswith(".pyc")]
    assert not [name for name in names if name.startswith(("tests/", "pages/", "sample_data/"))]
    assert any(name.endswith("licenses/LICENSE") for name in names)


def test_it_runs_from_an_empty_folder(installed: Path, tmp_path: Path) -> None:
    def hierdp(line: str) -> str:
        done = subprocess.run(
            [installed, *line.split()], cwd=tmp_path, capture_output=True, text=True, check=True
        )
        assert done.stderr == ""
        return done.stdout

    assert "us-households" in hierdp("samples")
    line = "simulate --sample us-households --mechanism pgsr-h-dp --epsilon 1 --seed 0 --json"
    result = json.loads(hierdp(line))
    assert [level["regions"] for level in result["levels"]] == [1, 51, 3143]
    assert [level["violations"] for level in result["levels"]] == [0, 0, 0]
    assert all(result["checks"].values())
    assert list(tmp_path.iterdir()) == []


def test_the_app_starts_for_this_machine_only(installed: Path, tmp_path: Path) -> None:
    with socket.socket() as door:
        door.bind(("127.0.0.1", 0))
        port = door.getsockname()[1]
    line = [installed, "--port", str(port), "--no-browser", "--no-token"]
    environment = {**os.environ, "HOME": str(tmp_path)}
    # Not a pipe: the server says goodbye, and does not stop where nobody listens.
    with subprocess.Popen(
        line,
        cwd=tmp_path,
        env=environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    ) as app:
        try:
            assert _answer(f"http://127.0.0.1:{port}/_stcore/health") == b"ok"
            assert b"<html" in _answer(f"http://127.0.0.1:{port}/")
            elsewhere = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
            with elsewhere:  # another address of this machine
                elsewhere.settimeout(2)
                assert elsewhere.connect_ex(("127.0.0.2", port)) != 0
            app.terminate()
            assert app.wait(timeout=30) == 0
        finally:
            app.kill()


def _answer(address: str) -> bytes:
    """What the server says, once it is there."""
    until = time.monotonic() + 60
    while True:
        try:
            with urllib.request.urlopen(address, timeout=5) as response:
                answer: bytes = response.read()
                return answer
        except (urllib.error.URLError, ConnectionError):
            if time.monotonic() > until:
                raise
            time.sleep(0.2)
