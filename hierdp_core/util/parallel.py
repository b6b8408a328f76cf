"""Many tasks on a few threads or a Dask cluster, with results in the order of the tasks."""

import math
import os
import threading
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any, Generic, TypeVar

from hierdp_core.exceptions import ChoiceError
from hierdp_core.util.earlier import Arguments, Earlier

Task = TypeVar("Task")
Result = TypeVar("Result")
Progress = Callable[[int, int], None]  # (done, total)
NamedProgress = Callable[[int, int, str], None]  # (done, total, name of the current step)
Cancel = Callable[[], bool]

_BUNDLES = 8  # for each worker of a cluster, where a message may cost more than a simulation
_this_thread = threading.local()


@dataclass(frozen=True, eq=False, kw_only=True)
class Workers:
    """The threads or cluster that simulate, and a way to cancel.

    Attributes:
        threads: the number of threads, at least 1; by default one per core.
        client: a `distributed.Client`, whose workers take the place of threads.
        cancel: a function that is called between pieces of work; once it returns True, no further
            piece begins.

    Raises:
        ChoiceError: `threads` is below 1.
    """

    threads: int | None = None
    client: Any = None
    cancel: Cancel | None = None

    def __post_init__(self) -> None:
        require_workers(self.threads)

    @classmethod
    def of(cls, workers: "WorkersOption") -> "Workers":
        """Return the workers for an argument: a number of threads, or `Workers`.

        Raises:
            ChoiceError: the number of threads is below 1.
        """
        return workers if isinstance(workers, Workers) else cls(threads=workers)

    @property
    def cancelled(self) -> bool:
        """Whether `cancel` asks to stop."""
        return self.cancel is not None and self.cancel()


def require_workers(threads: int | None) -> None:
    """Require at least one thread, if a number is given.

    Raises:
        ChoiceError: the number is below 1.
    """
    if threads is not None and threads < 1:
        raise ChoiceError(f"At least one worker is needed; got {threads}. Use 1 or more.")


# What public functions take: a number of threads, or `Workers`.
WorkersOption = Workers | int | None


def _in_workers(arguments: Arguments, old: Arguments) -> Arguments:
    return {"workers": replace(Workers.of(arguments.get("workers")), **old)}


CLIENT_AND_CANCEL = Earlier(
    words=("client", "cancel"),
    now="workers=hdp.Workers(client=…, cancel=…)",
    replace=_in_workers,
)
CANCEL = replace(CLIENT_AND_CANCEL, words=("cancel",), now="workers=hdp.Workers(cancel=…)")


def is_one_of_many() -> bool:
    """Return whether this thread's task is one of enough tasks to occupy all cores.

    Additional threads for a single task would then only slow down the work.
    """
    return getattr(_this_thread, "is_one_of_many", False)


def cores() -> int:
    """Return the number of cores that this process may use, at least 1."""
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
    kept: bool = True,
) -> list[Result]:
    """Return the results of `work` for each task, in the order of the tasks.

    Args:
        work: called on threads. An exception in it ends the work and is raised again. With a
            client, `work` is sent to every worker once, so it must hold no lock and no open file.
        tasks: the arguments of `work`; at most two per worker (with a client, two bundles of tasks)
            are submitted at a time.
        workers: the number of threads, at least 1; by default one per core.
        client: a `distributed.Client`, whose workers take the place of threads.
        progress: called with the number of completed tasks and the total.
        cancel: called before tasks are submitted; if it returns True, the tasks that have begun are
            completed and returned.
        skip: called before each task; a task for which it returns True is left out.
        arrived: called with each result as soon as it is complete, in any order; with one worker,
            in the order of the tasks.
        kept: whether results are returned; large ones may be passed to `arrived` alone.

    Raises:
        ChoiceError: `workers` is below 1.
    """
    require_workers(workers)
    items = list(tasks)
    done: dict[int, list[Result]] = {}
    waiting: dict[Future[list[Result]], int] = {}
    begun, settled, stopped = 0, 0, False

    def settle(pieces: int) -> None:
        nonlocal settled
        settled += pieces
        if progress is not None and pieces:
            progress(settled, len(items))

    with _pool(work, len(items), workers, client) as pool:
        while True:
            while not stopped and begun < len(items) and len(waiting) < pool.at_once:
                stopped = cancel is not None and cancel()
                if stopped:
                    break
                bundle = items[begun : begun + pool.bundle]
                open_tasks = [task for task in bundle if skip is None or not skip(task)]
                settle(len(bundle) - len(open_tasks))
                if open_tasks:
                    waiting[pool.begin(open_tasks)] = begun
                begun += len(bundle)
            if not waiting:
                return [result for k in sorted(done) for result in done[k]]
            finished, _ = wait(waiting, return_when=FIRST_COMPLETED)
            for future in sorted(finished, key=waiting.__getitem__):
                place = waiting.pop(future)
                results = future.result()
                if kept:
                    done[place] = results
                for result in results:
                    if arrived is not None:
                        arrived(result)
                    settle(1)


@dataclass(frozen=True, kw_only=True)
class _Pool(Generic[Task, Result]):
    """The threads or the cluster that do the work.

    Attributes:
        begin: starts a bundle of tasks.
        bundle: the number of tasks in a bundle.
        at_once: the number of bundles to submit at a time.
    """

    begin: "Callable[[list[Task]], Future[list[Result]]]"
    bundle: int
    at_once: int


@contextmanager
def _pool(
    work: Callable[[Task], Result], n_tasks: int, workers: int | None, client: Any
) -> "Iterator[_Pool[Task, Result]]":
    if client is None:
        threads = workers or cores()
        with ThreadPoolExecutor(max_workers=threads) as pool:
            uses_all_cores = is_one_of_many() or min(threads, n_tasks) >= cores()
            yield _Pool(
                begin=lambda tasks: pool.submit(_all, work, tasks, uses_all_cores),
                bundle=1,
                at_once=2 * threads,
            )
        return
    threads = max(1, sum(client.nthreads().values()))
    # Submitted as a task and not scattered: if a worker is lost, the cluster computes it again.
    held = client.submit(_identity, work, pure=False)
    with client.get_executor(pure=False) as pool:
        yield _Pool(
            begin=lambda tasks: pool.submit(_all, held, tasks, n_tasks >= threads),
            bundle=math.ceil(n_tasks / (_BUNDLES * threads)) or 1,
            at_once=2 * threads,
        )


def _all(work: Callable[[Task], Result], tasks: list[Task], many: bool) -> list[Result]:
    before, _this_thread.is_one_of_many = is_one_of_many(), many
    try:
        return [work(task) for task in tasks]
    finally:
        _this_thread.is_one_of_many = before


def _identity(work: Callable[[Task], Result]) -> Callable[[Task], Result]:
    return work
