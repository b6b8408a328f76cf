"""Many pieces of work on a few threads, kept in the order they were asked for."""

import os
from collections.abc import Callable, Iterable
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from typing import TypeVar

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
    progress: Progress | None = None,
    cancel: Cancel | None = None,
) -> list[Result]:
    """What `work` makes of each task, in the order of the tasks.

    Args:
        work: called on threads; what it raises ends everything and is raised again.
        tasks: at most two a worker are begun ahead.
        workers: threads, at least 1; as many as cores where not given.
        progress: called with pieces done and pieces asked for.
        cancel: asked before each piece; when it says yes, what was begun is ended and returned.
    """
    asked = list(tasks)
    threads = workers or cores()
    done: dict[int, Result] = {}
    waiting: dict[Future[Result], int] = {}
    begun, stopped = 0, False
    with ThreadPoolExecutor(max_workers=threads) as pool:
        while True:
            while not stopped and begun < len(asked) and len(waiting) < 2 * threads:
                stopped = cancel is not None and cancel()
                if not stopped:
                    waiting[pool.submit(work, asked[begun])] = begun
                    begun += 1
            if not waiting:
                return [done[k] for k in sorted(done)]
            finished, _ = wait(waiting, return_when=FIRST_COMPLETED)
            for future in finished:
                done[waiting.pop(future)] = future.result()
                if progress is not None:
                    progress(len(done), len(asked))
