"""The meaning of a budget: for one record, by level, and next to published budgets."""

import pandas as pd
import streamlit as st

from hierdp_core import figures, mechanisms
from hierdp_core.figures.chart import Chart
from hierdp_core.privacy import (
    PrivacyStatement,
    belief,
    conversions,
    highest_chance,
    loss_limit,
    of_a_hundred,
)
from hierdp_core.privacy.published import SOURCE, deployments
from hierdp_core.privacy.rounding import GUARANTEE_DIGITS, parameter, percent_exact, upper
from hierdp_core.samples import Sample
from hierdp_core.settings import Settings
from hierdp_core.util.constraints import USUAL_DELTA
from hierdp_core.util.marks import CONFIDENTIAL
from hierdp_core.util.text import capital, paragraph
from hierdp_core.writers.label import label, label_page
from pages.ui.privacy import meaning_words
from pages.ui.shell import charts, datasets, session, widgets, words
from pages.ui.shell.announcer import announce
from pages.ui.shell.session import Key

DELTAS = (1e-3, 1e-5, 1e-6, 1e-8, 1e-10, 1e-12)
_ALL_BUDGETS = "All published budgets, including non-comparable ones"
_NOT_A_RELEASE = (
    "This is the guarantee that a release with these settings would have. HierDP shows "
    "simulations, whose noise can be reproduced from a seed. They protect nobody and serve only "
    "to explore."
)


def sections(settings: Settings, sample: Sample) -> None:
    """Show what the budget means for one person and by level, its conversions, and the label."""
    statement = settings.plan(sample.table).privacy
    if statement.caution:
        st.warning(statement.caution, icon=":material/warning:")
    delta = _delta(statement)
    one_person(statement, delta)
    st.divider()
    left, right = st.columns(2, gap="large")
    with left:
        levels(statement, delta)
    with right:
        both_conversions(statement, delta)
    st.divider()
    others(statement, delta, sample)
    st.divider()
    _label(statement, settings, sample)
    with st.expander("How to read this page"):
        for line in meaning_words.HOW_TO_READ:
            st.markdown(line)


def _delta(statement: PrivacyStatement) -> float:
    usual = statement.delta or USUAL_DELTA
    widgets.select_slider(
        "δ used for conversions from ρ to (ε, δ)",
        options=sorted({*DELTAS, usual}),
        key=session.seeded(Key.MEANING_DELTA, usual),
        format_func=parameter,
        help="A pure ε needs no δ. This δ is used for budgets in ρ, for conversions and for "
        "comparisons.",
    )
    return float(session.get(Key.MEANING_DELTA))


def one_person(statement: PrivacyStatement, delta: float) -> None:
    """Show beliefs before and after a release, and how much more likely a result can become."""
    st.markdown(f"## Risk for {statement.unit}")
    loss = loss_limit(statement, delta=delta)
    left, right = st.columns([3, 2], gap="large")
    with left:
        prior = (
            widgets.slider(
                "Attacker’s prior belief (%)",
                1,
                99,
                key=session.seeded(Key.PRIOR, 50),
            )
            / 100
        )
        sentence = meaning_words.belief_sentence(belief(loss, prior), statement, delta=delta)
        st.markdown(sentence)
        announce(sentence)
        table = figures.meaning_of_epsilon.beliefs(loss)
        charts.show(
            Chart(
                title="Prior and posterior belief",
                figure=figures.meaning_of_epsilon.belief_picture(table, prior=prior, loss=loss),
                alt=figures.meaning_of_epsilon.belief_alt_of(statement, prior=prior, delta=delta),
                table=figures.meaning_of_epsilon.belief_table(loss),
            ),
            key="belief",
            draw_table=lambda beliefs: st.dataframe(
                beliefs, hide_index=True, column_config=figures.meaning_of_epsilon.BELIEFS
            ),
        )
    with right:
        without = (
            widgets.slider(
                meaning_words.probability_label(statement),
                1,
                99,
                key=session.seeded(Key.WITHOUT, 5),
            )
            / 100
        )
        cases, fewer, more = of_a_hundred(without, highest_chance(statement, without))
        st.markdown(meaning_words.odds_sentence(cases, fewer, more, statement))
        captions = meaning_words.captions(cases, fewer, more, statement)
        # The captions are below the squares, which are then level if one caption wraps.
        for k, (column, n) in enumerate(zip(st.columns(2), (fewer, more), strict=True)):
            with column:
                charts.show(
                    Chart(
                        title=captions[k],
                        figure=figures.meaning_of_epsilon.dots(cases, n),
                        alt=meaning_words.dots_alt(captions[k]),
                    ),
                    key=f"dots-{k}",
                    table_in="",  # the caption has both numbers
                )
                st.caption(captions[k])


def levels(statement: PrivacyStatement, delta: float) -> None:
    """Show the budget of each level, and what an attacker could infer from that level alone."""
    st.markdown("## Privacy loss by level and in total")
    prior = session.get(Key.PRIOR) / 100
    st.markdown(
        paragraph(
            "Each level is a separate query on the same records, so the loss of each level counts "
            "towards the total. The maximum posterior of a level is that of an attacker with a "
            f"{percent_exact(prior)} prior who sees only that level.",
            meaning_words.each_maximum(statement, delta),
        )
    )
    table = figures.meaning_of_epsilon.level_table(statement, prior=prior, delta=delta)
    titles = {
        "level": "Level",
        "epsilon": "ε",
        "rho": "ρ",
        "most": "Maximum posterior",
        "noise": "Noise",
    }
    st.table(table.rename(columns=titles), hide_index=True)  # st.dataframe would cut texts off


def both_conversions(statement: PrivacyStatement, delta: float) -> None:
    """Show the ρ of the budget and its (ε, δ) by every conversion."""
    st.markdown("## Conversion to other privacy parameters")
    st.markdown(meaning_words.conversion_sentence(statement))
    rows = [
        {
            "Conversion": c.name,
            "ε": upper(c.epsilon, GUARANTEE_DIGITS),
            "δ": upper(c.delta, GUARANTEE_DIGITS),
            "Formula": c.formula,
        }
        for c in conversions(statement, delta=delta)
    ]
    st.table(pd.DataFrame(rows), hide_index=True)
    st.caption(meaning_words.SOURCES)
    if statement.candidates:
        with st.expander("How the noise was chosen"):
            st.markdown(meaning_words.account(statement))
            st.dataframe(meaning_words.candidate_rows(statement), hide_index=True)


def others(statement: PrivacyStatement, delta: float, sample: Sample) -> None:
    """Show published budgets beside the one of the view."""
    st.markdown("## Comparison with published releases")
    table = figures.deployments.table(deployments(), statement, delta=delta, yours=sample.title)
    alike = table[table["alike"]].iloc[1:]
    mine = table.iloc[0]
    larger = int((alike["epsilon"] > mine["epsilon"]).sum())
    st.markdown(
        meaning_words.deployment_sentence(
            float(mine["epsilon"]),
            len(alike),
            larger,
            str(mine["how"]),
            guarantee=statement.guarantee,
            delta=None if statement.epsilon is not None else delta,
        )
    )
    charts.show(
        Chart(
            title="Published budgets",
            figure=figures.deployments.picture(table),
            alt=figures.deployments.alt(table, delta=delta),
        ),
        key="deployments",
        table_in=_ALL_BUDGETS,
    )
    with st.expander(_ALL_BUDGETS):
        st.dataframe(
            table.drop(columns="alike").assign(
                epsilon=table["epsilon"].map(parameter), exact=table["exact"].map(parameter)
            ),
            hide_index=True,
            column_config={
                "what": "Release",
                "who": "Publisher",
                "year": st.column_config.NumberColumn("First year", format="%d"),
                "protects": "Privacy unit",
                "period": "Covered by the budget",
                "noise": "Noise added (central or local)",
                "budget": "Budget as published",
                "epsilon": "ε",
                "how": "Source of this ε",
                "exact": "ε by the exact curve",
            },
        )
    st.caption(f"{SOURCE}. For budgets in ρ, ε is computed at δ = {parameter(delta)}.")
    st.caption(meaning_words.EXACT_OF_OTHERS)


def _label(statement: PrivacyStatement, settings: Settings, sample: Sample) -> None:
    # Facts that are treated as public, such as a total, come from the table.
    confidential = datasets.is_confidential(sample)
    body = label(
        statement,
        title=sample.title,
        mechanism=mechanisms.describe(settings.mechanism).title,
        note=_NOT_A_RELEASE + (f" {capital(CONFIDENTIAL)}." if confidential else ""),
    )
    st.html(body)
    st.download_button(
        "Download label (HTML)",
        label_page(body),
        file_name=f"privacy-label-{settings.sample}-{settings.mechanism}.html",
        mime="text/html",
        on_click="ignore",
        help=words.CONFIDENTIAL if confidential else None,
    )
