"""The `hierdp` command.

Exit code 0: done. 2: the input cannot be used; one line on standard error says what,
where and how to mend it, and nothing was written.
"""

import argparse
import os
import re
import sys
from collections.abc import Callable, Sequence

from hierdp_core import __version__
from hierdp_core.cli import (
    app_command,
    audit_command,
    budget_command,
    check_command,
    compare_command,
    ledger_command,
    listing,
    release_command,
    reproduce_command,
    simulate_command,
)
from hierdp_core.cli.terminal import let_any_terminal_print
from hierdp_core.exceptions import HierdpError
from hierdp_core.settings import Parser

_OK, _UNUSABLE, _INTERRUPTED = 0, 2, 130

# One module a command, in the order of --help.
_COMMANDS = (
    listing,
    check_command,
    simulate_command,
    compare_command,
    budget_command,
    audit_command,
    reproduce_command,
    release_command,
    ledger_command,
)  # fmt: skip


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command; the result is its exit code."""
    let_any_terminal_print()
    try:
        arguments = _joined(sys.argv[1:] if argv is None else argv)
        flags = _parser().parse_args(arguments)
        flags.do(flags)
        sys.stdout.flush()
    except HierdpError as error:
        print("hierdp: " + " ".join(str(error).split()), file=sys.stderr)
        return _UNUSABLE
    except KeyboardInterrupt:
        return _INTERRUPTED
    except BrokenPipeError:
        # Whoever read the output has enough; the interpreter must not flush into nothing.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return _OK


def _parser() -> Parser:
    parser = Parser(
        prog="hierdp",
        allow_abbrev=False,
        description="What differential privacy does to hierarchical statistics. "
        "Without a command: open the app, for this machine only.",
    )
    parser.add_argument("--version", action="version", version=f"hierdp {__version__}")
    app_command.add(parser)
    commands = parser.add_subparsers(title="commands", metavar="", dest="command")

    def command(
        name: str, do: Callable[[argparse.Namespace], None], words: str, *, old: str = ""
    ) -> Parser:
        made = commands.add_parser(
            name, help=words, description=words, allow_abbrev=False, aliases=[old] if old else []
        )

        def act(flags: argparse.Namespace) -> None:
            if old and flags.command == old:
                print(f"hierdp: `{old}` is now `{name}`.", file=sys.stderr)
            do(flags)

        made.set_defaults(do=act)
        made.add_argument("--json", action="store_true", help="print JSON for scripts")
        return made

    for module in _COMMANDS:
        module.add(command)
    return parser


def _joined(arguments: Sequence[str]) -> list[str]:
    """`--shares -1,2` as `--shares=-1,2`, so that our own message says what is wrong with it."""
    joined: list[str] = []
    for argument in arguments:
        value = re.match(r"-(\d|\.|inf|nan)", argument, re.IGNORECASE)
        if value and joined and re.fullmatch(r"--[a-z]+", joined[-1]):
            joined[-1] += "=" + argument
        else:
            joined.append(argument)
    return joined
