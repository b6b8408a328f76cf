"""Privacy: what a budget means, and whether a mechanism keeps to it."""

import streamlit as st

from pages.ui.privacy import laboratory, laboratory_words, meaning
from pages.ui.shell import frame, inputs, session
from pages.ui.shell.session import Key

PARTS = {"meaning": "What ε means", "laboratory": "Audit laboratory"}

with frame.page("Privacy"):
    title = st.empty()
    asked = st.query_params.get("part", "meaning")
    part = st.segmented_control(
        "Part of this page",
        list(PARTS),
        format_func=PARTS.__getitem__,
        key=session.seeded(Key.PRIVACY_PART, asked if asked in PARTS else "meaning"),
        required=True,
        label_visibility="collapsed",
    )
    if part == "laboratory":
        title.title(laboratory_words.TITLE)
        session.write_address({"part": part})
        laboratory.show()
    else:
        title.title("What does this budget mean?")
        view, sample = inputs.view()
        session.write_address(view.to_query())
        meaning.sections(view.settings, sample)
