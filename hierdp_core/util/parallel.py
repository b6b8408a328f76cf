"""Many pieces of work, on a few threads or a Dask cluster, in the order they were asked for."""

import os
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from functools import partial
from typing import Any, TypeVar

Task = TypeVar("Task")
Result = TypeVar("Result")
Progress = Callable[[int, int], None]  # (done, total)
NamedProgress = Callable[[int, int, str], None]  # (done, total, what is being done)
Cancel = Callable[[], bool]


def cores() -> int:
    """At least 1; honours the process's affinity where the system knows it."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def in_parallel(
    work: Callable[[Task], Result],
    tasks: Iterable[Task],
    *,
    workers: int | None = None,
    client: Any = None,
    progress: Progress | None = None,
    cancel: Cancel | None = None,
    skip: Callable[[Task], bool] | None = None,
    arrived: Callable[[Result], None] | None = None,
) -> list[Result]:
    """What `work` makes of each task, in the order of the tasks.

    Args:
        work: called on threads; what it raises ends everything and is raised again. With a
            client it is sent to every worker once, so it holds no lock and no open file.
        tasks: at most two a worker are begun ahead.
        workers: threads, at least 1; as many as cores where not given.
        client: a `distributed.Client`, whose workers take the place of threads.
        progress: called with pieces done and pieces asked for.
        cancel: asked before each piece; when it says yes, what was begun is ended and returned.
        skip: asked before each piece; a piece that it names is not made and gives no result.
        arrived: called with each result as soon as it is there, in any order.
    """
    asked = list(tasks)
    done: dict[int, Result] = {}
    waiting: dict[Future[Result], int] = {}
    begun, skipped, stopped = 0, 0, False

    def tell() -> None:
        if progress is not None:
            progress(len(done) + skipped, len(asked))

    with _pool(work, workers, client) as (begin, at_once):
        while True:
            while not stopped and begun < len(asked) and len(waiting) < at_once:
                stopped = cancel is not None and cancel()
                if stopped:
                    break
                if skip is not None and skip(asked[begun]):
                    skipped += 1
                    tell()
                else:
                    waiting[begin(asked[begun])] = begun
                begun += 1
            if not waiting:
                return [done[k] for k in sorted(done)]
            finished, _ = wait(waiting, return_when=FIRST_COMPLETED)
            for future in finished:
                place = waiting.pop(future)
                done[place] = future.result()
                if arrived is not None:
                    arrived(done[place])
                tell()


@contextmanager
def _pool(
    work: Callable[[Task], Result], workers: int | None, client: Any
) -> Iterator[tuple[Callable[[Task], "Future[Result]"], int]]:
    """Yield a function that begins a task, and how many tasks to begin ahead."""
    if client is None:
        threads = workers or cores()
        with ThreadPoolExecutor(max_workers=threads) as pool:
            yield partial(pool.submit, work), 2 * threads
        return
    (held,) = client.scatter([work], broadcast=True, hash=False)
    with client.get_executor(pure=False) as pool:
        yield partial(pool.submit, _called, held), 2 * max(1, sum(client.nthreads().values()))


def _called(work: Callable[[Task], Result], task: Task) -> Result:
    return work(task)
