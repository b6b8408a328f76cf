"""The glossary terms that a page uses, listed once below it with their meanings as tooltips.

Texts are recorded when they are sent to the browser, so no page has to name its terms.
"""

import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

import streamlit as st

from hierdp_core.explain.glossary import GLOSSARY, Term

LEAD = "Terms on this page:"

_TERMS = {word: term for term in GLOSSARY for word in term.phrases()}
# The longest first: "simulated release" is not a use of "release".
_PHRASES = "|".join(re.escape(word) for word in sorted(_TERMS, key=len, reverse=True))
_USE = re.compile(rf"\b({_PHRASES})s?\b", re.IGNORECASE)

_noted: ContextVar[list[str] | None] = ContextVar("texts of the page", default=None)


def note(text: str) -> None:
    """Note a text that is sent to the browser, while a page is being made."""
    texts = _noted.get()
    if texts is not None:
        texts.append(text)


def used(texts: Iterable[str]) -> tuple[Term, ...]:
    """Return the terms in `texts`, in the order of their first use.

    >>> [term.name for term in used(["Simulated releases at ε = 1.", "Each release has noise."])]
    ['simulation', 'ε (epsilon)', 'release']
    """
    matches = (match for text in texts for match in _USE.finditer(text))
    return tuple(dict.fromkeys(_TERMS[match[1].lower()] for match in matches))


@contextmanager
def explained() -> Iterator[None]:
    """Show the glossary terms of all texts that the block sends, below the block."""
    texts: list[str] = []
    token = _noted.set(texts)
    try:
        yield
    finally:
        _noted.reset(token)
    _show(used(texts))


def _show(terms: tuple[Term, ...]) -> None:
    if not terms:
        return
    with st.container(horizontal=True, gap="small", key="terms"):
        st.caption(LEAD, width="content")
        for term in terms:
            st.caption(term.name, help=term.meaning, width="content")
