"""The command line: one module a command, each with `add`, which makes its parser."""

from hierdp_core.cli.entry import main

__all__ = ["main"]
