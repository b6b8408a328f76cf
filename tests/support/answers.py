"""Small tables read with stated words, and the answers that their reports offer."""

from pathlib import Path

from hierdp_core.readers.reading import read_here
from hierdp_core.readers.result import Reading
from hierdp_core.tables import GroupSizes


def read_text(folder: Path, text: str, name: str = "t.csv", **stated: object) -> Reading:
    path = folder / name
    path.write_text(text)
    return read_here([path], stated=stated)


def offered(reading: Reading) -> list[dict[str, object]]:
    return [dict(c.stated) for fault in reading.report.faults for c in fault.choices]


def total(reading: Reading) -> int:
    """The people or the groups of the whole table."""
    assert reading.table is not None, reading.report.lines()
    values = reading.table.values[0]
    return int(values.sum()) if isinstance(reading.table, GroupSizes) else int(values)


def counts_by_name(reading: Reading) -> dict[str, int]:
    """The count of each area by its name; of areas with one name, that of the last."""
    assert reading.table is not None, reading.report.lines()
    return dict(zip(reading.table.regions.names, reading.table.values.tolist(), strict=True))
