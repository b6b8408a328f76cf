"""Turns at computing: short work first, visitors alike, and nothing left behind."""

import threading
import time
from collections.abc import Callable

import pytest

from pages.ui.shell import turns
from pages.ui.shell.turns import Turns, Work


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(turns, "SLICE", 0.02)


def until(done: Callable[[], object]) -> None:
    end = time.monotonic() + 20
    while not done():
        assert time.monotonic() < end
        time.sleep(0.002)


def in_thread(do: Callable[[], None]) -> threading.Thread:
    thread = threading.Thread(target=do, daemon=True)
    thread.start()
    return thread


def queue_for(these: Turns, works: dict[str, Work]) -> list[str]:
    """The order in which works have a turn that wait while another one computes."""
    first, order = Work(owner="first"), list[str]()
    assert these.take(first)

    def wait(name: str, work: Work) -> None:
        these.take(work)
        order.append(name)
        these.give(work)

    threads = []
    for number, (name, work) in enumerate(works.items(), start=1):
        threads.append(in_thread(lambda name=name, work=work: wait(name, work)))
        until(lambda n=number: len(these._waiting) == n)
    these.give(first)
    for thread in threads:
        thread.join(20)
    assert not these._waiting
    return order


def test_what_has_computed_least_goes_first_and_equals_in_their_order() -> None:
    works = {"long": Work(owner=1, spent=9.0), "a": Work(owner=2), "b": Work(owner=3)}
    assert queue_for(Turns(1), works) == ["a", "b", "long"]


def test_a_second_computation_of_a_visitor_waits_behind_everybodys_first() -> None:
    these = Turns(2)
    running = Work(owner="ada")
    assert these.take(running)
    works = {"second of ada": Work(owner="ada"), "first of ben": Work(owner="ben", spent=5.0)}
    assert queue_for(these, works) == ["first of ben", "second of ada"]


def test_long_work_gives_its_turn_back_and_goes_on() -> None:
    these, steps = Turns(1), list[str]()

    def long() -> None:
        work = Work(owner="long")
        these.take(work)
        for _ in range(60):
            time.sleep(0.002)
            steps.append("long")
            these.pause(work)
        these.give(work)

    def short() -> None:
        work = Work(owner="short")
        these.take(work)
        steps.append("short")
        these.give(work)

    one = in_thread(long)
    until(lambda: steps)
    in_thread(short).join(20)
    one.join(20)
    assert steps.count("long") == 60
    assert steps.index("short") < 59


def test_what_is_not_wanted_waits_no_longer_and_leaves_nothing_behind() -> None:
    these, first, second = Turns(1), Work(owner=1), Work(owner=2)
    assert these.take(first)
    assert not these.take(second, wanted=lambda: False)
    these.give(first)
    assert these.asked_for == 0


def test_what_a_visitor_waits_for_does_not_wait_for_the_background() -> None:
    these, background = Turns(1), Work()
    assert these.take(background)
    ended = threading.Event()

    def waited_for() -> None:
        with these.urgent(), these.urgent():
            ended.set()

    in_thread(waited_for)
    assert ended.wait(20)
    these.give(background)
    with these.urgent():
        assert not these.take(background, wanted=lambda: False)


def test_no_more_urgent_work_computes_at_once_than_there_are_turns() -> None:
    these, most, now = Turns(2), 0, 0
    counting = threading.Lock()

    def waited_for() -> None:
        nonlocal most, now
        with these.urgent():
            with counting:
                now += 1
                most = max(most, now)
            time.sleep(0.01)
            with counting:
                now -= 1

    threads = [in_thread(waited_for) for _ in range(8)]
    for thread in threads:
        thread.join(20)
    assert most == 2


def test_background_work_stands_still_while_a_page_opens() -> None:
    these, steps = Turns(2), list[float]()
    stop = threading.Event()

    def background() -> None:
        work = Work()
        these.take(work)
        while not stop.is_set():
            steps.append(time.monotonic())
            time.sleep(0.002)
            these.pause(work)
        these.give(work)

    thread = in_thread(background)
    until(lambda: len(steps) > 3)
    with these.opening():
        time.sleep(0.05)  # what was begun is completed
        before = len(steps)
        time.sleep(0.2)
        assert len(steps) == before
    until(lambda: len(steps) > before + 3)
    stop.set()
    thread.join(20)


def test_pages_that_open_one_after_another_leave_half_of_the_time(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(turns, "STANDSTILL", 0.1)
    these, work = Turns(2), Work()
    assert these.take(work)
    stood, start = 0.0, time.monotonic()
    with these.opening():
        while time.monotonic() < start + 1:
            time.sleep(0.005)  # a simulation
            before = time.monotonic()
            assert these.pause(work)
            stood += time.monotonic() - before
    assert stood <= turns.STANDSTILL + 0.5 * (time.monotonic() - start) + 0.05
    assert stood >= turns.STANDSTILL
    these.give(work)


def test_short_waits_do_not_use_up_the_patience_for_the_next_page() -> None:
    these, work = Turns(2), Work()
    assert these.take(work)
    for _ in range(2):
        with these.opening():
            thread = in_thread(lambda: these.pause(work) and None)
            thread.join(0.1)
            assert thread.is_alive()
        thread.join(5)
        assert not thread.is_alive()
    these.give(work)


def test_background_work_goes_on_once_the_browser_has_drawn_the_page() -> None:
    these, work = Turns(2), Work()
    assert these.take(work)
    with these.opening(drawing=0.3):
        pass
    start = time.monotonic()
    these.pause(work)
    assert 0.2 < time.monotonic() - start < turns.STANDSTILL
    these.give(work)


def test_a_page_that_waits_for_work_does_not_stop_it() -> None:
    these, work = Turns(2), Work()
    assert these.take(work)
    with these.opening(), these.waiting_for_work():
        start = time.monotonic()
        these.pause(work)
        assert time.monotonic() - start < turns.STANDSTILL / 2
    these.give(work)


def test_work_that_is_no_longer_wanted_does_not_wait_for_a_page() -> None:
    these, work = Turns(2), Work()
    assert these.take(work)
    with these.opening():
        start = time.monotonic()
        these.pause(work, wanted=lambda: False)
        assert time.monotonic() - start < turns.STANDSTILL / 2
    these.give(work)
