"""Limits on the resources that reading a file may use."""

from dataclasses import dataclass

MEGABYTE = 2**20
PATHS = "HIERDP_PATHS"  # set where visitors may enter paths of files on this machine


@dataclass(frozen=True, kw_only=True)
class Limits:
    """Limits that all readers observe.

    Attributes:
        text_bytes: the largest text table that is read as a whole; larger ones are grouped as a
            stream.
        file_bytes: the largest file.
        unpacked_bytes: the unpacked size of a compressed file or of all members of an archive.
        ratio: the number of unpacked bytes per packed byte.
        members: the number of files in an archive.
        rows: the number of rows of a table in memory, after grouping.
        records: the number of rows of a file that is grouped as a stream.
        columns: the number of columns of a table.
        letters: the length of a cell in bytes.
        features, vertices: the number of shapes of a boundary file, and of all their points.
        overlaps: the number of pairs of edges with overlapping boxes, which bounds the time of
            corrections.
        depth: the nesting of JSON.
        seconds, cpu_seconds, memory_bytes: the resources of the reading process.
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


# Limits for one visitor of a shared server.
UPLOAD = Limits(
    unpacked_bytes=512 * MEGABYTE,
    vertices=3_000_000,
    seconds=240.0,
    cpu_seconds=120,
    memory_bytes=1536 * MEGABYTE,
)
