"""The page on the command line lists what `simulate --out` writes."""

import re
from pathlib import Path

import pandas as pd

from hierdp_core.cli.entry import main

PAGE = Path(__file__).parents[2] / "docs" / "command-line.md"
ERRORS = "errors-contains-true-values.csv"
COMMANDS = {
    "counts": ["--sample", "running-example", "--quantity", "occupied"],
    "group sizes": ["--sample", "running-example"],
    "flows": ["--sample", "ri-commuting", "--mechanism", "inftda", "--delta", "1e-8"],
}


def listed(heading: str) -> list[str]:
    """The names in the first column of a table of the page."""
    table = PAGE.read_text(encoding="utf-8").partition(heading)[2]
    rows = table.partition("\n\n")[0].splitlines()[2:]
    return [name for row in rows for name in re.findall(r"`([\w.-]+)`", row.split("|")[1])]


def test_every_column_of_the_errors_and_every_file_is_listed(tmp_path: Path) -> None:
    columns: set[str] = set()
    files: set[str] = set()
    for name, options in COMMANDS.items():
        folder = tmp_path / name
        assert main(["simulate", "--epsilon", "1", *options, "--out", str(folder)]) == 0
        columns |= set(pd.read_csv(folder / ERRORS))
        files |= {
            re.sub("simulated-.*", "simulated-LEVEL.csv", file.name) for file in folder.iterdir()
        }
    assert sorted(listed("| column | printed as |")) == sorted(columns)
    assert sorted(listed("| file | content |")) == sorted(files)
