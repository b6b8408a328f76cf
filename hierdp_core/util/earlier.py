"""Names of the previous version, which work for one more version and warn with the new names."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import wraps
from inspect import Parameter, signature
from typing import Any, ParamSpec, TypeVar
from warnings import warn

Arguments = Mapping[str, Any]

_P = ParamSpec("_P")
_R = TypeVar("_R")


@dataclass(frozen=True, kw_only=True)
class Earlier:
    """Keywords of the previous version that other arguments have replaced.

    Attributes:
        words: the earlier keywords.
        now: the current form, as code.
        replace: called with the arguments of a call that have current names, and with those that
            have earlier names. It returns current arguments in place of the earlier ones.
        by_place: whether the first of `words` could be given by position, after all other
            arguments.
    """

    words: tuple[str, ...]
    now: str
    replace: Callable[[Arguments, Arguments], Arguments]
    by_place: bool = False


def accepts(*earlier: Earlier) -> Callable[[Callable[_P, _R]], Callable[_P, _R]]:
    """Return a decorator for a function that also takes earlier keywords, and warns if it gets any.

    The signature that people and type checkers see does not include these keywords.
    """

    def decorated(function: Callable[_P, _R]) -> Callable[_P, _R]:
        kinds = (Parameter.POSITIONAL_ONLY, Parameter.POSITIONAL_OR_KEYWORD)
        places = [n for n, p in signature(function).parameters.items() if p.kind in kinds]
        by_place = next((e.words[0] for e in earlier if e.by_place), None)

        @wraps(function)
        def called(*args: Any, **keywords: Any) -> _R:
            if by_place is not None and len(args) == len(places) + 1:
                args, keywords = args[:-1], keywords | {by_place: args[-1]}
            given = dict(zip(places, args, strict=False)) | keywords
            used = [one for one in earlier if not given.keys().isdisjoint(one.words)]
            if not used:
                return function(*args, **keywords)
            current: Callable[..., _R] = function
            for one in used:
                old = {word: given.pop(word) for word in one.words if word in given}
                earlier_words = ", ".join(f"{word}=…" for word in old)
                warn(
                    f"{function.__name__}({earlier_words}) is now {function.__name__}({one.now}).",
                    DeprecationWarning,
                    stacklevel=2,
                )
                given |= one.replace(given, old)
            return current(**given)

        return called

    return decorated


def renamed(old: str, new: str) -> property:
    """Return a property that gives the attribute `new` under its earlier name, and warns."""

    def value(self: object) -> Any:
        kind = type(self).__name__
        warn(f"{kind}.{old} is now {kind}.{new}.", DeprecationWarning, stacklevel=2)
        return getattr(self, new)

    return property(value, doc=f"The earlier name of `{new}`.")
