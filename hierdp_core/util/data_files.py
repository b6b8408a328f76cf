"""The files of sample_data/, wherever they are installed."""

import csv
from pathlib import Path


def data_file(name: str) -> Path:
    """Return a file of sample_data/: inside the package when installed, beside it in a checkout."""
    package = Path(__file__).resolve().parents[1]
    folders = (package / "_app" / "sample_data", package.parent / "sample_data")
    return next((f / name for f in folders if (f / name).is_file()), folders[-1] / name)


def data_rows(name: str) -> list[dict[str, str]]:
    """Return the rows of a CSV file of sample_data/, every value as text."""
    with data_file(name).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))
