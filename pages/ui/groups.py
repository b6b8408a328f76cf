"""The pieces of Zoom that only tables of group sizes have."""

import streamlit as st

from hierdp_core import figures, group_steps
from hierdp_core.figures.style import CONFIG
from hierdp_core.tables import GroupSizes
from pages.ui import parts, words
from pages.ui.places import Place

NOISY = st.column_config.NumberColumn("Noisy", format="localized")


def cumulative(place: Place) -> None:
    """Groups of at most each size: true, noisy and released."""
    drawn, table = place.drawn, place.drawn.sample.table
    if not isinstance(table, GroupSizes):
        return
    noisy = group_steps.noisy_cumulative(drawn.release, place.node)
    frame = figures.cumulative.curves(
        table.values[place.node], drawn.release.table.values[place.node], noisy
    )
    st.markdown(
        f"##### Cumulative: {table.group} of {words.place(place.name)} of at most each size"
    )
    st.markdown(
        words.area_line(
            figures.cumulative.distance(frame),
            float(frame["true"].iloc[-1]),
            float(frame["released"].iloc[-1]),
            name=place.name,
            group=table.group,
            people=table.people,
        )
    )
    if noisy is None:
        share = drawn.plan.shares.weights[place.level]
        st.caption(words.no_noisy_curve(place.level_name, share))
    st.plotly_chart(
        figures.cumulative.picture(frame, group=table.group),
        key="cumulative",
        config=CONFIG,
        alt=figures.cumulative.alt(frame, region=place.name, group=table.group),
    )
    if note := figures.cumulative.axis_note(frame):
        st.caption(note)
    with st.expander("The cumulative numbers as a table"):
        st.dataframe(
            figures.cumulative.table(frame),
            hide_index=True,
            column_config=parts.NUMBERS | {"noisy": NOISY},
        )
