"""The example notebooks run, and print what is stored in them."""

from pathlib import Path

import nbformat
import pytest
from support.notebooks import NOTEBOOKS, executed, printed

LONGEST = "reproduction"
LARGEST = 60_000  # bytes of a stored notebook
SHOWN = 200_000  # bytes of what one cell shows


def test_they_are_there() -> None:
    assert {path.stem for path in NOTEBOOKS} >= {
        *("first_hour", "flows", "policy", "reproduction", "teaching")
    }


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_what_is_stored_is_light(path: Path) -> None:
    assert path.stat().st_size < LARGEST
    notebook = nbformat.read(path, as_version=4)
    nbformat.validate(notebook)
    assert "hierdp[notebook]" in notebook.cells[0].source
    kinds = {o.output_type for c in notebook.cells if c.cell_type == "code" for o in c.outputs}
    assert kinds <= {"stream"}


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # of Jupyter's own libraries
@pytest.mark.parametrize(
    "path",
    [
        pytest.param(path, marks=[pytest.mark.nightly] * (path.stem == LONGEST))
        for path in NOTEBOOKS
    ],
    ids=lambda path: path.stem,
)
def test_it_runs_and_prints_what_is_stored(path: Path, tmp_path: Path) -> None:
    notebook = executed(path, tmp_path)
    assert dict(printed(notebook)) == dict(printed(nbformat.read(path, as_version=4)))
    for cell in notebook.cells:
        if cell.cell_type == "code":
            assert len(str(cell.outputs)) < SHOWN
