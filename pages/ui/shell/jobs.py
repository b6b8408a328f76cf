"""Computations that take too long for a page to wait: one kind of job, one queue for all.

A job runs while a page looks at it. It stops within `LEFT` seconds after its visitors have left,
and within `KEEP_ALIVE` after the last look. Visitors who need the same result of a sample share
one job.
"""

from collections.abc import Callable, Hashable
from concurrent.futures import Future
from dataclasses import dataclass, field
from threading import Event, Lock, Thread, get_ident
from time import monotonic
from typing import Any, Generic, TypeVar
from weakref import WeakValueDictionary

from hierdp_core.util.parallel import cores
from pages.ui.shell import session
from pages.ui.shell.turns import TURNS, Work

KEEP_ALIVE = 20.0  # seconds without a look after which a job stops
LEFT = 3.0  # seconds after which a visitor whose connection is gone counts as having left
BEAT = 1.0  # seconds between two looks at a running job, if few jobs run
QUICKEST_BEAT = 0.25  # seconds between two looks at a short job, at least
_LOOKS = 8  # approximate number of looks at a short job
_SLOWEST_BEAT = 5.0

Value = TypeVar("Value")


@dataclass(eq=False, kw_only=True)
class Job(Generic[Value]):
    """One computation in the background, started by the first look at it.

    Attributes:
        name: identifies the computation; two jobs with equal names compute the same.
        compute: called on a thread with the job; returns whether everything is done. It reports
            its progress, and returns early if the job is `unwanted`.
        value: the result so far; `compute` replaces or extends it.
        total, done: the amount of work, and the completed part of it.
        note: the current step, in words.
        finished: whether everything is done.
        quiet_looks: the number of looks before the job starts, so that it does not delay the
            first picture.
        visitors: the sessions that watch the job.
        seconds: the expected duration; infinite if it is not known.
    """

    name: Hashable
    compute: Callable[["Job[Value]"], bool]
    value: Value
    total: int = 1
    done: int = 0
    note: str = ""
    finished: bool = False
    quiet_looks: int = 0
    visitors: set[str] = field(default_factory=set)
    seconds: float = float("inf")
    _began: tuple[float, int] | None = None
    _declined: set[str | None] = field(default_factory=set)
    _stop: Event = field(default_factory=Event)
    _seen: float = field(default_factory=monotonic)
    _met: float = field(default_factory=monotonic)
    _starting: Lock = field(default_factory=Lock)
    _future: Future[None] | None = None
    _work: Work = field(default_factory=Work)
    _thread: int = 0

    @property
    def running(self) -> bool:
        """Whether the job is neither finished, stopped nor failed."""
        return not (self.finished or self.stopped or self.failed)

    @property
    def stopped(self) -> bool:
        ended = self._stop.is_set() or session.visitor() in self._declined
        return ended and not self.finished

    @property
    def failed(self) -> bool:
        return self._ended and bool(self._future and self._future.exception())

    @property
    def unwanted(self) -> bool:
        """Whether the job was stopped or nobody watches it any more.

        When the computation itself reads this, other work also gets its turn.
        """
        if self._thread == get_ident():
            TURNS.pause(self._work, wanted=lambda: not self._is_over())
        return self._is_over()

    @property
    def share(self) -> float:
        """The completed proportion, from 0 to 1."""
        return min(1.0, self.done / max(1, self.total))

    @property
    def seconds_left(self) -> float:
        """The time left at the rate so far; infinite if it is not known yet."""
        if self._began is None or self.done <= self._began[1]:
            return float("inf")
        since, before = self._began
        return (self.total - self.done) * (monotonic() - since) / (self.done - before)

    def report(self, done: int, total: int, note: str = "") -> None:
        """Store the progress of the computation."""
        self.done, self.total, self.note = done, total, note

    def look(self) -> bool:
        """Keep the job alive; start it if it does not run.

        Returns:
            whether the job runs. A page looks first and reads `value` afterwards. If the job does
            not run any more, that value is final.

        Raises:
            Exception: the error of the computation.
        """
        self._seen = self._met = monotonic()
        if visitor := session.visitor():
            self.visitors.add(visitor)
        with self._starting:  # visitors who share a job look at once
            if self.quiet_looks:
                self.quiet_looks -= 1
            elif self.running and (self._future is None or self._ended):
                self._start()
        running = self.running
        self.check()  # a failed job does not run either, and its value is not complete
        return running

    def check(self) -> None:
        """Raise the error of the computation, if there was one."""
        if self._ended and self._future is not None:
            self._future.result()

    def stop(self) -> None:
        """End the computation for this visitor; the value so far stays."""
        visitor = session.visitor()
        self.visitors.discard(visitor or "")
        if any(session.is_there(other) for other in self.visitors):
            self._declined.add(visitor)
        else:
            self._stop.set()

    @property
    def _ended(self) -> bool:
        return self._future is not None and self._future.done()

    def _is_over(self) -> bool:
        now = monotonic()
        if any(session.is_there(visitor) for visitor in self.visitors):
            self._met = now
        left = bool(self.visitors) and now - self._met > LEFT
        return self._stop.is_set() or left or now - self._seen > KEEP_ALIVE

    def _start(self) -> None:
        self._future = future = Future[None]()
        self._work.owner = session.visitor()
        Thread(target=self._run, args=(future,), name="job", daemon=True).start()

    def _run(self, future: Future[None]) -> None:
        self._thread = get_ident()
        try:
            if TURNS.take(self._work, wanted=lambda: not self._is_over()):
                self._began = monotonic(), self.done
                try:
                    self.finished = self.compute(self)
                finally:
                    TURNS.give(self._work)
        except BaseException as error:  # noqa: BLE001 -- raised again at the next look
            future.set_exception(error)
        else:
            future.set_result(None)


def beat(seconds: float = float("inf")) -> float:
    """Return the seconds between two looks at a running job.

    Looks take time, so there are fewer if many jobs run.

    Args:
        seconds: the expected duration of the job. There are more looks at a short job, if no more
            jobs run than there are cores.
    """
    if TURNS.asked_for <= cores():
        return min(BEAT, max(QUICKEST_BEAT, seconds / _LOOKS))
    return min(_SLOWEST_BEAT, BEAT * max(1.0, TURNS.asked_for / (2 * cores())))


def threads() -> int:
    """Return the number of threads that a background computation may use."""
    return max(1, cores() // max(1, TURNS.asked_for))


def of(
    page: str, name: Hashable, make: Callable[[], Job[Value]], *, shared: bool = False
) -> Job[Value]:
    """Return the job of this session on a page: the one with this name, or a new one.

    A job with another name is stopped, since this visitor needs it no longer.

    Args:
        page: the page of the job.
        name: identifies the computation.
        make: makes the job.
        shared: whether visitors who need the same result share one job; False for own data.
    """
    job = current(page)
    if job is not None and job.name == name:
        return job
    forget(page)
    made = _shared(page, name, make) if shared else make()
    session.put(_key(page), made)
    return made


def _shared(page: str, name: Hashable, make: Callable[[], Job[Value]]) -> Job[Value]:
    with _sharing:
        job = _common.get((page, name))
        if job is None or job._stop.is_set() or job.failed:
            job = _common[page, name] = make()
        job._declined.discard(session.visitor())
        if visitor := session.visitor():
            job.visitors.add(visitor)
        return job


def current(page: str) -> Job[Any] | None:
    """Return the job of this session on a page, running or not; None if there is none."""
    job: Job[Any] | None = session.get(_key(page))
    return job


def forget(page: str) -> None:
    """Stop the job of a page and drop its value."""
    job = current(page)
    if job is not None:
        job.stop()
        session.forget(_key(page))


def forget_all() -> None:
    """Stop every job of this session and drop their values."""
    for key in session.keys(session.Key.JOB):
        forget(key.removeprefix(session.Key.JOB))


def _key(page: str) -> str:
    return f"{session.Key.JOB}{page}"


_common: WeakValueDictionary[tuple[str, Hashable], Job[Any]] = WeakValueDictionary()
_sharing = Lock()
