"""`hierdp samples` and `hierdp mechanisms`: lists of what is available."""

import argparse

from hierdp_core.cli.terminal import print_json, print_table
from hierdp_core.cli.words import Command

_LARGER = (
    "There is also us-blocks, a table of 8.5 million areas that is synthetic below counties. "
    "`hierdp parts write` writes it as a table in parts."
)
_SIMULATED = (
    "A mechanism that is not for release can only be simulated. --json states the reason for each, "
    "and its options."
)


def add(command: Command) -> None:
    command("samples", _samples, "list the tables that come with HierDP")
    command("mechanisms", _mechanisms, "list the mechanisms")


def _samples(flags: argparse.Namespace) -> None:
    from hierdp_core import samples

    infos = [samples.describe(name).as_dict() for name in samples.names()]
    if flags.json:
        print_json(infos)
    else:
        rows = [info | {"data": info["badge"] or "real"} for info in infos]
        print_table(("id", "kind", "data", "title"), rows)
        print(_LARGER)


def _mechanisms(flags: argparse.Namespace) -> None:
    from hierdp_core import mechanisms

    infos = [mechanisms.describe(name).as_dict() for name in mechanisms.names()]
    if flags.json:
        print_json(infos)
    else:
        rows = [
            info
            | {
                "for tables of": ", ".join(info["kinds"]),
                "for release": "no" if info["not_for_release"] else "yes",
            }
            for info in infos
        ]
        print_table(("id", "for tables of", "for release", "title"), rows)
        print(_SIMULATED)
