"""`hierdp simulate`: one simulated release of a table, and its errors."""

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hierdp_core.cli.terminal import print_json, print_run, progress, run_as_dict
from hierdp_core.cli.words import Command
from hierdp_core.exceptions import BudgetError, ChoiceError, FileError, HierdpError
from hierdp_core.settings import (
    OLD_WORDS,
    Settings,
    add_flags,
    merged,
    words_of_flags,
    words_of_toml,
)

if TYPE_CHECKING:
    from hierdp_core.settings.own_files import OwnFiles
    from hierdp_core.tables import Table


def add(command: Command) -> None:
    parser = command(
        "simulate",
        _simulate,
        "simulate a release with seeded noise, and show its errors",
        old="run",
    )
    parser.add_argument("config", nargs="?", metavar="CONFIG.toml", help="holds the same words")
    add_flags(parser)
    parser.add_argument(
        "--out", metavar="DIR", help="a new folder for the tables and the statement"
    )


def _simulate(flags: argparse.Namespace) -> None:
    settings, own = _settings(flags)
    folder = None if flags.out is None else Path(flags.out)
    if folder is not None:
        from hierdp_core.writers.exploration import require_new_folder

        require_new_folder(folder)

    from hierdp_core import samples
    from hierdp_core.evaluation.errors import errors
    from hierdp_core.mechanisms import warm_up
    from hierdp_core.simulation import simulate

    if own is None:
        table = samples.load(settings.sample, progress=progress()).table
    else:
        table = _own_table(own)
    plan = settings.plan(table)
    warm_up(settings.mechanism)
    simulation = simulate(table, plan, seed=settings.seed)
    frame = errors(table, simulation, quantity=settings.quantity)
    if folder is not None:
        from hierdp_core.writers.exploration import write_exploration

        text = settings.to_toml()
        words = text if own is None else own.absolute().to_toml(text)
        write_exploration(
            folder,
            settings=settings,
            simulation=simulation,
            errors=frame,
            words=words,
            confidential=own is not None and own.confidential,
        )
    if flags.json:
        print_json(run_as_dict(settings, simulation, frame))
    else:
        print_run(settings, table, simulation, frame)
        if folder is not None:
            print(f"written to {folder}")


def _settings(flags: argparse.Namespace) -> tuple[Settings, "OwnFiles | None"]:
    words = merged(_words_of_file(flags.config), words_of_flags(flags))
    own = None
    if words.keys() & {"data", "boundaries", "regions", "confidential", "columns"}:
        own, words = _own_files(words, Path(flags.config or ".").parent)
    for word in ("sample", "mechanism"):
        if word not in words:
            raise ChoiceError(f"A {word} is needed: give --{word} ID; `hierdp {word}s` lists them.")
    if not words.keys() & {"epsilon", "delta", "rho"}:
        raise BudgetError("A budget is needed: give --epsilon, --epsilon with --delta, or --rho.")
    return Settings.of(words), own


def _own_files(words: dict[str, Any], folder: Path) -> tuple["OwnFiles", dict[str, Any]]:
    """The files that a configuration names, and its other words."""
    from hierdp_core.samples.sample import OWN
    from hierdp_core.settings.own_files import WORDS, OwnFiles

    if "sample" in words:
        raise ChoiceError("Give a sample or data of your own, not both.")
    others = {name: value for name, value in words.items() if name not in WORDS}
    return OwnFiles.of(words, folder=folder), others | {"sample": OWN}


def _own_table(own: "OwnFiles") -> "Table":
    reading = own.read()
    for repair in reading.report.repairs:
        print(f"hierdp: {repair.sentence}", file=sys.stderr)
    if reading.table is None:
        raise FileError("There is no table in the file. See `hierdp check`.")
    return reading.table


def _words_of_file(name: str | None) -> dict[str, Any]:
    if name is None:
        return {}
    try:
        text = Path(name).read_text(encoding="utf-8")
    except UnicodeDecodeError:
        raise ChoiceError(f"{name} is not text in UTF-8.") from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise ChoiceError(f"{name} cannot be read: {reason}.") from None
    try:
        words = words_of_toml(text)
    except HierdpError as error:
        raise ChoiceError(f"{name}: {error}") from None
    for old in words.keys() & OLD_WORDS.keys():
        print(f"hierdp: `{old}` in {name} is now `{OLD_WORDS[old]}`.", file=sys.stderr)
    return words
