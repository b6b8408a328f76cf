"""Parquet files are read by the thread that asks, and a process that has read them can end."""

import ast
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from support.syntax import nodes

import hierdp_core
from hierdp_core.util.parquet import read_parquet

TABLE = pa.table({"id": ["a", "b"], "count": [3, 5]})


def test_content_and_path_give_the_same_rows(tmp_path):
    pq.write_table(TABLE, tmp_path / "some.parquet")
    content = (tmp_path / "some.parquet").read_bytes()
    assert read_parquet(content) == read_parquet(tmp_path / "some.parquet") == TABLE
    assert read_parquet(content, ["count"]) == TABLE.select(["count"])


def test_what_is_no_parquet_file_is_an_error(tmp_path):
    with pytest.raises(ValueError, match="Parquet"):
        read_parquet(b"no table at all, and longer than a footer")
    with pytest.raises(OSError, match="nothing"):
        read_parquet(tmp_path / "nothing.parquet")


def test_no_python_object_is_read_on_threads_of_arrow():
    """Such reads abort a process that ends too early; a file is read by its path instead."""
    for path in Path(hierdp_core.__file__).parent.rglob("*.py"):
        text = path.read_text(encoding="utf-8")
        if "read_table" not in text and "read_parquet" not in text:
            continue
        for node in nodes(text):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
                name = ast.unparse(node.func)
                assert name not in ("pd.read_parquet", "pandas.read_parquet"), path
                if name == "pq.read_table":
                    assert "BytesIO" not in ast.unparse(node.args[0]), path
