"""Names and values of settings, read from text before any of them is checked."""

from collections.abc import Mapping, Sequence
from typing import Any

from hierdp_core.exceptions import BudgetError, ChoiceError

BUDGET = ("epsilon", "delta", "rho")
ACCOUNT = {"accounting": "tight", "noise": "best"}  # with their defaults
OLD_WORDS = {"shares": "allocation"}  # names of the first version


def current_words(words: Mapping[str, Any]) -> dict[str, Any]:
    """Return the settings under their current names, instead of those of the first version.

    Raises:
        ChoiceError: a setting is given under both names.
    """
    for old, new in OLD_WORDS.items():
        if old in words and new in words:
            raise ChoiceError(f'"{old}" is the old name of "{new}"; give only one of them.')
    return {OLD_WORDS.get(word, word): value for word, value in words.items()}


def read_options(given: Sequence[str]) -> dict[str, str]:
    """Return options from the values of --option, each NAME=VALUE.

    Raises:
        ChoiceError: a value has another form.
    """
    options: dict[str, str] = {}
    for option in given:
        name, equals, value = option.partition("=")
        if not equals or not name:
            raise ChoiceError(
                f'"{option}" is not an option with a value. Give it as --option NAME=VALUE.'
            )
        options[name] = value
    return options


def merged(below: Mapping[str, Any], above: Mapping[str, Any]) -> dict[str, Any]:
    """Return the settings `below`, overridden by those `above`.

    A ρ in `above` also removes ε, δ and their accounting from `below`, and an ε or δ removes ρ.
    Options are overridden one by one.
    """
    result = dict(below)
    if "rho" in above:
        others = ("epsilon", "delta", *ACCOUNT)
        result = {name: value for name, value in result.items() if name not in others}
    if "epsilon" in above or "delta" in above:
        result.pop("rho", None)
    words = {**result, **above}
    if isinstance(below.get("options"), Mapping) and "options" in above:
        words["options"] = {**below["options"], **above["options"]}
    return words


def read_allocation(value: object) -> tuple[Any, ...]:
    """Return the weights in "1,1,2" or in a list. They are checked against the levels later.

    Raises:
        BudgetError: the numbers cannot be read.
    """
    parts: Sequence[Any]
    if isinstance(value, str):
        parts = value.split(",")
    elif isinstance(value, list | tuple):
        parts = value
    else:
        raise BudgetError(
            f"{value} is not an allocation. Give one whole number for each level, such as 1,1,2."
        )
    return tuple(_part(part) if isinstance(part, str) else part for part in parts)


def _part(text: str) -> int:
    try:
        return int(text)
    except ValueError:
        raise BudgetError(
            f'"{text[:40]}" is not a whole number. Give an allocation as whole numbers separated '
            "by commas, such as 1,1,2."
        ) from None


def read_seed(value: object) -> Any:
    """Return the seed as an integer if it is text; return any other value unchanged.

    Raises:
        ChoiceError: the text is not a whole number.
    """
    if not isinstance(value, str):
        return value
    try:
        return int(value)
    except ValueError:
        raise ChoiceError(
            f'Set the seed to a whole number, at least 0; got "{value[:40]}".'
        ) from None


def text_of(value: object) -> str:
    """Return a value as a user types it: true, 0.5, 1,1,2."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return repr(value).removesuffix(".0")
    if isinstance(value, tuple | list):
        return ",".join(map(str, value))
    return str(value)
