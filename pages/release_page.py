"""Release: settings, checks, ledger, one release, a package with margins and certificate."""

import streamlit as st

from pages.ui.release import access, view
from pages.ui.release import release_words as words
from pages.ui.shell import frame

with frame.page("Release", demonstration=False):
    st.title("Release")
    frame.notice()
    ledger = access.ledger()
    st.markdown(words.INTRO)
    found = view.accounts(ledger)
    view.ask(ledger, found)
    view.confirm(ledger)
