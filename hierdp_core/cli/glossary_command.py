"""`hierdp glossary`: the meanings of terms."""

import argparse
import textwrap

from hierdp_core.cli.terminal import print_json
from hierdp_core.cli.words import Command

_WIDTH = 88


def add(command: Command) -> None:
    glossary = command("glossary", _glossary, "explain the terms that HierDP uses")
    glossary.add_argument(
        "term",
        nargs="*",
        metavar="WORD",
        help="the words of one term, such as epsilon or privacy unit (default: all terms)",
    )


def _glossary(flags: argparse.Namespace) -> None:
    from hierdp_core.explain.glossary import GLOSSARY, look_up

    terms = (look_up(" ".join(flags.term)),) if flags.term else GLOSSARY
    if flags.json:
        print_json([term.as_dict() for term in terms])
        return
    for term in terms:
        print(term.name)
        print(textwrap.fill(term.meaning, _WIDTH, initial_indent="  ", subsequent_indent="  "))
