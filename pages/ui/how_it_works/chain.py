"""The tab of the chain: Table 6 of Fioretto et al. (2021), and why its noise is too small."""

import streamlit as st

from hierdp_core import figures
from hierdp_core.explain.tree_steps import paper_chain
from hierdp_core.figures.chart import Chart
from pages.ui.how_it_works import shown, step_words
from pages.ui.how_it_works.address import EXAMPLE
from pages.ui.shell import datasets

_TABLE_6 = "Table 6 of Fioretto et al. (2021)"


def chain() -> None:
    """Show the cost tables of the chain on the running example, whatever data are chosen."""
    regions = datasets.get(EXAMPLE).table.regions
    order, tables = paper_chain(regions)
    names = [regions.ids[n] for n in order]
    st.markdown(step_words.chain_sentence(tables.chosen.tolist(), tables.targets.tolist()))
    st.warning(
        step_words.chain_warning(regions.tree.level_sizes.tolist()), icon=":material/warning:"
    )
    left, right = st.columns([7, 5], gap="large")
    with left:
        chart = Chart(
            title="",
            figure=figures.program.chain_cost.curves(tables, names),
            alt=figures.program.chain_cost.alt(tables, names),
        )
        shown.show(chart, key="chain", table_in=_TABLE_6)
    with right:
        st.markdown(f"## {_TABLE_6}")
        st.dataframe(figures.program.chain_cost.table(tables, names), hide_index=True)
        st.caption(
            "This is the worked example with the noise of that paper, whatever data are chosen "
            "above. ◯ marks the chosen sums."
        )
