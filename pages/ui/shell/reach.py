"""Which machines can connect to the app."""

import streamlit as st

from hierdp_core.cli.door import THIS_MACHINE


def only_here() -> bool:
    """Return whether only this machine can connect to the app."""
    return st.get_option("server.address") in (*THIS_MACHINE, "::1")
