"""A cluster gives the same numbers, also where a worker is killed in the middle."""

import time
from threading import Thread

import pytest

import hierdp_core as hdp
from hierdp_core.exceptions import ChoiceError
from hierdp_core.scale import simulate_parts, write_us_blocks
from hierdp_core.scale.simulating import cluster_client

pytestmark = [
    pytest.mark.slow,
    pytest.mark.filterwarnings("ignore"),  # of the cluster's own libraries
]


def test_nobody_at_the_address():
    with pytest.raises(ChoiceError, match=r"No scheduler answers at tcp://127\.0\.0\.1:9"):
        cluster_client("tcp://127.0.0.1:9")


def test_a_killed_worker_changes_no_number(tmp_path):
    from distributed import Client, LocalCluster

    table = write_us_blocks(tmp_path / "blocks", share=0.1)
    budget = hdp.Budget.pure(1)
    here = simulate_parts(table, "inftda", tmp_path / "here", budget=budget, workers=1)
    with (
        LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0") as cluster,
        Client(cluster) as client,
    ):
        killed = []

        def kill_one() -> None:
            time.sleep(1)
            worker = next(iter(cluster.workers.values()))
            process = worker.process.process
            killed.append(process.pid)
            process._process.kill()

        thread = Thread(target=kill_one)
        thread.start()
        there = simulate_parts(table, "inftda", tmp_path / "there", budget=budget, client=client)
        thread.join()
    assert killed
    assert there.digest() == here.digest()
    assert len(list((tmp_path / "there").iterdir())) == 52
