"""Turns for computations: as many at once as there are cores, shared fairly among visitors.

The duration of a computation is not known in advance. The computation with the least computing
time so far goes first, so short work passes long work, and a visitor's second computation waits
for the first ones of other visitors. Long work gives its turn back regularly. Work that a page
waits for goes before all work in the background. So does a page that opens, for two seconds.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from threading import Condition, local
from time import monotonic

from hierdp_core.util.parallel import cores

SLICE = 0.5  # seconds of computing after which others have their turn
_LOOKS = 0.2  # seconds between looks at whether a turn is still wanted
STANDSTILL = 2.0  # seconds of waiting for opening pages; in the long run at most half the time
DRAWING = 0.5  # seconds in which a browser shows a page that a visitor opened


@dataclass(eq=False, kw_only=True)
class Work:
    """A computation that takes turns.

    Attributes:
        owner: the visitor of the computation.
        spent: the computing time so far, in seconds.
    """

    owner: object = None
    spent: float = 0.0
    _since: float = 0.0
    # The end of the last wait for opening pages, and the seconds that it could still have lasted.
    _stood: tuple[float, float] = (float("-inf"), STANDSTILL)


@dataclass(eq=False)
class Turns:
    """Turns for a number of computations at once."""

    at_once: int
    _waiting: list[Work] = field(default_factory=list)
    _running: list[Work] = field(default_factory=list)
    _urgent: int = 0
    _urgent_waiting: int = 0
    _opening: int = 0
    _drawn: float = float("-inf")  # when the browser is likely to have drawn what was opened
    _changed: Condition = field(default_factory=Condition)
    _here: local = field(default_factory=local)

    @property
    def asked_for(self) -> int:
        """The number of background computations that run or wait."""
        return len(self._waiting) + len(self._running)

    def take(self, work: Work, *, wanted: Callable[[], bool] = lambda: True) -> bool:
        """Wait for a turn; return False if `wanted` becomes false meanwhile."""
        with self._changed:
            self._waiting.append(work)
            try:
                while not (self._is_free() and self._next() is work):
                    self._changed.wait(_LOOKS)
                    if not wanted():
                        return False
                work._since = monotonic()
                self._running.append(work)
                return True
            finally:
                self._waiting.remove(work)
                self._changed.notify_all()

    def give(self, work: Work) -> None:
        """End a turn."""
        with self._changed:
            self._running.remove(work)
            work.spent += monotonic() - work._since
            self._changed.notify_all()

    def pause(self, work: Work, *, wanted: Callable[[], bool] = lambda: True) -> bool:
        """Let other work have its turn if it is due; return False if `wanted` becomes false."""
        self._wait_for_pages(work, wanted)
        if not self._is_due(work):
            return True
        self.give(work)
        if self.take(work, wanted=wanted):
            return True
        with self._changed:  # the caller gives the turn back at its end
            work._since = monotonic()
            self._running.append(work)
        return False

    @contextmanager
    def urgent(self) -> Iterator[None]:
        """Run the block, for which a page waits, before background work; no effect if nested."""
        if getattr(self._here, "urgent", False):
            yield
            return
        with self._changed:
            self._urgent_waiting += 1
            while self._urgent >= self.at_once:
                self._changed.wait()
            self._urgent_waiting -= 1
            self._urgent += 1
        self._here.urgent = True
        try:
            yield
        finally:
            self._here.urgent = False
            with self._changed:
                self._urgent -= 1
                self._changed.notify_all()

    @contextmanager
    def opening(self, *, drawing: float = 0.0) -> Iterator[None]:
        """Hold background work while the block makes a page, and for `drawing` seconds after it."""
        with self._pages_more(1):
            yield
        self._drawn = max(self._drawn, monotonic() + drawing)

    @contextmanager
    def waiting_for_work(self) -> Iterator[None]:
        """Let work in the background go on while a page that opens waits for it."""
        self._drawn = float("-inf")
        with self._pages_more(-1):
            yield

    @contextmanager
    def _pages_more(self, n: int) -> Iterator[None]:
        with self._changed:
            self._opening += n
            self._changed.notify_all()
        try:
            yield
        finally:
            with self._changed:
                self._opening -= n
                self._changed.notify_all()

    def _wait_for_pages(self, work: Work, wanted: Callable[[], bool]) -> None:
        if not self._is_opening():
            return
        now = monotonic()
        until, left = work._stood
        patience = min(STANDSTILL, left + now - until)
        with self._changed:
            while self._is_opening() and monotonic() < now + patience and wanted():
                self._changed.wait(min(_LOOKS, patience))
        end = monotonic()
        work._stood = end, max(0.0, patience - (end - now))

    def _is_opening(self) -> bool:
        return self._opening > 0 or monotonic() < self._drawn

    def _is_free(self) -> bool:
        return len(self._running) + self._urgent + self._urgent_waiting < self.at_once

    def _next(self) -> Work:
        """Return the next work: fewest running for its visitor, then least computing time."""
        owners = [work.owner for work in self._running]
        return min(self._waiting, key=lambda work: (owners.count(work.owner), work.spent))

    def _is_due(self, work: Work) -> bool:
        with self._changed:
            crowded = len(self._running) + self._urgent + self._urgent_waiting > self.at_once
            return crowded or (bool(self._waiting) and monotonic() - work._since > SLICE)


TURNS = Turns(cores())
urgent = TURNS.urgent
opening = TURNS.opening
waiting_for_work = TURNS.waiting_for_work
