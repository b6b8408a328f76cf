"""A control with which exactly one option is chosen."""

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from pages.ui.shell import markup, session, widgets

Choice = TypeVar("Choice")


def one_of(
    label: str,
    options: Sequence[Choice],
    usual: Choice,
    *,
    key: str,
    format_func: Callable[[Any], str] = str,
    **how: Any,
) -> Choice:
    """Draw a row of options, one of which is always chosen, and return it.

    Args:
        label: the label of the row.
        options: the options.
        usual: the option that is chosen at first.
        key: the key of the widget.
        format_func: returns an option in words.
        how: passed on to `st.segmented_control`.
    """
    chosen = widgets.segmented_control(
        label,
        list(options),
        format_func=lambda option: markup.markdown(format_func(option)),
        key=session.seeded(key, usual),
        required=True,
        **how,
    )
    return usual if chosen is None else chosen
