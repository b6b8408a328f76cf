"""Work that does not fit in memory is refused beforehand, with what would fit."""

from pathlib import Path

import pytest
from support.strategies import binary_places, lomax_flows

import hierdp_core as hdp
from hierdp_core.exceptions import HierdpError
from hierdp_core.util import memory

FLOWS = lomax_flows(binary_places(2), 0.5, 0)


def test_what_does_not_fit_is_refused_with_what_would(monkeypatch):
    monkeypatch.setattr(memory, "available_bytes", lambda: 5 * 10**8)
    memory.require_memory(5 * 10**6, bytes_a_cell=100, what="5,000,000 regions × 1 columns")
    with pytest.raises(HierdpError) as refused:
        memory.require_memory(10**7, bytes_a_cell=100, what="10,000,000 regions × 1 columns")
    assert "10,000,000 regions × 1 columns (10,000,000 numbers) need about 1.0 GB" in str(
        refused.value
    )
    assert str(refused.value).endswith(
        "0.5 GB are free, enough for 5,000,000 numbers. Use a smaller table, or free some memory."
    )


def test_a_simulation_asks_before_it_draws(monkeypatch):
    table = hdp.samples.load("running-example").table
    plan = hdp.plan(table, "pgsr-h-dp", epsilon=1)
    monkeypatch.setattr(memory, "available_bytes", lambda: 1000)
    with pytest.raises(HierdpError, match="3 areas × "):
        hdp.simulate(table, plan)


@pytest.mark.parametrize("id", ["inftda", "vanilla-gauss", "stability-histogram"])
def test_flows_are_refused_before_they_are_worked_on(monkeypatch, id):
    plan = hdp.plan(FLOWS, id, epsilon=1, delta=1e-6)
    monkeypatch.setattr(memory, "available_bytes", lambda: 100)
    with pytest.raises(HierdpError, match=r"\d+ flows × 5 levels"):
        hdp.simulate(FLOWS, plan)


@pytest.mark.parametrize(
    ("id", "numbers"),
    [
        ("inftda", r"the noisy counts of all → level 1 \(2 numbers\)"),
        ("vanilla-gauss", r"4 origins × 4 destinations \(16 numbers\)"),
    ],
)
def test_noise_asks_before_the_first_number_of_it(monkeypatch, id, numbers):
    plan = hdp.plan(FLOWS, id, epsilon=1)
    free = [10**6, 100]  # for the flows, then for the noise
    monkeypatch.setattr(memory, "available_bytes", lambda: free.pop(0))
    with pytest.raises(HierdpError, match=numbers):
        hdp.simulate(FLOWS, plan)
    assert free == []


def test_the_least_of_all_limits_counts(monkeypatch, tmp_path):
    (tmp_path / "meminfo").write_text("MemTotal: 900 kB\nMemAvailable:    300 kB\n")
    (tmp_path / "memory.max").write_text("700000\n")
    (tmp_path / "memory.current").write_text("600000\n")
    monkeypatch.setattr(memory, "_MEMINFO", tmp_path / "meminfo")
    monkeypatch.setattr(memory, "_CONTROL_GROUP", tmp_path)
    monkeypatch.setattr(memory, "_left_of_address_space", lambda: None)
    assert memory.available_bytes() == 100_000
    (tmp_path / "memory.max").write_text("max\n")
    assert memory.available_bytes() == 300 * 1024


def test_where_nobody_can_tell_nothing_is_refused(monkeypatch):
    for limit in ("_free_in_system", "_left_in_control_group", "_left_of_address_space"):
        monkeypatch.setattr(memory, limit, lambda: None)
    assert memory.available_bytes() is None
    memory.require_memory(10**15, bytes_a_cell=100, what="many")


def test_this_machine_has_some_memory():
    assert memory.available_bytes() is None or memory.available_bytes() > 10**6
    assert isinstance(memory._MEMINFO, Path)
