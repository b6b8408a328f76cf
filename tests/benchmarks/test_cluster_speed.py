"""Repeated simulations on a cluster of two workers, against one worker.

pytest -n0 tests/benchmarks/test_cluster_speed.py -s

Each worker has one core of its own, so that one worker cannot use two. Where other work has the
cores as well, seconds say little about the cluster. So the processor time of the busiest worker is
compared, which tells how evenly the work was spread, and seconds only on a quiet machine.
"""

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

import pytest

import hierdp_core as hdp

N_SIMULATIONS = 2_400  # about a minute on one core
LEAST_RATIO = 1.7  # of two workers, where 2 is perfect
MOST_LOAD = 0.5

pytestmark = pytest.mark.filterwarnings("ignore")  # of the cluster's own libraries


@contextmanager
def workers(n: int) -> Iterator[Any]:
    """A cluster of so many workers, each with one thread on a core of its own."""
    from distributed import Client, LocalCluster

    with (
        LocalCluster(n_workers=n, threads_per_worker=1, dashboard_address=":0") as cluster,
        Client(cluster) as client,
    ):
        cores = sorted(os.sched_getaffinity(0))
        places = zip(client.scheduler_info()["workers"], cores, strict=False)
        for address, core in places:
            client.run(os.sched_setaffinity, 0, {core}, workers=[address])
        yield client


@pytest.mark.skipif(not hasattr(os, "sched_setaffinity"), reason="Workers cannot have a core each.")
def test_two_workers_are_nearly_twice_as_fast_as_one() -> None:
    load = os.getloadavg()[0]
    table = hdp.samples.load("us-households").table
    plan = hdp.plan(table, "pgsr-h-dp", epsilon=1)
    seconds, busiest, errors = {}, {}, {}
    for n in (1, 2):
        with workers(n) as client:
            # Every worker loads its compiled code first.
            client.run(partial(hdp.simulate_many, table, [plan], n_simulations=2, workers=1))
            before, start = client.run(time.process_time), time.monotonic()
            who = hdp.Workers(client=client)
            rows = hdp.simulate_many(table, [plan], n_simulations=N_SIMULATIONS, workers=who)
            seconds[n], after = time.monotonic() - start, client.run(time.process_time)
            busiest[n] = max(after[worker] - before[worker] for worker in before)
            errors[n] = rows.drop(columns="seconds")
    assert errors[1].equals(errors[2])
    by_clock, by_processor = (one[1] / one[2] for one in (seconds, busiest))
    print(
        f"\none worker {seconds[1]:.1f} s ({busiest[1]:.1f} s of processor time), two workers "
        f"{seconds[2]:.1f} s (the busier one {busiest[2]:.1f} s): {by_clock:.2f} times as fast, "
        f"{by_processor:.2f} times by processor time; load {load:.2f} before, "
        f"{os.getloadavg()[0]:.2f} after"
    )
    assert by_processor > LEAST_RATIO
    assert load > MOST_LOAD or by_clock > LEAST_RATIO
