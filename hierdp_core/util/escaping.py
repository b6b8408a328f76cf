"""Text from files and addresses, escaped so that it is shown literally wherever it appears.

Markdown, HTML, Plotly and spreadsheets each read some characters as instructions. Such text
reaches them only through `in_markdown`, `in_html`, `in_plotly` and `in_cell`. All four write out
invisible control characters, such as one that reverses the text after it.
"""

import json
import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property
from html import escape
from typing import Any

from hierdp_core.util.text import capital, plural

# Markdown recognises links and icons after it has removed backslashes, so a backslash does not
# prevent them. A word joiner, which has no width, separates "http:" from "//", or "a" from "@",
# for a program and not for a reader.
_JOINER = "\N{WORD JOINER}"
_APART = re.compile(
    rf":(?=//|material/|[A-Za-z+-][\w+-]*:)|(?<=[wW]{{3}})(?=\.)|(?<!{_JOINER})(?=@)"
)
_ACTIVE = re.compile(r"[\\`*\[\]<>$~|]|&(?=#|\w+;)|(?<![^\W_])_|_(?![^\W_])")
_NUMBERED = re.compile(r"^(\s*\d+)([.)])")

# Invisible characters that act on the text around them: they set the direction of writing,
# control a terminal, hide letters or annotate them. Joiners and soft hyphens are not among them,
# because some scripts need these.
_ACTS_UNSEEN = (
    "\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f"
    "\u202a-\u202e\u2066-\u2069\u2061-\u2064\u206a-\u206f"
    "\u115f\u1160\u17b4\u17b5\u180e\u3164\uffa0\ufff9-\ufffb\U000e0000-\U000e007f"
)
_ISOLATE, _END_OF_ISOLATE = "\N{FIRST STRONG ISOLATE}", "\N{POP DIRECTIONAL ISOLATE}"
_UNSEEN = re.compile(f"[{_ACTS_UNSEEN}]")
_CODE_IN_JSON = re.compile(
    r"(\\+)(u(?:00[0189][0-9a-f]|007f|202[a-e]|206[1-46-9a-f]|115f|1160|17b[45]|180e|3164|ffa0"
    r"|fff[9ab]|db40\\udc[0-7][0-9a-f])|(?-i:[bf]))",
    re.IGNORECASE,
)
_LEFTWARDS = ("R", "AL", "AN")  # Unicode's classes of letters and digits written to the left

# Beginnings of links and pictures, formulas, tags and directives, which no text of HierDP uses.
_NOT_OURS = re.compile(r"(?<!\\)[\[<$]")
_CODE = re.compile(r"(?<![\\`])(`+)(?!`)(.+?)(?<!`)\1(?!`)", re.DOTALL)
_NOT_OUR_TAGS = re.compile(
    r"(?:<|\\u003[cC])(?!(?:/|\\u002[fF])?(?:b|i|br|sub|sup|extra)\s*"
    r"(?:/|\\u002[fF])?(?:>|\\u003[eE]))",
    re.IGNORECASE,
)
_TAGGED = re.compile(r"<|&(?=#|\w+;)")
_FORMULA = tuple("=+-@|%＝＋－＠")
_FORMULA_INSIDE = re.compile(r"((?:;|(?!^)[\t\r\n])[ \u00a0]{0,8})(?=[=+\-@|%＝＋－＠])")
_BEGINNING = 6  # strings of a file are looked up by this many first letters


def visible(text: str) -> str:
    r"""Return `text` with invisible control characters written out by their codes.

    >>> visible("Ada\u202e 12"), visible("Ada"), visible("\u2068Ada\u2069") == "\u2068Ada\u2069"
    ('Ada‹U+202E› 12', 'Ada', True)
    """
    if not _UNSEEN.search(text):
        return text
    kept = _isolates(text)
    return _UNSEEN.sub(lambda found: found[0] if found.start() in kept else _code(found[0]), text)


def isolated(name: str) -> str:
    r"""Return a name in a form that does not change the order of the words around it.

    Otherwise, numbers after a name in Arabic or Hebrew letters are displayed on its other side.

    >>> isolated("Ada"), isolated("\u05d0") == "\u2068\u05d0\u2069"
    ('Ada', True)
    """
    if name.isascii() or not any(unicodedata.bidirectional(c) in _LEFTWARDS for c in name):
        return name
    return f"{_ISOLATE}{visible(name)}{_END_OF_ISOLATE}"


def in_html(text: str) -> str:
    """Return HTML that shows `text` literally, between tags and in attributes.

    >>> in_html("<b>Ada</b> & Co")
    '&lt;b&gt;Ada&lt;/b&gt; &amp; Co'
    """
    return escape(visible(text))


def in_json(text: str) -> str:
    r"""Return JSON text with escapes for invisible control characters below U+10000.

    >>> in_json('{"name": "Ada\u202e"}')
    '{"name": "Ada\\u202e"}'
    """
    return _UNSEEN.sub(_by_its_code, text)


def json_text(value: Any, *, indent: int | None = None, allow_nan: bool = True) -> str:
    """Return a value as JSON for people and programs, not limited to ASCII; see `in_json`."""
    return in_json(json.dumps(value, indent=indent, ensure_ascii=False, allow_nan=allow_nan))


def in_markdown(text: str) -> str:
    r"""Return Markdown that shows `text` literally, on one line.

    >>> in_markdown("Newton (part), 3rd_ward")
    'Newton (part), 3rd_ward'
    >>> in_markdown("**Ada** [x](y) $5")
    '\\*\\*Ada\\*\\* \\[x\\](y) \\$5'
    """
    line = visible(" ".join(text.splitlines()))
    line = _ACTIVE.sub(r"\\\g<0>", line)
    line = _NUMBERED.sub(r"\1\\\2", line)
    if line.lstrip()[:1] in ("#", "+", "-", "="):
        line = line.replace(line.lstrip()[0], "\\" + line.lstrip()[0], 1)
    return apart(line)


def apart(text: str) -> str:
    """Return `text` without anything that a browser would show as a link, an icon or an emoji.

    >>> [apart(text) == text for text in ("10:30, a:b", "https://a.b", ":smile:", "a@b.c")]
    [True, False, False, False]
    """
    return _APART.sub(lambda found: found[0] + _JOINER, text)


def without_links(text: str) -> str:
    r"""Return Markdown in which only emphasis, lists, headings and code keep their meaning.

    >>> without_links("**5** of ![i](http://a.b/c.png), `a[0]`").replace("\u2060", "")
    '**5** of !\\[i](http://a.b/c.png), `a[0]`'
    """
    parts, end = [], 0
    for code in _CODE.finditer(text):
        parts += [_defanged(text[end : code.start()]), visible(code[0])]
        end = code.end()
    return "".join([*parts, _defanged(text[end:])])


def in_plotly(text: str) -> str:
    """Return text for a figure in which no character begins a tag.

    >>> in_plotly("<b>Ada</b> & Co")
    '&lt;b>Ada&lt;/b> &amp; Co'
    """
    return visible(text).replace("&", "&amp;").replace("<", "&lt;")


def in_figure_json(text: str) -> str:
    """Return the JSON of a figure with all tags escaped, except those for breaks and emphasis.

    >>> in_figure_json('{"text": "<b>5</b><a href=x>"}')
    '{"text": "<b>5</b>&lt;a href=x>"}'
    """
    text = _NOT_OUR_TAGS.sub("&lt;", text)
    return visible(_CODE_IN_JSON.sub(_written_out, text))


def in_cell(text: str) -> str:
    """Return `text` such that no spreadsheet runs it, or a part of it, as a formula.

    Where the decimal sign is a comma, spreadsheets separate the cells of a CSV at semicolons.

    >>> in_cell("=1+1"), in_cell("Ada"), in_cell("Ada;=1+1;")
    ("'=1+1", 'Ada', "Ada;'=1+1;")
    """
    inside = _FORMULA_INSIDE.sub(r"\1'", visible(text))
    return f"'{inside}" if is_formula(text) else inside


def is_formula(text: str) -> bool:
    """Return whether a spreadsheet may interpret `text` as a formula."""
    return text[:1] in ("\t", "\r", "\n") or text.lstrip().startswith(_FORMULA)


@dataclass(frozen=True, eq=False, kw_only=True)
class FileText:
    """The strings of one file, to be recognised in sentences that contain them.

    Attributes:
        strings: names, codes and headings as the file has them.
    """

    strings: Iterable[str] = field(repr=False)

    def in_markdown(self, text: str) -> str:
        """Return `text` with the strings of the file escaped in it.

        >>> FileText(strings=["*x*"]).in_markdown("**1,200** in *x*")
        '**1,200** in \\\\*x\\\\*'
        """
        if not self._by_beginning:
            return text
        parts, at = [], 0
        while at < len(text):
            name = self._name_at(text, at)
            parts.append(isolated(in_markdown(name)) if name else text[at])
            at += len(name) or 1
        return "".join(parts)

    def in_plotly(self, text: str) -> str:
        """Return a text of a figure with the strings of the file escaped in it."""
        for name in self.tagged:
            text = text.replace(name, in_plotly(name))
        return text

    @cached_property
    def _active(self) -> frozenset[str]:
        given = frozenset(text for text in self.strings if isolated(in_markdown(text)) != text)
        forms = (form for text in given for form in (text, capital(text), plural(text)))
        return frozenset(form for form in forms if any(letter.isalnum() for letter in form))

    @cached_property
    def tagged(self) -> list[str]:
        """The strings that a figure would read as a tag or an HTML entity, the longest first."""
        return sorted(filter(_TAGGED.search, self._active), key=len, reverse=True)

    @cached_property
    def _by_beginning(self) -> dict[str, list[str]]:
        """The active strings by their first letters, the longest first."""
        names: dict[str, list[str]] = {}
        for name in sorted(self._active, key=len, reverse=True):
            names.setdefault(name[:_BEGINNING], []).append(name)
        return names

    def _name_at(self, text: str, at: int) -> str:
        if at and text[at - 1] in ("\\", _ISOLATE):
            return ""
        for length in range(_BEGINNING, 0, -1):
            for name in self._by_beginning.get(text[at : at + length], ()):
                if text.startswith(name, at):
                    return name
        return ""


def _defanged(text: str) -> str:
    return apart(_NOT_OURS.sub(r"\\\g<0>", visible(text)))


def _isolates(text: str) -> set[int]:
    """Return the positions of closed isolates, which do not act on other text and are kept."""
    begun: list[int] = []
    closed: set[int] = set()
    for place, character in enumerate(text):
        if character == _ISOLATE:
            begun.append(place)
        elif character == _END_OF_ISOLATE and begun:
            closed |= {begun.pop(), place}
    return closed


def _written_out(match: re.Match[str]) -> str:
    """Return a character given by its code in JSON, written out if it acts on text unseen."""
    slashes = match[1]
    character = json.loads(f'"\\{match[2]}"')
    if len(slashes) % 2 == 0 or not _UNSEEN.fullmatch(character):
        return match[0]
    return slashes[:-1] + _code(character)


def _by_its_code(match: re.Match[str]) -> str:
    """Return a character as an escape of JSON and TOML; one that only JSON can escape is kept."""
    return json.dumps(match[0])[1:-1] if match[0] < "\U00010000" else match[0]


def _code(character: str) -> str:
    return f"‹U+{ord(character):04X}›"
