"""The files of Your data: upload, reading in a separate process, and reading again."""

import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

import streamlit as st
from streamlit.runtime.uploaded_file_manager import UploadedFile

from hierdp_core.readers import Layout, Reading, read
from hierdp_core.readers.formats.registry import suffixes
from hierdp_core.readers.isolated.start import prepare
from hierdp_core.readers.limits import PATHS, UPLOAD
from hierdp_core.util import temporary
from pages.ui.data import data_words as words
from pages.ui.shell import own_data, session, widgets
from pages.ui.shell.session import Key


def files(what: str | None) -> Reading | None:
    """Return the reading of the uploaded or named files; None without files."""
    if what is None:
        st.caption(words.FIRST)
        return own_data.reading()
    prepare()
    dropped = st.file_uploader(
        "Upload a table and, optionally, boundaries",
        type=suffixes(),
        accept_multiple_files=True,
        key=f"{Key.DATA_FILES}{own_data.reading_number()}",
    )
    paths = _named_paths()
    st.caption(words.takes())
    st.file_uploader(
        "List of areas",
        type=suffixes(),
        key=f"{Key.DATA_REGIONS}{own_data.reading_number()}",
        help=words.REGIONS_HELP,
    )
    if dropped or paths:
        _read_if_new(_Asked.of(dropped, paths, what))
    return own_data.reading()


@dataclass(frozen=True, kw_only=True)
class _Asked:
    """The files that a visitor gave.

    Attributes:
        dropped, paths: the table, with boundaries or centres if there are any.
        regions: a list of areas, if one was given.
        confidential: whether facts from the records must not be treated as public.
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
        """The key of the files of the table."""
        return (*(file.file_id for file in self.dropped), *self.paths)

    @property
    def ticket(self) -> tuple[Any, ...]:
        """The key of everything that was given."""
        return self.files, self.regions and self.regions.file_id, self.confidential


def _read_if_new(request: _Asked) -> None:
    ticket = own_data.reading_ticket()
    if ticket == request.ticket:
        return
    known = own_data.reading()
    # What was stated about the columns applies as long as the files of the table are the same.
    same = known is not None and ticket is not None and ticket[0] == request.files
    layout = known.layout if known is not None and same and own_data.layout_stated() else None
    _read(request, layout, own_data.stated_words() if same else {})


def _named_paths() -> tuple[str, ...]:
    """Ask for paths on this machine, if the app was started with `hierdp --paths`."""
    if not os.environ.get(PATHS):
        return ()
    text = widgets.text_input(
        "Or enter file paths, separated by semicolons",
        key=Key.DATA_PATH,
        help=words.PATH_HELP,
    )
    return tuple(part.strip() for part in text.split(";") if part.strip())


def _read(request: _Asked, layout: Layout | None, stated: Mapping[str, Any]) -> None:
    with st.spinner("Reading the files"), temporary.folder() as folder:
        laid = [_laid(file, folder / str(k)) for k, file in enumerate(request.dropped)]
        regions = None if request.regions is None else _laid(request.regions, folder / "regions")
        reading = read(
            *laid,
            *request.paths,
            layout=layout,
            stated=stated,
            regions=regions,
            confidential=request.confidential,
            limits=UPLOAD,
            stop=session.left,
        )
    own_data.keep_reading(reading, request.ticket, layout_stated=layout is not None, stated=stated)


def _laid(file: UploadedFile, folder: Path) -> Path:
    """Write a file into a new folder, and return its path."""
    folder.mkdir()
    place = folder / _plain_name(file.name)
    place.write_bytes(file.getbuffer())
    return place


def _plain_name(name: str) -> str:
    return re.sub(r"[^\w. -]", "_", Path(name).name)[-80:].lstrip(".") or "file"


def read_again(layout: Layout | None, stated: Mapping[str, Any]) -> None:
    """Read the same files again.

    Args:
        layout: the layout of all columns; None to detect what `stated` leaves open.
        stated: the column settings that the visitor stated.
    """
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
