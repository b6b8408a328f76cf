"""Every page as a notebook that reproduces it."""

import streamlit as st

from hierdp_core.exceptions import HierdpError
from hierdp_core.samples.sample import OWN
from hierdp_core.util.text import file_name
from hierdp_core.writers import notebook
from hierdp_core.writers.notebook import Cells
from pages.ui.shell import address, datasets
from pages.ui.shell.address import PageAddress, View


def offer(title: str, kind: type[PageAddress] | None) -> None:
    """Show the button at the end of the sidebar."""
    view = address.view()
    try:  # not on demand, since a visitor's own data can be read only while the page is made
        contents = notebook.ipynb(title, cells(title, kind, view))
    except HierdpError:  # the page shows the error
        return
    with st.sidebar:
        st.download_button(
            "Open as notebook",
            contents,
            file_name=f"{file_name(title)}.ipynb",
            mime="application/x-ipynb+json",
            key="open-as-notebook",
            on_click="ignore",
            icon=":material/code_blocks:",
            help="A Jupyter notebook with Python code that reproduces this page. It contains "
            "settings and no data.",
        )


def cells(title: str, kind: type[PageAddress] | None, view: View) -> Cells:
    """Return the cells of a page's notebook."""
    source = datasets.source_of(view.settings.sample)
    if kind is not None and (page_cells := view.of(kind).notebook(view)) is not None:
        return page_cells
    if title == "Your data":
        return notebook.own_files(datasets.source_of(OWN))
    if title == "Area profile":
        return notebook.area(view.settings, source=source, level=view.level, id=view.region)
    table = datasets.get(view.settings.sample).table
    return notebook.overview(view.settings, table, source=source, simulations=view.n_simulations)
