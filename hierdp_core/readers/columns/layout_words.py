"""Values of the settings of a layout, from a settings file, an option or an address."""

import re
from collections.abc import Iterable

from hierdp_core.exceptions import ChoiceError

_OF_COLUMNS = ("levels", "destinations", "sizes", "parts")  # of which none may be blank


def as_names(value: object) -> tuple[str, ...]:
    """Return the texts of a setting that may be one text or several; none for a number."""
    if isinstance(value, tuple | list):
        return tuple(name for name in value if isinstance(name, str))
    return (value,) if isinstance(value, str) else ()


def column_values(texts: tuple[str, ...]) -> tuple[tuple[str, str], ...]:
    """Return conditions such as "sex=F" as pairs of column and value."""
    parts = (text.partition("=") for text in texts)
    return tuple((column.strip(), value.strip()) for column, _, value in parts)


def values_of_columns(pairs: Iterable[tuple[str, str]]) -> dict[str, tuple[str, ...]]:
    """Return the values of each column in conditions such as [("sex", "F"), ("sex", "M")].

    >>> values_of_columns([("type", "town"), ("sex", "F"), ("type", "village")])
    {'type': ('town', 'village'), 'sex': ('F',)}
    """
    values: dict[str, tuple[str, ...]] = {}
    for column, value in pairs:
        values[column] = (*values.get(column, ()), value)
    return values


def value_of_word(name: str, default: object, value: object) -> object:
    """Return the value of a setting in the type of its default.

    Args:
        name: the name of the setting.
        default: its default, which has its type.
        value: the value, which may be text.

    Raises:
        ChoiceError: the value cannot have this type.
    """
    wrong = ChoiceError(
        f"The column setting {name} has a wrong type. Give {_expected(name, default)}."
    )
    if isinstance(default, bool):
        if isinstance(value, str) and value in ("true", "false"):
            return value == "true"
        if not isinstance(value, bool):
            raise wrong
        return value
    if isinstance(default, tuple):
        parts = _parts(name, value) if isinstance(value, str) else value
        if not isinstance(parts, list | tuple):
            raise wrong
        if name == "prefix":
            return tuple(_whole(part, wrong) for part in parts)
        if not all(isinstance(part, str) for part in parts):
            raise wrong
        if name in _OF_COLUMNS and "" in parts:
            raise ChoiceError(
                f"The column setting {name} has an empty name. Name columns of the file, or leave "
                "it out."
            )
        return tuple(parts)
    if isinstance(default, int):
        return _whole(value, wrong)
    if not isinstance(value, str):
        raise wrong
    return value


def _parts(name: str, text: str) -> list[str]:
    r"""Return the parts of a text with commas as a list.

    In `keep` and `leave_out`, a comma separates only if a name and an equals sign follow. A comma
    after a backslash never separates.

    >>> _parts("names", r"Brasil\, Grande Região,UF")
    ['Brasil, Grande Região', 'UF']
    >>> _parts("leave_out", r"Region\, country=World\, all,Region\, country=Asia")
    ['Region, country=World, all', 'Region, country=Asia']
    """
    between = r"(?<!\\)," if name not in ("keep", "leave_out") else r"(?<!\\),(?=(?:\\,|[^,=])+=)"
    return [part.strip().replace("\\,", ",") for part in re.split(between, text)]


def _whole(value: object, wrong: ChoiceError) -> int:
    """Return a non-negative integer of at most nine digits; raise `wrong` for anything else."""
    if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 10**9:
        return value
    if isinstance(value, str) and re.fullmatch("[0-9]{1,9}", value):
        return int(value)
    raise wrong


def _expected(name: str, default: object) -> str:
    if name == "prefix":
        return "a list of lengths, such as prefix = [2, 5]"
    if isinstance(default, bool):
        return f"{name} = true or false"
    if isinstance(default, tuple):
        return f'a list of texts, such as {name} = ["…", "…"]'
    return "a whole number, at least 0" if isinstance(default, int) else "a text in quotes"
