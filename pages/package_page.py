"""Published release: a package for its readers, with only released numbers and margins."""

import streamlit as st

from pages.ui.package import opened, view
from pages.ui.package import package_words as words
from pages.ui.shell import frame

with frame.page("Published release", demonstration=False):
    st.title("Published release")
    frame.notice()
    body = st.container()
    found = opened.package()
    with body:
        if found is None:
            st.markdown(words.NOTHING_YET)
        else:
            st.markdown(words.INTRO)
            view.guarantee(found)
            shown = view.choice(found)
            view.profile(shown)
            view.map_of(shown)
            view.numbers(shown)
            view.certificate(found.package)
