"""The command-line options that set `Settings`."""

import argparse
import re
import sys
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any, NoReturn

from hierdp_core.exceptions import ChoiceError
from hierdp_core.settings.words import read_options
from hierdp_core.util.text import capital

# Messages of argparse, and the sentences that replace them.
_SENTENCES = (
    (r"argument (.+?): expected one argument", r"\1 requires a value"),
    (r"argument (.+?): expected at least one argument", r"\1 requires at least one value"),
    (r"argument (.+?): ignored explicit argument (.*)", r"\1 takes no value, but got \2"),
    (r"argument COMMAND: invalid choice: (.*) \(choose from .*\)", r'There is no command "\1"'),
    (
        r"argument SUBCOMMAND: invalid choice: (.*) \(choose from .*\)",
        r'There is no subcommand "\1"',
    ),
    (r"the following arguments are required: (.*)", r"Required arguments are missing: \1"),
)


class Parser(argparse.ArgumentParser):
    """An argument parser that raises `ChoiceError` instead of printing its usage and exiting."""

    _given: tuple[str, ...] = ()

    def parse_known_args(  # type: ignore[override]
        self, args: Sequence[str] | None = None, namespace: argparse.Namespace | None = None
    ) -> tuple[argparse.Namespace, list[str]]:
        """Return the parsed arguments and those that are unknown."""
        self._given = tuple(sys.argv[1:] if args is None else args)
        return super().parse_known_args(args, namespace)

    def error(self, message: str) -> NoReturn:
        """Raise `ChoiceError` with the message and the command that prints the help.

        The value of an unknown option may look like a subcommand. The option is named then.
        """
        first = self._given[0].partition("=")[0] if self._given else ""
        unknown = first.startswith("-") and first not in self._option_string_actions
        if unknown and ": invalid choice: " in message:
            raise ChoiceError(f"`{self.prog}` has no option {first}. See: {self.prog} --help")
        raise ChoiceError(f"{_sentence(message)}. See: {self.prog} --help")

    def parse_args(  # type: ignore[override]
        self, args: Sequence[str] | None = None, namespace: argparse.Namespace | None = None
    ) -> argparse.Namespace:
        """Return the parsed arguments.

        Raises:
            ChoiceError: an argument is unknown. The message names the command that it was given to.
        """
        flags, unknown = self.parse_known_args(args, namespace)
        if unknown:
            names = (getattr(flags, name, None) for name in ("command", "todo"))
            program = " ".join(filter(None, (self.prog, *names)))
            name = unknown[0].partition("=")[0]
            kind = "option" if name.startswith("-") else "argument"
            raise ChoiceError(f"`{program}` has no {kind} {name}. See: {program} --help")
        return flags


def _sentence(message: str) -> str:
    """Return a message of argparse as a sentence, without its full stop.

    >>> _sentence("argument --seed: expected one argument")
    '--seed requires a value'
    >>> _sentence("argument --json: ignored explicit argument '12'")
    '--json takes no value, but got 12'
    >>> _sentence("argument COMMAND: invalid choice: 'a' (choose from 'b', 'c')")
    'There is no command "a"'
    """
    for pattern, sentence in _SENTENCES:
        if match := re.fullmatch(pattern, message, re.DOTALL):
            return match.expand(sentence).replace("'", "")
    return capital(message)


_HELP_OF_BUDGET = {
    "--epsilon": "privacy-loss budget ε, alone or with --delta",
    "--delta": "δ of a budget (ε, δ), together with --epsilon",
    "--rho": "privacy-loss budget ρ (zCDP), instead of --epsilon",
    "--allocation": "budget allocation: one whole number (weight) for each level that gets noise, "
    "from the top (default: equal)",
}


def add_flags(
    parser: argparse.ArgumentParser,
    *,
    budget: Mapping[str, str] | None = None,
    needs_sample: bool = False,
) -> None:
    """Add the flags of settings. Their values stay text until `Settings.of` reads them.

    Args:
        parser: the parser of the command.
        budget: the help of flags of the budget and its allocation that mean something else in this
            command.
        needs_sample: whether the command works on samples only.
    """
    texts = _HELP_OF_BUDGET | dict(budget or {})
    parser.add_argument(
        "--sample",
        metavar="ID",
        required=needs_sample,
        help="a table that comes with HierDP: see `hierdp samples`",
    )
    parser.add_argument(
        "--mechanism",
        metavar="ID",
        help="mechanism: see `hierdp mechanisms` (default: tree-dp for counts, pgsr-c-opt for "
        "group sizes, inftda for flows)",
    )
    for flag in ("--epsilon", "--delta", "--rho"):
        parser.add_argument(flag, metavar="NUMBER", help=texts[flag])
    add_account_flags(parser)
    add_allocation_flag(parser, help=texts["--allocation"])
    parser.add_argument("--seed", metavar="N", help="seed of the noise, at least 0 (default: 0)")
    parser.add_argument(
        "--quantity",
        metavar="ID",
        help="quantity of each area to evaluate, such as occupied. The error message for an "
        "unknown ID lists all IDs",
    )
    parser.add_argument(
        "--option",
        metavar="NAME=VALUE",
        action="append",
        default=[],
        help="option of the mechanism (repeatable): see `hierdp mechanisms --json`",
    )


def add_account_flags(parser: argparse.ArgumentParser) -> None:
    """Add the flags for how the noise for (ε, δ) is computed."""
    parser.add_argument(
        "--accounting",
        metavar="WORD",
        help="how the noise for (ε, δ) is computed: tight (default), zcdp or simple (as in papers)",
    )
    parser.add_argument(
        "--noise",
        metavar="WORD",
        help="noise for (ε, δ): best (default: the kind with less variance), gaussian or geometric",
    )


class _OldFlag(argparse.Action):
    """A flag of the first version: it still works and prints its new name."""

    def __call__(
        self,
        parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        values: Any,
        option_string: str | None = None,
    ) -> None:
        new = "--" + self.dest
        sys.stderr.write(f"hierdp: {option_string} is now {new}.\n")
        parser._option_string_actions[new](parser, namespace, values, new)


def add_old_flag(parser: argparse.ArgumentParser, old: str, new: str) -> None:
    """Accept the flag `old` of the first version for `new`, and report this on standard error."""
    dest = new.removeprefix("--")
    parser.add_argument(
        old, dest=dest, action=_OldFlag, default=argparse.SUPPRESS, help=argparse.SUPPRESS
    )


def add_synthetic_flag(parser: argparse.ArgumentParser, about: str) -> None:
    """Add `--synthetic`, and `--stand-in` as its old name."""
    parser.add_argument("--synthetic", action="store_true", help=about)
    parser.add_argument(
        "--stand-in",
        dest="synthetic",
        action=_OldFlag,
        nargs=0,
        default=argparse.SUPPRESS,
        help=argparse.SUPPRESS,
    )


def add_allocation_flag(
    parser: argparse.ArgumentParser, *, help: str = "", action: str = "store"
) -> None:
    """Add `--allocation`, and `--shares` as its old name."""
    parser.add_argument(
        "--allocation",
        metavar="N,N,…",
        help=help or _HELP_OF_BUDGET["--allocation"],
        action=action,
    )
    add_old_flag(parser, "--shares", "--allocation")


def words_of_flags(flags: argparse.Namespace) -> dict[str, Any]:
    """Return the settings in parsed flags, by name, without flags that were not given.

    Raises:
        ChoiceError: an option is not of the form NAME=VALUE.
    """
    words = {name: getattr(flags, name) for name in _names() if getattr(flags, name) is not None}
    options = read_options(flags.option)
    return words | ({"options": options} if options else {})


@lru_cache(maxsize=1)
def _names() -> tuple[str, ...]:
    """Return the settings that have a flag of their own, in the order of the flags."""
    parser = Parser(add_help=False)
    add_flags(parser)
    names = dict.fromkeys(action.dest for action in parser._actions)
    return tuple(name for name in names if name != "option")
