"""Published release: what the readers of a package see, released numbers with margins alone."""

import streamlit as st

from pages.ui.package import opened, view
from pages.ui.package import package_words as words
from pages.ui.shell import frame

with frame.page("Published release", demonstration=False):
    st.title("Published release")
    frame.notice()
    package = opened.package()
    st.markdown(words.INTRO)
    view.guarantee(package)
    shown = view.choice(package)
    view.profile(shown)
    view.map_of(shown)
    view.numbers(shown)
    view.certificate(package)
