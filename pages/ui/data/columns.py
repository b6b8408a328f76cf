"""Column settings: a preview, a role for each column, and settings for rows and numbers."""

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd
import streamlit as st

from hierdp_core.readers import Layout, Reading
from hierdp_core.readers.build.public_facts import COUNTED, NOT_COUNTED
from hierdp_core.readers.columns.layout import COLUMNS, KINDS, ROWS, without_effect
from hierdp_core.readers.formats.sheet import PREVIEW
from hierdp_core.readers.roles import (
    UNUSED,
    Role,
    possible_roles,
    roles_in,
    settled_words,
    with_role,
)
from hierdp_core.tables import KINDS as TABLE_KINDS
from hierdp_core.util.text import capital
from pages.ui.data import data_words as words
from pages.ui.data.upload import read_again
from pages.ui.shell import frame, own_data, session
from pages.ui.shell.session import Key

_MOST_ROLES = 30  # columns with a control of their own
_ROLE_WIDTH = 240  # pixels


def show(reading: Reading) -> None:
    """Show how the columns were interpreted, the first rows, and controls to correct this."""
    if not reading.columns:
        return
    st.markdown("## Column settings")
    if reading.title:
        st.markdown(f"This looks like: **{words.escaped(reading.title)}**.")
    if reading.guesses:
        st.markdown(words.listed(words.escaped(capital(g)) for g in reading.guesses))
    _preview(reading)
    with frame.kindly():
        _roles(reading)
    has_errors = any(not fault.asks for fault in reading.report.faults)
    with st.expander(words.CHANGE_COLUMNS, expanded=has_errors), frame.kindly():
        _other_layout(reading)


def _preview(reading: Reading) -> None:
    """Show the first rows and those with faults, with their numbers in the file."""
    preview = pd.DataFrame(list(reading.preview), columns=list(reading.columns))
    if any(reading.preview_rows):
        preview.insert(0, words.ROW, list(reading.preview_rows), allow_duplicates=True)
        preview.columns = [words.ROW, *(f"{name}\u200b" if name == words.ROW else name
                                       for name in reading.columns)]  # fmt: skip
    st.dataframe(preview, hide_index=True, width="stretch")
    st.caption(words.preview_caption(faulty=len(reading.preview) > PREVIEW))


def _roles(reading: Reading) -> None:
    """Ask what each column is for; after each choice, read the files again."""
    st.markdown(f"### {words.ROLES_TITLE}")
    st.caption(words.ROLES_HELP)
    settled = settled_words(reading)
    roles, possible = roles_in(settled), possible_roles(settled)
    names = sorted(reading.columns, key=lambda name: name not in roles)[:_MOST_ROLES]
    with st.container(horizontal=True):
        for k, name in enumerate(n for n in reading.columns if n in names):
            now = roles.get(name, UNUSED)
            options = list(dict.fromkeys((*possible, now)))
            chosen = st.selectbox(
                words.escaped(name), options, index=options.index(now), width=_ROLE_WIDTH,
                format_func=words.role,
                key=session.identity(f"{Key.DATA_ROLE}{own_data.n_readings()}-{k}"),
            )  # fmt: skip
            if chosen != now:
                read_again(None, _stated_with(settled, name, chosen, reading.columns))
    if len(reading.columns) > len(names):
        st.caption(words.more_columns(len(reading.columns) - len(names)))


def _stated_with(
    settled: Mapping[str, Any], name: str, role: Role, columns: Sequence[str]
) -> dict[str, Any]:
    stated = settled if own_data.layout_stated() else own_data.stated_words()
    return with_role(stated, settled, name, role, columns=columns)


def _other_layout(reading: Reading) -> None:
    layout = reading.layout
    names = list(reading.columns)
    left, right = st.columns(2)
    kind = left.selectbox(
        "Data type", KINDS, index=KINDS.index(layout.kind) if layout else 0,
        format_func=words.KINDS.__getitem__, key=session.identity(Key.DATA_KIND),
    )  # fmt: skip
    rows, flows = ROWS[kind], TABLE_KINDS[kind].between_regions
    usual = rows.index(layout.row) if layout and layout.row in rows else 0
    row = right.selectbox(
        "Each row is",
        rows,
        index=usual,
        format_func=words.ROWS.__getitem__,
        key=session.identity(f"{Key.DATA_ROW}{kind}"),
    )
    levels = left.multiselect(
        "Origins, from the top level down" if flows else "Areas, from the top level down",
        names, default=[n for n in layout.levels if n in names] if layout else [],
        key=session.identity(f"{Key.DATA_COLUMN}levels"),
    )  # fmt: skip
    chosen: dict[str, Any] = {"kind": kind, "row": row, "levels": levels}
    if flows:
        chosen["destinations"] = right.multiselect(
            "Destinations, from the top level down", names,
            default=list(layout.destinations) if layout else [],
            key=session.identity(f"{Key.DATA_COLUMN}destinations"),
        )  # fmt: skip
    for word, label in _columns_of(kind, row):
        options = ["", *names]
        usual_column = getattr(layout, word) if layout else ""
        chosen[word] = right.selectbox(
            label, options, index=options.index(usual_column) if usual_column in options else 0,
            key=session.identity(f"{Key.DATA_COLUMN}{word}"),
        )  # fmt: skip
    flags = st.columns(3)
    for place, (word, label) in zip(flags, _FLAGS.items(), strict=True):
        chosen[word] = place.checkbox(
            label,
            value=bool(getattr(layout, word)) if layout else False,
            key=session.identity(f"{Key.DATA_FLAG}{word}"),
        )
    if TABLE_KINDS[kind].has_groups:
        chosen |= _group_facts(layout)
    chosen |= _rows_and_numbers(layout)
    chosen |= _names(layout, names)
    chosen["list_columns"] = st.text_input(
        "Code columns of the list of areas",
        value=",".join(layout.list_columns) if layout else "",
        key=session.identity(f"{Key.DATA_FLAG}list_columns"),
        help=words.LIST_COLUMNS_HELP,
    )
    kept = _kept_words(layout, levels)
    if st.button(words.APPLY, type="primary", icon=":material/refresh:"):
        idle = without_effect(kind, row)
        filled = {word: value for word, value in chosen.items() if value not in ("", [])}
        stated = {word: value for word, value in (kept | filled).items() if word not in idle}
        read_again(Layout.of(stated), {})


def _rows_and_numbers(layout: Layout | None) -> dict[str, Any]:
    """Ask how numbers are written, and which rows to read."""
    st.markdown(f"**{words.ROWS_AND_NUMBERS}**")
    chosen: dict[str, Any] = {}
    places = [place for _ in range(-(-len(words.ROW_CHOICES) // 3)) for place in st.columns(3)]
    for place, (word, (label, choices)) in zip(places, words.ROW_CHOICES.items(), strict=False):
        usual = getattr(layout, word) if layout else ""
        chosen[word] = place.selectbox(
            label, list(choices), index=list(choices).index(usual) if usual in choices else 0,
            format_func=choices.__getitem__, key=session.identity(f"{Key.DATA_FLAG}{word}"),
        )  # fmt: skip
    for place, (word, label) in zip(st.columns(2), words.ROW_PAIRS.items(), strict=True):
        text = place.text_area(
            label, value="\n".join(getattr(layout, word)) if layout else "", height=68,
            key=session.identity(f"{Key.DATA_FLAG}{word}"), help=words.PAIRS_HELP,
        )  # fmt: skip
        chosen[word] = [line.strip() for line in text.splitlines() if line.strip()]
    return chosen


def _names(layout: Layout | None, columns: list[str]) -> dict[str, Any]:
    """Ask for columns of names and sizes, and for names of the levels and the whole area."""
    st.markdown(f"**{words.NAMES}**")
    left, right = st.columns(2)
    chosen: dict[str, Any] = {}
    for place, word in (
        (left, "names"), (right, "sizes"), (left, "parts"), (right, "fill_down"),
        (left, "split"),
    ):  # fmt: skip
        usual = [name for name in getattr(layout, word) if name in columns] if layout else []
        chosen[word] = place.multiselect(
            words.COLUMN_LISTS[word],
            columns,
            default=usual,
            key=session.identity(f"{Key.DATA_COLUMN}{word}"),
        )
    if layout and "" in layout.names and [n for n in layout.names if n] == chosen["names"]:
        chosen["names"] = list(layout.names)  # levels without a column of names
    for place, word in ((left, "level_names"), (right, "prefix"), (left, "root"),
                        (right, "root_level"), (left, "unit"), (right, "groups"),
                        (left, "sheet"), (right, "encoding"), (left, "times")):  # fmt: skip
        stated = (getattr(layout, word) if layout else "") or ""
        text = ", ".join(map(str, stated)) if isinstance(stated, tuple) else str(stated)
        chosen[word] = place.text_input(
            words.TEXTS[word], value=text, key=session.identity(f"{Key.DATA_FLAG}{word}")
        ).strip()
    return chosen


def _group_facts(layout: Layout | None) -> dict[str, Any]:
    """Ask for the maximum group size and whether empty groups are counted."""
    left, right = st.columns(2)
    largest = left.number_input(
        "Maximum group size",
        min_value=0,
        max_value=1_000_000,
        value=layout.largest if layout else 0,
        key=session.identity(f"{Key.DATA_FLAG}largest"),
        help=words.MAX_SIZE_HELP,
    )
    known = ["", COUNTED, NOT_COUNTED]
    empty = right.selectbox(
        "Empty groups",
        known,
        index=known.index(layout.empty_groups) if layout else 0,
        format_func=lambda choice: choice or "Not stated",
        key=session.identity(f"{Key.DATA_FLAG}empty_groups"),
        help=words.EMPTY_GROUPS_HELP,
    )
    return {"largest": int(largest), "empty_groups": empty}


_FLAGS = {
    "within": "Codes are unique only within the area above",
    "add_up": "Sum duplicate rows of an area",
    "blank_is_zero": "Treat a blank count as 0",
}


def _columns_of(kind: str, row: str) -> list[tuple[str, str]]:
    titles = [(column, words.COLUMNS[kind, column]) for column in COLUMNS[kind][row]]
    if TABLE_KINDS[kind].between_regions:
        return titles
    return [*titles, ("parent", "Column of the area above")]


def _kept_words(layout: Layout | None, levels: list[str]) -> dict[str, Any]:
    """Return the settings that have no control here, if the columns of areas are unchanged."""
    if layout is None or list(layout.levels) != levels:
        return {}
    answered = {"kind", "row", "levels", "destinations", "parent", "count", "size", "group"}
    answered |= {"largest", "empty_groups", "list_columns", *words.COLUMN_LISTS, *_FLAGS}
    answered |= {*words.ROW_CHOICES, *words.ROW_PAIRS, *words.TEXTS}
    return {word: value for word, value in layout.words.items() if word not in answered}
