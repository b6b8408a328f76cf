"""People's own files: tables, hierarchies and boundaries, with one report of all faults.

from hierdp_core.readers import read
reading = read("counties.csv", "counties.geojson")
reading.report.lines()        # every fault and repair, with its place and remedy
reading.layout                # what the columns were taken for; pass it back once confirmed
reading.table, reading.boundaries
"""

from hierdp_core.readers.child import read
from hierdp_core.readers.findings import Finding, Report
from hierdp_core.readers.layout import Layout
from hierdp_core.readers.limits import Limits
from hierdp_core.readers.reading_value import Reading

__all__ = ["Finding", "Layout", "Limits", "Reading", "Report", "read"]
