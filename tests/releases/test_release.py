"""A release: refused before anything is spent, debited, sampled once, finished once."""

import errno
import hashlib
import os
import re
import stat
from dataclasses import replace
from pathlib import Path
from unittest import mock

import numpy as np
import pytest
from support.releases import IN_A_MESSAGE, new_ledger, small_table

import hierdp_core as hdp
from hierdp_core.exceptions import ChoiceError, ReleaseError, SolverError, TableError
from hierdp_core.hierarchy import Regions
from hierdp_core.mechanisms import MECHANISMS
from hierdp_core.mechanisms.flow_queries import TopDownMeasured
from hierdp_core.noise import ExactNoise
from hierdp_core.releases import making
from hierdp_core.releases.checks import refusal
from hierdp_core.releases.ledger import Kind, Ledger
from hierdp_core.releases.measurements import from_arrays, from_bytes, to_arrays, to_bytes
from hierdp_core.releases.paying import Order
from hierdp_core.releases.shelf import Shelf
from hierdp_core.simulation import simulate
from hierdp_core.tables import Fact, GroupSizes

RELEASABLE = [id for id, kind in MECHANISMS.items() if not refusal(kind())]


@pytest.fixture
def ledger(tmp_path):
    return new_ledger(tmp_path)


def planned(kind="counts", mechanism="tree-dp", **words):
    table = small_table(kind)
    return table, hdp.plan(table, mechanism, **(words or {"epsilon": 1}))


def untouched(ledger):
    return ledger.account("pop").spent == 0 and not ledger.entries()


@pytest.mark.parametrize("budget", [{"epsilon": 1}, {"rho": 1}], ids=["pure", "zcdp"])
@pytest.mark.parametrize("id", RELEASABLE)
def test_every_mechanism_that_may_release_does_and_its_measurements_are_stored(
    tmp_path, id, budget
):
    ledger = new_ledger(tmp_path, **dict.fromkeys(budget, 100))
    for kind in MECHANISMS[id].kinds:
        table, plan = planned(kind, id, **budget)
        released = hdp.release(table, plan, ledger=ledger, dataset="pop", title=kind)
        assert released.checks.consistent
        assert released.checks.valid
        assert released.table.kind == kind
        assert released.entry.state is Kind.NOISE_ADDED
        stored = Shelf(ledger.folder).get(released.id)
        assert hashlib.sha256(stored).hexdigest() == released.entry.measurements
        again = plan.mechanism.estimate(from_arrays(from_bytes(stored)), released.plan)
        assert np.array_equal(
            plan.mechanism.released(table.blank(), again, plan).values, released.table.values
        )
    assert ledger.faults() == ()


def test_methods_of_every_kind_are_stored_and_read_back():
    table = small_table("group-sizes")
    for options in ({"methods": "hg,hc,naive"}, {"methods": "hg", "totals": "private"}):
        plan = hdp.plan(table, hdp.mechanisms.parse("coc", options), epsilon=1)
        noisy = simulate(table, plan, seed=1).noisy
        stored = to_bytes(to_arrays(noisy))
        back = from_arrays(from_bytes(stored))
        assert to_bytes(to_arrays(back)) == stored
        one, other = (plan.mechanism.estimate(n, plan) for n in (noisy, back))
        assert np.array_equal(one, other)


@pytest.mark.parametrize(
    ("id", "options", "why"),
    [
        ("hay", {}, "negative or fractional"),
        ("pgsr-h-relaxed", {}, "may not add up"),
        ("vanilla-gauss", {}, "may be negative\\."),
        ("tda-linf", {}, "for comparison"),
        ("pgsr-h-dp-generic", {}, "may not finish in time"),
        ("pgsr-c-chain", {"calibration": "published"}, "published calibration"),
        ("coc", {"cap": "noisy", "cap-epsilon": "0.01"}, "Set a maximum size"),
    ],
)
def test_what_is_not_fit_for_a_release_is_refused_with_a_reason(ledger, id, options, why):
    table = small_table(MECHANISMS[id].kinds[0])
    budget = {"rho": 1} if id == "tda-linf" else {"epsilon": 1}
    plan = hdp.plan(table, hdp.mechanisms.parse(id, options), **budget)
    with pytest.raises(ReleaseError, match=why):
        hdp.release(table, plan, ledger=ledger, dataset="pop")
    assert untouched(ledger)


def test_a_published_calibration_is_refused_even_if_its_claim_is_true(ledger):
    """With one region per level, the paper's calibration of the chain is right."""
    regions = Regions.from_parents({"all": None, "a": "all"}, levels=("nation", "state"))
    table = GroupSizes.from_leaves(regions, [[0, 4, 2]])
    chain = hdp.mechanisms.parse("pgsr-c-chain", {"calibration": "published"})
    plan = hdp.plan(table, chain, epsilon=1)
    assert not plan.privacy.claimed
    with pytest.raises(ReleaseError, match="published calibration"):
        hdp.release(table, plan, ledger=ledger, dataset="pop")
    assert untouched(ledger)


def test_the_stability_histogram_is_refused():
    assert "time" in refusal(MECHANISMS["stability-histogram"]())


def test_no_mechanism_for_comparison_only_releases():
    """Every mechanism that the documentation lists for comparison only is refused."""
    page = Path(__file__).parents[2] / "docs/choosing.md"
    section = page.read_text(encoding="utf-8").partition("for comparison only")[2]
    listed = set(re.findall(r"mechanisms/([a-z0-9-]+)\.md", section))
    assert {"coc-naive", "coc-bottom-up", "tda-linf", "stability-histogram"} <= listed
    always = listed - {"pgsr-c-chain"}  # with its published calibration alone
    assert not [id for id in always if not refusal(MECHANISMS[id]())]


def test_what_was_read_off_the_records_is_not_public(ledger):
    table = small_table().with_facts([Fact.REGIONS])
    plan = hdp.plan(table, "tree-dp", epsilon=1)
    with pytest.raises(ReleaseError, match="taken from the records: the list of areas"):
        hdp.release(table, plan, ledger=ledger, dataset="pop")
    assert untouched(ledger)


def test_wrong_tables_and_plans_are_refused_before_anything_is_spent(ledger):
    table, plan = planned()
    with pytest.raises(ChoiceError, match="another table"):
        hdp.release(small_table(), plan, ledger=ledger, dataset="pop")
    broken = table.with_values(table.values - 100)
    with pytest.raises(TableError):
        hdp.release(broken, plan, ledger=ledger, dataset="pop")
    with pytest.raises(ReleaseError, match="no dataset “homes”"):
        hdp.release(table, plan, ledger=ledger, dataset="homes")
    costly = hdp.plan(table, "tree-dp", epsilon=101)
    with pytest.raises(ReleaseError, match="Nothing was spent"):
        hdp.release(table, costly, ledger=ledger, dataset="pop")
    gaussian = hdp.plan(table, "tree-dp", rho=1)
    with pytest.raises(ReleaseError, match="no ε without δ"):
        hdp.release(table, gaussian, ledger=ledger, dataset="pop")
    assert untouched(ledger)
    assert not list(ledger.folder.iterdir())  # nor is a lock left


def test_no_seed_is_taken(ledger):
    table, plan = planned()
    with pytest.raises(TypeError, match="seed"):
        hdp.release(table, plan, ledger=ledger, dataset="pop", seed=1)
    assert untouched(ledger)


def test_a_missing_library_is_reported_before_anything_is_spent(ledger):
    table, plan = planned()
    with (
        mock.patch.dict("sys.modules", {"opendp": None, "opendp.prelude": None}),
        pytest.raises(ReleaseError, match=r"\.\[release\]"),
    ):
        hdp.release(table, plan, ledger=ledger, dataset="pop")
    assert untouched(ledger)


@pytest.mark.slow
def test_a_plan_tuned_on_the_same_table_needs_an_override(ledger):
    table = small_table()
    found = hdp.best_allocation(
        table, "tree-dp", budget=hdp.Budget.pure(1), weights=[1, 1, 1], n_simulations=10
    )
    for stated in (None, "public data"):
        with pytest.raises(ReleaseError, match="tuned on the table"):
            hdp.release(table, found.plan, ledger=ledger, dataset="pop", tuned_on=stated)
    assert untouched(ledger)
    with pytest.raises(ReleaseError, match=r"Choose .nothing"):
        hdp.release(table, planned()[1], ledger=ledger, dataset="pop", tuned_on="a hunch")
    released = hdp.release(table, found.plan, ledger=ledger, dataset="pop", allow_same_table=True)
    assert released.entry.plan["tuned_on"] == "the same table"


def test_the_debit_is_on_the_disk_before_any_noise_is_drawn(ledger):
    table, plan = planned()
    states = []
    drawn = ExactNoise.draw

    def watched(noise, *arguments):
        states.append([entry.state for entry in Ledger(ledger.path).entries()])
        return drawn(noise, *arguments)

    with mock.patch.object(ExactNoise, "draw", watched):
        hdp.release(table, plan, ledger=ledger, dataset="pop")
    assert states == [[Kind.RESERVED]] * 3


def test_exactly_what_was_paid_for_is_drawn_each_number_once(ledger):
    table, plan = planned()
    events = []
    drawn = ExactNoise.draw

    def watched(noise, event, shape, cells=None):
        events.append((event, shape))
        return drawn(noise, event, shape, cells)

    with mock.patch.object(ExactNoise, "draw", watched):
        released = hdp.release(table, plan, ledger=ledger, dataset="pop")
    assert [event for event, _ in events] == list(ledger.entry(released.id).events)
    assert [shape for _, shape in events] == [(1,), (2,), (3,)]


def test_two_releases_have_different_noise_and_both_are_paid(ledger, tmp_path):
    table, plan = planned(epsilon="0.001")
    measured = []  # results may agree: a noisy total below zero makes every count zero
    for k in range(2):
        released = hdp.release(table, plan, ledger=ledger, dataset="pop")
        released.write(tmp_path / str(k), margins=released.margins(n_simulations=10))
        measured.append(released.entry.measurements)
    assert len(set(measured)) == 2
    assert ledger.account("pop").spent * 1000 == 2


def test_an_unfinished_release_is_finished_and_never_drawn_again(ledger, tmp_path):
    table, plan = planned()
    first = hdp.release(table, plan, ledger=ledger, dataset="pop")
    with mock.patch.object(ExactNoise, "draw", side_effect=AssertionError):
        again = hdp.release(table, plan, ledger=ledger, dataset="pop")
    assert again.id == first.id
    assert np.array_equal(again.table.values, first.table.values)
    assert ledger.account("pop").spent == 1
    again.write(tmp_path / "package", margins=again.margins(n_simulations=10))
    assert hdp.release(table, plan, ledger=ledger, dataset="pop").id != first.id
    assert ledger.account("pop").spent == 2


def test_another_table_or_title_is_another_release(ledger):
    table, plan = planned()
    first = hdp.release(table, plan, ledger=ledger, dataset="pop")
    titled = hdp.release(table, plan, ledger=ledger, dataset="pop", title="Second edition")
    leaves = table.values[table.tree.leaves] + 1
    changed = type(table).from_leaves(table.regions, leaves)
    other = hdp.release(
        changed, hdp.plan(changed, "tree-dp", epsilon=1), ledger=ledger, dataset="pop"
    )
    assert len({first.id, titled.id, other.id}) == 3
    (note,) = other.notes
    assert "other content" in note
    # The year after, the same people are in the table: a budget of its own would hide the cost.
    assert "can be in both tables, as in two years of a series, this budget is right" in note
    assert "A table with no person or firm of the earlier ones may have a name and a" in note
    assert ledger.account("pop").spent == 3


def test_the_same_content_under_two_names_is_reported_to_its_owner(ledger):
    ledger.add_dataset("homes", epsilon=2)
    table, plan = planned()
    assert hdp.release(table, plan, ledger=ledger, dataset="pop").notes == ()
    (note,) = hdp.release(table, plan, ledger=ledger, dataset="homes").notes
    assert "released under “pop” as well" in note


def test_measurements_of_more_than_ten_levels_keep_their_order():
    noisy = TopDownMeasured(total=5, levels=tuple(np.arange(k + 1) for k in range(13)))
    back = from_arrays(from_bytes(to_bytes(to_arrays(noisy))))
    assert [level.tolist() for level in back.levels] == [list(range(k + 1)) for k in range(13)]


def test_a_solver_that_stops_after_the_debit_says_that_the_cost_stays_spent(ledger):
    table, plan = planned()
    with (
        mock.patch.object(making, "finished", side_effect=SolverError("It stopped. Use another.")),
        pytest.raises(
            ReleaseError,
            match=r"its cost stays spent.*It stopped.*another plan\. Its release is a new one",
        ),
    ):
        hdp.release(table, plan, ledger=ledger, dataset="pop")
    (entry,) = ledger.entries()
    assert entry.state is Kind.NOISE_ADDED
    again = hdp.release(table, plan, ledger=ledger, dataset="pop")
    assert again.id == entry.release
    assert ledger.account("pop").spent == 1


def test_a_failure_after_the_debit_tells_nothing_on_the_table(ledger):
    """The message of an error inside the library may name a count, so it is not passed on."""
    table, plan = planned()
    with (
        mock.patch.object(
            making, "measured", side_effect=ValueError(f"the count {IN_A_MESSAGE} of b1")
        ),
        pytest.raises(ReleaseError, match="failed before its noise was stored") as shown,
    ):
        hdp.release(table, plan, ledger=ledger, dataset="pop")
    assert IN_A_MESSAGE not in str(shown.value)
    assert IN_A_MESSAGE not in str([record.as_dict() for record in ledger.records()])


@pytest.mark.parametrize("error", [OSError(28, "No space left on device"), MemoryError()])
def test_a_failure_after_the_debit_costs_the_budget_and_releases_nothing(ledger, error):
    table, plan = planned()
    with (
        mock.patch.object(Shelf, "put", side_effect=error),
        pytest.raises(ReleaseError, match="its cost stays spent"),
    ):
        hdp.release(table, plan, ledger=ledger, dataset="pop")
    assert [entry.state for entry in ledger.entries()] == [Kind.FAILED]
    assert ledger.account("pop").spent == 1
    released = hdp.release(table, plan, ledger=ledger, dataset="pop")
    assert ledger.account("pop").spent == 2
    assert released.entry.state is Kind.NOISE_ADDED


def test_an_interruption_before_the_noise_was_stored_is_reported_and_costs(ledger):
    table, plan = planned()
    with (
        mock.patch.object(making, "measured", side_effect=KeyboardInterrupt),
        pytest.raises(KeyboardInterrupt),
    ):
        hdp.release(table, plan, ledger=ledger, dataset="pop")
    with pytest.raises(ReleaseError, match="was interrupted before its noise was stored"):
        hdp.release(table, plan, ledger=ledger, dataset="pop")
    assert [entry.state for entry in ledger.entries()] == [Kind.FAILED]
    hdp.release(table, plan, ledger=ledger, dataset="pop")
    assert ledger.account("pop").spent == 2


def test_stored_noise_without_its_record_is_taken_up(ledger):
    table, plan = planned()
    with (
        mock.patch.object(Ledger, "noise_added", side_effect=KeyboardInterrupt),
        pytest.raises(KeyboardInterrupt),
    ):
        hdp.release(table, plan, ledger=ledger, dataset="pop")
    with mock.patch.object(ExactNoise, "draw", side_effect=AssertionError):
        released = hdp.release(table, plan, ledger=ledger, dataset="pop")
    assert released.entry.state is Kind.NOISE_ADDED
    assert ledger.account("pop").spent == 1


def test_a_ledger_that_cannot_record_stored_noise_says_that_its_cost_stays_spent(ledger):
    table, plan = planned()
    full = ReleaseError("The disk is full. Free some space.")
    with (
        mock.patch.object(Ledger, "noise_added", side_effect=full),
        pytest.raises(ReleaseError, match=r"is stored and its cost stays spent.*Repeat"),
    ):
        hdp.release(table, plan, ledger=ledger, dataset="pop")
    assert ledger.account("pop").spent == 1
    with mock.patch.object(ExactNoise, "draw", side_effect=AssertionError):
        assert (
            hdp.release(table, plan, ledger=ledger, dataset="pop").id == ledger.entries()[0].release
        )
    assert ledger.account("pop").spent == 1


@pytest.mark.parametrize("part", [0, 0.2, 0.9])
def test_damaged_noise_without_its_record_is_not_taken_up(ledger, part):
    table, plan = planned()
    with (
        mock.patch.object(Ledger, "noise_added", side_effect=KeyboardInterrupt),
        pytest.raises(KeyboardInterrupt),
    ):
        hdp.release(table, plan, ledger=ledger, dataset="pop")
    (file,) = ledger.folder.glob("*.npz")
    content = file.read_bytes()
    file.write_bytes(content[: int(part * len(content))])
    with pytest.raises(ReleaseError, match="was interrupted before its noise was stored"):
        hdp.release(table, plan, ledger=ledger, dataset="pop")
    assert [entry.state for entry in ledger.entries()] == [Kind.FAILED]
    hdp.release(table, plan, ledger=ledger, dataset="pop")
    assert ledger.account("pop").spent == 2


def test_a_release_that_another_process_works_on_is_left_to_it(ledger):
    table, plan = planned()
    first = hdp.release(table, plan, ledger=ledger, dataset="pop")
    with Shelf(ledger.folder).held(first.id) as held:
        assert held
        other = hdp.release(table, plan, ledger=ledger, dataset="pop")
    assert other.id != first.id


def test_post_processing_gets_no_number_of_the_table(ledger):
    table, plan = planned()
    assert table.values.any()
    with mock.patch.object(making, "finished", wraps=making.finished) as finished:
        first, resumed = (hdp.release(table, plan, ledger=ledger, dataset="pop") for _ in range(2))
    assert first.id == resumed.id
    assert [call.args[0].values.any() for call in finished.call_args_list] == [False, False]


def test_changed_measurements_are_not_released(ledger):
    table, plan = planned()
    first = hdp.release(table, plan, ledger=ledger, dataset="pop")
    file = ledger.folder / f"{first.id}.npz"
    file.write_bytes(file.read_bytes() + b"x")
    with pytest.raises(ReleaseError, match="not those in the ledger"):
        hdp.release(table, plan, ledger=ledger, dataset="pop")


def test_measurements_and_key_are_their_owners_alone(ledger):
    table, plan = planned()
    released = hdp.release(table, plan, ledger=ledger, dataset="pop")
    for path, mode in (
        (ledger.folder, 0o700),
        (ledger.folder / f"{released.id}.npz", 0o600),
        (ledger.key_file, 0o600),
    ):
        assert stat.S_IMODE(path.stat().st_mode) == mode


def test_the_chain_holds_neither_key_nor_fingerprint(ledger):
    table, plan = planned()
    hdp.release(table, plan, ledger=ledger, dataset="pop")
    shown = str([record.as_dict() for record in ledger.records()])
    (mark,) = ledger.fingerprints()
    assert mark.mark not in shown
    assert ledger.key_file.read_bytes().hex() not in shown


def test_a_release_with_other_noise_is_not_taken_up(ledger):
    """Two versions of the program may plan other noise in the same words."""
    table, plan = planned()
    first = hdp.release(table, plan, ledger=ledger, dataset="pop")
    wider = tuple(replace(event, scale=event.scale * 2) for event in plan.events)
    other = hdp.release(table, replace(plan, events=wider), ledger=ledger, dataset="pop")
    assert other.id != first.id
    for released in (first, other):
        assert released.plan.events == ledger.entry(released.id).events


def test_only_a_release_with_the_same_words_and_noise_is_announced_as_one_to_complete(ledger):
    table, plan = planned()

    def settled(plan=plan, title="", in_parts=False):
        order = Order(
            ledger=ledger, dataset="pop", title=title, tuned_on=None, allow_same_table=False
        )
        return order.settle(plan, in_parts=in_parts)

    assert not settled().earlier
    with pytest.raises(ReleaseError, match="is left of the budget"):
        settled(hdp.plan(table, "tree-dp", epsilon=101))
    first = hdp.release(table, plan, ledger=ledger, dataset="pop")
    assert [entry.release for entry in settled().earlier] == [first.id]
    assert first.id in settled().consequence
    wider = tuple(replace(event, scale=event.scale * 2) for event in plan.events)
    for other in (settled(title="Second edition"), settled(replace(plan, events=wider))):
        assert not other.earlier
        assert "no package yet" not in other.consequence
    with (
        mock.patch.object(ExactNoise, "draw", side_effect=KeyboardInterrupt),
        pytest.raises(KeyboardInterrupt),
    ):
        hdp.release(table, plan, ledger=ledger, dataset="pop", title="Interrupted")
    assert not settled(title="Interrupted").earlier
    assert settled(title="Interrupted", in_parts=True).earlier
    first.write(ledger.path.with_name("package"), margins=first.margins(n_simulations=10))
    assert not settled().earlier


def test_lost_measurements_are_reported_and_nothing_is_sampled_or_paid_again(ledger):
    table, plan = planned()
    first = hdp.release(table, plan, ledger=ledger, dataset="pop")
    (ledger.folder / f"{first.id}.npz").unlink()
    with pytest.raises(ReleaseError, match="are missing from"):
        hdp.release(table, plan, ledger=ledger, dataset="pop")
    assert ledger.account("pop").spent == 1


@pytest.mark.parametrize("mode", [0o640, 0o604], ids=["group", "all"])
def test_a_key_that_others_can_read_is_refused_before_anything_is_spent(ledger, mode):
    table, plan = planned()
    hdp.release(table, plan, ledger=ledger, dataset="pop")
    ledger.key_file.chmod(mode)
    with pytest.raises(ReleaseError, match=f"chmod 600 {ledger.key_file}"):
        hdp.release(table, plan, ledger=ledger, dataset="pop", title="another")
    assert ledger.account("pop").spent == 1


def test_a_disk_without_room_for_the_key_is_named_and_no_part_of_the_key_stays(ledger):
    table, plan = planned()
    full = OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    with (
        mock.patch("os.fsync", side_effect=full),
        pytest.raises(ReleaseError, match=r"No space left on device. Free some space on the disk."),
    ):
        hdp.release(table, plan, ledger=ledger, dataset="pop")
    assert ledger.account("pop").spent == 0
    assert not [file for file in ledger.path.parent.iterdir() if ".key" in file.name]


def test_new_folders_and_keys_are_on_the_disk_before_the_debit(ledger):
    """After a loss of power the name of a folder may be gone, and what is in it."""
    table, plan = planned()
    synced = []
    real, reserve = os.fsync, Ledger.reserve

    def watched(descriptor):
        synced.append(os.fstat(descriptor).st_ino)
        real(descriptor)

    def reserved(*arguments, **words):
        assert synced.count(ledger.path.parent.stat().st_ino) >= 2  # for the key and the folder
        return reserve(*arguments, **words)

    with mock.patch("os.fsync", watched), mock.patch.object(Ledger, "reserve", reserved):
        hdp.release(table, plan, ledger=ledger, dataset="pop")


def test_measurements_are_on_the_disk_before_they_get_their_name(tmp_path, monkeypatch):
    synced, real = [], os.fsync
    monkeypatch.setattr(os, "fsync", lambda file: (synced.append(os.fstat(file)), real(file)))
    Shelf(tmp_path).put("a", b"numbers")
    file, folder = (path.stat() for path in (tmp_path / "a.npz", tmp_path))
    assert [one.st_ino for one in synced] == [file.st_ino, folder.st_ino]
    assert synced[0].st_size == file.st_size


def test_a_lock_that_was_removed_meanwhile_holds_nothing(tmp_path, monkeypatch):
    """Two processes open one file, the first removes it: the second must not go on with it."""
    shelf = Shelf(tmp_path / "shelf")
    real = os.open

    def opened_then_removed(path, *how):
        descriptor = real(path, *how)
        if Path(path).suffix == ".lock":
            Path(path).unlink()
        return descriptor

    monkeypatch.setattr("hierdp_core.releases.shelf.os.open", opened_then_removed)
    with shelf.held("r1") as held:
        assert not held
    monkeypatch.undo()
    with shelf.held("r1") as held, shelf.held("r1") as again:
        assert held
        assert not again
