"""Hostile names on every page, in every figure, report and download: text, and nothing else."""

import io
import json
import re
import time
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest
from support.pages import ROOT, stop_work, unbroken

import app
from hierdp_core.hierarchy import Regions
from hierdp_core.maps.tiles import tile_layout
from hierdp_core.samples.sample import OWN, Sample
from hierdp_core.settings import Settings
from hierdp_core.tables import Counts
from hierdp_core.util.escaping import FileText, in_cell, in_markdown, without_links
from hierdp_core.writers.defused import csv_text
from pages.ui.how_it_works.address import stepping
from pages.ui.impact.address import ImpactAddress
from pages.ui.shell import markup
from pages.ui.shell.address import View
from pages.ui.shell.datasets import Own
from pages.ui.shell.session import Key

PICTURE = "![i](http://leak.example/x.png)"
NAMES = (
    PICTURE,
    "[click](http://leak.example)",
    "$\\beta$ and $2^9$",
    ":material/home: :red[alarm] :smile:",
    "**bold** _slanted_ `code` ~~gone~~",
    "http://leak.example www.leak.example a@leak.example <http://leak.example>",
    "<img src=x onerror=alert(1)><b>x</b><a href='http://leak.example'>y</a>",
    "=HYPERLINK(1)",
    "\t@SUM(1)",
    "# heading",
    "&#91;x&#93;(y) &lt;b&gt;",
    "a\n# b",
)
TURNS = "[\u202a-\u202e\u2066\u2067]"
# What Streamlit's Markdown makes live, in a text whose escapes count.
LIVE = {
    "a picture or a link": r"(?<!\\)\]\(",
    "an address": r"https?://(?!127\.0\.0\.1|localhost)|www\.\w|(?<=\w)@leak",
    "a formula": r"(?<!\\)\$",
    "an icon, an emoji or a colour": r":material/|:smile:|:red\[",
    "a tag": r"(?<!\\)<(?!https?:|/?(br|b|i)>)\w*[ >=]",
    "emphasis": r"(?<!\\)\*\*bold(?!\\)\*\*|(?<!\\)_slanted(?!\\)_|(?<!\\)~~gone",
    "code": r"(?<!\\)`code(?!\\)`",
    "a heading": r"(^|\n)# (heading|b)",
    "a direction of writing": TURNS,
}
MARKDOWN = ("body", "label", "help", "text", "title", "delta", "captions")
TAGS = re.compile(r"<(?!/?(b|i|br|sub|sup|extra)\s*/?>)")


def hostile(*, confidential: bool = False) -> Own:
    """A table whose levels, codes, names and title are hostile."""
    codes = [f"c{k}" for k in range(len(NAMES))]
    parents: dict[str, str | None] = {"root": None, "d1": "root", "d2": "root"}
    parents |= {code: ("d1", "d2")[k % 2] for k, code in enumerate(codes)}
    names = {"root": PICTURE, "d1": f"{NAMES[4]}\u202e", "d2": f"\u2067{NAMES[6]}"} | dict(
        zip(codes, NAMES, strict=True)
    )
    levels = ("nation", f"district\u202e {PICTURE}", "<b>zone</b> $x$")
    regions = Regions.from_parents(parents, levels=levels, names=names)
    sample = Sample(
        id=OWN,
        title=f"{PICTURE}.csv",
        kind="counts",
        about=f"About {PICTURE}.",
        real="Yours.",
        source=f"a file {NAMES[1]}",
        licence="",
        table=Counts.from_leaves(regions, np.arange(40, 40 + len(NAMES)) * 7),
        read_boundaries=lambda: tile_layout(regions, label="own"),
    )
    return Own(sample=sample, confidential=confidential)


def opened(script: str) -> AppTest:
    test = AppTest.from_file(str(ROOT / script), default_timeout=120)
    view = View(settings=Settings(sample=OWN, mechanism="tree-dp"), n_simulations=10)
    view = stepping(view.having(ImpactAddress(n_simulations=10)), paper=False)
    test.session_state[Key.OWN] = hostile()
    test.session_state[Key.VIEW] = view
    return unbroken(test.run())


def protos(node: Any) -> list[Any]:
    """Every element and block of a page as it was sent."""
    own = [node.proto] if getattr(node, "proto", None) is not None else []
    return own + [p for child in getattr(node, "children", {}).values() for p in protos(child)]


def markdown_of(test: AppTest) -> list[str]:
    texts: list[str] = []
    for proto in protos(test._tree):
        kind = proto.DESCRIPTOR.name
        if kind in ("Html", "Code", "Arrow", "Text"):
            continue
        for field, value in proto.ListFields():
            if field.name in MARKDOWN:
                texts += [value] if isinstance(value, str) else [str(v) for v in value]
    return texts


def live_in(text: str) -> list[str]:
    if markup._BADGE.fullmatch(text):
        return []
    bare = re.sub(r"(?<!\\)`[^`]*`(?!`)", lambda c: c[0] if "code" in c[0] else "", text)
    return [what for what, pattern in LIVE.items() if re.search(pattern, bare)]


@pytest.mark.slow
@pytest.mark.parametrize("script", [page.script for page in app.PAGES])
def test_no_page_takes_a_name_for_markup(script: str) -> None:
    test = opened(script)
    try:
        texts = markdown_of(test)
        assert texts
        found = {text: live for text in texts if (live := live_in(text))}
        assert found == {}
        for chart in test.get("plotly_chart"):
            assert not TAGS.search(plain(chart.proto.spec))
            assert not re.search(TURNS, plain(chart.proto.spec))
        for html in test.get("html"):
            assert "<img" not in html.proto.body
            assert not re.search(TURNS, html.proto.body)
            assert "onerror=" not in re.sub(r"&lt;.*?&gt;", "", html.proto.body)
    finally:
        stop_work(test)


def test_the_pages_show_the_names_at_all() -> None:
    test = opened("pages/overview_page.py")
    stop_work(test)
    assert any("leak" in text for text in markdown_of(test))


@pytest.mark.slow
@pytest.mark.parametrize("script", [page.script for page in app.PAGES])
def test_no_download_runs_a_name(script: str, monkeypatch: pytest.MonkeyPatch) -> None:
    files: dict[str, Any] = {}

    def button(label: str, data: Any = None, **_: Any) -> bool:
        files[label] = data
        return False

    monkeypatch.setattr(st, "download_button", button)
    stop_work(opened(script))
    for label, data in files.items():
        made = data() if callable(data) else data
        content = made.encode() if isinstance(made, str) else bytes(made)
        for name, text in members(label, content).items():
            check_file(f"{label}: {name}", text)


def members(label: str, content: bytes) -> dict[str, str]:
    if not content.startswith(b"PK"):
        return {label: content.decode()}
    with zipfile.ZipFile(io.BytesIO(content)) as packed:
        texts = [n for n in packed.namelist() if n.endswith((".csv", ".txt", ".json", ".html"))]
        assert all(".." not in name and not name.startswith("/") for name in packed.namelist())
        return {name: packed.read(name).decode() for name in texts}


def check_file(name: str, text: str) -> None:
    assert not re.search(TURNS, text), name
    if "<html" in text[:200]:
        shown = re.sub(r"<script.*?</script>|<style.*?</style>", "", text, flags=re.DOTALL)
        assert "<img" not in shown, name
        assert "http://leak.example'>" not in shown.replace("&#x27;", ""), name
        for figure in re.findall(r'-data">(.*?)</script>', text, flags=re.DOTALL):
            assert not TAGS.search(plain(figure)), name
    elif "csv" in name.lower():
        for value in pd.read_csv(io.StringIO(text), header=None, dtype=str).stack():
            assert not str(value).lstrip().startswith(("=", "@", "|", "%")), (name, value)


def plain(figure: str) -> str:
    """The JSON of a figure without its escapes."""
    return json.dumps(json.loads(figure), ensure_ascii=False)


def test_csv_has_one_door() -> None:
    code = [*Path(ROOT, "pages").rglob("*.py"), *Path(ROOT, "hierdp_core").rglob("*.py")]
    writes = {
        p.name
        for p in code
        if re.search(r"\.to_(csv|excel|html|markdown)\(", p.read_text(encoding="utf-8"))
    }
    assert writes == {"defused.py"}


def test_html_has_few_doors() -> None:
    pages = Path(ROOT, "pages").rglob("*.py")
    assert not [p.name for p in pages if "unsafe_allow" in p.read_text(encoding="utf-8")]


@pytest.mark.parametrize("name", NAMES)
def test_a_name_alone_is_text_in_each_medium(name: str) -> None:
    assert live_in(in_markdown(name)) == []
    assert (
        live_in(without_links(FileText(strings=[name]).in_markdown(f"**5** in {name} are"))) == []
    )
    (row,) = pd.read_csv(io.StringIO(csv_text(pd.DataFrame({"name": [name]}))), dtype=str)["name"]
    assert not row.lstrip().startswith(("=", "@", "+"))
    assert row in (name, f"'{name}")


@pytest.mark.parametrize("name", ["Ada;=1+1;", "Ada; @SUM(1);", ";=1;-1", "Ada\n=1", "Ada\t+1"])
def test_no_part_of_a_name_is_a_formula_where_cells_part_at_semicolons(name: str) -> None:
    line = csv_text(pd.DataFrame({"name": [name], "value": [5]})).partition("\n")[2]
    for cell in re.split(r"[;,\t\n]", line):
        assert not cell.strip('" ').startswith(("=", "@", "+", "-")), line


def test_a_name_of_any_letters_is_made_harmless_at_once() -> None:
    start = time.process_time()
    for letter in ";\n\t \u00a0=":
        in_cell(f"Ada{letter * 50_000}x")
    assert time.process_time() - start < 1


def test_escaping_twice_changes_nothing_more() -> None:
    for name in NAMES:
        once = without_links(in_markdown(name))
        assert without_links(once) == once == in_markdown(name)


def test_words_of_our_own_keep_their_meaning() -> None:
    ours = "**1,200** of 3,143 counties: see `--option a[0]`, *mean* error.\n- one\n- two"
    assert without_links(ours) == ours
    assert FileText(strings=["county", "St. Mary's (part)", "3rd_ward"]).in_markdown(ours) == ours


@pytest.mark.slow
def test_an_unruly_link_is_reported_and_not_rendered() -> None:
    test = AppTest.from_file(str(ROOT / app.PAGES[0].script), default_timeout=120)
    test.query_params["sample"] = f"{PICTURE} https://leak.example"
    unbroken(test.run())
    stop_work(test)
    assert test.warning
    assert {text: live for text in markdown_of(test) if (live := live_in(text))} == {}


def test_plain_names_cost_nothing() -> None:
    text = FileText(strings=[f"Area {k}" for k in range(1000)])
    assert text.in_markdown("x" * 10) == "x" * 10
    assert not text._by_beginning
