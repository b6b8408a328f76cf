"""A table that Python passed to this session: see `hierdp_core.desktop.handover`."""

import streamlit as st

from hierdp_core.desktop import handover
from hierdp_core.exceptions import ChoiceError
from hierdp_core.maps.tiles import tile_layout
from hierdp_core.samples.sample import OWN, Sample
from pages.ui.shell import own_data
from pages.ui.shell.datasets import Own


def take() -> None:
    """Load into this session the table that the first address names. Its token becomes invalid.

    Raises:
        ChoiceError: the token is wrong or was used before.
    """
    token = st.query_params.get(handover.WORD)
    if token is None:
        return
    st.query_params.clear()
    data = handover.take(token)
    if data is None:
        raise ChoiceError(
            "This address was used already, or it is not valid. Call hdp.app(table) again to open "
            "the table."
        )
    table, drawn = data.table, data.boundaries
    sample = Sample(
        id=OWN,
        title="Table from Python",
        kind=table.kind,
        about="A table that hdp.app opened.",
        real="Its data are those of the Python session.",
        source="a Python session",
        licence="",
        person=table.person,
        table=table,
        read_boundaries=lambda: drawn if drawn is not None else tile_layout(table.regions),
    )
    own_data.bring(Own(sample=sample, confidential=data.confidential))
