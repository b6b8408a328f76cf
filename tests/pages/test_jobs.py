"""Jobs: they run while somebody watches, stop when nobody does, and go on where they were."""

import contextlib
import math
import time
from collections.abc import Callable
from threading import Barrier, BrokenBarrierError, Event, Thread
from types import SimpleNamespace
from typing import Any

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from hierdp_core.util.parallel import cores
from pages.ui.shell import jobs, work
from pages.ui.shell import session as session_module
from pages.ui.shell.jobs import Job
from pages.ui.shell.turns import Turns, Work


@pytest.fixture(autouse=True)
def session(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    remembered: dict[str, Any] = {}
    monkeypatch.setattr(st, "session_state", remembered)
    return remembered


def counting(total: int = 1000, *, name: str = "count", pause: float = 0.002) -> Job[list[int]]:
    def compute(job: Job[list[int]]) -> bool:
        while job.done < job.total and not job.unwanted:
            time.sleep(pause)
            job.value.append(job.done)
            job.report(job.done + 1, total)
        return job.done >= job.total

    return Job(name=name, compute=compute, value=[], total=total)


def until(shown: Callable[[], bool]) -> None:
    ends = time.monotonic() + 20
    while not shown():
        assert time.monotonic() < ends
        time.sleep(0.01)


def test_it_starts_with_the_first_look_and_ends_by_itself() -> None:
    job = counting(20)
    assert job.running
    time.sleep(0.05)
    assert job.done == 0
    job.look()
    until(lambda: job.finished)
    assert job.value == list(range(20))
    assert (job.running, job.stopped, job.failed, job.share) == (False, False, False, 1.0)


def test_a_quiet_look_does_not_start_it() -> None:
    job = counting(3)
    job.quiet_looks = 1
    job.look()
    time.sleep(0.05)
    assert job.done == 0
    job.look()
    until(lambda: job.finished)


def test_it_stops_once_the_session_has_left_and_goes_on_when_it_is_back(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(jobs, "KEEP_ALIVE", 0.05)
    job = counting(200)
    job.look()
    until(lambda: job.unwanted and job._ended)
    assert 0 < job.done < 200
    assert job.running  # more is to come once somebody looks
    monkeypatch.setattr(jobs, "KEEP_ALIVE", 60.0)
    job.look()
    until(lambda: job.finished)
    assert job.value == list(range(200))


def test_stopping_keeps_what_there_is() -> None:
    job = counting()
    job.look()
    until(lambda: job.done > 3)
    job.stop()
    assert job.stopped
    assert not job.running
    until(lambda: job._ended)
    done = job.done
    job.look()
    time.sleep(0.05)
    assert job.done == done < 1000


def test_what_goes_wrong_is_raised_at_the_next_look() -> None:
    def fails(job: Job[None]) -> bool:
        raise ValueError("no such county")

    job = Job(name="fails", compute=fails, value=None)
    with contextlib.suppress(ValueError):  # where it fails before the first look ends
        job.look()
    until(lambda: job.failed)
    assert not job.running
    with pytest.raises(ValueError, match="no such county"):
        job.look()


def test_another_question_stops_the_job_of_the_one_before() -> None:
    first = jobs.of("page", "count", counting)
    assert jobs.of("page", "count", counting) is first
    second = jobs.of("page", "other", lambda: counting(name="other"))
    assert first.stopped
    assert jobs.current("page") is second


def test_forgetting_stops_every_job_of_the_session(session: dict[str, Any]) -> None:
    made = [jobs.of(page, "count", counting) for page in ("one", "two")]
    session["lessons-done"] = 1
    jobs.forget_all()
    assert all(job.stopped for job in made)
    assert session == {"lessons-done": 1}


class Visitors:
    """A server that knows who is there."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, *there: str) -> None:
        self.there, self.me = set(there), there[0]
        monkeypatch.setattr(session_module, "visitor", lambda: self.me)
        monkeypatch.setattr(session_module, "is_there", lambda id: id in self.there)
        monkeypatch.setattr(jobs, "LEFT", 0.1)


def test_the_work_of_those_who_left_stops_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    visitors = Visitors(monkeypatch, "ada")
    job = counting(100_000)
    job.look()
    until(lambda: job.done > 3)
    visitors.there.clear()
    until(lambda: job._ended)
    assert job.done < 100_000


def test_visitors_with_the_same_question_share_one_job(
    monkeypatch: pytest.MonkeyPatch, session: dict[str, Any]
) -> None:
    visitors = Visitors(monkeypatch, "ada", "ben")
    first = jobs.of("page", "count", counting, shared=True)
    first.look()
    visitors.me = "ben"
    session.clear()  # that of the other visitor
    second = jobs.of("page", "count", counting, shared=True)
    assert second is first
    second.look()
    second.stop()
    assert second.stopped
    visitors.me = "ada"
    assert first.running
    assert not first.stopped
    visitors.there.remove("ben")
    first.stop()
    until(lambda: first._ended)
    assert first.done < 1000


def test_data_of_ones_own_are_not_shared() -> None:
    one, other = counting(), counting()
    assert jobs.of("page", "count", lambda: one) is one
    assert jobs.of("elsewhere", "count", lambda: other) is other


def test_looks_are_rarer_while_many_compute(monkeypatch: pytest.MonkeyPatch) -> None:
    assert jobs.beat() == jobs.BEAT
    crowd = Turns(1)
    crowd._waiting = [Work() for _ in range(40 * cores())]
    monkeypatch.setattr(jobs, "TURNS", crowd)
    assert jobs.BEAT < jobs.beat() <= jobs.KEEP_ALIVE / 3
    assert jobs.threads() == 1


def test_a_job_that_fails_during_a_look_is_not_taken_for_complete(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    goes_on = Event()

    def compute(job: Job[None]) -> bool:
        goes_on.wait(20)
        raise ValueError("no")

    job = Job(name="fails", compute=compute, value=None)
    assert job.look()

    def running_once_it_failed(job: Job[None]) -> bool:
        goes_on.set()
        until(lambda: job.failed)
        return False

    monkeypatch.setattr(Job, "running", property(running_once_it_failed))
    with pytest.raises(ValueError, match="no"):
        job.look()


def test_two_visitors_who_look_at_once_start_a_job_once(monkeypatch: pytest.MonkeyPatch) -> None:
    starts: list[int] = []
    both, ends = Barrier(2), Event()

    def compute(job: Job[None]) -> bool:
        starts.append(1)
        return ends.wait(20)

    def running(_: Job[None]) -> bool:
        with contextlib.suppress(BrokenBarrierError):
            both.wait(0.2)
        return True

    monkeypatch.setattr(Job, "running", property(running))
    monkeypatch.setattr(jobs.TURNS, "take", lambda *_, **__: True)
    monkeypatch.setattr(jobs.TURNS, "give", lambda _: None)
    job = Job(name="shared", compute=compute, value=None)
    looks = [Thread(target=job.look) for _ in range(2)]
    for look in looks:
        look.start()
    for look in looks:
        look.join()
    until(lambda: bool(starts))
    ends.set()
    assert len(starts) == 1


def _page_with_a_title_from_a_part() -> None:
    from types import SimpleNamespace

    import streamlit as st

    from pages.ui.shell import parts

    st.session_state["runs"] = runs = st.session_state.get("runs", 0) + 1
    above = SimpleNamespace(n=3 if runs == 1 else 100)
    parts.status(SimpleNamespace(n_simulations=100), SimpleNamespace(), above)  # type: ignore[arg-type]


def test_a_page_is_drawn_anew_where_the_job_ended_below_its_title(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.undo()
    monkeypatch.setattr(work, "simulations", lambda *_: (SimpleNamespace(n=100), None))
    page = AppTest.from_function(_page_with_a_title_from_a_part).run()
    assert not page.exception
    assert page.session_state["runs"] == 2


def test_a_job_that_is_soon_done_is_looked_at_more_often(monkeypatch: pytest.MonkeyPatch) -> None:
    assert jobs.QUICKEST_BEAT == jobs.beat(1.0) < jobs.beat(5.0) < jobs.beat(60.0) == jobs.BEAT
    crowd = Turns(1)
    crowd._waiting = [Work() for _ in range(cores() + 1)]
    monkeypatch.setattr(jobs, "TURNS", crowd)
    assert jobs.beat(1.0) >= jobs.BEAT


def test_the_time_left_is_reported_from_the_rate_so_far() -> None:
    job = counting(400, pause=0.005)
    assert job.seconds_left == math.inf
    job.look()
    until(lambda: job.done > 20)
    assert 0 < job.seconds_left < 60
    job.stop()
    until(lambda: job._ended)
