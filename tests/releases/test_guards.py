"""What a ledger, a certificate and a package refuse or state, in cases that no other test has.

Every test fails under a change of the code that an audit found to pass all other tests.
"""

import json
import shutil
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from unittest.mock import Mock

import numpy as np
import pytest
from support.releases import LEVELS, PARENTS, new_ledger, regions, small_table

import hierdp_core as hdp
from hierdp_core.exceptions import BudgetError, ChoiceError, HierdpError, ReleaseError
from hierdp_core.hierarchy import Regions
from hierdp_core.mechanisms.base import Tuning
from hierdp_core.privacy import GaussianEvent, GeometricEvent
from hierdp_core.releases import checks
from hierdp_core.releases.ledger import Kind, Ledger
from hierdp_core.releases.ledger.events import event_as_dict, event_from_dict
from hierdp_core.releases.ledger.fingerprints import digested
from hierdp_core.releases.margins import margins
from hierdp_core.releases.package.tables import SMALL, level_frame
from hierdp_core.releases.parts.before import part_summary
from hierdp_core.releases.request import Request
from hierdp_core.releases.verification import UNRECORDED, faults_against
from hierdp_core.scale import PartitionedTable, plan_parts
from hierdp_core.tables import Counts, Fact

PLACES = {"r": None, "a": "r", "b": "r", "a1": "a", "b1": "b"}


def places() -> Regions:
    return Regions.from_parents(PLACES, levels=("nation", "state", "county"))


def event(scale: Fraction) -> GeometricEvent:
    return GeometricEvent(level=0, query="q", l1_sensitivity=1, scale=scale, shapes=((1,),))


def ledger_of(folder, **budget) -> Ledger:
    ledger = Ledger(folder / "agency.db")
    ledger.add_dataset("pop", **budget)
    return ledger


def reserve(ledger: Ledger, *events) -> None:
    ledger.reserve("pop", events, plan={"mechanism": "m"}, protects="adding one person")


def test_releases_that_fit_alone_and_not_together_are_refused(tmp_path) -> None:
    ledger = ledger_of(tmp_path, epsilon=1, delta="1e-6")
    noise = GaussianEvent(level=0, query="q", l2_sensitivity_squared=1, sigma2=Fraction(25))
    reserve(ledger, noise)
    spent = ledger.account("pop").spent
    assert 0.5 < spent < 1
    with pytest.raises(ReleaseError):
        reserve(ledger, noise)
    assert ledger.account("pop").spent == spent


def test_all_releases_count_together_and_not_the_last_ones_alone(tmp_path) -> None:
    ledger = ledger_of(tmp_path, epsilon=1, delta="1e-6")
    large, small = (
        GaussianEvent(level=0, query="q", l2_sensitivity_squared=1, sigma2=Fraction(variance))
        for variance in (25, 900)
    )
    reserve(ledger, large)
    reserve(ledger, small)
    with pytest.raises(ReleaseError):
        reserve(ledger, large)
    assert len(ledger.entries("pop")) == 2


def test_a_balance_rounds_what_is_spent_up_and_what_is_left_down(tmp_path) -> None:
    ledger = ledger_of(tmp_path, epsilon=1)
    reserve(ledger, event(Fraction(3)))
    account = ledger.account("pop")
    spent, left = (
        Fraction(Decimal(words.split("=")[1].strip(" .")))
        for words in (account.spent_words, account._left_words)
    )
    assert Fraction(1, 3) < spent
    assert left < Fraction(2, 3)
    assert spent + left == pytest.approx(1, abs=1e-5)


def test_a_total_budget_keeps_its_delta(tmp_path) -> None:
    ledger = ledger_of(tmp_path, epsilon=1, delta="1e-6")
    with pytest.raises(BudgetError, match="a new total of the same kind"):
        ledger.set_budget("pop", epsilon=2, delta="1e-5", reason="more users")
    assert (
        ledger.set_budget("pop", epsilon=2, delta="1e-6", reason="more users").budget.epsilon == 2
    )


def test_scales_that_are_no_decimals_are_kept_exactly() -> None:
    third = event(Fraction(7, 3))
    assert event_from_dict(json.loads(json.dumps(event_as_dict(third)))) == third


def test_tables_with_the_same_sums_have_different_fingerprints(tmp_path) -> None:
    tables = [Counts.from_leaves(places(), values) for values in ([7, 5], [5, 7])]
    tables.append(Counts.from_leaves(places(), [7, 6]))
    assert len({b"".join(digested(table)) for table in tables}) == 3
    sizes = [
        hdp.GroupSizes.from_leaves(places(), rows)
        for rows in ([[3, 1], [1, 3]], [[1, 3], [3, 1]], [[3, 1], [3, 1]])
    ]
    assert len({b"".join(digested(table)) for table in sizes}) == 3
    parts = [
        part_summary(0, PartitionedTable.of(table, tmp_path / str(k), cut="state")).content
        for k, table in enumerate(tables[:2])
    ]
    assert len(set(parts)) == 2
    renamed = Regions.from_parents(
        {id + "x" * (len(id) == 2): above for id, above in PARENTS.items()}, levels=LEVELS
    )
    alike = [
        PartitionedTable.of(small_table("counts", where), tmp_path / name, cut="district")
        for name, where in (("own", regions()), ("renamed", renamed))
    ]
    # The codes below the cut are those of other areas, and all else is the same.
    assert alike[0].upper.ids == alike[1].upper.ids
    one, other = (part_summary(0, table) for table in alike)
    assert one.areas != other.areas
    assert one.content != other.content


def test_tables_that_differ_only_in_how_areas_nest_have_different_fingerprints() -> None:
    moved = Regions.from_parents({**PARENTS, "a2": "b"}, levels=LEVELS)
    tables = [Counts.from_leaves(where, [40, 17, 230]) for where in (regions(), moved)]
    assert tables[0].regions.ids == tables[1].regions.ids
    assert len({b"".join(digested(table)) for table in tables}) == 2


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("seed = 3", "noise of a release has none"),
        ('sample = "taxi"', "data of your own"),
        ('quantity = "occupied"', "a quantity to evaluate"),
        ('data = "other.csv"', "the table other.csv, but the table to release is table.csv"),
        ("data = 3", "the table 3, but"),
        ("confidential = false", "treats its table as confidential"),
        ('confidential = "yes"', "treats its table as confidential"),
    ],
)
def test_a_request_takes_no_setting_without_effect(line, why) -> None:
    settings = f'mechanism = "tree-dp"\nepsilon = 1\ntuned_on = "public data"\n{line}'
    settings += '\n[columns]\nlevels = ["town"]\ncount = "people"\n'
    with pytest.raises(ChoiceError, match=why):
        Request.of(settings, data=["table.csv"])


def test_settings_that_agree_with_the_release_are_accepted(tmp_path) -> None:
    settings = (
        'mechanism = "tree-dp"\nepsilon = 1\ntuned_on = "public data"\nconfidential = true\n'
        'data = "table.csv"\nregions = "list.csv"\nlookups = ["names.csv"]\n'
        '[columns]\nlevels = ["town"]\ncount = "people"\n'
    )
    request = Request.of(settings, data=[str(tmp_path / "table.csv")], folder=tmp_path)
    assert request.files.regions == str(tmp_path / "list.csv")
    assert request.files.lookups == (str(tmp_path / "names.csv"),)


@pytest.mark.parametrize("stated", ["public data", "synthetic data"])
def test_the_record_that_a_plan_was_tuned_on_its_table_outweighs_a_statement(
    tmp_path, stated
) -> None:
    table = small_table()
    plan = replace(hdp.plan(table, "tree-dp", epsilon=1), tuned_on=Tuning.SAME)
    ledger = new_ledger(tmp_path)
    with pytest.raises(ReleaseError, match="tuned on the table"):
        hdp.release(table, plan, ledger=ledger, dataset="pop", tuned_on=stated)


def test_a_table_in_parts_keeps_what_was_taken_from_the_data(tmp_path) -> None:
    table = Counts.from_leaves(places(), [7, 5], taken_from_data=[Fact.REGIONS])
    PartitionedTable.of(table, tmp_path / "parts", cut="state")
    parts = PartitionedTable.open(tmp_path / "parts")
    plan = plan_parts(parts, "tree-dp", budget=hdp.Budget.pure(1))
    assert plan.privacy.taken_from_data
    with pytest.raises(HierdpError, match="taken from"):
        hdp.release(parts, plan, ledger=ledger_of(tmp_path, epsilon=2), dataset="pop")


@pytest.fixture
def packaged(tmp_path):
    """A ledger, and the folder of one package that was charged to it."""
    table, ledger = Counts.from_leaves(places(), [7, 5]), ledger_of(tmp_path, epsilon=9)
    released = hdp.release(
        table, hdp.plan(table, "tree-dp", epsilon=8), ledger=ledger, dataset="pop"
    )
    margins = released.margins(n_simulations=10)
    return ledger, released.write(tmp_path / "package", margins=margins), margins


@pytest.mark.parametrize("of", ["simulation", "release", "exact", "plan"])
def test_a_package_has_no_numbers_of_another_table(tmp_path, of) -> None:
    table, ledger = small_table(), ledger_of(tmp_path, epsilon=9)
    plan = hdp.plan(table, "tree-dp", epsilon=1)
    released = hdp.release(table, plan, ledger=ledger, dataset="pop")
    other = {
        "simulation": lambda: hdp.simulate(table, plan, seed=1).table,
        "release": lambda: hdp.release(table, plan, ledger=ledger, dataset="pop", title="t").table,
        "exact": lambda: table,
        "plan": lambda: released.table,
    }[of]()
    made_for = hdp.plan(table, "tree-dp", epsilon=3) if of == "plan" else released.plan
    wrong = margins(other, made_for, seed=released.seed, n_simulations=10)
    with pytest.raises(ReleaseError, match="not those of this release"):
        released.write(tmp_path / "package", margins=wrong)
    assert not (tmp_path / "package").exists()
    assert ledger.entry(released.id).state is Kind.NOISE_ADDED
    path = released.write(tmp_path / "package", margins=released.margins(n_simulations=10))
    assert hdp.open_release(path)


def rewritten(path, change) -> None:
    values = json.loads((path / "certificate.json").read_text(encoding="utf-8"))
    change(values)
    (path / "certificate.json").write_text(json.dumps(values), encoding="utf-8")


def test_a_certificate_that_was_changed_does_not_agree_with_the_ledger(packaged) -> None:
    ledger, path, _ = packaged
    assert faults_against(ledger, [path]) == []
    rewritten(path, lambda v: v["guarantee"].update(sentence="ε = 0.001 (pure DP)."))
    (fault,) = faults_against(ledger, [path])
    assert "its certificate was not written for this release" in fault


def test_a_ledger_with_other_records_of_the_same_release_does_not_agree(
    packaged, monkeypatch
) -> None:
    ledger, path, _ = packaged
    records = ledger.records()
    anew = tuple(replace(record, hash="0" * 64) for record in records)
    monkeypatch.setattr(Ledger, "records", lambda _: anew)
    faults = faults_against(ledger, [path])
    assert len(faults) == 2
    assert all("is not that of this release" in fault for fault in faults)


def test_a_certificate_with_other_noise_does_not_agree_with_the_ledger(
    packaged, monkeypatch
) -> None:
    ledger, path, _ = packaged
    less = [
        replace(record, body=record.body | {"events": []}) if "events" in record.body else record
        for record in ledger.records()
    ]
    monkeypatch.setattr(Ledger, "records", lambda _: less)
    assert any("the noise in its certificate" in fault for fault in faults_against(ledger, [path]))


def test_noise_that_was_edited_shows_before_the_package_is_recorded(packaged, monkeypatch) -> None:
    ledger, path, _ = packaged
    unrecorded = [record for record in ledger.records() if record.kind is not Kind.PACKAGED]
    monkeypatch.setattr(Ledger, "records", lambda _: unrecorded)
    assert faults_against(ledger, [path]) == [f"{path}: {UNRECORDED}"]
    rewritten(path, lambda v: v["budget"]["events"][-1].update(scale="1"))
    fault, _ = faults_against(ledger, [path])
    assert "the noise in its certificate is not that in the ledger" in fault


def test_a_package_that_the_ledger_could_not_record_agrees_once_it_is_recorded(
    tmp_path, monkeypatch
) -> None:
    """Its certificate could be edited until then, and nothing in the ledger would differ."""
    table, ledger = small_table(), ledger_of(tmp_path, epsilon=9)
    plan = hdp.plan(table, "tree-dp", epsilon=1)
    released = hdp.release(table, plan, ledger=ledger, dataset="pop")
    with monkeypatch.context() as patched:
        full = ReleaseError("The disk is full, so the ledger was not changed.")
        patched.setattr(Ledger, "packaged", Mock(side_effect=full))
        with pytest.raises(ReleaseError, match="was written, but the ledger") as caught:
            released.write(tmp_path / "first", margins=released.margins(n_simulations=10))
    assert "disk is full" in str(caught.value)
    assert "without cost" in str(caught.value)
    first, edited = tmp_path / "first", tmp_path / "edited"
    shutil.copytree(first, edited)
    rewritten(edited, lambda v: v["guarantee"].update(sentence="ε = 0.001 (pure DP)."))
    assert faults_against(ledger, [first]) == [f"{first}: {UNRECORDED}"]
    assert faults_against(ledger, [edited]) == [f"{edited}: {UNRECORDED}"]
    again = hdp.release(table, plan, ledger=ledger, dataset="pop")
    assert again.id == released.id
    second = again.write(tmp_path / "second", margins=again.margins(n_simulations=10))
    assert faults_against(ledger, [first, second]) == []
    (fault,) = faults_against(ledger, [edited])
    assert "its certificate was not written for this release" in fault
    assert ledger.account("pop").spent == 1


def test_a_number_equal_to_its_margin_is_marked(packaged) -> None:
    _, _, margins = packaged
    values = margins.table.values[margins.table.tree.level(2)]
    assert (values >= 0).all()
    equal = replace(margins, cells=np.maximum(margins.table.values, 1).astype(float))
    notes = level_frame(equal, 2)["note"].tolist()
    assert notes == [SMALL] * len(values)


def test_an_interval_ends_at_zero_if_the_margin_is_larger_than_the_number(packaged) -> None:
    _, _, margins = packaged
    wide = replace(margins, cells=margins.table.values + 3.0)
    frame = level_frame(wide, 2)
    assert frame["low"].tolist() == [0] * len(frame)
    assert (frame["high"] == 2 * frame["value"] + 3).all()


BUDGETS = [{"epsilon": 1}, {"rho": 1}, {"epsilon": 1, "delta": "1e-6"}]


@pytest.mark.parametrize("budget", BUDGETS)
def test_a_failed_release_stays_spent_under_every_kind_of_budget(tmp_path, budget) -> None:
    ledger = ledger_of(tmp_path, **budget)
    made = ledger.reserve("pop", [event(Fraction(2))], plan={}, protects="adding one person")
    spent = ledger.account("pop").spent
    assert spent > 0
    ledger.failed(made.release, reason="power")
    assert ledger.account("pop").spent == spent


@pytest.mark.parametrize("budget", BUDGETS)
def test_no_kind_of_budget_is_set_below_what_was_spent(tmp_path, budget) -> None:
    ledger = ledger_of(tmp_path, **budget)
    reserve(ledger, event(Fraction(2)))
    before = ledger.head()
    with pytest.raises(BudgetError, match="already"):
        ledger.set_budget("pop", reason="less", **{**budget, next(iter(budget)): "0.1"})
    assert ledger.head() == before


@pytest.mark.parametrize("budget", BUDGETS)
def test_other_neighbours_are_refused_under_every_kind_of_budget(tmp_path, budget) -> None:
    ledger = ledger_of(tmp_path, **budget)
    reserve(ledger, event(Fraction(100)))
    with pytest.raises(ReleaseError, match="cannot be added"):
        ledger.reserve("pop", [event(Fraction(100))], plan={}, protects="replacing one person")


def test_the_noise_that_is_sampled_must_keep_the_budget_itself(monkeypatch) -> None:
    """More noise does not always protect more, so the planned noise proves nothing about it."""
    plan = hdp.plan(small_table(), "tree-dp", epsilon=1)
    assert checks.releasable(plan).events
    monkeypatch.setattr(
        checks, "representable", lambda event: replace(event, scale=event.scale / 2)
    )
    with pytest.raises(ReleaseError, match="costs slightly more"):
        checks.releasable(plan)


@pytest.mark.parametrize("budget", BUDGETS)
def test_a_ledger_over_any_kind_of_budget_is_reported(tmp_path, budget) -> None:
    ledger = ledger_of(tmp_path, **budget)
    reserve(ledger, event(Fraction(2)))
    assert ledger.faults() == ()
    with ledger._store.writing() as rows:  # as a program might that does not check the budget
        fewer = {name: str(Fraction(value)) for name, value in budget.items()}
        fewer[next(iter(budget))] = "1/10"
        rows.add(Kind.BUDGET_CHANGED, {"dataset": "pop", "budget": fewer, "reason": "less"})
    (fault,) = ledger.faults()
    assert "over its budget" in fault


def test_a_release_whose_noise_is_stored_cannot_be_recorded_as_failed(tmp_path) -> None:
    ledger = ledger_of(tmp_path, epsilon=1)
    made = ledger.reserve("pop", [event(Fraction(2))], plan={}, protects="adding one person")
    ledger.noise_added(made.release, measurements="ab")
    with pytest.raises(ReleaseError, match="cannot become “failed”"):
        ledger.failed(made.release, reason="power")
    assert ledger.faults() == ()


def test_the_balance_after_a_release_counts_that_release(tmp_path) -> None:
    ledger = ledger_of(tmp_path, epsilon=1, delta="1e-6")
    reserve(ledger, event(Fraction(4)))
    account = ledger.account("pop")
    after = account.with_release([event(Fraction(2))])
    assert 0.2 < account.spent < 0.3 < 0.7 < after.spent < 0.8
    assert after.spent_words in account.balance_after([event(Fraction(2))])
    assert account.spent_words in account.balance


@pytest.mark.parametrize("workers", [0, -1])
def test_a_wrong_number_of_workers_spends_nothing(tmp_path, workers: int) -> None:
    ledger, table = ledger_of(tmp_path, epsilon=1), small_table()
    plan = hdp.plan(table, epsilon=1)
    with pytest.raises(HierdpError, match="At least one worker is needed"):
        hdp.release(table, plan, ledger=ledger, dataset="pop", workers=workers)
    assert not ledger.entries()


def test_settings_below_the_columns_are_named_with_their_right_place() -> None:
    settings = '[columns]\nkind = "counts"\nmechanism = "tree-dp"\nepsilon = 1\n'
    with pytest.raises(ChoiceError, match=r"mechanism and epsilon stand below \[columns\]"):
        Request.of(settings, data=["table.csv"], tuned_on="public data")
    with pytest.raises(ChoiceError, match="name no mechanism"):
        Request.of('[columns]\nkind = "counts"\n', data=["table.csv"], tuned_on="public data")


@pytest.mark.parametrize("in_parts", [False, True])
def test_a_ledger_that_was_rolled_back_behind_stored_noise_spends_nothing(
    tmp_path, in_parts: bool
) -> None:
    ledger, table = ledger_of(tmp_path, epsilon=1), small_table()
    exact, plan = table, hdp.plan(table, "tree-dp", epsilon=0.5)
    if in_parts:
        exact = PartitionedTable.of(table, tmp_path / "parts", cut="district")
        plan = plan_parts(exact, "tree-dp", budget=hdp.Budget.pure(0.5))
    ledger.back_up(tmp_path / "copy.db")
    lost = hdp.release(exact, plan, ledger=ledger, dataset="pop", tuned_on="public data")
    for beside in ("-wal", "-shm"):
        (tmp_path / f"{ledger.path.name}{beside}").unlink(missing_ok=True)
    (tmp_path / "copy.db").replace(ledger.path)
    restored = Ledger(ledger.path)
    (fault,) = restored.faults()
    assert lost.id in fault
    assert "the ledger does not record the release" in fault
    with pytest.raises(ReleaseError, match="Nothing was spent"):
        hdp.release(exact, plan, ledger=restored, dataset="pop", tuned_on="public data")
    assert not restored.entries()
    (noise,) = restored.folder.glob(f"{lost.id}.*")
    noise.rename(tmp_path / noise.name)
    hdp.release(exact, plan, ledger=restored, dataset="pop", tuned_on="public data")
    assert not restored.faults()
