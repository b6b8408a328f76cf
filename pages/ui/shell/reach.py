"""Who can reach the app."""

import streamlit as st

from hierdp_core.cli.door import THIS_MACHINE


def only_here() -> bool:
    """Whether nobody but this machine reaches the app."""
    return st.get_option("server.address") in (*THIS_MACHINE, "::1")
