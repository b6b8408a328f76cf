"""Tables in JSON: records, lists of rows, columns, nested records and JSON-stat.

Each nested record becomes a row. The names of the records around it are in separate columns, so
upper levels are rows as well.
"""

import json
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NoReturn

import numpy as np
import pyarrow as pa

from hierdp_core.readers.formats.cube import as_sheet
from hierdp_core.readers.formats.json_stat import cube_of
from hierdp_core.readers.formats.registry import TableReader
from hierdp_core.readers.formats.sheet import Sheet, clean_sheet, require_few_columns
from hierdp_core.readers.formats.sniff import Source
from hierdp_core.readers.limits import Limits
from hierdp_core.readers.report import NESTED, Notebook, Unreadable, shown_codes

_SHOWN = 5  # names in a message
Record = dict[str, Any]
_HALF = re.compile(rb"\\u[dD][89a-fA-F]")  # a surrogate


def _read(source: Source, notes: Notebook, limits: Limits) -> Sheet:
    """Return the table as text.

    Raises:
        Unreadable: the file is not complete JSON, or holds no table.
    """
    if source.size > limits.text_bytes:
        raise notes.unreadable(
            "too-large", f"has more than {limits.text_bytes:,} bytes", "Save it as Parquet."
        )
    data = source.path.read_bytes()
    content = _parsed(data, notes, limits)
    try:
        cube = cube_of(content, limits.rows)
    except ValueError:
        raise notes.unreadable(
            "damaged",
            "is JSON-stat that is damaged or too large",
            "Download it again, or select fewer cells.",
        ) from None
    if cube is not None:
        if notes.confidential and _may_be_records(content):
            raise _unlike(notes)
        return as_sheet(cube, notes, limits)
    if notes.confidential and isinstance(content, dict) and _is_record(content):
        content = [content]  # a file of one record per line may have a single line
    rows = rows_of(content, notes)
    if not rows:
        raise notes.unreadable(
            "no-table",
            "is JSON but contains no list of records",
            "Save a table as CSV, or boundaries as GeoJSON.",
        )
    if len(rows) > limits.rows:
        raise notes.unreadable("rows", f"has more than {limits.rows:,} rows", "Group them first.")
    if any(map(_are_records, _cells_of(content))):
        notes.note(NESTED, "records are within other records, and each of them is read as a row")
    names = list(dict.fromkeys(name for row in rows for name in row))
    require_few_columns(len(names), notes, limits)  # before each has a cell in every row
    columns = [pa.array([_text(row.get(name)) for row in rows], pa.string()) for name in names]
    numbers = np.arange(1, len(rows) + 1, dtype=np.int64)
    return clean_sheet(notes.file, names, columns, numbers, notes, limits)


def _parsed(data: bytes, notes: Notebook, limits: Limits) -> Any:
    from hierdp_core.readers.formats.shapes import require_shallow

    require_shallow(data, notes, limits)
    text = data.decode("utf-8-sig", errors="replace")
    try:
        return _whole_letters(json.loads(text, parse_constant=_no_number), data)
    except (ValueError, RecursionError):
        pass
    try:  # one record per line
        lines = [
            json.loads(line, parse_constant=_no_number) for line in text.split("\n") if line.strip()
        ]
        content = _whole_letters(lines, data)
    except (ValueError, RecursionError):
        raise notes.unreadable(
            "not-json", "is not complete JSON, or contains an invalid number", "Save it again."
        ) from None
    if notes.confidential and not all(isinstance(row, dict) and _is_record(row) for row in content):
        raise notes.unreadable(
            "unlike-records",
            "has one record per line, and a single record would be read as a whole document",
            "Save the records as one list in brackets.",
        )
    return content


def _whole_letters(content: Any, data: bytes) -> Any:
    """Return the content with a question mark for each surrogate without its pair."""
    if not _HALF.search(data):
        return content
    text = json.dumps(content, ensure_ascii=False)
    return json.loads(text.encode("utf-8", errors="replace"))


def _no_number(word: str) -> NoReturn:
    raise ValueError(word)


def _cells_of(content: Any) -> Iterator[Any]:
    """Yield the values of all records in a list, however deep the list lies."""
    if isinstance(content, list):
        yield from (value for row in content if isinstance(row, dict) for value in row.values())
    elif isinstance(content, dict):
        for value in content.values():
            yield from _cells_of(value)


def rows_of(content: Any, notes: Notebook) -> list[Record]:
    """Return the rows of a table in any of the known forms; an empty list for other content.

    Raises:
        Unreadable: the data are confidential, and several lists may be the table, or a record is
            of another kind than others.
    """
    if isinstance(content, list):
        if notes.confidential and len({_kind_of(record) for record in content}) > 1:
            raise _unlike(notes)
        if content and all(isinstance(row, list) for row in content):
            return _of_lists(content)
        return list(_nested([r for r in content if isinstance(r, dict)], {}, ""))
    if not isinstance(content, dict):
        return []
    names, data = content.get("columns"), content.get("data")
    if (
        isinstance(names, list)
        and isinstance(data, list)
        and all(isinstance(r, list) for r in data)
    ):
        return _of_lists([names, *data])
    if content and all(isinstance(column, list) for column in content.values()):
        plain = [c for c in content.values() if not any(isinstance(v, dict | list) for v in c)]
        if len(plain) == len(content) > 1 and len({len(c) for c in plain}) == 1:
            return [dict(zip(content, row, strict=True)) for row in zip(*plain, strict=True)]
    if len(content) > 1 and all(isinstance(record, dict) for record in content.values()):
        return [{"id": key, **_scalars(record)} for key, record in content.items()]
    lists = {key: value for key, value in content.items() if _are_records(value)}
    tables = {key: list(_nested(value, {}, key)) for key, value in lists.items()}
    if not lists:
        inner = {key: value for key, value in content.items() if isinstance(value, list | dict)}
        read = {key: rows_of(value, notes) for key, value in inner.items()}
        tables = {key: rows for key, rows in read.items() if rows}
    if len(tables) > 1 and notes.confidential:  # a record more may make another list the longest
        raise notes.unreadable(
            "several-lists",
            f"holds several lists of records: {shown_codes(list(tables), shown=_SHOWN)}",
            "Save the list to read in a file of its own. The records must not decide which one it "
            "is.",
        )
    if notes.confidential and _has_record_beside(content, tables):
        raise _unlike(notes)
    longest = max(tables, key=lambda key: len(lists.get(key, tables[key])), default="")
    return tables.get(longest, [])


def _kind_of(record: Any) -> type | None:
    return next((kind for kind in (dict, list) if isinstance(record, kind)), None)


def _has_record_beside(content: Record, tables: Mapping[str, Sequence[Record]]) -> bool:
    """Return whether an object beside a list of records has some of their names.

    It may be a record as well, in a document that has an object for each record and one list.
    """
    names = {name for records in tables.values() for record in records for name in record}
    others = (value for key, value in content.items() if key not in tables)
    return any(isinstance(one, dict) and names & _scalars(one).keys() for one in others)


def _may_be_records(content: Record) -> bool:
    """Return whether a document with JSON-stat inside has several objects, which may be records."""
    return "dimension" not in content and sum(isinstance(v, dict) for v in content.values()) > 1


def _unlike(notes: Notebook) -> Unreadable:
    return notes.unreadable(
        "unlike-records",
        "has records of several kinds, such as lists beside objects",
        "Save the records alone, all as lists or all as objects. Otherwise one record could hide "
        "others.",
    )


def _of_lists(rows: Sequence[Sequence[Any]]) -> list[Record]:
    """Return records from lists of cells, of which the first names the columns."""
    names = [_text(name) or f"column {place}" for place, name in enumerate(rows[0], start=1)]
    return [dict(zip(names, row, strict=False)) for row in rows[1:]]


def _is_record(content: Record) -> bool:
    """Return whether an object is one record of a table, not a document that holds a table."""
    values = content.values()
    plain = any(not isinstance(value, dict | list) for value in values)
    return plain and not any(map(_holds_records, values))


def _holds_records(value: Any) -> bool:
    """Return whether a value has a list of records or of rows at any depth."""
    if isinstance(value, list):
        return any(isinstance(part, dict | list) for part in value)
    return isinstance(value, dict) and any(map(_holds_records, value.values()))


def _are_records(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(v, dict) for v in value)


def _scalars(record: Record) -> Record:
    """Return the plain values of a record and of the records within it."""
    plain: Record = {}
    for key, value in record.items():
        if isinstance(value, dict):
            plain |= {f"{key} {name}": own for name, own in _scalars(value).items()}
        elif not isinstance(value, list):
            plain[key] = value
    return plain


def _nested(records: Sequence[Record], above: Record, title: str) -> Iterator[Record]:
    """Yield one row per record, with the texts of the records around it.

    Texts of nested records are in columns named after their list, one set for each level. Numbers
    are in columns that all levels share.
    """
    deep = any(_are_records(v) for record in records for v in record.values()) or bool(above)
    for record in records:
        plain = _scalars(record)
        if not deep:
            yield plain
            continue
        words = {f"{title} {key}".strip(): v for key, v in plain.items() if isinstance(v, str)}
        numbers = {key: v for key, v in plain.items() if not isinstance(v, str)}
        yield {**above, **words, **numbers}
        for key, value in record.items():
            if _are_records(value):
                yield from _nested(value, {**above, **words}, key)


def _text(value: Any) -> str:
    if value is None or isinstance(value, dict | list):
        return ""
    if isinstance(value, float):
        if not math.isfinite(value):
            return ""
        return str(int(value)) if value.is_integer() and abs(value) < 1e15 else str(value)
    return str(value)


READER = TableReader(read=_read)
