"""Flat files of GENESIS, the system of the German statistical offices: variables by number."""

import re
from collections.abc import Mapping

import pyarrow as pa
import pyarrow.compute as pc

from hierdp_core.readers.formats.sheet import Sheet, Text
from hierdp_core.readers.report import Notebook

# The columns of one variable: of its own code and name, and of those of its values.
_PARTS: Mapping[str, re.Pattern[str]] = {
    "label": re.compile(r"([0-9]+)_(?:Merkmal_Label|variable_label)"),
    "value code": re.compile(r"([0-9]+)_(?:Auspraegung_Code|variable_attribute_code)"),
    "value label": re.compile(r"([0-9]+)_(?:Auspraegung_Label|variable_attribute_label)"),
}
_ABOUT = re.compile(
    r"statistik_(code|label)|statistics_(code|label)|zeit_(code|label)|time_(code|label)|"
    r"[0-9]+_(merkmal|variable)_code|value_unit|value_variable_code|.*__qualitaet.*|value_q",
    re.IGNORECASE,
)
# Variables whose codes are keys of districts and municipalities (AGS).
_AREAS = re.compile(r"(kreise|gemeinde|stadte|regierungsbezirk|bundesl|landkreis).*", re.IGNORECASE)


def with_variables(sheet: Sheet, notes: Notebook) -> Sheet:
    """Return the sheet with a column of codes and a column of names for each variable."""
    columns_of_parts = {part: _by_number(sheet, pattern) for part, pattern in _PARTS.items()}
    numbers = columns_of_parts["value code"].keys() & columns_of_parts["label"].keys()
    if not numbers:
        return sheet
    columns: dict[str, Text] = {}
    for number in sorted(numbers, key=int):
        title = _title(sheet.column(columns_of_parts["label"][number])) or f"variable {number}"
        code = f"{title} (AGS)" if _AREAS.fullmatch(title) else f"{title} Code"
        columns[code] = sheet.column(columns_of_parts["value code"][number])
        if number in columns_of_parts["value label"]:
            columns[title] = sheet.column(columns_of_parts["value label"][number])
    moved = {name for part in columns_of_parts.values() for name in part.values()}
    for name in sheet.names:
        if name not in moved and not _ABOUT.fullmatch(name):
            columns.setdefault(name, sheet.column(name))
    notes.repair("variables", f"{len(numbers)} variables were read as separate columns")
    return _blank_as_total(
        Sheet(
            file=sheet.file,
            names=tuple(columns),
            columns=tuple(columns.values()),
            rows=sheet.rows,
            separator=sheet.separator,
            heading=sheet.heading,
        )
    )


def _by_number(sheet: Sheet, pattern: re.Pattern[str]) -> dict[str, str]:
    matches = ((pattern.fullmatch(name), name) for name in sheet.names)
    return {match[1]: name for match, name in matches if match is not None}


def _title(labels: Text) -> str:
    """Return the name of a variable; empty where it differs between rows."""
    different = [label for label in pc.unique(labels).to_pylist() if label]
    return different[0] if len(different) == 1 else ""


def _blank_as_total(sheet: Sheet) -> Sheet:
    """Return the sheet with the name of a value in place of a blank code.

    The total of a variable, called "Insgesamt", has no code.
    """
    for name in sheet.names:
        title = name.removesuffix(" Code")
        if title == name or not sheet.has(title):
            continue
        blank = pc.equal(sheet.column(name), "")
        filled = pc.if_else(blank, sheet.column(title), sheet.column(name))
        sheet = sheet.with_column(name, pa.array(filled.to_pylist(), pa.string()))
    return sheet
