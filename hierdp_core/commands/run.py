"""`hierdp run`: one release of one table, and its errors."""

import argparse
from pathlib import Path
from typing import Any

from hierdp_core.commands.words import Command
from hierdp_core.exceptions import BudgetError, ChoiceError, HierdpError
from hierdp_core.settings import Settings, add_flags, merged, words_of_flags, words_of_toml
from hierdp_core.terminal import print_json, print_run, progress, run_as_dict


def add(command: Command) -> None:
    run = command("run", _run, "release one table once, with seeded noise, and show the error")
    run.add_argument("config", nargs="?", metavar="CONFIG.toml", help="holds the same words")
    add_flags(run)
    run.add_argument("--out", metavar="DIR", help="a new folder for the tables and the statement")


def _run(flags: argparse.Namespace) -> None:
    settings = _settings(flags)
    folder = None if flags.out is None else Path(flags.out)
    if folder is not None:
        from hierdp_core.writers.exploration import require_new_folder

        require_new_folder(folder)

    from hierdp_core import samples
    from hierdp_core.mechanisms import warm_up
    from hierdp_core.metrics import errors
    from hierdp_core.release import run

    table = samples.load(settings.sample, progress=progress()).table
    plan = settings.plan(table)
    warm_up(settings.mechanism)
    release = run(table, plan, seed=settings.seed)
    frame = errors(table, release, quantity=settings.quantity)
    if folder is not None:
        from hierdp_core.writers.exploration import write_exploration

        write_exploration(folder, settings=settings, release=release, errors=frame)
    if flags.json:
        print_json(run_as_dict(settings, release, frame))
    else:
        print_run(settings, table, release, frame)
        if folder is not None:
            print(f"written to {folder}")


def _settings(flags: argparse.Namespace) -> Settings:
    words = merged(_words_of_file(flags.config), words_of_flags(flags))
    for word in ("sample", "mechanism"):
        if word not in words:
            raise ChoiceError(f"A {word} is needed: give --{word} ID; `hierdp {word}s` lists them.")
    if not words.keys() & {"epsilon", "delta", "rho"}:
        raise BudgetError("A budget is needed: give --epsilon, --epsilon with --delta, or --rho.")
    return Settings.of(words)


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
        return words_of_toml(text)
    except HierdpError as error:
        raise ChoiceError(f"{name}: {error}") from None
