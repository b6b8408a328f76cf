"""Finds words and number formats that HierDP does not use, in everything that a person reads.

Python files are walked as syntax: every string in them counts, docstrings and the fixed parts of
f-strings among them, and so do comments. Markdown counts paragraph by paragraph, with the cells of
its tables and without its code. Notebooks count as both, and scripts by their quoted texts.
"""

import ast
import io
import json
import re
import tokenize
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from support.syntax import nodes

ROOT = Path(__file__).parents[2]
FOLDERS = ("hierdp_core", "pages", "docs", "notebooks", "sample_data", ".github")
FILES = (
    "app.py",
    "README.md",
    "CONTRIBUTING.md",
    "SECURITY.md",
    "CODE_OF_CONDUCT.md",
    "CITATION.cff",
)
LONGEST_SENTENCE = 35  # words

RETIRED = {
    r"mend(s|ed|ing)?": "post-process for a mechanism, correct or fix for a file",
    r"heard": "measured",
    r"(\d+|many|\w+ of the|over|over the|number of|all|between|per) draws": "simulations",
    r"draws? (lie|each|between|asked|of each|arrive|are on)": "simulations",
    r"(x|same|different|few|while|with|table's|middle|median) draws?\b": "simulations",
    r"(no|new|last|middle|single) draw": "simulation",
    r"(a|one|each|every|this|per|first|another) draw": "simulation",
    r"truly|in truth": "the true count is",
    r"\d[\d.]*-DP": "ε = 1 (pure DP)",
    r"but for a chance": "except with probability",
    r"so many people": "the number itself",
    r"the level (nation|state|county)": "at county level",
    r"wrongly": "different outcome, false positive or false negative",
    r"invented": "false positive, spurious",
    r"made[- ]up|make[- ]believe": "synthetic",
    r"double geometric": "two-sided geometric",
    r"(is|are|was|be|how far) off( by)?": "error of",
    r"otherwise than": "different from",
    r"somebody who|whoever": "anyone who",
    r"least (error|budget|ε|noise)": "lowest, smallest",
    r"take[sn]? away": "download, export",
    r"neighbours (add|replace)": "neighbouring datasets differ by",
    r"surer|how sure": "more certain, confidence",
    r"(?<!-)stand-ins?": "synthetic table",
    r"promise[ds]?": "guarantee",
    r"faithful": "public totals kept",
    r"ε with δ": "(ε, δ)",
    r"(one|once|(a|one) (row|number|map|curve|bar|tile)) an? (level|region|size|core|area|case)": (
        "one per level"
    ),
    r"(is|are|was|were) (parted|told)(?! (apart|to|that|whether|how|which))": "split; reported",
    r"taken off": "removed",
    r"taken for granted": "assumed",
    r"(by|of) (each|every|any) accounts?": "accounting method",
    r"\d percent": "5%",
    r"the way on": "links, buttons",
    r"ε( = [\d.]+)? a level": "ε per level",
    r"one a (level|region|size|row|node|core|budget|leaf)": "one per level",
    r"times (smaller|fewer|less|lower)": "a third of, smaller by 30%",
    r"(%|quarter|third|half) (nearer|farther)": "a smaller error",
    r"at the (nation|city)(?!['’]| (level|limits))": "for the nation",
    r"second answer": "measured as well",
    r"(tight|simple|needs no|three|papers['’]) accounts?": "accounting, accounting method",
    r"as (a share|shares) of": "relative to, a proportion of",
    r"(has|adds?|with|an?) exact noise": "noise that is sampled exactly",
    r"paid for by": "debited from",
    r"\(logarithmic\)": "log scale",
    r"the usual (view|comparison)": "the default view",
}
# What stands in a file for a reason.
ALLOWED = {
    ("docs/serving.md", "8501"): "a port",
}
# Where texts are put together for a reason, or for now.
ASSEMBLED = {
    "hierdp_core/cli/door.py": "a header of HTTP",
    "hierdp_core/util/text.py": "the functions that join",
}
FORMATS = {
    r"\d[ \u00a0]%": "5%, without a space",
    r"(?<![\w.])\de-0?\d(?!\d)": "10⁻⁸",
}
# Not a year, a code, a decimal or part of an expression.
_FOUR_DIGITS = re.compile(r"(?<![\w.,/:#=\-–×])(?!(?:19|20)\d\d\b)[1-9]\d{3,}(?![\w.,%/:]|-\w)")
# Any English sentence of some length has one of these; a list of words has none.
_LITTLE_WORDS = {"a", "and", "are", "for", "in", "is", "of", "or", "that", "the", "to", "with"}
_WORDS = [
    (re.compile(rf"\b({word})\b", re.IGNORECASE), instead) for word, instead in RETIRED.items()
]
_FORMATS = [(re.compile(pattern), instead) for pattern, instead in FORMATS.items()]


@dataclass(frozen=True)
class Place:
    """Something to write in another way.

    Attributes:
        file: from the root of the project.
        line: counted from 1.
        words: what stands there.
        instead: what to write.
    """

    file: str
    line: int
    words: str
    instead: str


def texts_of_the_project() -> Iterator[Path]:
    """Yield the files whose text people read. The changelog is history and stays as it is."""
    for folder in FOLDERS:
        for path in sorted((ROOT / folder).rglob("*")):
            if path.suffix in READERS and "_build" not in path.parts:
                yield path
    yield from (ROOT / file for file in FILES)


def modules() -> Iterator[Path]:
    """Yield the modules in which no sentence is put together from pieces."""
    for path in texts_of_the_project():
        file = path.relative_to(ROOT).as_posix()
        if path.suffix == ".py" and not file.startswith(tuple(ASSEMBLED)):
            yield path


def places(root: Path, path: Path) -> list[Place]:
    """Return all places in a file of one of the kinds in `READERS`, except those allowed."""
    pieces = READERS[path.suffix](path.read_text(encoding="utf-8"))
    file = path.relative_to(root).as_posix()
    return [
        Place(file=file, line=line, words=words, instead=instead)
        for line, piece, on_screen in pieces
        for words, instead in faults(piece, on_screen=on_screen)
        if (file, words) not in ALLOWED
    ]


def faults(text: str, *, on_screen: bool = True) -> Iterator[tuple[str, str]]:
    """Yield what must not be written so, with what to write instead.

    Docstrings and comments, which are not shown on a screen, may write numbers as code does, and
    list the columns of a frame in one sentence with semicolons.
    """
    for pattern, instead in (*_WORDS, *(_FORMATS if on_screen else ())):
        for match in pattern.finditer(text):
            yield match[0], instead
    if on_screen and _is_prose(text.split()):
        for match in _FOUR_DIGITS.finditer(text):
            yield match[0], "a comma from 1,000 on"
    for sentence in re.split(r"(?<=[.!?])\s+" if on_screen else r"(?<=[.!?;:])\s+", text):
        if len(words := sentence.split()) > LONGEST_SENTENCE and _is_prose(words):
            yield " ".join(words[:6]) + " …", f"sentences of at most {LONGEST_SENTENCE} words"


def strings(source: str) -> Iterator[tuple[int, str, bool]]:
    """Yield line and text of every string and comment, and whether it may come to a screen.

    A string that goes on over several lines is joined. Examples in docstrings are left out.
    """
    everything = nodes(source)
    docstrings = {id(node) for node in _docstrings(everything)}
    inside = {
        id(part) for node in everything if isinstance(node, ast.JoinedStr) for part in node.values
    }
    for node in everything:
        if isinstance(node, ast.JoinedStr):
            parts = [p.value if isinstance(p, ast.Constant) else "x" for p in node.values]
            yield node.lineno, " ".join("".join(map(str, parts)).split()), True
        elif not isinstance(node, ast.Constant) or not isinstance(node.value, str):
            continue
        elif id(node) in docstrings:
            for paragraph in _paragraphs(node.value):
                yield node.lineno, paragraph, False
        elif id(node) not in inside and (" " in node.value or _LABEL.fullmatch(node.value)):
            for paragraph in re.split(r"\n\s*\n", node.value):
                yield node.lineno, " ".join(paragraph.split()), True
    if "#" not in source:
        return
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT:
            yield token.start[0], token.string, False


def assembled(source: str) -> Iterator[int]:
    """Yield the lines where a sentence is put together from pieces of text.

    These are sums of texts, texts times a condition, clauses that stand only under a condition
    (`", of which" if n else ""`), and joins by a word or a semicolon instead of `join_and`,
    `join_or` and `several`. Each case of a sentence should be written out, so that one can read it.
    """
    for node in nodes(source):
        match node:
            case ast.BinOp(op=ast.Add()) | ast.BinOp(op=ast.Mult()):
                pieces = [node.left, node.right]
            case ast.AugAssign(op=ast.Add()):
                pieces = [node.value]
            case ast.IfExp() if _is_clause(node.body) or _is_clause(node.orelse):
                pieces = [node.body, node.orelse]
            case ast.Call(func=ast.Attribute(attr="join", value=ast.Constant(value=str(by)))):
                if re.search(r"[a-z]|; ", by) and "<" not in by:
                    yield node.lineno
                continue
            case _:
                continue
        if any(_is_text(piece) for piece in pieces):
            yield node.lineno


def fragments(source: str) -> Iterator[int]:
    """Yield the lines where the help of an option is the rest of a phrase, such as "of the noise".

    In a list of options, such a phrase has nothing that it belongs to.
    """
    for node in nodes(source):
        if not isinstance(node, ast.keyword) or node.arg != "help":
            continue
        if re.match(r"(of|for|by|whose|which) ", _text(node.value)):
            yield node.value.lineno


def nouns_for_actions(source: str) -> Iterator[int]:
    """Yield the functions without a result whose docstring names a thing, not what they do."""
    for node in nodes(source):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            returns_none = isinstance(node.returns, ast.Constant) and node.returns.value is None
            first = (ast.get_docstring(node) or "").partition(" ")[0]
            if returns_none and first in _THINGS:
                yield node.lineno


_THINGS = {"A", "All", "An", "Each", "How", "One", "The", "What", "Where", "Whether", "Which"}


def _is_clause(node: ast.expr) -> bool:
    """Whether a text begins or ends where a sentence goes on; markup and code are no clauses."""
    text = _text(node)
    goes_on = re.match(r"[ ,;(]", text) or text.endswith((" ", ",", ";"))
    return bool(goes_on and re.search(r"[A-Za-z]{2,}", text)) and not re.search("[<=]", text)


def _is_text(node: ast.expr) -> bool:
    """Whether a string has words with a blank between or around them."""
    if isinstance(node, ast.IfExp):
        return _is_text(node.body) or _is_text(node.orelse)
    return bool(re.search(r"[A-Za-z]{2,}.* | [A-Za-z]{2,}", _text(node)))


def _text(node: ast.expr) -> str:
    """A string with "x" for what is put into it; empty for anything else."""
    parts = node.values if isinstance(node, ast.JoinedStr) else [node]
    texts = [part.value if isinstance(part, ast.Constant) else "x" for part in parts]
    is_string = isinstance(node, ast.JoinedStr) or isinstance(texts[0], str)
    return "".join(map(str, texts)) if is_string and isinstance(node, _STRINGS) else ""


_STRINGS = (ast.JoinedStr, ast.Constant)


def cells_of_notebooks(text: str) -> Iterator[tuple[int, str, bool]]:
    """Yield what people read in the cells of a notebook; lines are counted in each cell."""
    for cell in json.loads(text)["cells"]:
        source = "".join(cell["source"])
        if cell["cell_type"] == "markdown":
            yield from prose(source)
        elif not source.lstrip().startswith(("%", "!")):
            yield from strings(source)


def quoted(script: str) -> Iterator[tuple[int, str, bool]]:
    """Yield the texts of more than one word that stand between quotes in a script."""
    for number, line in enumerate(script.splitlines(), 1):
        for match in re.finditer(r"'([^']*)'|\"([^\"]*)\"|`([^`]*)`", line):
            text = match[1] or match[2] or match[3] or ""
            if " " in text or _LABEL.fullmatch(text):
                yield number, text, True


def prose(markdown: str) -> Iterator[tuple[int, str, bool]]:
    """Yield line and text of the paragraphs and the cells of tables of a Markdown text."""
    paragraph: list[str] = []
    start, fence = 1, False
    for number, line in enumerate([*markdown.splitlines(), ""], 1):
        bare = line.lstrip()
        fence ^= bare.startswith("```")
        if bare.startswith("|") and not fence:
            for cell in filter(None, re.split(r"\s*\|\s*", re.sub(r"`[^`]*`", "x", bare))):
                yield number, cell, True
        is_text = bool(bare) and not fence and not bare.startswith(("|", "```"))
        if is_text and not (paragraph and bare.startswith(("-", "#", "**"))):
            start = start if paragraph else number
            paragraph.append(bare)
            continue
        if paragraph:
            yield start, re.sub(r"`[^`]*`", "x", " ".join(paragraph)), True
        paragraph = [bare] if is_text else []
        start = number


# A label of one word, as on a button.
_LABEL = re.compile(r"[A-Z][a-z]+[.:…]?")
READERS: dict[str, Callable[[str], Iterator[tuple[int, str, bool]]]] = {
    ".py": strings,
    ".md": prose,
    ".cff": prose,
    ".ipynb": cells_of_notebooks,
    ".js": quoted,
}


def _docstrings(nodes: Iterable[ast.AST]) -> Iterator[ast.Constant]:
    kinds = ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef
    for node in nodes:
        if isinstance(node, kinds) and node.body and isinstance(node.body[0], ast.Expr):
            value = node.body[0].value
            if isinstance(value, ast.Constant) and isinstance(value.value, str):
                yield value


def _paragraphs(docstring: str) -> Iterator[str]:
    """Yield paragraphs and entries such as "Args:", without examples and formulas."""
    text = re.sub(r"^\s*>>>.*(\n(?!\s*$).*)*", "", docstring, flags=re.MULTILINE)
    for paragraph in re.split(r"\n\s*\n|\n(?=\s*[\w*, ]+: )", text):
        yield " ".join(re.sub(r"`[^`]*`", "x", paragraph).split())


def _is_prose(words: list[str]) -> bool:
    """Whether it is a sentence and not, say, a formula, a list of words or markup."""
    if "Σ" in "".join(words) or not _LITTLE_WORDS & {word.lower() for word in words}:
        return False
    plain = sum(bool(re.fullmatch(r"[A-Za-z’'-]{2,}[,;:]?", word)) for word in words)
    return plain > 0.7 * len(words)
