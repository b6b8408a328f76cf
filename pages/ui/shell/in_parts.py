"""Links from an area to the same area of the simulation in parts that the app was started with."""

import os

import streamlit as st

from hierdp_core.desktop import offered
from hierdp_core.exceptions import HierdpError
from hierdp_core.samples.sample import Sample
from hierdp_core.util.escaping import in_markdown
from pages.ui.shell import cache, navigation, session, words
from pages.ui.shell.reach import only_here

SCRIPT = "pages/result_page.py"
PLACE = "result-place"  # session key: the folder, and the level and code of the area to show


def offer_all(sample: Sample) -> None:
    """Offer a link to the root of the simulation in parts; see `offer`."""
    regions = sample.table.regions
    offer(sample, regions.levels[0], regions.ids[0], "")


def offer(sample: Sample, level: str, id: str, name: str) -> None:
    """Offer a link to an area of the simulation in parts, if there is one of this table.

    Args:
        sample: the sample on the page.
        level: the level of the area. If the table in parts lacks it, its root is offered.
        id, name: the id and name of the area; no name for the whole table.
    """
    folder, table = (os.environ.get(one) for one in (offered.RESULT, offered.RESULT_TABLE))
    if not folder or not table or not only_here():
        return
    levels = _levels(f"{cache.PRIVATE}{table}", table, sample.id)
    if not levels:
        return
    is_there = level in levels
    if st.button(
        in_markdown(words.in_parts(name if is_there else "", levels[-1])),
        key=f"{session.WIDGETS}to-result",
        icon=":material/account_tree:",
        help=words.IN_PARTS_HELP,
    ):
        session.put(PLACE, (folder, level, id) if is_there else (folder, None, None))
        navigation.to(SCRIPT)


@cache.remembered(max_entries=4)
def _levels(ticket: str, table: str, sample: str) -> tuple[str, ...]:
    """Return the levels of a table in parts; none if it was not made from this sample."""
    from hierdp_core.scale import PartitionedTable  # imported here, since few apps need it

    try:
        parts = PartitionedTable.open(table)
    except HierdpError:  # the page Result in parts shows the error
        return ()
    return parts.levels if parts.boundaries_of == sample else ()
