"""People's own files: tables, hierarchies and boundaries, with one report of all findings.

from hierdp_core.readers import read
reading = read("counties.csv", "counties.geojson")
reading.report.lines()        # every error and correction, with its place and remedy
reading.layout                # the guessed meaning of the columns; pass it to `read` if it is right
reading.table, reading.boundaries
"""

from importlib import import_module
from typing import TYPE_CHECKING

__all__ = ["Finding", "Layout", "Limits", "Reading", "Report", "read"]

if TYPE_CHECKING:
    from hierdp_core.readers.columns.layout import Layout
    from hierdp_core.readers.limits import Limits
    from hierdp_core.readers.process import read
    from hierdp_core.readers.report import Finding, Report
    from hierdp_core.readers.result import Reading
else:
    # Loaded when first used: the command line reads the list of formats for its help.
    _HOME = {
        "Finding": "report",
        "Layout": "columns.layout",
        "Limits": "limits",
        "Reading": "result",
        "Report": "report",
        "read": "process",
    }

    def __getattr__(name: str) -> object:
        if name not in _HOME:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        value = getattr(import_module(f"{__name__}.{_HOME[name]}"), name)
        globals()[name] = value
        return value
