"""Every page gives a notebook, and what it holds runs."""

import json
from typing import Any

import nbformat
import pytest
from streamlit.testing.v1 import AppTest
from support.pages import healthy

import app
from hierdp_core.settings import Settings
from hierdp_core.writers import notebook
from hierdp_core.writers.notebook import DataSource

# A page asked for here is one with few simulations of a small table.
VIEW = {"sample": "running-example", "mechanism": "pgsr-h-dp"}
SMALL = VIEW | {"draws": "10"}
SLOW = {"Set a budget"}  # finding one takes many simulations
COMPARED = {
    "sample": "running-example",
    "mechanisms": "pgsr-h-dp,pgsr-c-dp",
    "budgets": "1",
    "draws": "10",
}
PAGES: dict[str, tuple[str | None, dict[str, str]]] = {
    "Overview": (None, SMALL),
    "Area profile": (None, SMALL | {"level": "state", "region": "GA"}),
    "How it works": ("how_it_works.address.HowItWorksAddress", {"place": "GA"}),
    "What ε means": ("privacy.address.PrivacyAddress", SMALL),
    "Compare mechanisms": ("compare.address.CompareView", COMPARED),
    "Set a budget": (
        "budget.address.BudgetAddress",
        SMALL | {"target": "state=mean:3", "fresh": "59", "given": "yes"},
    ),
    "Impact on decisions": (
        "impact.address.ImpactAddress",
        VIEW | {"rule": "threshold", "simulations": "30"},
    ),
    "Presentation": ("presentation.address.PresentationAddress", SMALL | {"step": "2"}),
    "Your data": (None, {}),
    "Lessons": ("lessons.address.LessonsAddress", {"lesson": "why-noise", "number": "3"}),
}
SCRIPT = """
import json
from importlib import import_module

import streamlit as st

from hierdp_core.writers.notebook import ipynb
from pages.ui.shell import address
from pages.ui.shell.open_as_notebook import cells

title, path, query = json.loads({asked!r})
kind = None
if path:
    module, _, name = path.rpartition(".")
    kind = getattr(import_module(f"pages.ui.{{module}}"), name)
view = address.parse(query, kind)
st.code(ipynb(title, cells(title, kind, view)))
"""


def notebook_of(title: str) -> str:
    path, query = PAGES[title]
    asked = json.dumps([title, path, query])
    test = AppTest.from_string(SCRIPT.format(asked=asked), default_timeout=60).run()
    return str(healthy(test).code[0].value)


def run(text: str) -> dict[str, Any]:
    """Execute the code cells of a notebook one after the other."""
    names: dict[str, Any] = {"display": lambda value: value._repr_mimebundle_()}
    content = nbformat.reads(text, as_version=4)
    nbformat.validate(content)
    for cell in content.cells:
        if cell.cell_type == "code":
            exec(compile(cell.source, "cell", "exec"), names)
    return names


def test_every_page_is_here() -> None:
    assert {*PAGES} >= {page.title for page in app.PAGES} - {"Release"}


@pytest.mark.parametrize(
    "title",
    [
        pytest.param(title, marks=pytest.mark.slow) if title in SLOW else title
        for title in PAGES
        if title != "Your data"
    ],
)
def test_the_cells_of_a_page_run(title: str) -> None:
    assert run(notebook_of(title))


@pytest.mark.slow
def test_the_notebook_repeats_the_settings() -> None:
    names = run(notebook_of("Compare mechanisms"))
    assert [plan.id for plan in names["plans"]] == ["pgsr-h-dp", "pgsr-c-dp"]
    assert names["comparison"].n_simulations == 10
    decided = run(notebook_of("Impact on decisions"))
    assert decided["outcome"].n_simulations == 30
    assert decided["outcome"].rule.id == "threshold"


def test_a_notebook_of_own_data_names_no_file_and_holds_no_value() -> None:
    text = notebook.ipynb("Your data", notebook.own_files(DataSource.OWN))
    assert "noise can be reproduced" not in text
    assert "your-table.csv" in text
    cells = notebook.data(Settings(), source=DataSource.OWN)
    assert "samples.load" not in cells


def test_text_of_the_settings_cannot_become_code() -> None:
    cell = notebook.area(
        Settings(), source=DataSource.SAMPLE, level="a'\n__import__('os')", id='b"\n1/0'
    )
    for code in cell.code:
        compile(code, "cell", "exec")
    tree = compile(cell.code[3], "cell", "exec")
    assert "__import__" not in tree.co_names


def test_a_notebook_reads_confidential_data_as_such() -> None:
    cells = notebook.data(Settings(), source=DataSource.CONFIDENTIAL)
    assert 'regions="your-areas.csv", confidential=True' in cells
    assert "confidential" not in notebook.data(Settings(), source=DataSource.OWN)
    compile(cells, "cell", "exec")


@pytest.mark.parametrize("confidential", [False, True])
def test_pages_know_whether_own_data_are_confidential(confidential: bool) -> None:
    def script(confidential: bool) -> None:
        import streamlit as st

        from hierdp_core import samples
        from hierdp_core.samples.sample import OWN
        from pages.ui.shell import datasets, own_data

        sample = samples.load("running-example")
        own_data.bring(datasets.Own(sample=sample, confidential=confidential))
        st.code(f"{datasets.source_of(OWN)}; {datasets.source_of('running-example')}")

    test = AppTest.from_function(script, args=(confidential,), default_timeout=60).run()
    own = DataSource.CONFIDENTIAL if confidential else DataSource.OWN
    assert healthy(test).code[0].value == f"{own}; {DataSource.SAMPLE}"
