"""The command line. Each module of commands has an `add`, which builds their parsers."""

from hierdp_core.cli.entry import main

__all__ = ["main"]
