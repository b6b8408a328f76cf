"""The roles of the columns of a table, and changes of the role of one column."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from hierdp_core.readers.result import Reading

_SINGLE = ("count", "size", "group", "parent")
_SUMMED = ("sizes", "parts")  # of several columns, in their order in the file
_PLACED = ("levels", "destinations", "names")  # their order matters
_MOST_LEVELS = 8
# Settings that describe the levels and are dropped when the levels change.
_OF_LEVELS = (
    "prefix",
    "fill",
    "outline",
    "within",
    "names",
    "level_names",
    "parent",
    "list_columns",
)
# Roles of a column that determine what a row is.
_ROWS: Mapping[str, Mapping[str, str]] = {
    "group": {"kind": "group-sizes", "row": "person"},
    "sizes": {"kind": "group-sizes", "row": "region"},
    "destinations": {"kind": "flows"},
}
# Kinds of rows that cannot have a column in these roles, so that they are guessed again.
_NOT_BESIDE: Mapping[str, tuple[str, ...]] = {
    "count": ("person", "group", "trip"),
    "size": ("person", "trip"),
}


@dataclass(frozen=True, kw_only=True)
class Role:
    """The role of a column.

    Attributes:
        word: the setting of the layout, such as "count" or "levels"; empty for a column that is
            not used.
        place: the position in a list whose order matters, counted from 1; 0 in others.
    """

    word: str = ""
    place: int = 0


UNUSED = Role()


def settled_words(reading: Reading) -> dict[str, Any]:
    """Return the settings of the reading's layout without those that are still in question."""
    choices = () if reading.question is None else reading.question.choices
    unclear = {word for choice in choices for word in choice.stated}
    words = {} if reading.layout is None else reading.layout.words
    return {word: value for word, value in words.items() if word not in unclear}


def roles_in(words: Mapping[str, Any]) -> dict[str, Role]:
    """Return the role of each column that the settings of a layout name.

    >>> roles_in({"levels": ("state", "county"), "count": "people"})["county"]
    Role(word='levels', place=2)
    """
    roles: dict[str, Role] = {}
    for word in _PLACED:
        listed = words.get(word, ())
        first = _n_named(words) if word == "names" and len(listed) == 1 else 1
        for k, column in enumerate(listed, start=first):
            roles.setdefault(column, Role(word=word, place=k))
    for word in _SUMMED:
        for column in words.get(word, ()):
            roles.setdefault(column, Role(word=word))
    for word in _SINGLE:
        roles.setdefault(words.get(word, ""), Role(word=word))
    roles.pop("", None)
    return roles


def possible_roles(words: Mapping[str, Any]) -> tuple[Role, ...]:
    """Return the roles that a column may have: one of the levels or a new one, or another role."""
    n_levels = len(words.get("levels", ()))
    n_named = _n_named(words)
    n_to = len(words.get("destinations", ()))
    return (
        UNUSED,
        *(Role(word="levels", place=k) for k in range(1, min(n_levels + 1, _MOST_LEVELS) + 1)),
        Role(word="count"),
        Role(word="parts"),
        *(Role(word="names", place=k) for k in range(1, n_named + 1)),
        Role(word="size"),
        Role(word="sizes"),
        Role(word="group"),
        Role(word="parent"),
        *(Role(word="destinations", place=k) for k in range(1, min(n_to + 1, _MOST_LEVELS) + 1)),
    )


def with_role(
    stated: Mapping[str, Any],
    words: Mapping[str, Any],
    column: str,
    role: Role,
    *,
    columns: Sequence[str],
) -> dict[str, Any]:
    """Return the stated settings after `column` gets another role; the others are guessed again.

    Args:
        stated: the settings stated before.
        words: the settings of the layout that is shown.
        column: a column of the table.
        role: its new role.
        columns: all columns of the table, in their order.
    """
    before = roles_in(words).get(column, UNUSED)
    after = {word: value for word, value in stated.items() if value != column}
    for word in {before.word, role.word} & {*_PLACED, *_SUMMED}:
        after[word] = _list_with(words, word, column, role, columns)
    if {before.word, role.word} & {"levels", "destinations"}:
        for word in _OF_LEVELS:
            if word != role.word:
                after.pop(word, None)
    if role.word in _SINGLE:
        after[role.word] = column
    for one, other in (("count", "parts"), ("parts", "count")):
        if role.word == one:
            after.pop(other, None)
    if words.get("row") in _NOT_BESIDE.get(role.word, ()):
        after = {word: value for word, value in after.items() if word not in ("kind", "row")}
    after |= _ROWS.get(role.word, {})
    return {word: value for word, value in after.items() if value != ()}


def _list_with(
    words: Mapping[str, Any], word: str, column: str, role: Role, columns: Sequence[str]
) -> tuple[str, ...]:
    """Return the list `word` with `column` in its place, or without it."""
    if word == "names":
        n_named = _n_named(words)
        named = [*words.get("names", ())]
        named = [""] * (n_named - len(named)) + named
        named = ["" if name == column else name for name in named]
        if role.word == word:
            named[role.place - 1] = column
        return tuple(named) if any(named) else ()
    others = [name for name in words.get(word, ()) if name != column]
    if role.word == word:
        others.insert(role.place - 1 if role.place else len(others), column)
    if word in _SUMMED:
        others.sort(key=list(columns).index)
    return tuple(others)


def _n_named(words: Mapping[str, Any]) -> int:
    """Return how many levels may have a column of names."""
    if words.get("destinations"):
        return len(words.get("levels", ())) + len(words["destinations"])
    return len(words.get("prefix", ()) or words.get("levels", ()))
