"""A cluster gives the same numbers, also where a worker is killed in the middle."""

import json
import time
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Thread
from types import SimpleNamespace
from typing import Any

import pandas as pd
import pytest
from pandas.testing import assert_frame_equal

import hierdp_core as hdp
from hierdp_core.cli import main
from hierdp_core.exceptions import ChoiceError
from hierdp_core.scale import plan_parts, simulate_parts, write_us_blocks
from hierdp_core.scale.cluster import cluster_client

pytestmark = [
    pytest.mark.slow,
    pytest.mark.filterwarnings("ignore"),  # of the cluster's own libraries
]


def test_nobody_at_the_address():
    with pytest.raises(ChoiceError, match=r"No scheduler answers at tcp://127\.0\.0\.1:9"):
        cluster_client("tcp://127.0.0.1:9")


def test_a_cluster_that_cannot_be_asked_is_left(monkeypatch):
    left = []

    class Broken:
        def __init__(self, *_: object, **__: object) -> None:
            return

        def run(self, _: object) -> None:
            raise RuntimeError("lost")

        def close(self) -> None:
            left.append(self)

    monkeypatch.setattr("distributed.Client", Broken)
    with pytest.raises(RuntimeError, match="lost"):
        cluster_client("tcp://127.0.0.1:9")
    assert len(left) == 1


@contextmanager
def two_workers() -> Iterator[tuple[Any, Any]]:
    from distributed import Client, LocalCluster

    with (
        LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0") as cluster,
        Client(cluster) as client,
    ):
        yield cluster, client


def without_times(frame: pd.DataFrame) -> pd.DataFrame:
    return frame.drop(columns="seconds")


@pytest.mark.nightly
def test_simulations_on_a_cluster_are_those_on_threads():
    table = hdp.samples.load("us-population").table
    plans = [hdp.plan(table, id, epsilon=1) for id in ("hay", "topdown")]
    output = []
    with two_workers() as (_, client):
        there = hdp.Workers(client=client)
        many = hdp.simulate_many(
            table,
            plans,
            n_simulations=7,
            workers=there,
            progress=lambda *now: output.append(now),
        )
        compared = hdp.compare(table, plans, n_simulations=3, workers=there)
        searched = hdp.find_budget(table, "hay", ["state=5%"], n_simulations=60, workers=there)
        best = hdp.best_allocation(table, "hay", epsilon=1, n_simulations=5, workers=there)
    assert output == [(k, 14) for k in range(1, 15)]
    assert_frame_equal(
        without_times(many), without_times(hdp.simulate_many(table, plans, n_simulations=7))
    )
    here = hdp.compare(table, plans, n_simulations=3)
    assert_frame_equal(without_times(compared.errors), without_times(here.errors))
    assert_frame_equal(compared.by_size, here.by_size)
    found = hdp.find_budget(table, "hay", ["state=5%"], n_simulations=60)
    assert searched.as_dict() == found.as_dict()
    alone = hdp.best_allocation(table, "hay", epsilon=1, n_simulations=5)
    assert best.as_dict() == alone.as_dict()


@pytest.mark.nightly
def test_a_comparison_goes_on_where_a_worker_is_killed():
    table = hdp.samples.load("us-population").table
    plans = [hdp.plan(table, id, epsilon=1) for id in ("hay", "topdown")]
    killed = []
    with two_workers() as (cluster, client):

        def kill_first(done: int, total: int) -> None:
            if not killed and done > total // 4:
                process = next(iter(cluster.workers.values())).process.process
                killed.append(process.pid)
                process._process.kill()

        there = hdp.compare(
            table, plans, n_simulations=60, workers=hdp.Workers(client=client), progress=kill_first
        )
    assert killed
    here = hdp.compare(table, plans, n_simulations=60)
    assert_frame_equal(without_times(there.errors), without_times(here.errors))
    assert there.done == (60, 60)


def test_the_commands_take_the_address_of_a_scheduler(capsys):
    line = ["compare", "--sample", "us-population", "--mechanisms", "hay,topdown",
            "--epsilon", "1", "--simulations", "3", "--json"]  # fmt: skip
    assert main(line) == 0
    here = json.loads(capsys.readouterr().out)
    with two_workers() as (cluster, _):
        assert main([*line, "--scheduler", cluster.scheduler_address]) == 0
    output = capsys.readouterr()
    assert "dashboard is http://" in output.err
    there = json.loads(output.out)
    for row in (*here, *there):
        row.pop("seconds")
    assert there == here


def test_a_scheduler_without_workers_or_with_others_is_refused(monkeypatch):
    with two_workers() as (cluster, _):
        monkeypatch.setattr("hierdp_core.scale.cluster.np", SimpleNamespace(__version__="1.0"))
        with pytest.raises(ChoiceError, match=r"has NumPy 2\S+, and this process 1\.0\. Install"):
            cluster_client(cluster.scheduler_address)
        cluster.scale(0)
        cluster.sync(cluster._correct_state)
        with pytest.raises(ChoiceError, match="has no workers"):
            cluster_client(cluster.scheduler_address)


def test_a_killed_worker_changes_no_number(tmp_path):
    table = write_us_blocks(tmp_path / "blocks", share=0.1)
    budget = hdp.Budget.pure(1)
    here = simulate_parts(table, "inftda", tmp_path / "here", budget=budget, workers=1)
    with two_workers() as (cluster, client):
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
    assert len(list((tmp_path / "there").glob("*.parquet"))) == 52
    assert [p.name for p in tmp_path.iterdir() if p.name.startswith(".")] == []


@pytest.mark.nightly
def test_a_release_goes_on_where_a_worker_is_killed(tmp_path):
    table = write_us_blocks(tmp_path / "blocks", share=0.02)
    plan = plan_parts(table, "topdown", budget=hdp.Budget.pure(1))
    ledger = hdp.Ledger(tmp_path / "agency.db")
    ledger.add_dataset("blocks", epsilon=1)
    killed = []
    with two_workers() as (cluster, client):

        def kill_one(done: int, total: int) -> None:
            if not killed:
                process = next(iter(cluster.workers.values())).process.process
                killed.append(process.pid)
                process._process.kill()

        made = hdp.release(
            table, plan, ledger=ledger, dataset="blocks", client=client, progress=kill_one
        )
        path = made.write(tmp_path / "package", n_simulations=10, client=client)
    assert killed
    assert [entry.state.value for entry in ledger.entries()] == ["packaged"]
    assert ledger.account("blocks").left == 0
    package = hdp.open_release(path)
    assert package.certificate["checks"]["consistent"]
    states = package.tables["state"]
    for number in (0, 50):
        counties = package.part(number).query("level == 'county'")
        assert counties["value"].sum() == states["value"][number]
