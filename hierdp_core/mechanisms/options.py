"""The options of a mechanism: fields of a frozen dataclass, and the words that name their values.

In code, an option is a typed field. Its words are used on the command line and in addresses,
files and JSON. `checked_words` and `from_words` read them, `words_of` writes them.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import Field, dataclass, field, fields
from fractions import Fraction
from typing import Any

from hierdp_core.exceptions import BudgetError, ChoiceError
from hierdp_core.privacy import exact_number
from hierdp_core.util.text import join_or

_OPTION = "option"  # the entry of a field's metadata


@dataclass(frozen=True, kw_only=True)
class Option:
    """A choice that a mechanism offers besides budget and allocation.

    Attributes:
        name: the name in files and addresses.
        title, about: its title and description on pages and in commands.
        default: the word of its default value.
        choices: the words that it accepts; empty if `Mechanism.__post_init__` checks the value.
        when: the name of another option and a word. This option has an effect only if the value
            of the other contains the word. None if it always has an effect.
        kinds: the kinds of table for which it has an effect; empty for all that the mechanism
            accepts.
        per_level: whether its word may be a list with one entry per level.
    """

    name: str
    title: str
    about: str
    default: str
    choices: tuple[str, ...]
    when: tuple[str, str] | None = None
    kinds: tuple[str, ...] = ()
    per_level: bool = False

    def has_effect(self, chosen: Mapping[str, str], *, kind: str) -> bool:
        """Return whether its value matters.

        Args:
            chosen: the words of the other options, by name.
            kind: the kind of table.
        """
        if self.kinds and kind not in self.kinds:
            return False
        if self.when is None:
            return True
        other, word = self.when
        return word in chosen.get(other, "").split(",")


@dataclass(frozen=True, kw_only=True)
class _Words:
    """The description of an option, and how its values are written and read."""

    title: str
    about: str
    values: Mapping[str, Any]  # by word; empty if the class checks the value
    read: Callable[[str], Any]
    write: Callable[[Any], str]
    name: str | None
    when: tuple[str, str] | None
    kinds: tuple[str, ...]
    per_level: bool


def option(
    default: Any,
    *,
    title: str,
    about: str,
    choices: tuple[str, ...] | Mapping[str, Any] = (),
    read: Callable[[str], Any] = str,
    write: Callable[[Any], str] = str,
    name: str | None = None,
    when: tuple[str, str] | None = None,
    kinds: tuple[str, ...] = (),
    per_level: bool = False,
) -> Any:
    """Return a dataclass field that is an option.

    Args:
        default: the default value.
        title, about: see `Option`.
        choices: the accepted words, which are the values too, or a value for each word; empty for
            an open option, whose value the class checks.
        read, write: turn the word of an open option into its value, and back. If `read` cannot
            read a word, it returns the word unchanged, and the class refuses it.
        name: the name of the option, if it differs from that of the field.
        when, kinds, per_level: see `Option`.
    """
    values = choices if isinstance(choices, Mapping) else {word: word for word in choices}
    words = _Words(
        title=title,
        about=about,
        values=values,
        read=read,
        write=write,
        name=name,
        when=when,
        kinds=kinds,
        per_level=per_level,
    )
    return field(default=default, metadata={_OPTION: words})


def options_of_class(mechanism: type) -> tuple[Option, ...]:
    """Return the options that a mechanism offers, in the order of its fields."""
    return tuple(
        Option(
            name=name,
            title=words.title,
            about=words.about,
            default=_word(words, own.default),
            choices=tuple(words.values),
            when=words.when,
            kinds=words.kinds,
            per_level=words.per_level,
        )
        for name, (own, words) in _fields(mechanism).items()
    )


def field_names(mechanism: type) -> dict[str, str]:
    """Return the name of the dataclass field of each option, by the name of the option."""
    return {name: own.name for name, (own, _) in _fields(mechanism).items()}


def words_of(mechanism: Any) -> tuple[tuple[str, str], ...]:
    """Return the options of a mechanism: each name with the word of its value."""
    return tuple(
        (name, _word(words, getattr(mechanism, own.name)))
        for name, (own, words) in _fields(type(mechanism)).items()
    )


def words_in_effect(mechanism: Any, *, kind: str) -> tuple[tuple[str, str], ...]:
    """Return the options of a mechanism that matter for a kind of table, as names and words."""
    words = dict(words_of(mechanism))
    return tuple(
        (option.name, words[option.name])
        for option in options_of_class(type(mechanism))
        if option.has_effect(words, kind=kind)
    )


def checked_words(
    id: str, mechanism: type, given: Mapping[str, Any] | None, *, kind: str = ""
) -> tuple[tuple[str, str], ...]:
    """Return the options of a mechanism, each with its word, in the order of its fields.

    A list of words is joined by commas. Words of open options are not checked here but by
    `from_words`.

    Args:
        id: the id of the mechanism.
        mechanism: its class.
        given: the words by the name of the option.
        kind: the kind of table, if it is known. Messages then offer only what it accepts.

    Raises:
        ChoiceError: an option or a choice is unknown.
    """
    options = options_of_class(mechanism)
    chosen = {option.name: option.default for option in options}
    of_kind = [o.name for o in options if not kind or not o.kinds or kind in o.kinds]
    known = _fields(mechanism)
    for name, value in (given or {}).items():
        if name not in known:
            raise ChoiceError(
                f'The mechanism {id} has no option "{name}". {_known_options(of_kind)}'
            )
        word = ",".join(map(str, value)) if isinstance(value, list | tuple) else str(value)
        values = known[name][1].values
        if values and word not in values:
            if name not in of_kind:
                raise ChoiceError(
                    f"{id}: the option {name} has no effect on this kind of table. Leave it out."
                )
            raise ChoiceError(_not_a_choice(id, name, word, values))
        chosen[name] = word
    return tuple(chosen.items())


def from_words(id: str, mechanism: type, given: Mapping[str, Any] | None) -> Any:
    """Return the mechanism with the options given as words, and default values for all others.

    Raises:
        ChoiceError: an option is unknown, or its value is not accepted.
    """
    known, values = _fields(mechanism), {}
    for name, word in checked_words(id, mechanism, given):
        own, words = known[name]
        values[own.name] = words.values[word] if words.values else words.read(word)
    return mechanism(**values)


def require_choices(id: str, mechanism: Any) -> None:
    """Check that the value of every option with choices is one of them.

    Raises:
        ChoiceError: an option has another value.
    """
    for name, (own, words) in _fields(type(mechanism)).items():
        value = getattr(mechanism, own.name)
        if words.values and not any(value is v or value == v for v in words.values.values()):
            raise ChoiceError(_not_a_choice(id, name, value, words.values))


def _not_a_choice(id: str, name: str, value: object, choices: Iterable[str]) -> str:
    return f'The option {name} of {id} cannot be "{value}". Choose {join_or(list(choices))}.'


def _known_options(names: Iterable[str]) -> str:
    known = join_or(list(names))
    return f"Choose {known}." if known else "It has no options. Leave the option out."


def whole_number(word: str) -> int | str:
    """Return a non-negative integer from its word of at most 19 digits, else the stripped word.

    >>> whole_number(" 3 "), whole_number("three")
    (3, 'three')
    """
    text = word.strip()
    return int(text) if text.isascii() and text.isdigit() and len(text) < 20 else text


def list_of_words(word: str) -> tuple[str, ...]:
    """Return the entries of a comma-separated list.

    >>> list_of_words("hg, hc")
    ('hg', 'hc')
    """
    return tuple(part.strip() for part in word.split(","))


def exact_option(name: str, value: Any) -> Fraction:
    """Return the exact value of a numeric option.

    Raises:
        ChoiceError: the value is not a number.
    """
    try:
        return exact_number(name, value)
    except BudgetError as error:
        raise ChoiceError(str(error)) from None


def decimal_word(value: Fraction) -> str:
    """Return an exact number as a decimal if it has a finite one, else as a fraction.

    >>> decimal_word(Fraction(1, 10_000)), decimal_word(Fraction(5)), decimal_word(Fraction(1, 3))
    ('0.0001', '5', '1/3')
    """
    places, rest = 0, value.denominator
    while rest % 10 == 0:
        rest, places = rest // 10, places + 1
    for prime in (2, 5):
        while rest % prime == 0:
            rest, places = rest // prime, places + 1
    if rest != 1:
        return str(value)
    digits = str(abs(value.numerator) * 10**places // value.denominator).rjust(places + 1, "0")
    whole, part = digits[: len(digits) - places], digits[len(digits) - places :].rstrip("0")
    return "-" * (value < 0) + whole + ("." + part if part else "")


def _fields(mechanism: type) -> dict[str, tuple[Field[Any], _Words]]:
    """Return the fields that are options, by the name of the option."""
    own = [f for f in fields(mechanism) if _OPTION in f.metadata]
    return {f.metadata[_OPTION].name or f.name: (f, f.metadata[_OPTION]) for f in own}


def _word(words: _Words, value: Any) -> str:
    if not words.values:
        return words.write(value)
    return next(word for word, v in words.values.items() if v is value or v == value)
