"""What a session remembers, and the address that says the same.

The only module that touches the keys of `st.session_state`.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from secrets import token_hex
from time import monotonic
from typing import Any, Self
from urllib.parse import urlencode

import streamlit as st

from hierdp_core import mechanisms, samples
from hierdp_core.exceptions import ChoiceError, HierdpError
from hierdp_core.explain.tree_steps import STEPS
from hierdp_core.readers import Reading
from hierdp_core.samples.sample import OWN, Sample, SampleInfo
from hierdp_core.settings import Settings
from hierdp_core.tables import quantity
from pages.ui.budget.address import AIM_WORDS, Aim
from pages.ui.impact import address
from pages.ui.impact.address import Decide
from pages.ui.shell import cache, loading

DRAWS = (10, 30, 100, 300, 1000)
EXAMPLE = "running-example"
TABS = ("tree", "chain", "stages")
_ON_ITS_WAY = 1.0  # seconds in which a browser may not know yet what its address is
_INSIDE_WORDS = ("place", "size", "step", "tab")
_OWN_WORDS = (
    "draws",
    "level",
    "region",
    "part",
    *_INSIDE_WORDS,
    *address.OWN_WORDS,
    *AIM_WORDS,
)
_FOUND = ("epsilon", "delta", "rho", "quantity")  # settings that Plan looks for, or has of its own


class Key(StrEnum):
    """Names in `st.session_state`; those of widgets start with "w-"."""

    VIEW = "view"
    OWN = "own-data"
    PAGE = "page"
    ADDRESS = "address"
    NOTICE = "notice"
    WORK = "work"
    MAP = "map-"
    TABLES = "maps-as-tables"
    SAMPLE = "w-sample"
    MECHANISM = "w-mechanism"
    SIZE = "w-size"
    SIZE_BOX = "w-size-box"
    BUDGET = "w-budget"
    DELTA = "w-delta"
    PRESET = "w-preset"
    SHARE = "w-share-"
    OPTION = "w-option-"
    FORMATS = "w-formats"
    METHOD = "w-method-"
    QUANTITY = "w-quantity"
    SEED = "w-seed"
    DRAWS = "w-draws"
    STEP = "w-step-"
    ENTER = "w-enter"
    ZOOM_MAP = "w-zoom-map"
    SIBLING = "w-sibling-"
    FLOW_LEVEL = "w-flow-level-"
    FLOW_SHOWN = "w-flow-shown"
    FLOW_WAY = "w-flow-way"
    FLOW_ARCS = "w-flow-arcs"
    FLOW_MAP = "w-flow-map-"
    MATRIX_LEVEL = "w-matrix-level"
    MATRIX_SHOWN = "w-matrix-shown"
    INSIDE_DATA = "w-inside-data"
    INSIDE_SIZE = "w-inside-size"
    INSIDE_PLACE = "w-inside-place"
    INSIDE_STEP = "w-inside-step"
    INSIDE_TAB = "w-inside-tab"
    MEANING_DELTA = "w-meaning-delta"
    PRIOR = "w-prior"
    PRIVACY_PART = "w-privacy-part"
    LAB_WORK = "lab-work"
    LAB_MECHANISM = "w-lab-mechanism"
    LAB_CALIBRATION = "w-lab-calibration"
    LAB_OPTION = "w-lab-option-"
    LAB_PAIR = "w-lab-pair"
    LAB_RUNS = "w-lab-runs"
    LAB_EPSILON = "w-lab-epsilon"
    LAB_SEED = "w-lab-seed"
    WITHOUT = "w-without"
    BY_LINK = "by-link"
    COMPARE = "compare"
    COMPARE_WORK = "compare-work"
    COMPARE_SAMPLE = "w-compare-sample"
    COMPARE_MECHANISMS = "w-compare-mechanisms"
    COMPARE_BUDGETS = "w-compare-budgets"
    COMPARE_KINDS = "w-compare-kinds"
    COMPARE_DELTA = "w-compare-delta"
    COMPARE_SHARES = "w-compare-shares"
    COMPARE_OWN_SHARES = "w-compare-own-shares"
    COMPARE_OPTIONS = "w-compare-options"
    COMPARE_DRAWS = "w-compare-draws"
    COMPARE_SEED = "w-compare-seed"
    COMPARE_MEASURE = "w-compare-measure"
    COMPARE_PROMISE = "w-compare-promise-"
    COMPARE_SCALE = "w-compare-scale"
    COMPARE_X = "w-compare-x"
    COMPARE_Y = "w-compare-y"
    PLAN_WORK = "plan-work"
    PLAN_TARGET = "w-plan-target-"
    PLAN_FIND = "w-plan-find"
    PLAN_DELTA = "w-plan-delta"
    PLAN_RELIABILITY = "w-plan-reliability"
    PLAN_MOST = "w-plan-most"
    PLAN_STAND_IN = "w-plan-stand-in"
    PLAN_TOTAL = "w-plan-total"
    PLAN_FRESH = "w-plan-fresh"
    PLAN_GIVEN = "w-plan-given"
    PLAN_ASK = "w-plan-ask"
    PLAN_WEIGHT = "w-plan-weight-"
    LEARN_DONE = "lessons-done"
    LEARN_NUMBER = "w-learn-number"
    LEARN_TEACHER = "w-learn-teacher"
    LEARN_STUDENTS = "w-learn-students"
    LEARN_LESSON = "w-learn-lesson"
    LEARN_FIELD = "w-learn-field-"
    DECIDE_WORK = "decide-work"
    RULE = "w-rule"
    RULE_LEVEL = "w-rule-level"
    RULE_PARAMETER = "w-rule-parameter-"
    RULE_DRAWS = "w-rule-draws"
    DECIDE_TAB = "w-decide-tab"
    READING = "reading"
    READING_NUMBER = "reading-number"
    DATA_WHAT = "data-what"
    DATA_FILES = "data-files-"
    DATA_REGIONS = "data-regions-"
    DATA_PATH = "data-path"
    DATA_KIND = "w-data-kind"
    DATA_ROW = "w-data-row-"
    DATA_COLUMN = "w-data-column-"
    DATA_FLAG = "w-data-flag-"


# What may hold a table, or something made from one: jobs, and the comparison that was left.
_HOLDING = (Key.WORK, Key.DECIDE_WORK, Key.COMPARE_WORK, Key.PLAN_WORK, Key.COMPARE)


@dataclass(frozen=True, kw_only=True)
class Inside:
    """Where the page Inside stands.

    Attributes:
        paper: the papers' example with the papers' noise, instead of a draw of the settings.
        place: a region of that example; its root when not set. In a draw it is Zoom's region.
        size: a column of the table; the usual one when not set.
        step: one of `STEPS`.
        tab: one of `TABS`.
    """

    paper: bool = True
    place: str | None = None
    size: int | None = None
    step: str = STEPS[0]
    tab: str = TABS[0]

    @classmethod
    def from_query(cls, query: Mapping[str, str], columns: int, places: Sequence[str]) -> Self:
        """From an address; its words are held against the size of a table and its regions.

        Raises:
            ChoiceError: a word of it says nothing usable.
        """
        size, step, tab = query.get("size"), query.get("step", STEPS[0]), query.get("tab", TABS[0])
        place = query.get("place")
        if size is not None and not (size.isdecimal() and int(size) < columns):
            raise ChoiceError(f'A size lies between 0 and {columns - 1}; got "{size[:20]}".')
        if step not in STEPS:
            raise ChoiceError(f'The steps are {", ".join(STEPS)}; got "{step[:20]}".')
        if tab not in TABS:
            raise ChoiceError(f'The tabs of Inside are {", ".join(TABS)}; got "{tab[:20]}".')
        if place is not None and place not in places:
            raise ChoiceError(
                f'The running example has the regions {", ".join(places)}; got "{place[:20]}".'
            )
        return cls(
            paper=not set(query) - set(_INSIDE_WORDS),
            place=place,
            size=None if size is None else int(size),
            step=step,
            tab=tab,
        )

    def to_query(self) -> dict[str, str]:
        words = {"place": self.place} if self.paper and self.place is not None else {}
        if self.size is not None:
            words["size"] = str(self.size)
        return words | {"step": self.step} | ({"tab": self.tab} if self.tab != TABS[0] else {})


@dataclass(frozen=True, kw_only=True)
class View:
    """All that an address says.

    Attributes:
        settings: what is loaded and how it is protected.
        draws: how many draws the averages are over.
        level, region: where Zoom stands; the root when not set.
        inside: where Inside stands.
        decide: where Decide stands.
        aim: what Plan asks for.
    """

    settings: Settings
    draws: int = 100
    level: str | None = None
    region: str | None = None
    inside: Inside = Inside()
    decide: Decide = field(default_factory=Decide)
    aim: Aim = field(default_factory=Aim)

    @classmethod
    def from_query(cls, query: Mapping[str, str]) -> Self:
        """The view that an address asks for, held against its sample.

        Raises:
            HierdpError: a word of it says nothing usable.
        """
        kind = data_info(query.get("sample", Settings().sample)).kind
        usual = {"mechanism": mechanisms.names(kind)[0]}
        rules = [word for word in query if word.startswith(address.PREFIX)]
        settings = Settings.from_query({**usual, **query}, also=[*_OWN_WORDS, *rules])
        table = data(settings.sample).table
        settings.plan(table)
        if settings.quantity is not None:
            quantity(table, settings.quantity)
        view = cls(
            settings=settings,
            draws=_draws(query.get("draws", "100")),
            level=query.get("level"),
            region=query.get("region"),
            inside=_inside(query, table.domain.n_columns),
            decide=Decide.from_query(
                query,
                table,
                settings.quantity,
                _draws(query.get("draws", str(address.USUAL_DRAWS))),
            ),
            aim=Aim.from_query(query, table),
        )
        if view.level is not None and view.region is not None:
            table.regions.node(view.region, table.regions.level_index(view.level))
        elif view.level is not None or view.region is not None:
            raise ChoiceError("A place is named by its level and its region together.")
        return view

    def to_query(self) -> dict[str, str]:
        own = {"draws": str(self.draws)} if self.draws != 100 else {}
        if self.level is not None and self.region is not None:
            own |= {"level": self.level, "region": self.region}
        return self.settings.to_query() | own

    def inside_query(self) -> dict[str, str]:
        """What the address of Inside says: nothing of the settings while it shows the papers'."""
        return ({} if self.inside.paper else self.to_query()) | self.inside.to_query()

    def decide_query(self) -> dict[str, str]:
        """What the address of Decide says."""
        others = {name: v for name, v in self.to_query().items() if name != "draws"}
        return others | self.decide.to_query()

    def plan_query(self) -> dict[str, str]:
        """What the address of Plan says: nothing of what it looks for."""
        left_out: tuple[str, ...] = _FOUND if self.aim.given else (*_FOUND, "allocation")
        if self.aim.ask == "shares":
            left_out = ("allocation",)
        said = self.settings.to_query()
        kept = {name: value for name, value in said.items() if name not in left_out}
        return kept | self.aim.to_query()

    def stepping(self, **changes: Any) -> Self:
        """The same view, Inside standing elsewhere."""
        return replace(self, inside=replace(self.inside, **changes))

    def at(self, level: str, region: str) -> Self:
        """The same view, Zoom standing at a region."""
        return replace(self, level=level, region=region)

    def with_sample(self, sample: str) -> Self:
        """The same view of other data; what does not fit it goes back to its default."""
        kind = data_info(sample).kind
        fitting = mechanisms.names(kind)
        mechanism = self.settings.mechanism
        settings = replace(
            self.settings,
            sample=sample,
            mechanism=mechanism if mechanism in fitting else fitting[0],
            options={},
            allocation=None,
            quantity=None,
        )
        inside = replace(self.inside, size=None)
        return replace(
            self,
            settings=settings,
            level=None,
            region=None,
            inside=inside,
            decide=self.decide.elsewhere(),
            aim=Aim(ask=self.aim.ask),
        )

    def with_mechanism(self, mechanism: str) -> Self:
        settings = replace(self.settings, mechanism=mechanism, options={})
        return replace(self, settings=settings)


@dataclass(frozen=True, eq=False, kw_only=True)
class Own:
    """A table that a visitor brought. It lives in their session and nowhere else.

    Attributes:
        sample: the table as a sample with the id `OWN`.
        confidential: it may be looked at here, and must not leave: every file and picture
            made from it says so.
        ticket: names it in caches of this session.
    """

    sample: Sample
    confidential: bool
    ticket: str = field(default_factory=lambda: token_hex(16))


def own() -> Own | None:
    """The visitor's own data, where they have brought some."""
    found: Own | None = st.session_state.get(Key.OWN)
    return found


def is_confidential(sample: Sample) -> bool:
    """Whether `sample` is what a visitor brought and called confidential."""
    found = own()
    return found is not None and found.sample is sample and found.confidential


def bring(brought: Own) -> None:
    """Take a visitor's own data into their session, in place of any they brought before."""
    forget_own()
    st.session_state[Key.OWN] = brought
    keep(view().with_sample(OWN))


def forget_own() -> None:
    """Drop the visitor's own data, and all that was made from them."""
    st.session_state.pop(Key.OWN, None)
    for key in _HOLDING:
        held = st.session_state.pop(key, None)
        if hasattr(held, "cancel"):
            held.cancel()
    cache.forget()
    found = st.session_state.get(Key.VIEW)
    if found is not None and found.settings.sample == OWN:
        go(View(settings=Settings()))


def reading() -> Reading | None:
    """What was read on Your data and is not yet in use."""
    found: tuple[Reading, Any, bool] | None = st.session_state.get(Key.READING)
    return None if found is None else found[0]


def reading_ticket() -> Any:
    """Names the files that were read last."""
    found: tuple[Reading, Any, bool] | None = st.session_state.get(Key.READING)
    return None if found is None else found[1]


def reading_number() -> int:
    """Counts the times that files were forgotten; the uploader starts anew with each."""
    return int(st.session_state.get(Key.READING_NUMBER, 0))


def layout_stated() -> bool:
    """Whether the visitor stated what the columns of the files that were read last mean."""
    found: tuple[Reading, Any, bool] | None = st.session_state.get(Key.READING)
    return found is not None and found[2]


def keep_reading(reading: Reading, ticket: Any, *, layout_stated: bool) -> None:
    """Remember what was read; the controls of its columns start anew."""
    st.session_state[Key.READING] = (reading, ticket, layout_stated)
    for key in [k for k in st.session_state if str(k).startswith("w-data-")]:
        del st.session_state[key]


def forget_reading() -> None:
    """Drop what was read, and the files with it."""
    st.session_state.pop(Key.READING, None)
    st.session_state.pop(f"{Key.DATA_FILES}{reading_number()}", None)
    st.session_state.pop(f"{Key.DATA_REGIONS}{reading_number()}", None)
    st.session_state.pop(Key.DATA_PATH, None)
    st.session_state[Key.READING_NUMBER] = reading_number() + 1


def data_ids() -> tuple[str, ...]:
    """What can be opened: the visitor's own data first, then samples some mechanism takes."""
    fitting = tuple(id for id in samples.names() if mechanisms.names(samples.describe(id).kind))
    return (OWN, *fitting) if own() else fitting


def data_info(id: str) -> SampleInfo:
    """What `id` is.

    Raises:
        ChoiceError: there is no such sample, or no data were brought.
    """
    return data(id) if id == OWN else samples.describe(id)


def data(id: str) -> Sample:
    """The sample called `id`, or the visitor's own data.

    Raises:
        ChoiceError: there is no such sample, or no data were brought.
    """
    if id != OWN:
        return loading.sample(id)
    found = own()
    if found is None:
        raise ChoiceError(
            "Your own data are not in this session, or no longer. Load them on the page Your data."
        )
    return found.sample


def digest(settings: Settings) -> str:
    """What names a view in caches; own data are named by their ticket, never by content."""
    found = own()
    if settings.sample != OWN or found is None:
        return settings.to_toml()
    return f"{cache.PRIVATE}{found.ticket}\n{settings.to_toml()}"


def view() -> View:
    """Where this session stands; at its start, what the address says."""
    if Key.VIEW not in st.session_state:
        st.session_state[Key.VIEW] = _from_address()
    found: View = st.session_state[Key.VIEW]
    return found


def keep(view: View) -> None:
    """Remember the view."""
    st.session_state[Key.VIEW] = view


def go(view: View) -> None:
    """Remember the view and draw every control anew from it."""
    keep(view)
    for key in [k for k in st.session_state if str(k).startswith("w-")]:
        del st.session_state[key]


def arrive(page: str, *, own_address: bool = False) -> None:
    """On a page other than the last one, draw every control anew.

    Where the page reads the address itself, it says nothing about the view of the others.
    Streamlit drops the values of a page's widgets only after the next page has run.
    """
    if own_address and Key.VIEW not in st.session_state:
        keep(View(settings=Settings()))
        st.session_state[Key.BY_LINK] = page
    if st.session_state.get(Key.PAGE) != page:
        go(view())
        st.session_state[Key.PAGE] = page
        st.session_state.pop(Key.ADDRESS, None)
        return
    query = st.query_params.to_dict()
    said, since = st.session_state.get(Key.ADDRESS, (query, 0.0))
    if query and query != said and monotonic() - since > _ON_ITS_WAY:
        # The browser went there itself, so it knows: going on at once is heard.
        st.session_state[Key.ADDRESS] = (query, 0.0)
        if own_address:
            st.session_state[Key.BY_LINK] = page
            go(view())
        else:
            _go_back(query)


def address_of(page: str) -> dict[str, str]:
    """What the address says, once, on a page that reads it itself: after a link, or back."""
    by_link = st.session_state.pop(Key.BY_LINK, None) == page
    return st.query_params.to_dict() if by_link else {}


def write_address(query: Mapping[str, str]) -> None:
    """Say the view in the address bar, if it does not say so already.

    Nothing of one's own data goes there: an address is copied, logged and sent.
    """
    if query.get("sample") == OWN:
        query = {}
    if st.session_state.get(Key.ADDRESS, (None,))[0] != query:
        st.session_state[Key.ADDRESS] = (dict(query), monotonic())
    if st.query_params.to_dict() != query:
        st.query_params.from_dict(query)


def link(query: Mapping[str, str]) -> str:
    """The address of the page that is open, with `query`."""
    page = (st.context.url or "").split("?")[0]
    path = "" if page.count("/") > 2 else "/"
    return f"{page}{path}?{urlencode(query, safe=',')}"


def notice() -> str | None:
    """What went wrong with the link, once."""
    text: str | None = st.session_state.pop(Key.NOTICE, None)
    return text


def tell(text: str) -> None:
    """Leave a word for the next run."""
    st.session_state[Key.NOTICE] = text


def seeded(key: str, value: Any) -> str:
    """`key`, holding `value` unless the widget of that key has a value already."""
    if key not in st.session_state:
        st.session_state[key] = value
    return key


def put(key: str, value: Any) -> None:
    """Set a widget from code; before it is drawn, or in a callback."""
    st.session_state[key] = value


def get(key: str) -> Any:
    return st.session_state.get(key)


def forget(key: str) -> None:
    """Let a widget start anew."""
    st.session_state.pop(key, None)


def _go_back(query: Mapping[str, str]) -> None:
    """The browser went back or forth: stand where the address stands."""
    try:
        go(View.from_query(query))
    except HierdpError:
        return


def _from_address() -> View:
    try:
        return View.from_query(st.query_params.to_dict())
    except HierdpError as error:
        st.session_state[Key.NOTICE] = f"{error} The link is not used; this is the usual view."
        return View(settings=Settings())


def _inside(query: Mapping[str, str], columns: int) -> Inside:
    example = loading.sample(EXAMPLE).table
    if not set(query) - set(_INSIDE_WORDS):
        columns = example.domain.n_columns
    return Inside.from_query(query, columns, example.regions.ids)


def _draws(text: str) -> int:
    if not text.isdecimal() or int(text) not in DRAWS:
        choices = ", ".join(map(str, DRAWS))
        raise ChoiceError(f'The number of draws is one of {choices}; got "{text[:20]}".')
    return int(text)
