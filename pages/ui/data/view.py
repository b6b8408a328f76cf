"""The parts of Your data: confidentiality, findings, examples and summary."""

from collections.abc import Mapping
from typing import Any

import pandas as pd
import streamlit as st

from hierdp_core import mechanisms
from hierdp_core.exceptions import HierdpError
from hierdp_core.maps.tiles import tile_layout
from hierdp_core.readers import Finding, Reading
from hierdp_core.readers.build.summary import counted_in_areas
from hierdp_core.readers.build.summary import summary as summarised
from hierdp_core.readers.columns.question import NO_KIND
from hierdp_core.samples.sample import OWN, Sample
from hierdp_core.settings.own_files import OwnFiles
from pages.ui.data import data_words as words
from pages.ui.data.upload import read_again
from pages.ui.shell import datasets, navigation, own_data, session
from pages.ui.shell.session import Key

_LISTED = 40  # largest number of findings of one kind on screen
_EXPLORE = "pages/overview_page.py"
_NUMBERS = ("Areas", "Its count", "Areas with a count of 0")
_ICONS = {
    "error": ":material/error:",
    "question": ":material/help:",
    "correction": ":material/build:",
    "note": ":material/info:",
}


def loaded() -> None:
    """Show what is in the session, with a button to delete it."""
    st.markdown(words.PROMISE)
    own = datasets.own()
    if own is None:
        return
    with st.container(border=True, horizontal=True, vertical_alignment="center"):
        st.markdown(words.loaded(own.sample.title))
        if st.button("Open in Overview", icon=":material/arrow_forward:", key="open-again"):
            navigation.to(_EXPLORE)
        if st.button("Delete data", icon=":material/delete:"):
            own_data.forget()
            own_data.forget_reading()
            st.rerun()


def what_is_it() -> str | None:
    """Ask how sensitive the data are, before any file. Return a key of `data_words.WHAT`."""
    what: str | None = st.radio(
        words.ASK,
        list(words.WHAT),
        format_func=words.WHAT.get,
        index=None,
        key=session.identity(Key.DATA_WHAT),
    )
    if what == words.CONFIDENTIAL:
        st.warning(words.TRUSTED, icon=":material/lock:")
    return what


def report(reading: Reading) -> None:
    """Show the first faults with place and remedy, then the first corrections and notes.

    It states how many of each are left out.
    """
    problems = reading.report
    if problems.faults:
        questions = sum(fault.asks for fault in problems.faults)
        errors = len(problems.faults) - questions
        if errors:
            st.error(words.faults(errors, questions), icon=_ICONS["error"])
        else:
            st.warning(words.faults(errors, questions), icon=_ICONS["question"])
        for place, finding in enumerate(problems.faults[:_LISTED]):
            st.markdown(words.listed([words.fault(finding)]))
            _choices(finding, place)
        _more(len(problems.faults))
    elif reading.table is not None:
        st.success(words.USABLE, icon=":material/check:")
    for kind in ("correction", "note"):
        findings = [finding for finding in problems.findings if finding.kind == kind]
        if findings:
            st.markdown(f"**{words.FINDINGS[kind]}**")
            st.markdown(words.listed(words.correction(finding) for finding in findings[:_LISTED]))
            _more(len(findings))


def _more(n: int) -> None:
    """State how many findings of a kind are left out of its list."""
    if text := words.more_findings(n - _LISTED):
        st.caption(text)


def _choices(finding: Finding, place: int) -> None:
    """Show a button for each statement that corrects a fault."""
    if not finding.choices:
        return
    with st.container(horizontal=True):
        for k, choice in enumerate(finding.choices):
            if st.button(words.choice(choice), key=f"{Key.DATA_CHOICE}{place}-{k}"):
                _state(choice.stated)


def _state(stated: Mapping[str, Any]) -> None:
    """Read the files again with this statement and all earlier ones."""
    known = own_data.reading()
    whole = known is not None and known.layout is not None and own_data.layout_stated()
    if whole and known is not None and known.layout is not None and stated.get("kind") != NO_KIND:
        read_again(known.layout.changed(stated), {})
    else:
        read_again(None, own_data.stated_words() | dict(stated))


def examples() -> None:
    """Offer small example files."""
    with st.expander(words.EXAMPLES):
        st.caption(words.EXAMPLES_HELP)
        with st.container(horizontal=True):
            for name, text in words.EXAMPLE_FILES.items():
                st.download_button(
                    name, data=text, file_name=name, mime="text/csv", on_click="ignore",
                    icon=":material/download:", key=f"example-{name}",
                )  # fmt: skip


def summary(reading: Reading, what: str | None) -> None:
    """Show levels, total, largest counts and zeros, and a button that opens Overview."""
    table = reading.table
    if table is None:
        return
    st.markdown("## Summary")
    sentences = summarised(table)
    st.markdown(words.total(sentences))
    rows = pd.DataFrame(words.levels_of(sentences))
    rows.columns = [
        "Level",
        "Areas",
        "Area with the largest count",
        "Its count",
        "Areas with a count of 0",
    ]
    localized = st.column_config.NumberColumn(format="localized")
    st.dataframe(rows, hide_index=True, column_config=dict.fromkeys(_NUMBERS, localized))
    if counted := counted_in_areas(table):
        st.caption(words.count_of_area(counted))
    st.caption(f"Map: {reading.drawn}.")
    if not mechanisms.names(table.kind):
        st.info(words.NO_MECHANISM, icon=":material/info:")
        return
    if what is None:
        st.caption(words.THEN_USE)
    elif st.button("Use these data in Overview", type="primary", icon=":material/arrow_forward:"):
        _bring(reading, what)
    _repeat(reading, mechanisms.names(table.kind)[0], confidential=what == words.CONFIDENTIAL)


def _repeat(reading: Reading, mechanism: str, *, confidential: bool) -> None:
    if reading.layout is None:
        return
    table, *beside = reading.report.files
    with st.expander(words.REPEAT):
        st.caption(words.REPEAT_HOW)
        regions = session.get(f"{Key.DATA_REGIONS}{own_data.reading_number()}")
        files = OwnFiles.of_paths(
            (table, *beside),
            columns=reading.layout,
            regions=regions.name if regions is not None else "",
            confidential=confidential,
        )
        st.code(files.to_toml(words.repeat_settings(mechanism)), language="toml")


def _bring(reading: Reading, what: str) -> None:
    table, drawn = reading.table, reading.boundaries
    if table is None:
        raise HierdpError("There is no table to open. Correct the errors first.")
    title = ", ".join(reading.report.files)
    sample = Sample(
        id=OWN,
        title=title,
        kind=table.kind,
        about=reading.title or words.OWN_TABLE,
        real=words.UPLOADED[what],
        source=title,
        licence="",
        person=table.person,
        table=table,
        read_boundaries=lambda: drawn if drawn is not None else tile_layout(table.regions),
    )
    own_data.bring(datasets.Own(sample=sample, confidential=what == words.CONFIDENTIAL))
    own_data.forget_reading()
    navigation.to(_EXPLORE)
