"""A mechanism in one line of text: its id, and the options that are set.

    coc
    coc: methods=hg,hc; merge=mean

The id ends at the colon. Each option is a name and a word with "=" between, and ";" stands between
two of them. Spaces around any part have no meaning.
"""

from collections.abc import Mapping
from typing import Any

from hierdp_core.exceptions import ChoiceError
from hierdp_core.util.text import several


def read_text(text: str) -> tuple[str, dict[str, str]]:
    """The id and the option words of a mechanism in one line.

    Raises:
        ChoiceError: an option is not written as NAME=VALUE, or is there twice.

    >>> read_text("coc: methods=hg,hc; merge=mean")
    ('coc', {'methods': 'hg,hc', 'merge': 'mean'})
    """
    id, _, rest = text.partition(":")
    options: dict[str, str] = {}
    for part in filter(None, (part.strip() for part in rest.split(";"))):
        name, equals, word = (piece.strip() for piece in part.partition("="))
        if not name or not equals:
            raise ChoiceError(
                'A mechanism with options is written as "ID: NAME=VALUE; NAME=VALUE"; '
                f'got "{part[:40]}".'
            )
        if name in options:
            raise ChoiceError(f'Option "{name[:40]}" is stated twice. Leave one of them out.')
        options[name] = word
    return id.strip(), options


def text_of(id: str, options: Mapping[str, Any]) -> str:
    """The line of a mechanism and its options; the id alone where none is set.

    >>> text_of("coc", {"methods": ("hg", "hc"), "merge": "mean"}), text_of("hay", {})
    ('coc: methods=hg,hc; merge=mean', 'hay')
    """
    words = (
        f"{name}={','.join(map(str, value)) if isinstance(value, list | tuple) else value}"
        for name, value in options.items()
    )
    return f"{id}: {several(words)}" if options else id
