"""People's own files: tables, hierarchies and boundaries, with one report of all faults.

from hierdp_core.readers import read
reading = read("counties.csv", "counties.geojson")
reading.report.lines()        # every fault and repair, with its place and remedy
reading.layout                # what the columns were taken for; pass it back once confirmed
reading.table, reading.boundaries
"""

from hierdp_core.readers.columns.layout import Layout
from hierdp_core.readers.limits import Limits
from hierdp_core.readers.process import read
from hierdp_core.readers.report import Finding, Report
from hierdp_core.readers.result import Reading

__all__ = ["Finding", "Layout", "Limits", "Reading", "Report", "read"]
