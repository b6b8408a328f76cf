"""Work that does not fit in memory is refused beforehand, with what would fit."""

from pathlib import Path

import pytest

import hierdp_core as hdp
from hierdp_core.exceptions import HierdpError
from hierdp_core.util import memory


def test_what_does_not_fit_is_refused_with_what_would(monkeypatch):
    monkeypatch.setattr(memory, "available_bytes", lambda: 5 * 10**8)
    memory.require_memory(5 * 10**6, bytes_a_cell=100, what="5,000,000 regions × 1 columns")
    with pytest.raises(HierdpError) as refused:
        memory.require_memory(10**7, bytes_a_cell=100, what="10,000,000 regions × 1 columns")
    assert "10,000,000 regions × 1 columns = 10,000,000 numbers need about 1.0 GB" in str(
        refused.value
    )
    assert "Up to 5,000,000 numbers fit" in str(refused.value)


def test_a_simulation_asks_before_it_draws(monkeypatch):
    table = hdp.samples.load("running-example").table
    plan = hdp.plan(table, "pgsr-h-dp", epsilon=1)
    monkeypatch.setattr(memory, "available_bytes", lambda: 1000)
    with pytest.raises(HierdpError, match="3 regions × "):
        hdp.simulate(table, plan)


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
