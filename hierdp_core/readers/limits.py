"""Limits on what the reading of a file may cost this machine."""

from dataclasses import dataclass

MEGABYTE = 2**20
PATHS = "HIERDP_PATHS"  # set where visitors may name files of this machine


@dataclass(frozen=True, kw_only=True)
class Limits:
    """Limits that every reader observes.

    Attributes:
        text_bytes: the largest text table that is read as a whole; larger ones are grouped as a
            stream.
        file_bytes: of any file.
        unpacked_bytes: of an archive or a packed file, all members together.
        ratio: unpacked bytes for one packed byte.
        members: of an archive.
        rows: of a table in memory, after grouping where it is grouped.
        records: rows of a file that is grouped as a stream.
        columns: of a table.
        letters: of one cell.
        features, vertices: of a boundary file.
        overlaps: pairs of edges of one shape whose boxes overlap; what repairing a shape costs.
        depth: of nesting in JSON.
        seconds, cpu_seconds, memory_bytes: of the process that reads.
    """

    text_bytes: int = 256 * MEGABYTE
    file_bytes: int = 64 * 1024 * MEGABYTE
    unpacked_bytes: int = 1024 * MEGABYTE
    ratio: int = 100
    members: int = 50
    rows: int = 20_000_000
    records: int = 2_000_000_000
    columns: int = 2_000
    letters: int = 10_000
    features: int = 500_000
    vertices: int = 20_000_000
    overlaps: int = 1_000_000
    depth: int = 64
    seconds: float = 300.0
    cpu_seconds: int = 600
    memory_bytes: int = 6 * 1024 * MEGABYTE


# Limits for a visitor of a server that others use as well.
UPLOAD = Limits(
    unpacked_bytes=512 * MEGABYTE,
    vertices=3_000_000,
    seconds=240.0,
    cpu_seconds=120,
    memory_bytes=1536 * MEGABYTE,
)
