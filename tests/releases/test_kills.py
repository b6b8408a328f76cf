"""Kills at random moments and many processes at once: no budget is spent twice or given back."""

import hashlib
import signal
import time
from collections import Counter
from fractions import Fraction

import numpy as np
import pytest
from support.release_workers import (
    COST,
    die_before_the_noise,
    release_parts_until_killed,
    release_until_killed,
    server,
    spend_until_refused,
)
from support.releases import new_ledger, small_table

import hierdp_core as hdp
from hierdp_core.releases.ledger import Kind
from hierdp_core.releases.shelf import Shelf
from hierdp_core.releases.verification import UNRECORDED, faults_against
from hierdp_core.scale import PartitionedTable

RELEASES = 2  # that fit into the time from the start of a process to its latest kill
PATIENCE = 300


def killed_after(context, seconds, target, *arguments):
    started = context.Event()
    process = context.Process(target=target, args=(*arguments, started))
    process.start()
    assert started.wait(PATIENCE)
    time.sleep(seconds)
    process.kill()
    process.join(PATIENCE)
    assert process.exitcode == -signal.SIGKILL


def seconds_of_a_release(context, releasing, path, folder):
    """How long one release takes on this machine as it is now."""
    started = context.Event()
    process = context.Process(target=releasing, args=(path, folder, 0, started))
    process.start()
    assert started.wait(PATIENCE)
    begun = time.monotonic()
    while not packages_in(folder):
        assert time.monotonic() < begun + PATIENCE
        time.sleep(0.01)
    process.kill()
    process.join(PATIENCE)
    return time.monotonic() - begun


def packages_in(folder):
    """The packages that are complete."""
    return [path for path in folder.iterdir() if not path.name.startswith(".")]


def require_sound(ledger, packages):
    """Every entry is paid once, every package has its entry, and nothing came back."""
    assert ledger.faults() == ()
    entries = {entry.release: entry for entry in ledger.entries("pop")}
    assert ledger.account("pop").spent == len(entries) * Fraction(COST)
    assert all(entry.cost == Fraction(COST) for entry in entries.values())
    own = {path: entries[hdp.open_release(path).certificate["release"]] for path in packages}
    unrecorded = [path for path, entry in own.items() if entry.state is Kind.NOISE_ADDED]
    assert faults_against(ledger, packages) == [f"{path}: {UNRECORDED}" for path in unrecorded]
    released = [hdp.open_release(path).certificate["release"] for path in packages]
    assert len(set(released)) == len(released)
    assert set(released) <= entries.keys()
    for entry in entries.values():
        if entry.state in (Kind.NOISE_ADDED, Kind.PACKAGED):
            assert hashlib.sha256(measurements(ledger, entry)).hexdigest() == entry.measurements
    return entries


def measurements(ledger, entry):
    """What the ledger has the hash of: the measurements, or the list of those of all parts."""
    manifest = ledger.folder / f"{entry.release}.parts" / "manifest.json"
    return manifest.read_bytes() if manifest.exists() else Shelf(ledger.folder).get(entry.release)


def kill_often(tmp_path, times, releasing=release_until_killed):
    context, rng = server(), np.random.default_rng()
    ledger, folder = new_ledger(tmp_path), tmp_path / "packages"
    folder.mkdir()
    longest = RELEASES * seconds_of_a_release(context, releasing, ledger.path, folder)
    for _ in range(times):
        killed_after(context, rng.uniform(0, longest), releasing, ledger.path, folder, 0)
    packages = packages_in(folder)
    entries = require_sound(ledger, packages)
    states = Counter(str(entry.state) for entry in entries.values())
    print(f"\n{times} kills: {len(entries)} debits, {len(packages)} packages, {dict(states)}")
    return entries, packages


@pytest.mark.nightly
def test_kills_at_random_moments_spend_nothing_twice_and_give_nothing_back(tmp_path):
    entries, packages = kill_often(tmp_path, 4)
    assert entries
    assert packages


@pytest.mark.nightly
def test_two_hundred_kills(tmp_path):
    entries, packages = kill_often(tmp_path, 200)
    states = {entry.state for entry in entries.values()}
    # A release is under way for most of the time of a process, so some kills fall into one.
    assert len(packages) >= 20
    assert states & {Kind.RESERVED, Kind.NOISE_ADDED, Kind.FAILED}


@pytest.mark.nightly
def test_two_hundred_kills_of_a_release_in_parts(tmp_path):
    PartitionedTable.of(small_table(), tmp_path / "table", cut="district")
    entries, packages = kill_often(tmp_path, 200, release_parts_until_killed)
    assert len(packages) >= 20
    # What was interrupted goes on under its entry, so one entry at most is under way.
    unfinished = [e for e in entries.values() if e.state not in (Kind.PACKAGED, Kind.NOISE_ADDED)]
    assert len(unfinished) <= 1
    assert all(entry.state is Kind.RESERVED for entry in unfinished)


@pytest.mark.slow
def test_a_kill_between_debit_and_noise_costs_the_budget(tmp_path):
    ledger = new_ledger(tmp_path)
    context = server()
    started = context.Event()
    process = context.Process(target=die_before_the_noise, args=(ledger.path, started))
    process.start()
    process.join(PATIENCE)
    assert process.exitcode == -signal.SIGKILL
    (entry,) = ledger.entries()
    assert entry.state is Kind.RESERVED
    assert Shelf(ledger.folder).get(entry.release) is None
    assert ledger.account("pop").spent == Fraction(COST)


def spend_at_once(tmp_path, *, processes, tries, most):
    ledger = new_ledger(tmp_path, epsilon=Fraction(most, 1000))
    context = server()
    granted = context.Value("i", 0)
    some = [
        context.Process(target=spend_until_refused, args=(ledger.path, tries, granted))
        for _ in range(processes)
    ]
    for process in some:
        process.start()
    for process in some:
        process.join()
    assert [process.exitcode for process in some] == [0] * processes
    require_sound(ledger, [])
    assert granted.value == most == len(ledger.entries())
    assert ledger.account("pop").left == 0


@pytest.mark.slow
def test_processes_at_once_spend_the_budget_exactly(tmp_path):
    spend_at_once(tmp_path, processes=3, tries=4, most=7)


@pytest.mark.nightly
def test_twenty_processes_with_fifty_releases_each_spend_the_budget_exactly(tmp_path):
    spend_at_once(tmp_path, processes=20, tries=50, most=600)
