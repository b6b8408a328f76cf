"""Samples, with a bar while one is made for the first time."""

import streamlit as st

from hierdp_core import samples
from hierdp_core.samples import Sample


def sample(id: str) -> Sample:
    """The sample called `id`.

    Raises:
        ChoiceError: there is none.
    """
    place = st.empty()

    def progress(done: int, total: int, text: str) -> None:
        place.progress(min(1.0, done / max(total, 1)), text=text)

    with st.spinner("Loading the data"):
        loaded = samples.load(id, progress=progress)
    place.empty()
    return loaded
