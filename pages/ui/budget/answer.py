"""The answer of Set a budget: the sentence, curves, tables, links and downloads."""

import math
from dataclasses import replace

import pandas as pd
import streamlit as st

from hierdp_core import figures
from hierdp_core.planning import BudgetPlan
from hierdp_core.planning.bench import TargetScorer
from hierdp_core.privacy.rounding import lower, parameter, rounding_note
from hierdp_core.samples import Sample
from hierdp_core.samples.sample import OWN
from hierdp_core.util.marks import truth_mark
from hierdp_core.util.text import capital, paragraph, percent, three_digits
from hierdp_core.writers.defused import csv_text
from pages.ui.budget import budget_words, commands
from pages.ui.budget.address import BudgetAddress
from pages.ui.compare.address import CompareView
from pages.ui.shell import address, charts, datasets, navigation, words
from pages.ui.shell.address import View

EXPLORE, COMPARE = "pages/overview_page.py", "pages/compare_page.py"


def found(view: View, sample: Sample, result: BudgetPlan) -> None:
    """Show the answer, its charts and tables, links and downloads."""
    st.markdown(f"## {budget_words.unbroken(result.sentence)}")
    st.markdown(result.sure)
    st.caption(result.basis)
    for warning in result.warnings:
        st.warning(warning, icon=":material/info:")
    scorers = result.scorers
    for columns in (scorers[k : k + 2] for k in range(0, len(scorers), 2)):
        for place, scorer in zip(st.columns(2, gap="large"), columns, strict=False):
            with place:
                _curve(result, scorer)
    _levels(result)
    _away(view, sample, result)


def _curve(result: BudgetPlan, scorer: TargetScorer) -> None:
    target = scorer.target
    rows = result.curve[result.curve["target"] == target.text]
    mean, symbol = target.share is None, "ρ" if result.unit == "rho" else "ε"
    needed = target.tolerance if target.share is None else target.share
    chart = figures.errors.budget_search.chart(
        rows,
        title=capital(scorer.words),
        target=scorer.words,
        needed=needed,
        mean=mean,
        symbol=symbol,
        found=result.size if result.reached else None,
        unit=scorer.unit,
        reliability=result.reliability,
        relative=target.relative,
    )
    st.markdown(f"**{chart.title}**, {scorer.unit}")
    charts.show(
        chart,
        key=f"plan-{target.text}",
        as_table="View as table",
        draw_table=lambda curve: st.dataframe(curve, hide_index=True),
    )


def _levels(result: BudgetPlan) -> None:
    left, right = st.columns(2, gap="large")
    with left:
        st.markdown("### Budget allocation by level")
        symbol, _ = result.plan.privacy.parts
        shared = result.levels
        total = sum(result.plan.allocation.weights)
        st.dataframe(
            pd.DataFrame(
                {
                    "Level": [capital(name) for name in shared["level"]],
                    "Allocation": shared["share"],
                    "Part of the budget": [percent(share / total) for share in shared["share"]],
                    symbol: [parameter(part) for part in shared["budget"]],
                    "Noise SD": [
                        "no noise" if math.isnan(sd) else lower(sd) for sd in shared["noise_sd"]
                    ],
                }
            ),
            hide_index=True,
        )
        how = "chosen for these targets" if result.allocation_chosen else "given"
        st.caption(
            paragraph(
                f"The allocation was {how}. Noise SD is the standard deviation of the noise in one "
                "measured number.",
                rounding_note(symbol, shared["budget"]),
            )
        )
    with right:
        st.markdown(f"### Resulting error by level ({result.counted})")
        errors = result.errors
        st.dataframe(
            pd.DataFrame(
                {
                    "Level": [capital(name) for name in errors["level"]],
                    "Areas": [f"{n:,}" for n in errors["regions"]],
                    "Mean absolute error": [three_digits(value) for value in errors["mean_abs"]],
                    "95th percentile of error": [
                        three_digits(value) for value in errors["q95_abs"]
                    ],
                }
            ),
            hide_index=True,
        )
        st.caption(
            f"These are absolute errors, averaged over {result.n_simulations:,} validation "
            "simulations."
        )


def _away(view: View, sample: Sample, result: BudgetPlan) -> None:
    """Show the link to Overview and the downloads."""
    aim = view.of(BudgetAddress)
    go, compare, save = st.columns(3)
    with go:
        if st.button("Open in Overview", icon=":material/map:", width="stretch"):
            budget = result.plan.budget
            settings = replace(
                view.settings,
                epsilon=None if budget.epsilon is None else float(budget.epsilon),
                delta=None if budget.delta is None else float(budget.delta),
                rho=None if budget.rho is None else float(budget.rho),
                allocation=result.plan.allocation.weights,
                quantity=result.scorers[0].target.quantity,
            )
            address.go(replace(view, settings=settings))
            navigation.to(EXPLORE)
    with compare:
        if st.button(
            "Compare mechanisms at this budget", icon=":material/balance:", width="stretch"
        ):
            address.keep(address.view().having(CompareView.at(sample, result.plan)))
            navigation.to(COMPARE)
    with save:
        confidential = datasets.is_confidential(sample) and not result.synthetic
        mark = truth_mark(confidential=confidential)
        note = budget_words.SYNTHETIC if result.synthetic else mark
        st.download_button(
            "Download curves (CSV)",
            lambda: csv_text(result.curve.assign(note=note)),
            file_name="plan-synthetic.csv" if result.synthetic else "plan-contains-true-values.csv",
            mime="text/csv",
            width="stretch",
            help=None if result.synthetic else capital(mark) + ".",
            on_click="ignore",
        )
        if confidential:
            st.caption(words.CONFIDENTIAL)
    with st.expander("Share or reproduce"):
        if sample.id == OWN:
            st.markdown(words.OWN_REPEAT)
            return
        link, shell, python = st.tabs(["Link", "Command line", "Python"])
        targets = aim.targets_for(sample.table)
        with link:
            st.code(
                address.link(aim.full_query(view)),
                language=None,
                wrap_lines=True,
            )
        with shell:
            st.code(
                commands.shell(view.settings, aim, targets),
                language="bash",
                wrap_lines=True,
            )
        with python:
            st.code(
                commands.python(view.settings, aim, targets),
                language="python",
            )
