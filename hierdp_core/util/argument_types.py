"""Check the types of arguments of public functions, and report a wrong one in one sentence."""

import sys
import types
from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal
from functools import cache, wraps
from inspect import Parameter, signature
from numbers import Real
from typing import Any, ParamSpec, TypeVar, Union, get_args, get_origin, get_type_hints

from hierdp_core.util.text import a, join_and, join_or

_P = ParamSpec("_P")
_R = TypeVar("_R")
_UNION = (Union, types.UnionType)
_PLAIN = {"builtins", "collections.abc", "fractions", "pathlib", "types", "typing"}


def typed(function: Callable[_P, _R]) -> Callable[_P, _R]:
    """Return the function with a check that refuses arguments of a wrong type.

    Only parameters whose type contains a class of this package or of a library are checked. The
    function itself reports what is wrong with a number or a word.

    Raises:
        TypeError: raised by the returned function. The message names the argument, the types it
            may have and the type it has.
    """
    by_place = (Parameter.POSITIONAL_ONLY, Parameter.POSITIONAL_OR_KEYWORD)
    places = [p.name for p in signature(function).parameters.values() if p.kind in by_place]

    @wraps(function)
    def called(*args: _P.args, **keywords: _P.kwargs) -> _R:
        given = dict(zip(places, args, strict=False)) | keywords
        for name, kind in _kinds(function).items():
            if name in given and not _fits(given[name], kind):
                raise TypeError(
                    f"{function.__name__}() takes {_words(kind)} as {name}, not "
                    f"{_what(given[name])}."
                )
        return function(*args, **keywords)

    return called


def _what(value: Any) -> str:
    """Return the type of a value, with those of the items of a list or tuple."""
    kind = a(type(value).__name__)
    if not isinstance(value, (list, tuple)) or not value:
        return kind
    return f"{kind} of {join_and(list(dict.fromkeys(type(one).__name__ for one in value)))}"


@cache
def _kinds(function: Callable[..., Any]) -> dict[str, Any]:
    """Return the types of the parameters that are checked.

    They are resolved on the first call, when all classes that the annotations name are defined.
    """
    stated = function.__annotations__
    names = types.SimpleNamespace(
        __annotations__={name: kind for name, kind in stated.items() if name != "return"}
    )
    hints = get_type_hints(names, vars(sys.modules[function.__module__]))
    return {name: kind for name, kind in hints.items() if _has_class(kind)}


def _has_class(kind: Any) -> bool:
    """Return whether a type has a class other than plain text, numbers, paths or containers."""
    if get_origin(kind) is not None:
        return any(_has_class(one) for one in get_args(kind))
    return isinstance(kind, type) and kind.__module__ not in _PLAIN


def _fits(value: Any, kind: Any) -> bool:
    origin = get_origin(kind)
    if origin in _UNION:
        return any(_fits(value, one) for one in get_args(kind))
    if origin is tuple:
        return isinstance(value, tuple) and all(map(_fits, value, get_args(kind)))
    if isinstance(origin, type) and issubclass(origin, Sequence):
        if not isinstance(value, Sequence) or isinstance(value, str):
            return False
        return all(_fits(one, get_args(kind)[0]) for one in value)
    if isinstance(origin, type):
        return isinstance(value, origin)
    if kind in (int, float):
        return isinstance(value, (Real, Decimal))
    if getattr(kind, "_is_protocol", False):
        own: Any = type(value)
        return _has_members(own, kind)
    return not isinstance(kind, type) or isinstance(value, kind)


@cache  # called for every simulation
def _has_members(kind: Any, protocol: Any) -> bool:
    """Return whether a class has the public attributes of a protocol, without computing any."""
    members = {name for name in (*vars(protocol), *protocol.__annotations__) if name[0] != "_"}
    stated = {name for one in kind.__mro__ for name in getattr(one, "__annotations__", {})}
    return all(name in stated or hasattr(kind, name) for name in members)


def _words(kind: Any) -> str:
    if get_origin(kind) in _UNION:
        several = [_words(one) for one in get_args(kind) if one is not types.NoneType]
        return join_or(list(dict.fromkeys(several)))
    if get_origin(kind) is tuple:
        return f"a tuple of {join_or(list(dict.fromkeys(_names(get_args(kind)[0]))))}"
    if isinstance(get_origin(kind), type) and issubclass(get_origin(kind), Sequence):
        return f"a list of {join_or(_names(get_args(kind)[0]))}"
    return a(_names(kind)[0])


def _names(kind: Any) -> list[str]:
    if get_origin(kind) in _UNION:
        return [name for one in get_args(kind) for name in _names(one)]
    origin = get_origin(kind) or kind
    return ["mapping" if origin is Mapping else str(origin.__name__)]
