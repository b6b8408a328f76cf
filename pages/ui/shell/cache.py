"""Caches: shared by all visitors for samples, and private to a session for a visitor's own data."""

from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar

import streamlit as st

PRIVATE = "private:"  # the prefix of digests of a visitor's own data

_Function = TypeVar("_Function", bound=Callable[..., Any])
_private: list[Any] = []


def remembered(
    *, max_entries: int, show_spinner: bool | str = False
) -> Callable[[_Function], _Function]:
    """Return a decorator that caches the results of a function by its arguments.

    The first argument is a digest of the data: see `datasets.digest`. It selects the shared or the
    private cache. Arguments whose names start with "_" are not part of the key.
    """

    def decorate(function: _Function) -> _Function:
        shared = st.cache_resource(max_entries=max_entries, show_spinner=show_spinner)(function)
        private = st.cache_resource(
            max_entries=max_entries, show_spinner=show_spinner, scope="session"
        )(function)
        _private.append(private)

        @wraps(function)
        def chosen(digest: str, *args: Any) -> Any:
            return (private if digest.startswith(PRIVATE) else shared)(digest, *args)

        return chosen  # type: ignore[return-value]

    return decorate


def forget() -> None:
    """Empty the caches of this session."""
    for cache in _private:
        cache.clear()
