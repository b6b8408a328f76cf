"""Run the example notebooks, and keep what they print.

`python -m support.notebooks` (from `tests/`) runs them again and stores the text that their cells
print. A test runs them and compares. Cards and charts are not stored: they are long, and a reader
sees them by running the notebook.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import nbformat

FOLDER = Path(__file__).parents[2] / "notebooks"
NOTEBOOKS = sorted(FOLDER.glob("*.ipynb"))
SECONDS = 300  # of one cell


def executed(path: Path, folder: Path) -> Any:
    """Return the notebook at `path` after all of its cells ran in `folder`.

    Raises:
        CellExecutionError: a cell raised.
    """
    from nbclient import NotebookClient

    notebook = nbformat.read(path, as_version=4)
    NotebookClient(notebook, timeout=SECONDS, resources={"metadata": {"path": folder}}).execute()
    return notebook


def printed(notebook: Any) -> Iterator[tuple[int, str]]:
    """Yield what each code cell prints, with its place."""
    for place, cell in enumerate(notebook.cells):
        if cell.cell_type == "code":
            text = "".join(o.text for o in cell.outputs if o.output_type == "stream")
            yield place, text


def keep_printed(notebook: Any) -> None:
    """Leave of the outputs only what was printed."""
    for cell in notebook.cells:
        if cell.cell_type == "code":
            cell.outputs = [o for o in cell.outputs if o.output_type == "stream"]
            cell.execution_count = None
            cell.metadata.pop("execution", None)


def main() -> None:
    from tempfile import TemporaryDirectory

    for path in NOTEBOOKS:
        with TemporaryDirectory() as folder:
            notebook = executed(path, Path(folder))
        keep_printed(notebook)
        nbformat.write(notebook, path)


if __name__ == "__main__":
    main()
