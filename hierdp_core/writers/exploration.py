"""The output folder of one simulation: the simulated release, its errors and its settings.

None of it is a release. Anyone who knows the seed can remove the noise, and errors are computed
from the true counts. In the folder, files with true values are marked in their name and in every
row.
"""

import shutil
import uuid
from collections.abc import Callable
from functools import singledispatch
from pathlib import Path

import numpy as np
import pandas as pd

from hierdp_core.exceptions import ChoiceError
from hierdp_core.settings import Settings
from hierdp_core.simulation import Simulation
from hierdp_core.tables import Flows, Table
from hierdp_core.util.escaping import json_text
from hierdp_core.util.marks import seeded_mark, truth_mark
from hierdp_core.writers.defused import file_words, write_csv

EVERY_CELL = "every cell"  # where no quantity is named


def require_new_folder(folder: Path) -> None:
    """Check that `folder` does not exist or is empty.

    Raises:
        ChoiceError: `folder` is a file, or is not empty.
    """
    if folder.is_dir():
        if any(folder.iterdir()):
            raise ChoiceError(f"The folder {folder} is not empty. Name a new one.")
    elif folder.exists():
        raise ChoiceError(f"{folder} is a file. Name a new folder.")


def write_exploration(
    folder: Path,
    *,
    settings: Settings,
    simulation: Simulation,
    errors: pd.DataFrame,
    words: str | None = None,
    confidential: bool = False,
) -> None:
    """Write a simulated release by level, its errors, its statement and its settings.

    The folder appears only when every file in it is complete.

    Args:
        folder: the path of a new or empty folder.
        settings: the settings of the simulation.
        simulation: the simulated release.
        errors: its errors, which are computed from true counts, of the quantity in `settings`.
        words: the settings as TOML if they contain more than `settings`, such as paths of files.
        confidential: whether the data are confidential. Every file of numbers and the statement
            are then marked.

    Raises:
        ChoiceError: the folder is not empty, or cannot be written.
    """
    require_new_folder(folder)
    note = seeded_mark(confidential=confidential)
    statement = {
        "note": note,
        "sample": settings.sample,
        "mechanism": settings.mechanism,
        "guarantee_of_one_release": simulation.privacy.sentence,
        "guarantee_of_one_unseeded_draw": simulation.privacy.sentence,  # the earlier name
        **simulation.privacy.as_dict(),
    }

    def fill(part: Path) -> None:
        part.mkdir(parents=True)
        for k, word in enumerate(file_words(simulation.table.regions.levels)):
            released = with_mark(released_level(simulation.table, k), note if confidential else "")
            write_csv(released, part / f"simulated-{word}.csv")
        marked = with_note(_with_counted(errors, settings, simulation), confidential=confidential)
        write_csv(marked, part / "errors-contains-true-values.csv")
        text = json_text(statement, indent=2, allow_nan=False)
        (part / "statement.json").write_text(text + "\n", encoding="utf-8")
        (part / "settings.toml").write_text(words or settings.to_toml(), encoding="utf-8")

    _all_or_nothing(folder, fill)


def _with_counted(errors: pd.DataFrame, settings: Settings, simulation: Simulation) -> pd.DataFrame:
    """Return the errors with two more columns: the quantity, and what it counts."""
    table, quantity = simulation.exact, settings.quantity
    marked = errors.copy()
    after = list(marked).index("level") + 1
    marked.insert(after, "quantity", quantity or EVERY_CELL)
    counted = table.quantity(quantity).title if quantity else table.counted
    marked.insert(after + 1, "counted", counted)
    return marked


def write_errors(
    file: Path,
    errors: pd.DataFrame,
    *,
    contains_truth: bool = True,
    confidential: bool = False,
) -> None:
    """Write errors as CSV, replacing the content of `file`.

    Args:
        file: the path of the CSV file.
        errors: the rows.
        contains_truth: whether they were computed from true counts. Each row is then marked.
        confidential: whether these counts are confidential. The mark then states this.

    Raises:
        ChoiceError: the file cannot be written.
    """
    named = with_quantity_named(errors)
    marked = with_note(named, confidential=confidential) if contains_truth else named
    _all_or_nothing(file, lambda part: write_csv(marked, part))


@singledispatch
def released_level(table: Table, level: int) -> pd.DataFrame:
    """Return the values of one level as a data frame.

    Counts have one row per region, with the columns level, id, name and value. Group sizes have
    one row per region and size, with the column size before value. Flows have one row per pair
    with a flow, with the columns level, origin, origin_name, destination, destination_name and
    value.
    """
    regions, nodes = table.regions, table.tree.level(level)
    values = table.values[nodes]
    frame = pd.DataFrame(
        {
            "level": regions.levels[level],
            "id": regions.ids[nodes],
            "name": regions.names[nodes],
        }
    )
    if values.ndim == 2:
        n_regions, n_sizes = values.shape
        frame = frame.loc[frame.index.repeat(n_sizes)].reset_index(drop=True)
        frame["size"] = np.tile(np.arange(n_sizes), n_regions)
    frame["value"] = values.reshape(-1)
    return frame


@released_level.register
def _(table: Flows, level: int) -> pd.DataFrame:
    return _released_pairs(table, level)


def _released_pairs(table: Flows, level: int) -> pd.DataFrame:
    pairs = table.at(level)
    columns: dict[str, object] = {"level": table.regions.levels[level]}
    for end, regions, places in (
        ("origin", table.origins, pairs.origin),
        ("destination", table.destinations, pairs.destination),
    ):
        nodes = regions.tree.level(level)
        for column, labels in ((end, regions.ids), (f"{end}_name", regions.names)):
            columns[column] = np.array(labels[nodes], dtype=object)[places]
    frame = pd.DataFrame(columns | {"value": pairs.values}, index=range(len(pairs)))
    return frame.reset_index(drop=True)


def with_quantity_named(errors: pd.DataFrame) -> pd.DataFrame:
    """Return the table with "every cell" where the column `quantity`, if there is one, is empty."""
    if "quantity" not in errors:
        return errors
    return errors.assign(quantity=errors["quantity"].replace("", EVERY_CELL))


def with_note(errors: pd.DataFrame, *, confidential: bool = False) -> pd.DataFrame:
    """Return the table with the mark of true values in every row."""
    return with_mark(errors, truth_mark(confidential=confidential))


def with_mark(frame: pd.DataFrame, note: str) -> pd.DataFrame:
    """Return the table with `note` in every row, or as it is if there is no note.

    If the table has remarks in a column `note` already, they follow the note.
    """
    if not note or "note" not in frame:
        return frame.assign(note=note) if note else frame
    return frame.assign(note=[f"{note}; {text}" if text else note for text in frame["note"]])


def _all_or_nothing(target: Path, make: Callable[[Path], None]) -> None:
    target = target.absolute()
    part = target.with_name(f".{target.name}.{uuid.uuid4().hex[:8]}")
    try:
        make(part)
        if target.is_dir():
            target.rmdir()
        part.replace(target)
    except OSError as error:
        raise ChoiceError(
            f"{target} cannot be written: {error.strerror or error}. Choose another place, or "
            "correct the permissions there."
        ) from None
    finally:
        if part.is_dir():
            shutil.rmtree(part, ignore_errors=True)
        elif part.exists():
            part.unlink()
