"""A mechanism as one line of text: its id, and the options that are set.

    coc
    coc: methods=hg,hc; merge=mean

If options are set, a colon follows the id. Each option is written as NAME=VALUE, and options are
separated by ";". Spaces around any part are ignored.
"""

from collections.abc import Mapping
from typing import Any

from hierdp_core.exceptions import ChoiceError
from hierdp_core.util.text import several


def read_text(text: str) -> tuple[str, dict[str, str]]:
    """Return the id and the option words of a line of text; the id is not checked.

    Raises:
        ChoiceError: an option is not written as NAME=VALUE, or is given twice.

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
            raise ChoiceError(f'Option "{name[:40]}" is stated twice. Remove one of them.')
        options[name] = word
    return id.strip(), options


def text_of(id: str, options: Mapping[str, Any]) -> str:
    """Return the line of text for a mechanism and its options; the id alone if no option is set.

    >>> text_of("coc", {"methods": ("hg", "hc"), "merge": "mean"}), text_of("hay", {})
    ('coc: methods=hg,hc; merge=mean', 'hay')
    """
    words = (
        f"{name}={','.join(map(str, value)) if isinstance(value, list | tuple) else value}"
        for name, value in options.items()
    )
    return f"{id}: {several(words)}" if options else id
