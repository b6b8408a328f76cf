"""`hierdp simulate`: one simulated release of a table, and its errors."""

import argparse
from pathlib import Path

from hierdp_core.cli.own_data import add_data_flags, planned, required_settings
from hierdp_core.cli.terminal import print_json, print_run, print_written, run_as_dict
from hierdp_core.cli.words import TABLE_AND_BUDGET, Command
from hierdp_core.settings import add_flags


def add(command: Command) -> None:
    parser = command(
        "simulate",
        _simulate,
        "simulate a release with seeded noise, and show its errors",
        old="run",
        more=TABLE_AND_BUDGET,
    )
    add_data_flags(parser)
    add_flags(parser)
    parser.add_argument(
        "--out",
        metavar="DIR",
        help="write the simulated tables, their errors, the guarantee and the settings to this new "
        "folder",
    )


def _simulate(flags: argparse.Namespace) -> None:
    settings, source = required_settings(flags)
    folder = None if flags.out is None else Path(flags.out)
    if folder is not None:
        from hierdp_core.writers.exploration import require_new_folder

        require_new_folder(folder)

    from hierdp_core.evaluation.errors import errors
    from hierdp_core.mechanisms import warm_up
    from hierdp_core.simulation import simulate

    table = source.table()
    plan = planned(flags, settings, table)
    warm_up(settings.mechanism)
    simulation = simulate(table, plan, seed=settings.seed)
    frame = errors(table, simulation, quantity=settings.quantity)
    if folder is not None:
        from hierdp_core.writers.exploration import write_exploration

        text, files = settings.to_toml(), source.files()
        words = text if files is None else files.absolute().to_toml(text)
        write_exploration(
            folder,
            settings=settings,
            simulation=simulation,
            errors=frame,
            words=words,
            confidential=source.confidential,
        )
    if flags.json:
        print_json(run_as_dict(settings, simulation, frame, confidential=source.confidential))
    else:
        print_run(settings, table, simulation, frame, confidential=source.confidential)
        print_written(folder)
