"""Caches: shared by all visitors for samples, in one session for the data that somebody brought."""

from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar

import streamlit as st

PRIVATE = "private:"  # a digest that starts so names something made from a visitor's own data

_Function = TypeVar("_Function", bound=Callable[..., Any])
_private: list[Any] = []


def remembered(
    *, max_entries: int, show_spinner: bool | str = False
) -> Callable[[_Function], _Function]:
    """Remember what a function of a digest gives; arguments that start with "_" do not count.

    Its first argument says whose data it is about: see `datasets.digest`.
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
