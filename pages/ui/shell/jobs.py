"""Computations that take longer than a page may wait: one kind of job, one pool of threads.

A job runs while somebody watches it. When a session has left, nobody looks any more and its
jobs stop by themselves within `KEEP_ALIVE` seconds.
"""

from collections.abc import Callable, Hashable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from threading import Event
from time import monotonic
from typing import Any, Generic, TypeVar

import streamlit as st

from hierdp_core.util.parallel import cores
from pages.ui.shell import session

KEEP_ALIVE = 15.0  # seconds without a look after which a job stops
BEAT = 1.0  # seconds between two looks at a running job

Value = TypeVar("Value")


@dataclass(eq=False, kw_only=True)
class Job(Generic[Value]):
    """One computation in the background, started by the first look at it.

    Attributes:
        name: what is computed; two jobs with equal names compute the same.
        compute: called on a thread with the job; says whether everything is done. It reports its
            progress, and it returns early once the job is `unwanted`.
        value: what there is so far; `compute` replaces or extends it.
        total, done: how much there is to do, and how much of it is done.
        note: what is being done, in words.
        finished: nothing is left to do.
        quiet_looks: so many looks do not start the job, so that a first picture is not slowed.
    """

    name: Hashable
    compute: Callable[["Job[Value]"], bool]
    value: Value
    total: int = 1
    done: int = 0
    note: str = ""
    finished: bool = False
    quiet_looks: int = 0
    _stop: Event = field(default_factory=Event)
    _seen: float = field(default_factory=monotonic)
    _future: Future[None] | None = None

    @property
    def running(self) -> bool:
        """Whether more is to come while somebody watches."""
        return not (self.finished or self.stopped or self.failed)

    @property
    def stopped(self) -> bool:
        return self._stop.is_set() and not self.finished

    @property
    def failed(self) -> bool:
        return self._ended and bool(self._future and self._future.exception())

    @property
    def unwanted(self) -> bool:
        """Whether it was stopped or nobody watches any more."""
        return self._stop.is_set() or monotonic() - self._seen > KEEP_ALIVE

    @property
    def share(self) -> float:
        """How much of it is done, from 0 to 1."""
        return min(1.0, self.done / max(1, self.total))

    def report(self, done: int, total: int, note: str = "") -> None:
        """Note how far the computation is."""
        self.done, self.total, self.note = done, total, note

    def look(self) -> None:
        """Keep the job alive; start it, or start it again, if it does not run.

        Raises:
            Exception: what went wrong in the background.
        """
        self._seen = monotonic()
        self.check()
        if self.quiet_looks:
            self.quiet_looks -= 1
        elif self.running and (self._future is None or self._ended):
            self._future = _pool().submit(self._run)

    def check(self) -> None:
        """Raise what went wrong in the background, if anything did."""
        if self._ended and self._future is not None:
            self._future.result()

    def stop(self) -> None:
        """End the computation; what there is so far stays."""
        self._stop.set()

    @property
    def _ended(self) -> bool:
        return self._future is not None and self._future.done()

    def _run(self) -> None:
        if not self.unwanted:
            self.finished = self.compute(self)


def of(page: str, name: Hashable, make: Callable[[], Job[Value]]) -> Job[Value]:
    """The job of this session on a page: the one with this name, or a new one.

    A job with another name is stopped: nobody asks for it any more.
    """
    job = current(page)
    if job is not None and job.name == name:
        return job
    forget(page)
    made = make()
    session.put(_key(page), made)
    return made


def current(page: str) -> Job[Any] | None:
    """The job of this session on a page, running or not."""
    job: Job[Any] | None = session.get(_key(page))
    return job


def forget(page: str) -> None:
    """Stop the job of a page and drop what it made."""
    job = current(page)
    if job is not None:
        job.stop()
        session.forget(_key(page))


def forget_all() -> None:
    """Stop every job of this session and drop what they made."""
    for key in session.keys(session.Key.JOB):
        forget(key.removeprefix(session.Key.JOB))


def _key(page: str) -> str:
    return f"{session.Key.JOB}{page}"


@st.cache_resource(show_spinner=False)
def _pool() -> ThreadPoolExecutor:
    """The threads that all jobs of all visitors share, as many as cores."""
    return ThreadPoolExecutor(max_workers=cores(), thread_name_prefix="job")
