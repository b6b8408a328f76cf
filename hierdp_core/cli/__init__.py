"""The command line: one module per command, each with `add`, which builds its parser."""

from hierdp_core.cli.entry import main

__all__ = ["main"]
