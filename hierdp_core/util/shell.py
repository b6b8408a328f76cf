"""Words of a command as a shell must receive them."""

import shlex
from collections.abc import Iterable


def flags(name: str, values: Iterable[str]) -> str:
    """Return an option with each of its values, quoted where a shell would change it.

    >>> flags("--column", ["count=people", "keep=area=A;B [all]"])
    "--column count=people --column 'keep=area=A;B [all]'"
    """
    return " ".join(f"{name} {shlex.quote(value)}" for value in values)
