"""Text from files and addresses, made to show as it is wherever it appears.

Markdown, HTML, Plotly and spreadsheets each read some letters as instructions. `in_markdown`,
`html.escape`, `in_plotly` and `in_cell` are the only ways such text takes into them.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property

from hierdp_core.util.text import capital, plural

# Links and icons are recognised after backslashes are gone. A character without width that
# joins words keeps "http:" and "//", or "a" and "@", apart for a program and not for a reader.
_JOINER = "\N{WORD JOINER}"
_APART = re.compile(
    rf":(?=//|material/|[A-Za-z+-][\w+-]*:)|(?<=[wW]{{3}})(?=\.)|(?<!{_JOINER})(?=@)"
)
_ACTIVE = re.compile(r"[\\`*\[\]<>$~|]|&(?=#|\w+;)|(?<![^\W_])_|_(?![^\W_])")
_NUMBERED = re.compile(r"^(\s*\d+)([.)])")

# What none of our own texts uses: links and pictures, formulas, tags, directives.
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
_BEGINNING = 6  # letters by which a string of a file is looked up


def in_markdown(text: str) -> str:
    r"""Return Markdown that shows `text` letter by letter, on one line.

    >>> in_markdown("Newton (part), 3rd_ward")
    'Newton (part), 3rd_ward'
    >>> in_markdown("**Ada** [x](y) $5")
    '\\*\\*Ada\\*\\* \\[x\\](y) \\$5'
    """
    line = " ".join(text.splitlines())
    line = _ACTIVE.sub(r"\\\g<0>", line)
    line = _NUMBERED.sub(r"\1\\\2", line)
    if line.lstrip()[:1] in ("#", "+", "-", "="):
        line = line.replace(line.lstrip()[0], "\\" + line.lstrip()[0], 1)
    return apart(line)


def apart(text: str) -> str:
    """Return `text` with nothing in it that a browser shows as a link, an icon or an emoji.

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
        parts += [_defanged(text[end : code.start()]), code[0]]
        end = code.end()
    return "".join([*parts, _defanged(text[end:])])


def in_plotly(text: str) -> str:
    """Return text for a figure in which no letter begins a tag.

    >>> in_plotly("<b>Ada</b> & Co")
    '&lt;b>Ada&lt;/b> &amp; Co'
    """
    return text.replace("&", "&amp;").replace("<", "&lt;")


def in_figure_json(text: str) -> str:
    """Return the JSON of a figure with all tags made text but for line breaks and emphasis.

    >>> in_figure_json('{"text": "<b>5</b><a href=x>"}')
    '{"text": "<b>5</b>&lt;a href=x>"}'
    """
    return _NOT_OUR_TAGS.sub("&lt;", text)


def in_cell(text: str) -> str:
    """Return `text` such that no spreadsheet runs it, or a part of it, as a formula.

    Where the decimal sign is a comma, spreadsheets part the cells of a CSV at semicolons.

    >>> in_cell("=1+1"), in_cell("Ada"), in_cell("Ada;=1+1;")
    ("'=1+1", 'Ada', "Ada;'=1+1;")
    """
    inside = _FORMULA_INSIDE.sub(r"\1'", text)
    return f"'{inside}" if is_formula(text) else inside


def is_formula(text: str) -> bool:
    """Return whether a spreadsheet may take `text` for a formula."""
    return text[:1] in ("\t", "\r", "\n") or text.lstrip().startswith(_FORMULA)


@dataclass(frozen=True, eq=False, kw_only=True)
class FileText:
    """The strings of one file, to be recognised in sentences that were made with them.

    Attributes:
        strings: names, codes and headings as they stand in the file.
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
            parts.append(in_markdown(name) if name else text[at])
            at += len(name) or 1
        return "".join(parts)

    def in_plotly(self, text: str) -> str:
        """Return a text of a figure with the strings of the file escaped in it."""
        for name in self.tagged:
            text = text.replace(name, in_plotly(name))
        return text

    @cached_property
    def _active(self) -> frozenset[str]:
        given = frozenset(text for text in self.strings if in_markdown(text) != text)
        forms = (form for text in given for form in (text, capital(text), plural(text)))
        return frozenset(form for form in forms if any(letter.isalnum() for letter in form))

    @cached_property
    def tagged(self) -> list[str]:
        """The strings that a figure would read as a tag or a letter's name, the longest first."""
        return sorted(filter(_TAGGED.search, self._active), key=len, reverse=True)

    @cached_property
    def _by_beginning(self) -> dict[str, list[str]]:
        """The active strings by their first letters, the longest first."""
        names: dict[str, list[str]] = {}
        for name in sorted(self._active, key=len, reverse=True):
            names.setdefault(name[:_BEGINNING], []).append(name)
        return names

    def _name_at(self, text: str, at: int) -> str:
        if at and text[at - 1] == "\\":
            return ""
        for length in range(_BEGINNING, 0, -1):
            for name in self._by_beginning.get(text[at : at + length], ()):
                if text.startswith(name, at):
                    return name
        return ""


def _defanged(text: str) -> str:
    return apart(_NOT_OURS.sub(r"\\\g<0>", text))
