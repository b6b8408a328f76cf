"""Tasks that occupy all cores are not divided any further."""

import threading

import pytest

from hierdp_core.solvers import threads
from hierdp_core.solvers.threads import in_chunks
from hierdp_core.util import parallel
from hierdp_core.util.parallel import in_parallel, is_one_of_many

CELLS = 10**6


@pytest.fixture(autouse=True)
def three_cores(monkeypatch):
    monkeypatch.setattr(parallel, "cores", lambda: 3)
    monkeypatch.setattr(threads, "cores", lambda: 3)


def pieces(_task=None):
    """Return how the work on 100 rows is divided, and whether this thread does all of it."""
    found = []
    in_chunks(lambda a, b: found.append((a, b, threading.get_ident())), 100, cells=CELLS)
    assert sorted(row for a, b, _ in found for row in range(a, b)) == list(range(100))
    return len(found), {where for *_, where in found} == {threading.get_ident()}


@pytest.mark.parametrize(("tasks", "workers"), [(3, None), (9, 3), (4, 8)])
def test_a_task_among_many_stays_on_its_thread(tasks, workers):
    assert in_parallel(pieces, range(tasks), workers=workers) == [(1, True)] * tasks


@pytest.mark.parametrize(("tasks", "workers"), [(2, None), (9, 2), (1, 3)])
def test_few_tasks_are_divided(tasks, workers):
    for n, alone in in_parallel(pieces, range(tasks), workers=workers):
        assert n > 1
        assert not alone


def test_a_task_of_a_task_among_many_is_not_divided():
    def outer(_):
        return in_parallel(pieces, range(1), workers=1), is_one_of_many()

    assert in_parallel(outer, range(3)) == [([(1, True)], True)] * 3
    assert not is_one_of_many()


def test_work_on_this_thread_alone_is_divided():
    assert pieces()[0] > 1
