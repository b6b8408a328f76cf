"""Loading of samples, with a progress bar while one is prepared for the first time."""

import streamlit as st

from hierdp_core import samples
from hierdp_core.samples import Sample


def sample(id: str) -> Sample:
    """Return the sample with this id, and show the progress of loading it.

    Raises:
        ChoiceError: there is no sample with this id.
    """
    bar = st.empty()

    def progress(done: int, total: int, text: str) -> None:
        bar.progress(min(1.0, done / max(total, 1)), text=text)

    with st.spinner("Loading the data"):
        data = samples.load(id, progress=progress)
    bar.empty()
    return data
