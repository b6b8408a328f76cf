"""Parquet files, read by the thread that asks for them and by no other.

`pyarrow.parquet.read_table` still tidies up on threads of its own when it has returned. Where its
source is a Python object these threads wait for the interpreter, and a process that ends at that
moment aborts after its work was done (issue 33975 of apache/arrow).
"""

from collections.abc import Sequence
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq


def read_parquet(source: bytes | Path, columns: Sequence[str] | None = None) -> pa.Table:
    """Return the rows of a Parquet file.

    Args:
        source: its content, or its path.
        columns: those to read; all by default.

    Raises:
        ValueError: the file is not a Parquet file, or is damaged (`pyarrow.ArrowInvalid`).
        OSError: the file cannot be read, or is damaged.
    """
    stream = pa.BufferReader(source) if isinstance(source, bytes) else source
    with pq.ParquetFile(stream, pre_buffer=False) as file:
        return file.read(columns, use_threads=False)
