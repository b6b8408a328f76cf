"""The package to read: the one that the app was started with, or one that a visitor uploads.

The first is public, so all visitors share one copy. The second stays in its visitor's session.
"""

import os
from dataclasses import dataclass
from functools import lru_cache

import streamlit as st
from streamlit.runtime.uploaded_file_manager import UploadedFile

from hierdp_core.desktop import offered
from hierdp_core.releases import Package, open_release
from hierdp_core.releases.package.reading import open_uploaded
from pages.ui.package import package_words as words
from pages.ui.shell import cache, session

_FIELD = f"{session.WIDGETS}package-file"


@dataclass(frozen=True, eq=False, kw_only=True)
class Opened:
    """A verified package.

    Attributes:
        package: all of it.
        is_uploaded: it belongs to one session, and nothing of it is kept for others.
    """

    package: Package
    is_uploaded: bool

    @property
    def ticket(self) -> str:
        """Names it in caches: those of one session where it was uploaded."""
        own = cache.PRIVATE if self.is_uploaded else ""
        return f"{own}{self.package.certificate_hash}"


def package() -> Opened | None:
    """Return the uploaded package, or else the one that the app was started with; None of neither.

    Raises:
        ReleaseError: it is not as it was released.
    """
    named = os.environ.get(offered.PACKAGE)
    with st.expander(words.ANOTHER) if named else st.container():
        file = st.file_uploader(words.UPLOAD, type="zip", key=_FIELD, help=words.UPLOAD_HELP)
    if file is not None:
        uploaded = _uploaded(f"{cache.PRIVATE}{file.file_id}", file)
        return Opened(package=uploaded, is_uploaded=True)
    if named:
        opened = _opened(named, os.environ.get(offered.PUBLIC_KEY))
        return Opened(package=opened, is_uploaded=False)
    return None


@cache.remembered(max_entries=1, show_spinner=words.CHECKING)
def _uploaded(ticket: str, _file: UploadedFile) -> Package:
    return open_uploaded(_file.getvalue(), _file.name)


@lru_cache(maxsize=2)
def _opened(path: str, public_key: str | None) -> Package:
    return open_release(path, public_key=public_key)
