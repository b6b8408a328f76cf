"""The words of a layout as values, from a file, a flag or an address."""

import re

from hierdp_core.exceptions import ChoiceError


def column_values(texts: tuple[str, ...]) -> tuple[tuple[str, str], ...]:
    parts = (text.partition("=") for text in texts)
    return tuple((column.strip(), value.strip()) for column, _, value in parts)


def value_of_word(name: str, default: object, value: object) -> object:
    wrong = ChoiceError(f"The setting {name} in [columns] takes {_wanted(name, default)}.")
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
        return tuple(parts)
    if isinstance(default, int):
        return _whole(value, wrong)
    if not isinstance(value, str):
        raise wrong
    return value


def _parts(name: str, text: str) -> list[str]:
    r"""One text with commas; a comma in a value of `keep` belongs to it unless a name follows.

    A comma after a backslash is part of a value in any list.

    >>> _parts("names", r"Brasil\, Grande Região,UF")
    ['Brasil, Grande Região', 'UF']
    """
    between = r"(?<!\\)," if name not in ("keep", "leave_out") else r"(?<!\\),(?=[^,=]+=)"
    return [part.strip().replace("\\,", ",") for part in re.split(between, text)]


def _whole(value: object, wrong: ChoiceError) -> int:
    if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 10**9:
        return value
    if isinstance(value, str) and re.fullmatch("[0-9]{1,9}", value):
        return int(value)
    raise wrong


def _wanted(name: str, default: object) -> str:
    if name == "prefix":
        return "a list of lengths, such as [2, 5]"
    if isinstance(default, bool):
        return "true or false"
    if isinstance(default, tuple):
        return 'a list of columns, such as ["state", "county"]'
    return "a whole number" if isinstance(default, int) else "a text in quotes"
