"""What ε means: what a budget means, and whether a mechanism keeps to it."""

import streamlit as st

from pages.ui.privacy import laboratory, laboratory_words, meaning, meaning_words
from pages.ui.privacy.address import PARTS, PrivacyAddress
from pages.ui.shell import address, choices, frame, inputs
from pages.ui.shell.session import Key

TITLES = {"meaning": "What ε means", "laboratory": "Audit laboratory"}

with frame.page("What ε means", PrivacyAddress) as bar:
    title = st.empty()
    part = choices.one_of(
        "Part of this page",
        PARTS,
        address.view().of(PrivacyAddress).part,
        key=Key.PRIVACY_PART,
        format_func=TITLES.__getitem__,
        label_visibility="collapsed",
    )
    here = PrivacyAddress(part=part)
    address.keep(address.view().having(here))
    if part == "laboratory":
        title.title(laboratory_words.TITLE)
        frame.notice()
        address.write(here.full_query(address.view()))
        laboratory.show()
    else:
        title.title(meaning_words.TITLE)
        view, sample = inputs.view()
        title.title(meaning_words.finding(view.settings.plan(sample.table).privacy))
        bar.tell(lambda _: meaning_words.PINNED)
        address.write(here.full_query(view))
        meaning.sections(view.settings, sample)
