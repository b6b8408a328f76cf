"""The second task of Set a budget: weights, and the allocation with the lowest error."""

import math
from collections.abc import Sequence
from dataclasses import replace

import pandas as pd
import streamlit as st

from hierdp_core.planning import CONFIDENCE, BestAllocation
from hierdp_core.samples import Sample
from hierdp_core.samples.sample import OWN
from hierdp_core.tables import quantity
from hierdp_core.util.marks import truth_mark
from hierdp_core.util.text import capital, percent, signed_percent, three_digits
from hierdp_core.writers.defused import csv_text
from pages.ui.budget import budget_words, commands
from pages.ui.budget.address import HEAVIEST, BudgetAddress
from pages.ui.compare.address import CompareView
from pages.ui.shell import address, datasets, navigation, session, widgets, words
from pages.ui.shell.address import View
from pages.ui.shell.session import Key

EXPLORE, COMPARE = "pages/overview_page.py", "pages/compare_page.py"
SURE = f"{100 * CONFIDENCE:.0f}% interval of the change"


def weights(aim: BudgetAddress, levels: Sequence[str]) -> BudgetAddress:
    """Show a weight for each level, and return the settings of the page with these weights."""
    st.markdown("**How much the error of each level counts**", help=budget_words.WEIGHTS_HELP)
    columns = st.columns(max(4, len(levels)))
    chosen = []
    for k, (level, weight) in enumerate(zip(levels, aim.weights_for(levels), strict=True)):
        with columns[k]:
            chosen.append(
                widgets.number_input(
                    capital(level),
                    min_value=0.0,
                    max_value=HEAVIEST,
                    format="%g",
                    key=session.seeded(f"{Key.PLAN_WEIGHT}{k}", float(weight)),
                )
            )
    return replace(aim, weights=tuple(chosen) if len(set(chosen)) > 1 or not chosen[0] else ())


def found(view: View, sample: Sample, best: BestAllocation) -> None:
    """Show the allocation, its errors beside those of an equal one, links and downloads."""
    st.markdown(f"## {best.sentence}")
    quantity_title = quantity(
        sample.table, view.settings.quantity or sample.table.quantities[0].id
    ).title
    st.markdown(best.basis)
    st.caption(f"Errors in {quantity_title}. {best.measured}")
    left, right = st.columns([3, 2], gap="large")
    with left:
        st.markdown("### Error by level, against an equal allocation")
        table = _errors(best)
        st.dataframe(table, hide_index=True, key="plan-allocation-errors")
    with right:
        st.markdown("### Budget allocation")
        st.dataframe(_split(best), hide_index=True, key="plan-allocation-split")
    _away(view, sample, best, table)


def _errors(best: BestAllocation) -> pd.DataFrame:
    names, between = best.plan.domain.regions.levels, best.level_intervals
    rows = zip(names, best.weights, best.levels, best.even_levels, between, strict=True)
    return pd.DataFrame(
        {
            "Level": capital(name),
            "Weight": f"{weight:g}",
            "Mean absolute error": three_digits(mean),
            "With an equal allocation": three_digits(even),
            "Change": _change(mean, even),
            SURE: "not available" if saving is None else _signed_between(-saving[1], -saving[0]),
        }
        for name, weight, mean, even, saving in rows
    )


def _change(mean: float, even: float) -> str:
    """Return the relative change of an error in words.

    >>> _change(9, 10), _change(0, 0), _change(1, 0)
    ('−10.0%', 'none', 'not defined')
    """
    if even:
        return signed_percent(mean / even - 1)
    return "not defined" if mean else "none"


def _signed_between(low: float, high: float) -> str:
    """Return the two ends of a change, each rounded away from the other.

    >>> _signed_between(-0.1312, 0.0041)
    '−13.2% to +0.5%'
    """
    from_low, to_high = math.floor(1000 * low) / 1000, math.ceil(1000 * high) / 1000
    return f"{signed_percent(from_low)} to {signed_percent(to_high)}"


def _split(best: BestAllocation) -> pd.DataFrame:
    allocation = best.plan.allocation.weights
    return pd.DataFrame(
        {
            "Level": [capital(name) for name in best.plan.levels],
            "Allocation": allocation,
            "Part of the budget": [percent(weight / sum(allocation)) for weight in allocation],
        }
    )


def _away(view: View, sample: Sample, best: BestAllocation, table: pd.DataFrame) -> None:
    aim = view.of(BudgetAddress)
    allocation = best.plan.allocation.weights
    go, compare, save = st.columns(3)
    with go:
        if st.button("Open in Overview", icon=":material/map:", width="stretch"):
            address.go(replace(view, settings=replace(view.settings, allocation=allocation)))
            navigation.to(EXPLORE)
    with compare:
        if st.button(
            "Compare with an equal allocation", icon=":material/balance:", width="stretch"
        ):
            address.keep(address.view().having(_side_by_side(view, sample, best)))
            navigation.to(COMPARE)
    with save:
        confidential = datasets.is_confidential(sample) and not aim.synthetic
        note = budget_words.SYNTHETIC if aim.synthetic else truth_mark(confidential=confidential)
        name = "synthetic" if aim.synthetic else "contains-true-values"
        st.download_button(
            "Download table (CSV)",
            csv_text(
                pd.DataFrame(best.rows()).assign(finding=f"{best.sentence} {best.basis}", note=note)
            ),
            file_name=f"allocation-{name}.csv",
            mime="text/csv",
            width="stretch",
        )
        if confidential:
            st.caption(words.CONFIDENTIAL)
    if sample.id == OWN:
        return
    with st.expander("Share or reproduce"):
        link, shell, python = st.tabs(["Link", "Command line", "Python"])
        levels = sample.table.regions.levels
        with link:
            st.code(
                address.link(aim.full_query(view)),
                language=None,
                wrap_lines=True,
            )
        with shell:
            line = commands.shares_shell(view.settings, aim, levels)
            st.code(line, language="bash", wrap_lines=True)
        with python:
            st.code(
                commands.shares_python(view.settings, aim, levels),
                language="python",
            )


def _side_by_side(view: View, sample: Sample, best: BestAllocation) -> CompareView:
    """Return a comparison of this allocation with an equal one, at the same budget."""
    return CompareView.at(sample, best.plan, mechanisms=(best.plan.id,))
