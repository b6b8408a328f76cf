"""Finds words and number formats that HierDP does not use, in everything that a person reads.

Python files are walked as syntax: every string in them counts, docstrings and the fixed parts of
f-strings among them, and so do comments. Markdown counts line by line, without its code.
"""

import ast
import io
import re
import tokenize
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
FOLDERS = ("hierdp_core", "pages", "docs", "notebooks")
FILES = ("app.py", "README.md", "CONTRIBUTING.md", "SECURITY.md", "CODE_OF_CONDUCT.md")
LONGEST_SENTENCE = 35  # words

RETIRED = {
    r"mend(s|ed|ing)?": "post-process for a mechanism, correct or fix for a file",
    r"heard": "measured",
    r"(\d+|many|\w+ of the|over|over the|number of|all|between|per) draws": "simulations",
    r"draws? (lie|each|between|asked)": "simulations",
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
}
FORMATS = {
    r"\d[ \u00a0]%": "5%, without a space",
    r"(?<![\w.])\de-0?\d(?!\d)": "10⁻⁸",
}
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
            if path.suffix in (".py", ".md") and "_build" not in path.parts:
                yield path
    yield from (ROOT / file for file in FILES)


def places(root: Path, path: Path) -> list[Place]:
    """Return all places in a file, `.py` or `.md`."""
    text = path.read_text(encoding="utf-8")
    pieces = strings(text) if path.suffix == ".py" else prose(text)
    file = path.relative_to(root).as_posix()
    return [
        Place(file=file, line=line, words=words, instead=instead)
        for line, piece, on_screen in pieces
        for words, instead in faults(piece, on_screen=on_screen)
    ]


def faults(text: str, *, on_screen: bool = True) -> Iterator[tuple[str, str]]:
    """Yield what must not be written so, with what to write instead.

    Docstrings and comments, which are not shown on a screen, may write numbers as code does, and
    list the columns of a frame in one sentence with semicolons.
    """
    for pattern, instead in (*_WORDS, *(_FORMATS if on_screen else ())):
        for match in pattern.finditer(text):
            yield match[0], instead
    for sentence in re.split(r"(?<=[.!?])\s+" if on_screen else r"(?<=[.!?;:])\s+", text):
        if len(words := sentence.split()) > LONGEST_SENTENCE and _is_prose(words):
            yield " ".join(words[:6]) + " …", f"sentences of at most {LONGEST_SENTENCE} words"


def strings(source: str) -> Iterator[tuple[int, str, bool]]:
    """Yield line and text of every string and comment, and whether it may come to a screen.

    A string that goes on over several lines is joined. Examples in docstrings are left out.
    """
    tree = ast.parse(source)
    docstrings = {id(node) for node in _docstrings(tree)}
    inside = {
        id(part)
        for node in ast.walk(tree)
        if isinstance(node, ast.JoinedStr)
        for part in node.values
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            parts = [p.value if isinstance(p, ast.Constant) else "x" for p in node.values]
            yield node.lineno, " ".join("".join(map(str, parts)).split()), True
        elif not isinstance(node, ast.Constant) or not isinstance(node.value, str):
            continue
        elif id(node) in docstrings:
            for paragraph in _paragraphs(node.value):
                yield node.lineno, paragraph, False
        elif id(node) not in inside and " " in node.value:
            for paragraph in re.split(r"\n\s*\n", node.value):
                yield node.lineno, " ".join(paragraph.split()), True
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT:
            yield token.start[0], token.string, False


def prose(markdown: str) -> Iterator[tuple[int, str, bool]]:
    """Yield line and text of the paragraphs of a Markdown text; code and tables are left out."""
    paragraph: list[str] = []
    start, fence = 1, False
    for number, line in enumerate([*markdown.splitlines(), ""], 1):
        bare = line.lstrip()
        fence ^= bare.startswith("```")
        is_text = bool(bare) and not fence and not bare.startswith(("|", "```"))
        if is_text and not (paragraph and bare.startswith(("-", "#", "**"))):
            start = start if paragraph else number
            paragraph.append(bare)
            continue
        if paragraph:
            yield start, re.sub(r"`[^`]*`", "x", " ".join(paragraph)), True
        paragraph = [bare] if is_text else []
        start = number


def _docstrings(tree: ast.Module) -> Iterator[ast.Constant]:
    kinds = ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef
    for node in ast.walk(tree):
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
