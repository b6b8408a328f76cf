"""Directives whose text comes from the package or the README, so that no page can go stale.

`{mechanism-tables}`
    A section with a table of mechanisms for each kind of input table, from
    `hierdp_core.mechanisms.MECHANISMS`. A mechanism with a page `mechanisms/ID.md` links to it.
`{mechanism-facts} ID`
    What the registry and a plan on a sample say about one mechanism, with its options.
`{sample-table}`
    A section for each sample: what it holds, what is real, its source and its licence.
`{command-line}`
    The help of every command, from the parser.
`{glossary-terms}`
    The terms of `hierdp_core.explain.glossary`.
`{public-names}`
    A section each for the classes, functions and modules named in `hierdp_core.__all__`, and for
    names that are imported from other modules.
`{readme-example} LANGUAGE`
    The first code block of the README in that language that contains the text in `:containing:`.
    The flag `:output:` runs it, as Python, and shows what it prints. A test runs all of them.

All of them write Markdown, which the page's own parser reads. A page with one of them is read
again at every build. Two hooks correct what autodoc makes of properties and of NumPy's types.
"""

import argparse
import inspect
import io
import re
from collections.abc import Iterable, Iterator
from contextlib import redirect_stdout
from functools import partial
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any, ClassVar

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

import hierdp_core
from hierdp_core import mechanisms, samples
from hierdp_core.cli.entry import command_line_parser
from hierdp_core.explain.glossary import GLOSSARY, Term
from hierdp_core.mechanisms import MECHANISMS, MechanismInfo, Option
from hierdp_core.privacy import Neighbours
from hierdp_core.util.text import paragraph

README = Path(__file__).parents[2] / "README.md"

_ARRAY = re.compile(r"ndarray\[tuple\[Any, \.\.\.\], dtype\[(\w+)\]\]")
_ARRAY_LIKE = re.compile(r"_Buffer \| .*?_NestedSequence\[complex \| bytes \| str\]")

# Further public names, which are imported from their modules.
INNER_NAMES = {
    "hierdp_core.hierarchy": ("sum_up",),
    "hierdp_core.privacy.rounding": ("lower", "upper"),
    "hierdp_core.releases.coverage": ("coverage",),
    "hierdp_core.reproduce": ("EXPERIMENTS", "Experiment", "experiment"),
    "hierdp_core.scale": (
        "PartitionedSimulation",
        "PartitionedTable",
        "plan_parts",
        "read_area",
        "simulate_parts",
    ),
}

KINDS = {"counts": "Counts", "group-sizes": "Group sizes", "flows": "Flows"}


class Generated(SphinxDirective):
    """A directive that stands for the Markdown of its method `markdown`."""

    def run(self) -> list[nodes.Node]:
        self.env.note_reread()
        return self.parse_text_to_nodes(self.markdown(), allow_section_headings=True)

    def markdown(self) -> str:
        raise NotImplementedError


class MechanismTables(Generated):
    """The registry of mechanisms, a table for each kind of input table."""

    def markdown(self) -> str:
        kinds = dict.fromkeys(kind for made in MECHANISMS.values() for kind in made.kinds)
        order = sorted(kinds, key=lambda kind: list(KINDS).index(kind) if kind in KINDS else 99)
        sections = [f"## {KINDS.get(kind, kind)}\n\n{self._table(kind)}" for kind in order]
        return "\n\n".join([*sections, self._contents()])

    def _table(self, kind: str) -> str:
        rows = [
            (
                f"{self._link(id)}<br>{plain(made.title)}",
                plain(made.about),
                "Yes" if made.consistent else "No",
                plain(made.paper),
            )
            for id, made in MECHANISMS.items()
            if kind in made.kinds
        ]
        head = ("Mechanism", "Method", "Consistent", "Source")
        return "\n".join(["```{table}", ":class: mechanisms", "", table(head, rows), "```"])

    def _link(self, id: str) -> str:
        return f"[`{id}`]({id}.md)" if self._has_page(id) else f"`{id}`"

    def _contents(self) -> str:
        pages = [id for id in MECHANISMS if self._has_page(id)]
        return "\n".join(["```{toctree}", ":hidden:", "", *pages, "```"]) if pages else ""

    def _has_page(self, id: str) -> bool:
        return f"mechanisms/{id}" in self.env.found_docs


class MechanismFacts(Generated):
    """What is known about one mechanism without reading its page."""

    required_arguments = 1

    def markdown(self) -> str:
        info = mechanisms.describe(self.arguments[0])
        rows = [
            ("Tables", ", ".join(KINDS[kind].lower() for kind in info.kinds)),
            ("Neighbouring datasets", _difference(info)),
            ("Consistent", _yes(info.consistent)),
            ("Non-negative integers", _yes(info.valid and info.integral)),
            (
                "For release",
                paragraph(f"No. {info.not_for_release}") if info.not_for_release else "Yes",
            ),
        ]
        if info.largest_cells is not None:
            rows.append(("Largest table", f"{info.largest_cells:,} {_cells(info)}"))
        facts = table(("Id", f"`{info.id}`"), rows)
        return "\n\n".join([facts, *self._options(info)])

    def _options(self, info: MechanismInfo) -> Iterator[str]:
        if info.options:
            rows = [_option_row(option) for option in info.options]
            yield "Options, for `--option` and settings files:"
            yield table(("Option", "Meaning", "Default"), rows)


class SampleTable(Generated):
    """The registry of samples, a section each."""

    def markdown(self) -> str:
        return "\n\n".join(self._section(name) for name in samples.names())

    def _section(self, id: str) -> str:
        info = samples.describe(id)
        rows = [
            ("Kind", KINDS[info.kind].lower()),
            ("Privacy unit", info.person),
            ("Label", plain(info.badge) or "real data"),
            ("What is real", plain(info.real)),
            ("Source", plain(info.source)),
            ("Licence", plain(info.licence)),
        ]
        return f"## `{id}`\n\n{plain(info.about)}\n\n{table(('', plain(info.title)), rows)}"


class CommandLine(Generated):
    """The help texts of all commands."""

    def markdown(self) -> str:
        parser = command_line_parser()
        sections = [f"```text\n{_help(parser)}```"]
        for name, command in _commands(parser).items():
            sections.append(f"## hierdp {name}\n\n```text\n{_help(command)}```")
        return "\n\n".join(sections)


class GlossaryTerms(Generated):
    """All terms with their meanings."""

    def markdown(self) -> str:
        return "\n\n".join(f"{_head(term)}<br>{plain(term.meaning)}" for term in GLOSSARY)


class PublicNames(Generated):
    """The reference of everything in `hierdp_core.__all__`, and of `INNER_NAMES`."""

    def markdown(self) -> str:
        public = {name: getattr(hierdp_core, name) for name in sorted(hierdp_core.__all__)}
        modules = {n: value for n, value in public.items() if isinstance(value, ModuleType)}
        classes = [name for name, value in public.items() if inspect.isclass(value)]
        others = [name for name in public if name not in {*modules, *classes}]
        return "\n\n".join(
            [
                "## Functions",
                *(autodoc("function", f"hierdp_core::{name}") for name in others),
                "## Classes",
                *(autodoc("class", f"hierdp_core::{name}", ":members:") for name in classes),
                "## Modules",
                *(_module(name, module) for name, module in modules.items()),
                "## Further names",
                "Import these names from their modules: `from hierdp_core.scale import read_area`.",
                *(_inner(module, name) for module in INNER_NAMES for name in INNER_NAMES[module]),
            ]
        )


class ReadmeExample(Generated):
    """A code block of the README, whose tests run it."""

    required_arguments = 1
    option_spec: ClassVar[dict[str, Any]] = {
        "containing": directives.unchanged_required,
        "output": directives.flag,
    }

    def markdown(self) -> str:
        language, text = self.arguments[0], self.options.get("containing", "")
        self.env.note_dependency(README)
        found = re.findall(rf"```{language}\n(.*?)```", README.read_text("utf-8"), re.DOTALL)
        code = next((block for block in found if text in block), None)
        if code is None:
            raise self.error(f'The README has no {language} example that contains "{text}".')
        shown = [f"```{language}\n{code}```"]
        if "output" in self.options:
            shown += ["Output:", f"```text\n{_printed(code)}```"]
        return "\n\n".join(shown)


def table(head: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    """Return a Markdown table."""
    head = list(head)
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _head(term: Term) -> str:
    name = plain(term.name)
    return f"**{name}** (in code `{term.code}`)" if term.code else f"**{name}**"


def _yes(value: bool) -> str:
    return "Yes" if value else "No"


def _cells(info: MechanismInfo) -> str:
    """Return what the limit on the size of a table counts, plural."""
    if "flows" not in info.kinds:
        return "numbers"
    return "possible pairs" if info.kinds == ("flows",) else "counts, or possible pairs"


def _difference(info: MechanismInfo) -> str:
    """Say how neighbouring datasets differ, by default and with options."""
    words = {
        Neighbours.ADD_OR_REMOVE_ONE: "differ by adding or removing one privacy unit",
        Neighbours.REPLACE_ONE: "differ by replacing one privacy unit",
    }[info.neighbours]
    names = {option.name for option in info.options}
    if "neighbours" in names:
        return f"{words} by default; the option `neighbours` changes this"
    if "totals" in names:
        return (
            f"{words}; with `totals=private`, also one with a group of its own, or one empty group"
        )
    return words


def _option_row(option: Option) -> tuple[str, str, str]:
    choices = f"Choices: {', '.join(f'`{c}`' for c in option.choices)}."
    only = "It has an effect only where `{}` is `{}`.".format(*option.when) if option.when else ""
    title, about = plain(option.title), plain(option.about)
    return (
        f"`{option.name}`",
        paragraph(f"{title}.", about, choices if option.choices else "", only),
        f"`{option.default}`",
    )


def _commands(parser: argparse.ArgumentParser) -> dict[str, argparse.ArgumentParser]:
    """Return the commands in the order of `--help`, without deprecated names."""
    (action,) = [a for a in parser._actions if isinstance(a, argparse._SubParsersAction)]
    return {
        shown.dest.split(" ")[0]: action.choices[shown.dest.split(" ")[0]]
        for shown in action._choices_actions
    }


def _help(parser: argparse.ArgumentParser) -> str:
    formatter = parser.formatter_class
    parser.formatter_class = partial(formatter, width=96)
    try:
        return parser.format_help()
    finally:
        parser.formatter_class = formatter


def plain(text: str) -> str:
    """Return Markdown that reads as `text`."""
    return re.sub(r"([\\`*_\[\]<>|])", r"\\\1", text)


def autodoc(kind: str, target: str, *options: str) -> str:
    """Return the directive of autodoc for `target`, such as "hierdp_core::plan"."""
    lines = [f".. auto{kind}:: {target}", *(f"   {option}" for option in options)]
    return "\n".join(["```{eval-rst}", *lines, "```"])


def _inner(module: str, name: str) -> str:
    value = getattr(import_module(module), name)
    target = f"{module}::{name}"
    if inspect.isclass(value):
        return autodoc("class", target, ":members:")
    if inspect.isroutine(value):
        return autodoc("function", target)
    listed = ", ".join(f"``{key}``" for key in value)
    lines = [f".. py:data:: {name}", f"   :module: {module}", "", f"   The values: {listed}."]
    return "\n".join(["```{eval-rst}", *lines, "```"])


def _module(name: str, module: ModuleType) -> str:
    """Return a module's description and the first lines of what it offers."""
    rows = [(f"`{name}.{inner}`", line) for inner, line in _first_lines(module)]
    return "\n\n".join(
        [f"### {name}", autodoc("module", f"hierdp_core.{name}"), table(("Name", "About"), rows)]
    )


def _first_lines(module: ModuleType) -> Iterator[tuple[str, str]]:
    for name in module.__all__:
        value = getattr(module, name)
        if inspect.isclass(value) or inspect.isroutine(value):
            yield name, (inspect.getdoc(value) or "").partition("\n")[0].replace("|", "\\|")


def _printed(code: str) -> str:
    with redirect_stdout(io.StringIO()) as printed:
        exec(compile(code, str(README), "exec"), {})
    return printed.getvalue()


def keep_whole(
    app: Sphinx, what: str, name: str, value: object, options: object, lines: list[str]
) -> None:
    """Keep Napoleon from reading a property's text up to a colon as its type."""
    if what == "property":
        lines[:0] = ["..", ""]  # a comment: Napoleon looks at the first line alone


def shorten_types(app: Sphinx, document: nodes.document) -> None:
    """Write NumPy's types as its users write them: autodoc shows what they stand for."""
    for node in document.findall(_shows_a_type):
        text = node.astext()
        short = _ARRAY_LIKE.sub("ArrayLike", _ARRAY.sub(r"NDArray[\1]", text))
        if short != text:
            node.children = []
            node += addnodes.desc_sig_element("", short)


def _shows_a_type(node: nodes.Node) -> bool:
    return isinstance(
        node, addnodes.desc_parameter | addnodes.desc_returns | addnodes.desc_annotation
    )


def setup(app: Sphinx) -> dict[str, Any]:
    app.add_directive("mechanism-tables", MechanismTables)
    app.add_directive("mechanism-facts", MechanismFacts)
    app.add_directive("sample-table", SampleTable)
    app.add_directive("command-line", CommandLine)
    app.add_directive("glossary-terms", GlossaryTerms)
    app.add_directive("public-names", PublicNames)
    app.add_directive("readme-example", ReadmeExample)
    app.connect("autodoc-process-docstring", keep_whole, priority=400)  # Napoleon has 500
    app.connect("doctree-read", shorten_types)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
