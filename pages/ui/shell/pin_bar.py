"""The bar above a page: a search over all areas, and the areas that are pinned."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from hierdp_core.evaluation.released_counts import ReleasedCounts, true_counts
from hierdp_core.exceptions import HierdpError
from hierdp_core.hierarchy import Regions
from hierdp_core.samples import Sample
from pages.ui.shell import address, datasets, navigation, session, words
from pages.ui.shell.areas import Area
from pages.ui.shell.cache import remembered
from pages.ui.shell.session import Key

PROFILE, PROFILE_PAGE = "pages/area_page.py", "Area profile"


@dataclass(frozen=True, eq=False, kw_only=True)
class PinBar:
    """The pinned areas above a page, one line per area.

    Attributes:
        regions: the areas of the data; None without data.
        lines: the place for the sentence of each pinned area.
    """

    regions: Regions | None = None
    lines: Mapping[Area, DeltaGenerator] = field(default_factory=dict)

    def tell(self, sentence: Callable[[int], str]) -> None:
        """Show a sentence of this page for each pinned area.

        Args:
            sentence: returns the sentence of an area, without its name, given the number of the
                area in the hierarchy.
        """
        for area, line in self.lines.items():
            if self.regions is not None:
                node = area.node(self.regions)
                line.markdown(words.pinned(self.regions.full_name(node), sentence(node)))


def show() -> PinBar:
    """Show the bar for the current data."""
    open_asked()
    view = address.view()
    try:
        sample = datasets.get(view.settings.sample)
    except HierdpError:  # the page shows the error
        return PinBar()
    search, pinned = st.columns([3, 7], gap="medium")
    with search:
        _find(sample)
    with pinned:
        lines = {area: _line(area, k) for k, area in enumerate(view.pins)}
    bar = PinBar(regions=sample.table.regions, lines=lines)
    if view.pins:
        quantity_id = view.settings.quantity or sample.table.quantities[0].id
        counts = _true_counts(datasets.digest_of_data(sample), quantity_id, sample)
        bar.tell(
            lambda node: words.pinned_count(float(counts.true[node]), unit=counts.quantity.title)
        )
    return bar


def open_profile(area: Area) -> None:
    """Go to the profile of an area."""
    ask_for(area)
    open_asked()
    st.rerun()  # from the profile of another area


def ask_for(area: Area) -> None:
    """Request the profile of an area for the next run, since a callback cannot change the page."""
    session.put(Key.OPEN, area)


def open_asked() -> None:
    """Go to the profile that was requested, if any."""
    area: Area | None = session.taken(Key.OPEN)
    if area is None:
        return
    view = address.view().at(area.level, area.id)
    address.keep(view)
    if session.get(Key.PAGE) != PROFILE_PAGE:
        navigation.to(PROFILE, address.public(view.to_query()))
    session.forget(Key.ENTER)


def pin_button(area: Area) -> None:
    """Show a button that pins an area, or unpins it."""
    pinned = area in address.view().pins
    st.button(
        "Unpin" if pinned else "Pin this area",
        icon=":material/keep_off:" if pinned else ":material/keep:",
        key=Key.PIN,
        on_click=_unpin if pinned else _pin,
        args=(area,),
        help=words.PIN_HELP,
    )


def _find(sample: Sample) -> None:
    areas = _named_areas(datasets.digest_of_data(sample), sample)
    st.selectbox(
        "Find an area",
        list(areas),
        format_func=areas.__getitem__,
        index=None,
        key=session.identity(Key.FIND),
        on_change=_found,
        args=(sample.table.regions,),
        placeholder="Find an area",
        label_visibility="collapsed",
    )


def _found(regions: Regions) -> None:
    node = session.get(Key.FIND)
    if node is not None:
        ask_for(Area.of(regions, node))
        session.put(Key.FIND, None)


def _line(area: Area, k: int) -> DeltaGenerator:
    """Show the line of a pinned area; return the place for its sentence."""
    with st.container(
        horizontal=True, vertical_alignment="center", gap="small", key=f"hierdp-pin-{k}"
    ):
        line = st.empty()
        if st.button("Profile", key=f"{Key.PROFILE}{k}", type="tertiary"):
            open_profile(area)
        st.button("Unpin", key=f"{Key.UNPIN}{k}", on_click=_unpin, args=(area,), type="tertiary")
    return line


def _pin(area: Area) -> None:
    address.keep(address.view().with_pin(area))


def _unpin(area: Area) -> None:
    address.keep(address.view().without_pin(area))


@remembered(max_entries=8)
def _named_areas(digest: str, _sample: Sample) -> dict[int, str]:
    """Return the name and level of every area by number, without copies that fill up levels."""
    regions = _sample.table.regions
    return {
        node: f"{regions.full_name(node)} · {regions.levels[regions.tree.level_of[node]]}"
        for node in range(regions.tree.n_nodes)
        if not regions.padded[node]
    }


@remembered(max_entries=8)
def _true_counts(digest: str, quantity: str, _sample: Sample) -> ReleasedCounts:
    return true_counts(_sample.table, quantity)
