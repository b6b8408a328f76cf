"""The address of a page: the view that pages share, and the parameters of each page.

A page describes its own parameters as a frozen `PageAddress` and passes the type to `frame.page`.
There is one parser, `parse`. It reads the shared parameters and leaves the others to the open page.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, replace
from time import monotonic
from typing import ClassVar, Self, TypeVar
from urllib.parse import urlencode

import streamlit as st

from hierdp_core import mechanisms
from hierdp_core.exceptions import ChoiceError, HierdpError
from hierdp_core.hierarchy import Regions
from hierdp_core.samples.sample import OWN
from hierdp_core.settings import Settings
from hierdp_core.tables import quantity
from hierdp_core.writers.notebook import Cells
from pages.ui.shell import datasets, navigation, session
from pages.ui.shell.areas import PIN_WORDS, Area
from pages.ui.shell.session import Key

SIMULATIONS = (10, 30, 100, 300, 1000)
_USUAL_SIMULATIONS = 100
_SHARED_WORDS = ("draws", "level", "region", *PIN_WORDS)
_LONGEST = 1_000  # characters of one value in an address
_ON_ITS_WAY = 1.0  # seconds that a browser may need to apply a new address


@dataclass(frozen=True, kw_only=True)
class PageAddress(ABC):
    """The parameters that the address of one page has besides those of the shared view.

    Attributes:
        WORDS: the names of the page's own parameters.
        STANDALONE: whether all parameters are the page's own, without the shared view.
        USUAL: a sentence that states what is shown if a link cannot be used.
    """

    WORDS: ClassVar[tuple[str, ...]] = ()
    STANDALONE: ClassVar[bool] = False
    USUAL: ClassVar[str] = "The default view is shown."

    @classmethod
    def start(cls, view: "View") -> Self:
        """Return the state of the page before anything is chosen on it."""
        return cls()

    @classmethod
    def owns(cls, word: str) -> bool:
        """Return whether a parameter of the address is one of the page's own."""
        return cls.STANDALONE or word in cls.WORDS

    @classmethod
    @abstractmethod
    def from_query(cls, query: Mapping[str, str], view: "View") -> Self:
        """Return the state that an address describes.

        Args:
            query: all parameters of the address.
            view: the view that its shared parameters describe.

        Raises:
            HierdpError: a parameter has no valid value.
        """

    @abstractmethod
    def to_query(self) -> dict[str, str]:
        """Return the page's own parameters."""

    def full_query(self, view: "View") -> dict[str, str]:
        """Return all parameters of the address."""
        if self.STANDALONE:
            return self.to_query()
        return view.at_root().to_query() | self.to_query()

    def notebook(self, view: "View") -> Cells | None:
        """Return the cells of the page's notebook; None if the notebook of Overview serves."""
        return None

    def elsewhere(self) -> Self:
        """Return the state for other data; values that do not fit become the defaults."""
        return self

    @property
    def shows_own_data(self) -> bool:
        """Whether the page shows a visitor's own data, independently of the shared view."""
        return False


Page = TypeVar("Page", bound=PageAddress)


@dataclass(frozen=True, kw_only=True)
class View:
    """The state of a session that addresses hold.

    Attributes:
        settings: the data and how they are protected.
        n_simulations: the number of simulations behind averages.
        level, region: the area shown; the root by default.
        pins: up to two pinned areas.
        by_link: whether the view came from a link.
        pages: the states of single pages.
    """

    settings: Settings
    n_simulations: int = _USUAL_SIMULATIONS
    level: str | None = None
    region: str | None = None
    pins: tuple[Area, ...] = ()
    by_link: bool = False
    pages: tuple[PageAddress, ...] = ()

    @classmethod
    def from_query(cls, query: Mapping[str, str]) -> Self:
        """Return the view of the shared parameters, checked against its sample.

        Raises:
            HierdpError: a parameter has no valid value.
        """
        kind = datasets.info(query.get("sample", Settings().sample)).kind
        usual = {"mechanism": mechanisms.names(kind)[0]}
        settings = Settings.from_query({**usual, **query}, also=_SHARED_WORDS)
        table = datasets.get(settings.sample).table
        settings.plan(table)
        if settings.quantity is not None:
            quantity(table, settings.quantity)
        view = cls(
            settings=settings,
            n_simulations=read_simulations(query.get("draws", str(_USUAL_SIMULATIONS))),
            level=query.get("level"),
            region=query.get("region"),
            pins=_pins(query, table.regions),
            by_link=bool(query),
        )
        if view.level is not None and view.region is not None:
            table.regions.node(view.region, table.regions.level_index(view.level))
        elif view.level is not None or view.region is not None:
            raise ChoiceError('The link must contain both "level" and "region".')
        return view

    def to_query(self) -> dict[str, str]:
        """Return the shared parameters of the address."""
        own = {"draws": str(self.n_simulations)} if self.n_simulations != _USUAL_SIMULATIONS else {}
        if self.level is not None and self.region is not None:
            own |= {"level": self.level, "region": self.region}
        return self.settings.to_query() | own | self.pin_query()

    def pin_query(self) -> dict[str, str]:
        """Return the parameters of the pinned areas."""
        return {word: area.word for word, area in zip(PIN_WORDS, self.pins, strict=False)}

    def of(self, kind: type[Page]) -> Page:
        """Return the state of a page."""
        for page in self.pages:
            if isinstance(page, kind):
                return page
        return kind.start(self)

    def having(self, page: PageAddress) -> Self:
        """Return the view with a new state of one page."""
        others = tuple(other for other in self.pages if type(other) is not type(page))
        return replace(self, pages=(*others, page))

    def at(self, level: str, region: str) -> Self:
        """Return the view with this area selected."""
        return replace(self, level=level, region=region)

    def at_root(self) -> Self:
        """Return the view with no area selected."""
        return replace(self, level=None, region=None)

    def with_pin(self, area: Area) -> Self:
        """Return the view with one more area pinned, in place of the second if there are two."""
        kept = tuple(pin for pin in self.pins if pin != area)[: len(PIN_WORDS) - 1]
        return replace(self, pins=(*kept, area))

    def without_pin(self, area: Area) -> Self:
        """Return the view without this area among the pinned ones."""
        return replace(self, pins=tuple(pin for pin in self.pins if pin != area))

    def with_sample(self, sample: str) -> Self:
        """Return the view for other data; settings that do not fit become the defaults."""
        fitting = mechanisms.names(datasets.info(sample).kind)
        mechanism = self.settings.mechanism
        settings = replace(
            self.settings,
            sample=sample,
            mechanism=mechanism if mechanism in fitting else fitting[0],
            options={},
            allocation=None,
            quantity=None,
        )
        pages = tuple(page.elsewhere() for page in self.pages)
        return replace(self.at_root(), settings=settings, pins=(), pages=pages)

    def with_mechanism(self, mechanism: str) -> Self:
        settings = replace(self.settings, mechanism=mechanism, options={})
        return replace(self, settings=settings)

    def without_own_data(self) -> Self:
        """Return the same view without the pages that show a visitor's own data."""
        return replace(self, pages=tuple(p for p in self.pages if not p.shows_own_data))


def parse(
    query: Mapping[str, str], kind: type[PageAddress] | None = None, *, before: View | None = None
) -> View:
    """Return the view that an address describes.

    Args:
        query: the parameters of the address.
        kind: the type of the open page's own parameters, if it has any.
        before: the view of the session so far, whose standalone pages keep their state.

    Raises:
        HierdpError: a parameter has no valid value.
    """
    before = before or View(settings=Settings())
    _require_short(query)
    if kind is not None and kind.STANDALONE:
        return before.having(kind.from_query(query, before)) if query else before
    own = [word for word in query if kind is not None and kind.owns(word)]
    view = View.from_query({word: text for word, text in query.items() if word not in own})
    alone = tuple(page for page in before.pages if page.STANDALONE)
    view = replace(view, by_link=bool(query), pages=alone)
    return view.having(kind.from_query(query, view)) if kind is not None and query else view


def _require_short(query: Mapping[str, str]) -> None:
    """Refuse long values: a number with 100,000 digits would take seconds to parse."""
    for word, text in query.items():
        if len(text) > _LONGEST:
            raise ChoiceError(f'The value of "{word[:40]}" in the link is too long.')


def _pins(query: Mapping[str, str], regions: Regions) -> tuple[Area, ...]:
    pins = [Area.from_word(query[word], regions) for word in PIN_WORDS if word in query]
    return tuple(dict.fromkeys(pins))


def read_simulations(text: str) -> int:
    """Return the number of simulations in an address.

    Raises:
        ChoiceError: the number is not one of `SIMULATIONS`.
    """
    if not text.isdecimal() or int(text) not in SIMULATIONS:
        choices = ", ".join(map(str, SIMULATIONS))
        raise ChoiceError(f'The number of simulations must be one of {choices}; got "{text[:20]}".')
    return int(text)


def view() -> View:
    """Return the view of this session."""
    kept: View | None = session.get(Key.VIEW)
    return kept or View(settings=Settings())


def keep(new_view: View) -> None:
    """Store the view in the session."""
    session.put(Key.VIEW, new_view)


def go(view: View) -> None:
    """Store the view in the session and reset every control from it."""
    keep(view)
    session.forget_widgets()


def arrive(page: str, kind: type[PageAddress] | None) -> None:
    """Apply the address: at the start of a session, after a link, and after going back.

    On a page other than the last one, every control is reset, because Streamlit drops the values
    of a page's widgets only after the next page has run.

    At any access to the session, Streamlit may end this run and start the next one. The page is
    therefore recorded last, so that an interrupted run is repeated.
    """
    first = session.get(Key.VIEW) is None
    if first:
        keep(_linked(st.query_params.to_dict(), kind))
    followed: tuple[dict[str, str], bool] | None = session.get(Key.LINK)
    if followed is not None:
        words, keep_view = followed
        go(_followed(words, kind, keep_view=keep_view))
    query = st.query_params.to_dict()
    last_query, since = session.get(Key.ADDRESS) or (query, 0.0)
    if session.get(Key.PAGE) != page:
        go(view())
        if query and not first and followed is None and session.in_browser():
            _go_back(query, kind)  # a new page has no parameters until the browser returns to it
        session.forget(Key.ADDRESS)
        session.put(Key.PAGE, page)
    elif query and query != last_query and monotonic() - since > _ON_ITS_WAY:
        _go_back(query, kind)
        # The browser itself went to this address, so its next step counts at once.
        session.put(Key.ADDRESS, (query, 0.0))
    session.forget(Key.LINK)


def follow(script: str, words: Mapping[str, str], *, keep_view: bool = False) -> None:
    """Open a page of the app at an address.

    Args:
        script: the script of the page.
        words: the parameters of the address.
        keep_view: change only these parameters; otherwise all others get their defaults.
    """
    session.put(Key.LINK, (dict(words), keep_view))
    navigation.to(script, None if keep_view else words)


def write(query: Mapping[str, str]) -> None:
    """Write the view to the address bar, if it is not there already.

    Nothing about a visitor's own data is written, because addresses are copied, logged and sent.
    """
    query = public(query)
    arriving = session.get(Key.ADDRESS) is None and not st.query_params.to_dict()
    if (session.get(Key.ADDRESS) or (None,))[0] != query:
        session.put(Key.ADDRESS, (dict(query), monotonic()))
    if arriving and navigation.complete(query):
        return
    if st.query_params.to_dict() != query:
        st.query_params.from_dict(query)


def public(query: Mapping[str, str]) -> dict[str, str]:
    """Return the parameters that an address may show: none for a visitor's own data."""
    return {} if query.get("sample") == OWN else dict(query)


def link(query: Mapping[str, str]) -> str:
    """Return the address of the open page with these parameters."""
    page = (st.context.url or "").split("?")[0]
    path = "" if page.count("/") > 2 else "/"
    return f"{page}{path}?{urlencode(query, safe=',')}"


def _linked(query: Mapping[str, str], kind: type[PageAddress] | None) -> View:
    """Return the view of a link; if it is not valid, the view before and a message."""
    before = session.get(Key.VIEW)
    try:
        return parse(query, kind, before=before)
    except HierdpError as error:
        usual = PageAddress.USUAL if kind is None else kind.USUAL
        session.tell(f"{error} The link was not used. {usual}")
        return before or View(settings=Settings())


def _followed(words: dict[str, str], kind: type[PageAddress] | None, *, keep_view: bool) -> View:
    now = view()
    if keep_view and kind is not None:
        return now.having(kind.from_query(now.of(kind).full_query(now) | words, now))
    return _linked(words, kind)


def _go_back(query: Mapping[str, str], kind: type[PageAddress] | None) -> None:
    """Restore the view of the address after the browser went back or forward."""
    before = view()
    try:
        target = parse(query, kind, before=before)
    except HierdpError:
        return
    if kind is not None and "sample" not in query:  # an address with parameters of the page only
        target = before.having(target.of(kind))
    elif target.settings.sample == before.settings.sample:
        known = {type(page) for page in target.pages}
        others = tuple(page for page in before.pages if type(page) not in known)
        target = replace(target, pages=target.pages + others)
    go(target)
