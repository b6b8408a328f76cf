"""The package to read: the one that the app was started with, or one that a visitor uploads.

The first is public, so all visitors share one copy. The second stays in that visitor's session.
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
        package: the package, whose hashes have been checked.
        is_uploaded: whether a visitor uploaded it. If so, only that visitor's session keeps it.
    """

    package: Package
    is_uploaded: bool

    @property
    def ticket(self) -> str:
        """The key of the package in caches; that of an uploaded package belongs to its session."""
        own = cache.PRIVATE if self.is_uploaded else ""
        return f"{own}{self.package.certificate_hash}"


def package() -> Opened | None:
    """Return the uploaded package, or else the one that the app was started with.

    Return None if there is neither.

    Raises:
        ReleaseError: the file is not a package, its contents do not match its certificate, or its
            signature is not valid.
    """
    path = os.environ.get(offered.PACKAGE)
    with st.expander(words.ANOTHER) if path else st.container():
        file = st.file_uploader(words.UPLOAD, type="zip", key=_FIELD, help=words.UPLOAD_HELP)
    if file is not None:
        uploaded = _uploaded(f"{cache.PRIVATE}{file.file_id}", file)
        return Opened(package=uploaded, is_uploaded=True)
    if path:
        opened = _opened(path, os.environ.get(offered.PUBLIC_KEY))
        return Opened(package=opened, is_uploaded=False)
    return None


@cache.remembered(max_entries=1, show_spinner=words.CHECKING)
def _uploaded(ticket: str, _file: UploadedFile) -> Package:
    return open_uploaded(_file.getvalue(), _file.name)


@lru_cache(maxsize=2)
def _opened(path: str, public_key: str | None) -> Package:
    return open_release(path, public_key=public_key)
