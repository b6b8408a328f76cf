"""The parts of Your data: sensitivity, files, findings, columns and summary."""

import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

import pandas as pd
import streamlit as st
from streamlit.runtime.uploaded_file_manager import UploadedFile

from hierdp_core import mechanisms
from hierdp_core.exceptions import HierdpError
from hierdp_core.maps.tiles import tile_layout
from hierdp_core.readers import Finding, Layout, Reading, read
from hierdp_core.readers.build.public_facts import COUNTED, NOT_COUNTED
from hierdp_core.readers.build.summary import summary as summarised
from hierdp_core.readers.columns.layout import COLUMNS, KINDS, ROWS
from hierdp_core.readers.formats.registry import suffixes
from hierdp_core.readers.formats.sheet import PREVIEW
from hierdp_core.readers.limits import PATHS, UPLOAD
from hierdp_core.readers.roles import (
    UNUSED,
    Role,
    possible_roles,
    roles_in,
    settled_words,
    with_role,
)
from hierdp_core.samples.sample import OWN, Sample
from hierdp_core.settings.own_files import OwnFiles
from hierdp_core.tables import KINDS as TABLE_KINDS
from hierdp_core.util import temporary
from hierdp_core.util.text import capital
from pages.ui.data import data_words as words
from pages.ui.shell import datasets, frame, navigation, own_data, session, widgets
from pages.ui.shell.session import Key

_LISTED = 40  # findings of a sort on screen
_MOST_ROLES = 30  # columns with a control of their own
_ROLE_WIDTH = 240  # pixels
_EXPLORE = "pages/overview_page.py"
_NUMBERS = ("Regions", "Count", "Regions with zero")
_ICONS = {"fault": ":material/error:", "repair": ":material/build:", "note": ":material/info:"}


def loaded() -> None:
    """Show what is in the session, with a button to delete it."""
    st.markdown(words.PROMISE)
    found = datasets.own()
    if found is None:
        return
    with st.container(border=True, horizontal=True, vertical_alignment="center"):
        st.markdown(words.loaded(found.sample.title))
        if st.button("Open in Overview", icon=":material/arrow_forward:", key="open-again"):
            navigation.to(_EXPLORE)
        if st.button("Delete data", icon=":material/delete:"):
            own_data.forget()
            own_data.forget_reading()
            st.rerun()


def what_is_it() -> str | None:
    """Ask for the sensitivity of the data, before any file: one of `data_words.WHAT`."""
    what: str | None = st.radio(
        words.ASK, list(words.WHAT), format_func=words.WHAT.get, index=None, key=Key.DATA_WHAT
    )
    if what == words.CONFIDENTIAL:
        st.warning(words.TRUSTED, icon=":material/lock:")
    return what


def files(what: str | None) -> Reading | None:
    """Return the reading of the uploaded or named files; None where there are none."""
    if what is None:
        st.caption(words.FIRST)
        return own_data.reading()
    dropped = st.file_uploader(
        "Upload a table and, optionally, boundaries",
        type=suffixes(),
        accept_multiple_files=True,
        key=f"{Key.DATA_FILES}{own_data.reading_number()}",
        help=words.takes(),
    )
    paths = _named_paths()
    st.caption(words.takes())
    st.file_uploader(
        "List of regions",
        type=suffixes(),
        key=f"{Key.DATA_REGIONS}{own_data.reading_number()}",
        help=words.REGIONS_HELP,
    )
    if dropped or paths:
        _read_if_new(_Asked.of(dropped, paths, what))
    return own_data.reading()


@dataclass(frozen=True, kw_only=True)
class _Asked:
    """What a visitor gave to read.

    Attributes:
        dropped, paths: the table, and boundaries or centres beside it.
        regions: a list of regions, if one was given.
        confidential: facts from the records may not be treated as public.
    """

    dropped: tuple[UploadedFile, ...]
    paths: tuple[str, ...]
    regions: UploadedFile | None
    confidential: bool

    @classmethod
    def of(cls, dropped: Sequence[UploadedFile], paths: tuple[str, ...], what: str) -> Self:
        return cls(
            dropped=tuple(dropped),
            paths=paths,
            regions=session.get(f"{Key.DATA_REGIONS}{own_data.reading_number()}"),
            confidential=what == words.CONFIDENTIAL,
        )

    @property
    def files(self) -> tuple[str, ...]:
        """Names the files of the table."""
        return (*(file.file_id for file in self.dropped), *self.paths)

    @property
    def ticket(self) -> tuple[Any, ...]:
        """Names everything that was given."""
        return self.files, self.regions and self.regions.file_id, self.confidential


def _read_if_new(asked: _Asked) -> None:
    ticket = own_data.reading_ticket()
    if ticket == asked.ticket:
        return
    known = own_data.reading()
    # What was stated about the columns holds as long as the table is the same.
    same = known is not None and ticket is not None and ticket[0] == asked.files
    layout = known.layout if known is not None and same and own_data.layout_stated() else None
    _read(asked, layout, own_data.stated_words() if same else {})


def _named_paths() -> tuple[str, ...]:
    """Paths on this machine, where its user asked for them with `hierdp --paths`."""
    if not os.environ.get(PATHS):
        return ()
    text = widgets.text_input(
        "Or enter file paths, separated by ;",
        key=Key.DATA_PATH,
        help=words.PATH_HELP,
    )
    return tuple(part.strip() for part in text.split(";") if part.strip())


def _read(asked: _Asked, layout: Layout | None, stated: Mapping[str, Any]) -> None:
    with st.spinner("Reading the files"), temporary.folder() as folder:
        laid = [_laid(file, folder / str(k)) for k, file in enumerate(asked.dropped)]
        regions = None if asked.regions is None else _laid(asked.regions, folder / "regions")
        reading = read(
            *laid,
            *asked.paths,
            layout=layout,
            stated=stated,
            regions=regions,
            confidential=asked.confidential,
            limits=UPLOAD,
            stop=session.left,
        )
    own_data.keep_reading(reading, asked.ticket, layout_stated=layout is not None, stated=stated)


def _laid(file: UploadedFile, folder: Path) -> Path:
    """The file in a folder of its own, which is made."""
    folder.mkdir()
    place = folder / _plain_name(file.name)
    place.write_bytes(file.getbuffer())
    return place


def _plain_name(name: str) -> str:
    return re.sub(r"[^\w. -]", "_", Path(name).name)[-80:].lstrip(".") or "file"


def report(reading: Reading) -> None:
    """All faults, each with its place and remedy; repairs and notes after them."""
    found = reading.report
    if found.faults:
        st.error(words.faults(len(found.faults)), icon=_ICONS["fault"])
        for place, finding in enumerate(found.faults[:_LISTED]):
            st.markdown(words.listed([words.fault(finding)]))
            _choices(finding, place)
    elif reading.table is not None:
        st.success(words.USABLE, icon=":material/check:")
    for sort in ("repair", "note"):
        told = [finding for finding in found.findings if finding.sort == sort]
        if told:
            st.markdown(f"**{words.SORTS[sort]}**")
            st.markdown(words.listed(words.told(finding) for finding in told[:_LISTED]))


def _choices(finding: Finding, place: int) -> None:
    """A button for each statement that corrects a fault."""
    if not finding.choices:
        return
    with st.container(horizontal=True):
        for k, choice in enumerate(finding.choices):
            if st.button(words.choice(choice), key=f"{Key.DATA_CHOICE}{place}-{k}"):
                _state(choice.stated)


def _state(stated: Mapping[str, Any]) -> None:
    """Read the files again with what was stated now and before."""
    known = own_data.reading()
    if known is not None and known.layout is not None and own_data.layout_stated():
        _read_again(Layout.of(known.layout.words | dict(stated)), {})
    else:
        _read_again(None, own_data.stated_words() | dict(stated))


def examples() -> None:
    """Small files to start from."""
    with st.expander(words.EXAMPLES):
        st.caption(words.EXAMPLES_HELP)
        with st.container(horizontal=True):
            for name, text in words.EXAMPLE_FILES.items():
                st.download_button(
                    name, data=text, file_name=name, mime="text/csv", on_click="ignore",
                    icon=":material/download:", key=f"example-{name}",
                )  # fmt: skip


def columns(reading: Reading) -> None:
    """What the columns were taken for, the first rows, and how to say otherwise."""
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
    unsettled = reading.layout is None or not reading.report.usable
    with st.expander(words.CHANGE_COLUMNS, expanded=unsettled), frame.kindly():
        _other_layout(reading)


def _preview(reading: Reading) -> None:
    """The first rows and those with faults, with their numbers in the file."""
    preview = pd.DataFrame(list(reading.preview), columns=list(reading.columns))
    if any(reading.preview_rows):
        preview.insert(0, words.ROW, list(reading.preview_rows), allow_duplicates=True)
        preview.columns = [words.ROW, *(f"{name}\u200b" if name == words.ROW else name
                                       for name in reading.columns)]  # fmt: skip
    st.dataframe(preview, hide_index=True, width="stretch")
    st.caption(words.preview_caption(faulty=len(reading.preview) > PREVIEW))


def _roles(reading: Reading) -> None:
    """What each column is for, to be chosen by a person; the files are read again at once."""
    st.markdown(f"### {words.ROLES_TITLE}")
    st.caption(words.ROLES_HELP)
    settled = settled_words(reading)
    roles, possible = roles_in(settled), possible_roles(settled)
    shown = sorted(reading.columns, key=lambda name: name not in roles)[:_MOST_ROLES]
    with st.container(horizontal=True):
        for k, name in enumerate(n for n in reading.columns if n in shown):
            now = roles.get(name, UNUSED)
            options = list(dict.fromkeys((*possible, now)))
            chosen = st.selectbox(
                words.escaped(name), options, index=options.index(now), width=_ROLE_WIDTH,
                format_func=words.role, key=f"{Key.DATA_ROLE}{own_data.n_readings()}-{k}",
            )  # fmt: skip
            if chosen != now:
                _read_again(None, _stated_with(settled, name, chosen, reading.columns))
    if len(reading.columns) > len(shown):
        st.caption(words.more_columns(len(reading.columns) - len(shown)))


def _stated_with(
    settled: Mapping[str, Any], name: str, role: Role, columns: Sequence[str]
) -> dict[str, Any]:
    stated = settled if own_data.layout_stated() else own_data.stated_words()
    return with_role(stated, settled, name, role, columns=columns)


def _other_layout(reading: Reading) -> None:
    said = reading.layout
    names = list(reading.columns)
    left, right = st.columns(2)
    kind = left.selectbox(
        "Data type", KINDS, index=KINDS.index(said.kind) if said else 0,
        format_func=words.KINDS.__getitem__, key=Key.DATA_KIND,
    )  # fmt: skip
    rows, flows = ROWS[kind], TABLE_KINDS[kind].between_regions
    usual = rows.index(said.row) if said and said.row in rows else 0
    row = right.selectbox(
        "Each row is",
        rows,
        index=usual,
        format_func=words.ROWS.__getitem__,
        key=f"{Key.DATA_ROW}{kind}",
    )
    levels = left.multiselect(
        "Origin, from the top down" if flows else "Regions, from the top level down",
        names, default=[n for n in said.levels if n in names] if said else [],
        key=f"{Key.DATA_COLUMN}levels",
    )  # fmt: skip
    chosen: dict[str, Any] = {"kind": kind, "row": row, "levels": levels}
    if flows:
        chosen["destinations"] = right.multiselect(
            "Destination, from the top down", names,
            default=list(said.destinations) if said else [], key=f"{Key.DATA_COLUMN}destinations",
        )  # fmt: skip
    for word, label in _columns_of(kind, row):
        options = ["", *names]
        usual_column = getattr(said, word) if said else ""
        chosen[word] = right.selectbox(
            label, options, index=options.index(usual_column) if usual_column in options else 0,
            key=f"{Key.DATA_COLUMN}{word}",
        )  # fmt: skip
    flags = st.columns(3)
    for place, (word, label) in zip(flags, _FLAGS.items(), strict=True):
        chosen[word] = place.checkbox(
            label, value=bool(getattr(said, word)) if said else False, key=f"{Key.DATA_FLAG}{word}"
        )
    if TABLE_KINDS[kind].has_groups:
        chosen |= _group_facts(said)
    chosen |= _rows_and_numbers(said)
    chosen |= _names(said, names)
    chosen["list_columns"] = st.text_input(
        "Columns of the list",
        value=",".join(said.list_columns) if said else "",
        key=f"{Key.DATA_FLAG}list_columns",
        help=words.LIST_COLUMNS_HELP,
    )
    kept = _kept_words(said, levels)
    if st.button(words.APPLY, type="primary", icon=":material/refresh:"):
        layout = Layout.of(kept | {k: v for k, v in chosen.items() if v not in ("", [])})
        _read_again(layout, {})


def _rows_and_numbers(said: Layout | None) -> dict[str, Any]:
    """How numbers are written, and which rows are read."""
    st.markdown(f"**{words.ROWS_AND_NUMBERS}**")
    chosen: dict[str, Any] = {}
    places = [place for _ in range(-(-len(words.ROW_CHOICES) // 3)) for place in st.columns(3)]
    for place, (word, (label, choices)) in zip(places, words.ROW_CHOICES.items(), strict=False):
        usual = getattr(said, word) if said else ""
        chosen[word] = place.selectbox(
            label, list(choices), index=list(choices).index(usual) if usual in choices else 0,
            format_func=choices.__getitem__, key=f"{Key.DATA_FLAG}{word}",
        )  # fmt: skip
    for place, (word, label) in zip(st.columns(2), words.ROW_PAIRS.items(), strict=True):
        text = place.text_area(
            label, value="\n".join(getattr(said, word)) if said else "", height=68,
            key=f"{Key.DATA_FLAG}{word}", help=words.PAIRS_HELP,
        )  # fmt: skip
        chosen[word] = [line.strip() for line in text.splitlines() if line.strip()]
    return chosen


def _names(said: Layout | None, columns: list[str]) -> dict[str, Any]:
    """Columns of names and of sizes, and what levels and the whole are called."""
    st.markdown(f"**{words.NAMES}**")
    left, right = st.columns(2)
    chosen: dict[str, Any] = {}
    for place, word in (
        (left, "names"), (right, "sizes"), (left, "parts"), (right, "fill_down"),
    ):  # fmt: skip
        usual = [name for name in getattr(said, word) if name in columns] if said else []
        chosen[word] = place.multiselect(
            words.COLUMN_LISTS[word], columns, default=usual, key=f"{Key.DATA_COLUMN}{word}"
        )
    if said and "" in said.names and [n for n in said.names if n] == chosen["names"]:
        chosen["names"] = list(said.names)  # levels without a column of names
    for place, word in ((left, "level_names"), (right, "prefix"), (left, "root"),
                        (right, "root_level"), (left, "unit"), (right, "groups"),
                        (left, "sheet"), (right, "encoding"), (left, "times")):  # fmt: skip
        stated = (getattr(said, word) if said else "") or ""
        text = ", ".join(map(str, stated)) if isinstance(stated, tuple) else str(stated)
        chosen[word] = place.text_input(
            words.TEXTS[word], value=text, key=f"{Key.DATA_FLAG}{word}"
        ).strip()
    return chosen


def _group_facts(said: Layout | None) -> dict[str, Any]:
    """The maximum size and whether empty groups are counted, as stated."""
    left, right = st.columns(2)
    largest = left.number_input(
        "Maximum group size",
        min_value=0,
        max_value=1_000_000,
        value=said.largest if said else 0,
        key=f"{Key.DATA_FLAG}largest",
        help=words.MAX_SIZE_HELP,
    )
    known = ["", COUNTED, NOT_COUNTED]
    empty = right.selectbox(
        "Empty groups",
        known,
        index=known.index(said.empty_groups) if said else 0,
        format_func=lambda choice: choice or "Not stated",
        key=f"{Key.DATA_FLAG}empty_groups",
        help=words.EMPTY_GROUPS_HELP,
    )
    return {"largest": int(largest), "empty_groups": empty}


_FLAGS = {
    "within": "Codes are unique only within the region above",
    "add_up": "Sum duplicate rows of a region",
    "blank_is_zero": "Treat a blank count as 0",
}


def _columns_of(kind: str, row: str) -> list[tuple[str, str]]:
    named = [(column, words.COLUMNS[kind, column]) for column in COLUMNS[kind][row]]
    if TABLE_KINDS[kind].between_regions:
        return named
    return [*named, ("parent", "Column of the parent region")]


def _kept_words(said: Layout | None, levels: list[str]) -> dict[str, Any]:
    """What the controls do not ask for stays as it was, while the regions stay."""
    if said is None or list(said.levels) != levels:
        return {}
    asked = {"kind", "row", "levels", "destinations", "parent", "count", "size", "group"}
    asked |= {"largest", "empty_groups", "list_columns", *words.COLUMN_LISTS, *_FLAGS}
    asked |= {*words.ROW_CHOICES, *words.ROW_PAIRS, *words.TEXTS}
    return {word: value for word, value in said.words.items() if word not in asked}


def _read_again(layout: Layout | None, stated: Mapping[str, Any]) -> None:
    number = own_data.reading_number()
    dropped = session.get(f"{Key.DATA_FILES}{number}") or []
    paths = _parts(session.get(Key.DATA_PATH) or "")
    if not dropped and not paths:
        st.info(words.UPLOAD_AGAIN, icon=":material/upload_file:")
        return
    _read(_Asked.of(dropped, paths, session.get(Key.DATA_WHAT) or ""), layout, stated)
    st.rerun()


def _parts(text: str) -> tuple[str, ...]:
    return tuple(part.strip() for part in text.split(";") if part.strip())


def summary(reading: Reading, what: str | None) -> None:
    """Levels, totals, the largest, the zeros; and the way on."""
    table = reading.table
    if table is None:
        return
    st.markdown("## Summary")
    told = summarised(table)
    st.markdown(words.total(told))
    rows = pd.DataFrame(told["levels"])
    rows.columns = ["Level", "Regions", "Largest region", "Count", "Regions with zero"]
    localized = st.column_config.NumberColumn(format="localized")
    st.dataframe(rows, hide_index=True, column_config=dict.fromkeys(_NUMBERS, localized))
    st.caption(f"Map: {reading.drawn}.")
    if not mechanisms.names(table.kind):
        st.info(words.NO_MECHANISM, icon=":material/info:")
        return
    if what is None:
        st.caption(words.FIRST)
    elif st.button("Use these data in Overview", type="primary", icon=":material/arrow_forward:"):
        _bring(reading, what)
    _repeat(reading, mechanisms.names(table.kind)[0], confidential=what == words.CONFIDENTIAL)


def _repeat(reading: Reading, mechanism: str, *, confidential: bool) -> None:
    if reading.layout is None:
        return
    table, *beside = reading.report.files
    with st.expander(words.REPEAT):
        st.caption(words.REPEAT_HOW)
        regions = session.get(f"{Key.DATA_REGIONS}{own_data.reading_number()}")
        named = OwnFiles.of_paths(
            (table, *beside),
            columns=reading.layout,
            regions=regions.name if regions is not None else "",
            confidential=confidential,
        )
        st.code(named.to_toml(words.repeat_settings(mechanism)), language="toml")


def _bring(reading: Reading, what: str) -> None:
    table, drawn = reading.table, reading.boundaries
    if table is None:
        raise HierdpError("There is no table to open. Correct the errors first.")
    title = ", ".join(reading.report.files)
    sample = Sample(
        id=OWN,
        title=title,
        kind=table.kind,
        about=reading.title or "A table of your own.",
        real=words.WHAT[what] + ".",
        source=title,
        licence="yours",
        person=table.person,
        table=table,
        read_boundaries=lambda: drawn if drawn is not None else tile_layout(table.regions),
    )
    own_data.bring(datasets.Own(sample=sample, confidential=what == words.CONFIDENTIAL))
    own_data.forget_reading()
    navigation.to(_EXPLORE)
