"""Read Parquet files on the calling thread only.

`pyarrow.parquet.read_table` still cleans up on its own threads after it has returned. If its
source is a Python object, these threads wait for the interpreter, and a process that ends at that
moment aborts although its work is complete (issue 33975 of apache/arrow).
"""

from collections.abc import Sequence
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq


def read_parquet(source: bytes | Path, columns: Sequence[str] | None = None) -> pa.Table:
    """Return the rows of a Parquet file.

    Args:
        source: its content, or its path.
        columns: the columns to read; all by default.

    Raises:
        ValueError: the file is not a Parquet file, or is damaged (`pyarrow.ArrowInvalid`).
        OSError: the file cannot be read, or is damaged.
    """
    stream = pa.BufferReader(source) if isinstance(source, bytes) else source
    with pq.ParquetFile(stream, pre_buffer=False) as file:
        return file.read(columns, use_threads=False)
