"""The `hierdp` command.

Exit code 0: done. 2: the command failed; one line on standard error says what is wrong, where and
how to fix it. 130: the user interrupted the command.
"""

import argparse
import errno
import os
import re
import sys
from collections.abc import Callable, Sequence
from contextlib import nullcontext

from hierdp_core import __version__
from hierdp_core.cli import (
    app_command,
    audit_command,
    budget_command,
    check_command,
    compare_command,
    fitness_command,
    glossary_command,
    impact_command,
    ledger_command,
    listing,
    parts_command,
    release_command,
    reproduce_command,
    simulate_command,
)
from hierdp_core.cli.remedies import remedies_of
from hierdp_core.cli.terminal import harmless_output, let_any_terminal_print
from hierdp_core.exceptions import HierdpError
from hierdp_core.settings import Parser
from hierdp_core.util.escaping import visible
from hierdp_core.util.text import capital

_OK, _UNUSABLE, _INTERRUPTED = 0, 2, 130

# One module per command, in the order of --help.
_COMMANDS = (
    listing,
    check_command,
    simulate_command,
    compare_command,
    budget_command,
    impact_command,
    fitness_command,
    audit_command,
    reproduce_command,
    parts_command,
    glossary_command,
    release_command,
    ledger_command,
)  # fmt: skip


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command and return its exit code."""
    if sys.stdout is None or sys.stderr is None:  # closed by the caller
        return _without_streams()
    let_any_terminal_print()
    flags = argparse.Namespace()
    try:
        arguments = _joined(sys.argv[1:] if argv is None else argv)
        with harmless_output():
            flags = command_line_parser().parse_args(arguments)
        # Not for the app: it prints no file names, and its server colours its own lines.
        with harmless_output() if flags.command else nullcontext():
            flags.do(flags)
        sys.stdout.flush()
    except HierdpError as error:
        one_line = visible(remedies_of(flags)(" ".join(str(error).split())))
        print(f"hierdp: {one_line}", file=sys.stderr)
        return _UNUSABLE
    except KeyboardInterrupt:
        return _INTERRUPTED
    except BrokenPipeError:
        # The reader has closed the output, so the interpreter must not flush to it.
        _drop_output()
    except OSError as error:
        if not _is_full(error):
            raise
        _drop_output()
        print(f"hierdp: The output cannot be written: {error.strerror}.", file=sys.stderr)
        return _UNUSABLE
    return _OK


def _is_full(error: OSError) -> bool:
    """Return whether standard output cannot be written; errors of other files have messages."""
    return error.errno in (errno.ENOSPC, errno.EIO, errno.EBADF, errno.EDQUOT)


def _drop_output() -> None:
    """Redirect standard output to nowhere, so that the interpreter can flush it at its end."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _without_streams() -> int:
    if sys.stderr is not None:
        print("hierdp: Standard output is closed. Open it, or send it to a file.", file=sys.stderr)
    return _UNUSABLE


def command_line_parser() -> Parser:
    """Return the parser of all commands."""
    parser = Parser(
        prog="hierdp",
        allow_abbrev=False,
        description="Show what differential privacy does to hierarchical statistics. "
        "Without a command, open the app. By default, only this machine can use it.",
    )
    parser.add_argument("--version", action="version", version=f"hierdp {__version__}")
    app_command.add(parser)
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", dest="command")

    def command(
        name: str,
        do: Callable[[argparse.Namespace], None],
        words: str,
        *,
        old: str = "",
        more: str = "",
    ) -> Parser:
        subparser = commands.add_parser(
            name,
            help=words,
            description=f"{capital(words)}. {more}".rstrip(),
            allow_abbrev=False,
            aliases=[old] if old else [],
        )

        def act(flags: argparse.Namespace) -> None:
            if old and flags.command == old:
                print(f"hierdp: `{old}` is now `{name}`.", file=sys.stderr)
            do(flags)

        subparser.set_defaults(do=act)
        subparser.add_argument("--json", action="store_true", help="print JSON for scripts")
        return subparser

    for module in _COMMANDS:
        module.add(command)
    return parser


def _joined(arguments: Sequence[str]) -> list[str]:
    """Return `--allocation -1,2` as `--allocation=-1,2`, so that our own message is shown."""
    joined: list[str] = []
    for argument in arguments:
        value = re.match(r"-(\d|\.|inf|nan)", argument, re.IGNORECASE)
        if value and joined and re.fullmatch(r"--[a-z]+", joined[-1]):
            joined[-1] += "=" + argument
        else:
            joined.append(argument)
    return joined
