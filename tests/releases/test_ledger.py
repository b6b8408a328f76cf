"""The ledger: exact sums, refusals that change nothing, and a chain that shows every rewriting."""

import json
import shutil
import sqlite3
import stat
from contextlib import closing
from fractions import Fraction
from unittest import mock

import pytest

from hierdp_core.exceptions import BudgetError, ReleaseError
from hierdp_core.privacy import GaussianEvent, GeometricEvent, ThresholdEvent
from hierdp_core.releases.ledger import Kind, Ledger
from hierdp_core.releases.ledger import store as store_module
from hierdp_core.releases.ledger.events import event_as_dict, event_from_dict
from hierdp_core.releases.ledger.records import Record, canonical
from hierdp_core.releases.ledger.sentences import CHOSEN_BEFORE

PERSON = "adding or removing one person"


def laplace(epsilon):
    scale = 1 / Fraction(epsilon)
    return GeometricEvent(level=0, query="q", l1_sensitivity=1, scale=scale, shapes=((1,),))


def gaussian(rho):
    sigma2 = 1 / (2 * Fraction(rho))
    return GaussianEvent(
        level=1, query="q", l2_sensitivity_squared=1, sigma2=sigma2, shapes=((1,),)
    )


THRESHOLD = ThresholdEvent(
    level=2, query="q", l1_sensitivity=2, scale=Fraction(2), threshold=118 / 3, created=2, most=1
)


@pytest.fixture
def ledger(tmp_path):
    return Ledger(tmp_path / "agency.db")


def spend(ledger, dataset, *events, protects=PERSON, **words):
    return ledger.reserve(dataset, events, plan={"mechanism": "m"}, protects=protects, **words)


@pytest.mark.parametrize("event", [laplace("1/3"), gaussian("1/7"), THRESHOLD])
def test_events_are_kept_exactly(event):
    assert event_from_dict(json.loads(json.dumps(event_as_dict(event)))) == event


def test_costs_add_up_exactly_and_the_last_unit_is_not_overspent(ledger):
    ledger.add_dataset("pop", epsilon=1)
    for _ in range(10):
        spend(ledger, "pop", laplace("1/10"))
    account = ledger.account("pop")
    assert (account.spent, account.left) == (1, 0)
    before = ledger.head()
    with pytest.raises(ReleaseError, match=r"costs ε = 10⁻⁸, and ε = 0 is left of"):
        spend(ledger, "pop", laplace("1/100000000"))
    assert ledger.head() == before
    assert ledger.faults() == ()


@pytest.mark.parametrize("spent", [(), ("1/2", "1/2")])
def test_a_cost_above_what_is_left_by_the_smallest_step_is_refused(ledger, spent):
    """Costs are rounded up to a multiple of 10⁻¹⁵, so one multiple more is too much."""
    step = Fraction(1, 10**15)
    ledger.add_dataset("pop", epsilon=1)
    for part in spent:
        spend(ledger, "pop", laplace(part))
    left = ledger.account("pop").left
    with pytest.raises(ReleaseError, match=r"left of"):
        spend(ledger, "pop", laplace(left + step))
    with pytest.raises(ReleaseError, match=r"left of"):
        spend(ledger, "pop", laplace(left + step / 1000))
    assert ledger.account("pop").left == left


def test_a_release_is_debited_under_its_id_only_once(ledger):
    """A second debit under one id would make the whole ledger unusable."""
    ledger.add_dataset("pop", epsilon=1)
    ledger.add_dataset("other", epsilon=1)
    spend(ledger, "pop", laplace("1/10"), release="abc")
    before = ledger.head()
    for dataset in ("pop", "other"):
        with pytest.raises(ReleaseError, match="abc is in the ledger already"):
            spend(ledger, dataset, laplace("1/10"), release="abc")
    assert ledger.head() == before
    assert ledger.account("pop").spent == Fraction(1, 10)


def test_what_another_process_spends_before_the_transaction_counts(ledger, monkeypatch):
    ledger.add_dataset("pop", epsilon=1)
    other, begin = Ledger(ledger.path), store_module.Store.writing

    def late(store):
        monkeypatch.setattr(store_module.Store, "writing", begin)
        other.reserve("pop", [laplace("0.6")], plan={}, protects=PERSON)
        return begin(store)

    monkeypatch.setattr(store_module.Store, "writing", late)
    with pytest.raises(ReleaseError, match=r"ε = 0\.4 is left"):
        ledger.reserve("pop", [laplace("0.6")], plan={}, protects=PERSON)
    assert len(ledger.entries("pop")) == 1


def test_costs_are_rounded_up(ledger):
    ledger.add_dataset("pop", epsilon=1)
    assert spend(ledger, "pop", laplace("1/3")).cost > Fraction(1, 3)
    assert ledger.account("pop").left < Fraction(2, 3)


def test_rho_and_pure_epsilon_count_in_their_own_unit(ledger):
    ledger.add_dataset("zcdp", rho=1)
    assert spend(ledger, "zcdp", gaussian("1/4"), laplace("1/2")).cost == Fraction(3, 8)
    ledger.add_dataset("pure", epsilon=1)
    for event, why in ((gaussian("1/100"), "no ε without δ"), (THRESHOLD, "needs δ")):
        with pytest.raises(ReleaseError, match=why):
            spend(ledger, "pure", event)
    with pytest.raises(ReleaseError, match="no ρ"):
        spend(ledger, "zcdp", THRESHOLD)
    assert ledger.account("pure").spent == 0


def test_the_remedy_for_a_spent_budget_is_no_smaller_release(ledger):
    ledger.add_dataset("pop", epsilon=1)
    with pytest.raises(ReleaseError, match="Plan again with a smaller budget"):
        spend(ledger, "pop", laplace(2))
    spend(ledger, "pop", laplace(1))
    with pytest.raises(ReleaseError, match=r"ε = 0 is left .* larger budget .* set-budget"):
        spend(ledger, "pop", laplace("1/10"))


def test_the_joint_account_is_of_all_releases_and_tighter_than_a_sum(ledger):
    ledger.add_dataset("pop", epsilon=1, delta=1e-6)
    alone = []
    for _ in range(3):
        spend(ledger, "pop", gaussian("1/400"))
        alone.append(float(ledger.account("pop").spent))
    assert alone[0] < alone[1] < alone[2] < 3 * alone[0]
    shown = ledger.account("pop").as_dict()
    assert shown["left"] is None
    assert shown["condition"] == CHOSEN_BEFORE
    before = ledger.head()
    with pytest.raises(ReleaseError, match="With this release, all releases of “pop” would cost"):
        spend(ledger, "pop", gaussian("1/20"))
    assert ledger.head() == before
    assert ledger.faults() == ()


@pytest.mark.parametrize(
    "other",
    [
        "replacing one person by another",
        f"{PERSON} with up to 2 trips",
        f"{PERSON}, except the only member of a group",
        "adding or removing one firm",
    ],
)
def test_costs_of_other_neighbours_are_not_added(ledger, other):
    ledger.add_dataset("pop", epsilon=1)
    spend(ledger, "pop", laplace("1/10"))
    with pytest.raises(ReleaseError, match="cannot be added"):
        spend(ledger, "pop", laplace("1/10"), protects=other)


def test_names_and_budgets_are_settled_once(ledger):
    ledger.add_dataset("pop", epsilon=1)
    with pytest.raises(ReleaseError, match="already"):
        ledger.add_dataset("pop", epsilon=2)
    with pytest.raises(ReleaseError, match="no dataset “homes”"):
        spend(ledger, "homes", laplace(1))
    for name in ("", " pop", "x" * 101, "a\nb"):
        with pytest.raises(ReleaseError, match="name"):
            ledger.add_dataset(name, epsilon=1)
    with pytest.raises(BudgetError):
        ledger.add_dataset("none")


def test_a_changed_budget_is_recorded_with_its_reason(ledger):
    ledger.add_dataset("pop", epsilon=1)
    spend(ledger, "pop", laplace("1/2"))
    ledger.set_budget("pop", epsilon=2, reason="decision of 3 May")
    assert ledger.account("pop").left == Fraction(3, 2)
    assert ledger.records()[-1].body["reason"] == "decision of 3 May"
    for words, why in (
        ({"epsilon": 0.4}, "cost ε = 0.5 already"),
        ({"rho": 1}, "total of the same kind"),
    ):
        with pytest.raises(BudgetError, match=why):
            ledger.set_budget("pop", reason="r", **words)
    with pytest.raises(ReleaseError, match="reason"):
        ledger.set_budget("pop", epsilon=3, reason=" ")


def test_a_release_goes_through_its_states_and_its_cost_stays(ledger):
    ledger.add_dataset("pop", epsilon=1)
    one, other = (spend(ledger, "pop", laplace("1/4")).release for _ in range(2))
    assert ledger.noise_added(one, measurements="ab").measurements == "ab"
    assert ledger.packaged(one, certificate="cd").state is Kind.PACKAGED
    assert ledger.failed(other, reason="power").state is Kind.FAILED
    assert ledger.account("pop").spent == Fraction(1, 2)
    for step, words in (
        (ledger.noise_added, {"measurements": "x"}),
        (ledger.failed, {"reason": "x"}),
    ):
        for release in (one, other):
            with pytest.raises(ReleaseError, match="cannot become"):
                step(release, **words)
    with pytest.raises(ReleaseError, match="no release"):
        ledger.packaged("none", certificate="x")
    assert [entry.state for entry in ledger.entries("pop")] == [Kind.PACKAGED, Kind.FAILED]
    assert ledger.unfinished("pop", {"mechanism": "m"}) == ()


def test_the_file_is_its_owners_and_records_are_only_added(ledger):
    ledger.add_dataset("pop", epsilon=1)
    assert stat.S_IMODE(ledger.path.stat().st_mode) == 0o600
    connection = sqlite3.connect(ledger.path)
    for change in ("UPDATE records SET time = ''", "DELETE FROM records"):
        with pytest.raises(sqlite3.IntegrityError, match="only added"):
            connection.execute(change)
    connection.close()


def faults_or_error(ledger):
    try:
        return " ".join(ledger.faults())
    except ReleaseError as error:
        return str(error)


def rewrite(ledger, statement):
    """Change records behind the back of the ledger, as someone with the file can."""
    connection = sqlite3.connect(ledger.path)
    triggers = "SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'"
    made = connection.execute(triggers).fetchall()
    for name, _ in made:
        connection.execute(f"DROP TRIGGER {name}")
    connection.execute(statement)
    for _, sql in made:
        connection.execute(sql)
    connection.commit()
    connection.close()


@pytest.mark.parametrize(
    ("statement", "fault"),
    [
        ("UPDATE records SET time = '2000-01-01T00:00:00Z' WHERE number = 2", "was changed"),
        ("UPDATE records SET body = replace(body, '1/4', '1/8')", "was changed"),
        ("DELETE FROM records WHERE number = 2", "is missing"),
        ("UPDATE records SET kind = 'packaged' WHERE number = 2", "never reserved"),
        ("UPDATE records SET body = 'no json' WHERE number = 2", "damaged"),
        ("UPDATE records SET kind = 'refunded' WHERE number = 2", "damaged"),
    ],
)
def test_a_rewritten_ledger_shows(ledger, statement, fault):
    ledger.add_dataset("pop", epsilon=1)
    spend(ledger, "pop", laplace("1/4"))
    ledger.set_budget("pop", epsilon=2, reason="r")
    assert ledger.faults() == ()
    rewrite(ledger, statement)
    assert fault in faults_or_error(ledger)


KEEP_OUT, IGNORED = "CREATE TRIGGER keep_out BEFORE INSERT ON", "BEGIN SELECT RAISE(IGNORE); END"


@pytest.mark.parametrize(
    ("statement", "fault"),
    [
        ("DROP TABLE fingerprints", "The table fingerprints of the file was removed or changed"),
        ("DROP TABLE records", "no such table: records"),
        ("DROP TRIGGER no_change", "The trigger no_change of the file was removed or changed"),
        ("DELETE FROM fingerprints", "fingerprint of the table of release {id} is missing"),
        ("UPDATE fingerprints SET dataset = 'x'", "table of release {id} was changed"),
        ("UPDATE fingerprints SET mark = replace(mark, 'f', 'e')", "release {id} was changed"),
        (f"{KEEP_OUT} records {IGNORED}", "The trigger keep_out was added to the file"),
        (f"{KEEP_OUT} fingerprints {IGNORED}", "The trigger keep_out was added to the file"),
        ("UPDATE fingerprints SET release = 'x'", "release x, which the ledger does not record"),
    ],
)
def test_whatever_is_missing_beside_the_records_shows(ledger, statement, fault):
    ledger.add_dataset("pop", epsilon=1)
    spend(ledger, "pop", laplace("1/4"))
    release = spend(ledger, "pop", laplace("1/4"), mark="f" * 64).release
    assert ledger.faults() == ()
    with closing(sqlite3.connect(ledger.path)) as connection:
        connection.execute(statement)
        connection.commit()
    assert fault.format(id=release) in faults_or_error(ledger)


@pytest.mark.parametrize(
    "statement",
    [
        "DROP TRIGGER no_removal",
        f"{KEEP_OUT} records {IGNORED}",
        f"{KEEP_OUT} fingerprints {IGNORED}",
    ],
)
def test_nothing_is_released_if_a_trigger_was_removed_or_added(ledger, statement):
    ledger.add_dataset("pop", epsilon=1)
    with closing(sqlite3.connect(ledger.path)) as connection:
        connection.execute(statement)
        connection.commit()
    with pytest.raises(ReleaseError, match=r"The trigger .* Restore a backup"):
        spend(ledger, "pop", laplace("1/4"), mark="f" * 64)
    assert ledger.entries() == ()


def test_no_record_is_kept_out_by_a_trigger(ledger):
    ledger.add_dataset("pop", epsilon=1)
    with closing(sqlite3.connect(ledger.path)) as connection:
        connection.execute(f"{KEEP_OUT} records {IGNORED}")
        connection.commit()
    with pytest.raises(ReleaseError, match="is damaged"):
        ledger.set_budget("pop", epsilon="0.5", reason="r")


def test_tables_and_indexes_of_other_programs_are_no_fault(ledger):
    ledger.add_dataset("pop", epsilon=1)
    with closing(sqlite3.connect(ledger.path)) as connection:
        connection.execute("CREATE TABLE replicated (position INTEGER)")
        connection.execute("CREATE INDEX by_kind ON records (kind)")
        connection.commit()
    spend(ledger, "pop", laplace("1/4"), mark="f" * 64)
    assert ledger.faults() == ()


def test_the_records_do_not_show_which_tables_are_equal(ledger):
    ledger.add_dataset("pop", epsilon=1)
    for _ in range(2):
        spend(ledger, "pop", laplace("1/4"), mark="f" * 64)
    hashes = {record.body["fingerprint_hash"] for record in ledger.records()[1:]}
    assert len(hashes) == 2
    assert "f" * 64 not in hashes


def test_records_of_earlier_versions_need_not_have_a_fingerprint(ledger):
    ledger.add_dataset("pop", epsilon=1)
    spend(ledger, "pop", laplace("1/4"))
    last = ledger.records()[-1]
    body = {name: value for name, value in last.body.items() if name != "fingerprint_hash"}
    earlier = Record.after(last.number - 1, last.previous, last.time, last.kind, body)
    rewrite(
        ledger,
        f"UPDATE records SET body = '{canonical(body)}', hash = '{earlier.hash}' "
        f"WHERE number = {last.number}",
    )
    assert ledger.faults() == ()


def test_a_backup_is_the_same_ledger_and_replaces_no_file(ledger, tmp_path):
    ledger.add_dataset("pop", epsilon=1)
    ledger.back_up(tmp_path / "copy.db")
    spend(ledger, "pop", laplace("1/4"))
    copy = Ledger(tmp_path / "copy.db")
    assert copy.account("pop").spent == 0
    assert copy.faults() == ()
    assert stat.S_IMODE(copy.path.stat().st_mode) == 0o600
    with pytest.raises(ReleaseError, match="already"):
        ledger.back_up(tmp_path / "copy.db")


def test_a_backup_beside_the_last_records_of_another_file_spends_nothing(ledger, tmp_path):
    """A killed process leaves such a file, which SQLite adds to any ledger beside it."""
    ledger.add_dataset("population", epsilon=1)
    for _ in range(3):
        spend(ledger, "population", laplace("0.01"))
    ledger.back_up(tmp_path / "backup.db")
    for _ in range(12):
        spend(ledger, "population", laplace("0.01"))
    left = ledger.path.with_name(f"{ledger.path.name}-wal")
    with closing(sqlite3.connect(ledger.path)) as killed:
        killed.execute("SELECT count(*) FROM records").fetchone()
        spend(ledger, "population", laplace("0.01"))
        last_records = left.read_bytes()
    shutil.copy(tmp_path / "backup.db", ledger.path)
    left.write_bytes(last_records)
    before = ledger.head()
    with pytest.raises(ReleaseError, match=r"damaged\. Nothing was released"):
        spend(ledger, "population", laplace("0.01"))
    assert ledger.head() == before
    left.unlink(missing_ok=True)
    ledger.path.with_name(f"{ledger.path.name}-shm").unlink(missing_ok=True)
    shutil.copy(tmp_path / "backup.db", ledger.path)
    spend(ledger, "population", laplace("0.01"))
    assert ledger.faults() == ()


def test_a_missing_foreign_or_damaged_ledger_is_reported_in_one_sentence(ledger, tmp_path):
    with pytest.raises(ReleaseError, match="There is no ledger"):
        ledger.datasets()
    foreign = tmp_path / "foreign.db"
    connection = sqlite3.connect(foreign)
    connection.execute("CREATE TABLE t (x)")
    connection.commit()
    connection.close()
    with pytest.raises(ReleaseError, match="not a HierDP ledger"):
        Ledger(foreign).datasets()
    ledger.add_dataset("pop", epsilon=1)
    damaged = tmp_path / "damaged.db"
    shutil.copy(ledger.path, damaged)
    with damaged.open("r+b") as file:
        file.write(b"x" * 100)
    with pytest.raises(ReleaseError, match="damaged"):
        Ledger(damaged).datasets()


@pytest.mark.parametrize(
    "damage",
    ["body = NULL", "body = 7", "previous = x'00'", "hash = NULL", "kind = NULL", "time = x'ff'"],
)
def test_a_damaged_value_is_reported_in_one_sentence(ledger, damage):
    ledger.add_dataset("pop", epsilon=1)
    with sqlite3.connect(ledger.path) as file:
        file.execute("CREATE TABLE damaged AS SELECT * FROM records")  # without types
        file.execute("DROP TABLE records")
        file.execute("ALTER TABLE damaged RENAME TO records")
        file.execute(f"UPDATE records SET {damage}")
    for use in (lambda: ledger.account("pop"), ledger.head, ledger.faults):
        with pytest.raises(ReleaseError, match="Record 1 of the ledger is damaged"):
            use()
    with pytest.raises(ReleaseError, match="Record 1 of the ledger is damaged"):
        ledger.reserve("pop", [laplace("0.5")], plan={}, protects=PERSON)


def test_a_message_of_the_database_that_is_no_text_is_reported_as_damage(ledger, monkeypatch):
    ledger.add_dataset("pop", epsilon=1)
    unreadable = UnicodeDecodeError("utf-8", b"\xd8", 0, 1, "invalid start byte")
    monkeypatch.setattr(store_module, "_record", mock.Mock(side_effect=unreadable))
    for use in (ledger.records, ledger.faults):
        with pytest.raises(ReleaseError, match="is damaged"):
            use()
    monkeypatch.setattr(store_module.Store, "_require_ours", mock.Mock(side_effect=unreadable))
    with pytest.raises(ReleaseError, match="is damaged"):
        ledger.records()


def test_a_ledger_of_a_newer_version_is_left_alone(ledger):
    ledger.add_dataset("pop", epsilon=1)
    connection = sqlite3.connect(ledger.path)
    connection.execute("PRAGMA user_version=9")
    connection.close()
    before = ledger.path.read_bytes()
    with pytest.raises(ReleaseError, match="newer version"):
        spend(ledger, "pop", laplace("1/4"))
    with pytest.raises(ReleaseError, match="newer version"):
        ledger.add_dataset("homes", epsilon=1)
    assert ledger.path.read_bytes() == before


def test_a_busy_ledger_states_it_and_is_unchanged(ledger):
    ledger.add_dataset("pop", epsilon=1)
    other = sqlite3.connect(ledger.path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    with pytest.raises(ReleaseError, match="busy"):
        spend(Ledger(ledger.path, wait=0.05), "pop", laplace("1/4"))
    other.close()
    assert ledger.account("pop").spent == 0


def test_a_change_keeps_others_out_from_its_first_reading_on(ledger):
    """Two processes that read the same balance could otherwise both spend it."""
    ledger.add_dataset("pop", epsilon=1)
    other = sqlite3.connect(ledger.path, isolation_level=None, timeout=0)
    with store_module.Store(ledger.path).writing() as rows:
        assert len(list(rows.all())) == 1
        with pytest.raises(sqlite3.OperationalError, match="locked"):
            other.execute("BEGIN IMMEDIATE")
    other.close()


def test_a_change_waits_for_the_disk(ledger):
    """With less than FULL, a debit could be lost with the power after its noise was sampled."""
    ledger.add_dataset("pop", epsilon=1)
    with store_module.Store(ledger.path)._connected() as connection:
        assert connection.execute("PRAGMA synchronous").fetchone()[0] == 2
        assert connection.execute("PRAGMA journal_mode").fetchone()[0] == "wal"


def test_a_full_disk_leaves_the_ledger_as_it_was(ledger, monkeypatch):
    ledger.add_dataset("pop", epsilon=1)
    opened = store_module.Store._open

    def with_no_page_left(store):
        connection = opened(store)
        pages = connection.execute("PRAGMA page_count").fetchone()[0]
        connection.execute(f"PRAGMA max_page_count={pages}")
        return connection

    monkeypatch.setattr(store_module.Store, "_open", with_no_page_left)
    with pytest.raises(ReleaseError, match="disk is full"):
        ledger.reserve("pop", [laplace("1/4")], plan={"long": "x" * 100_000}, protects=PERSON)
    monkeypatch.undo()
    assert ledger.account("pop").spent == 0
    assert ledger.faults() == ()


def test_an_error_of_the_disk_may_be_a_full_one(ledger, monkeypatch):
    """On a full disk, SQLite fails to extend its files with an error of input and output."""
    ledger.add_dataset("pop", epsilon=1)
    failure = sqlite3.OperationalError("disk I/O error")
    failure.sqlite_errorcode = sqlite3.SQLITE_IOERR_SHMSIZE
    monkeypatch.setattr(store_module.Store, "_open", mock.Mock(side_effect=failure))
    with pytest.raises(ReleaseError, match=r"full or failed\. Free some space"):
        ledger.account("pop")


@pytest.mark.parametrize("code", [*store_module._SENTENCES, sqlite3.SQLITE_NOMEM])
def test_every_error_of_the_database_is_reported_with_a_remedy(ledger, monkeypatch, code):
    ledger.add_dataset("pop", epsilon=1)
    failure = sqlite3.OperationalError("failed")
    failure.sqlite_errorcode = code
    monkeypatch.setattr(store_module.Store, "_open", mock.Mock(side_effect=failure))
    with pytest.raises(ReleaseError) as refused:
        ledger.account("pop")
    remedies = ("Correct", "Free", "Restore", "restore", "Try again")
    assert any(remedy in str(refused.value) for remedy in remedies)


def test_a_read_only_ledger_is_reported_and_can_be_read(ledger, monkeypatch):
    ledger.add_dataset("pop", epsilon=1)
    opened = store_module.Store._open

    def read_only(store):
        connection = opened(store)
        connection.execute("PRAGMA query_only=1")
        return connection

    monkeypatch.setattr(store_module.Store, "_open", read_only)
    with pytest.raises(ReleaseError, match="read-only"):
        spend(ledger, "pop", laplace("1/4"))
    assert ledger.account("pop").spent == 0


def no_file_of_locks(file):
    """Keep SQLite from creating the file of locks beside a ledger, as a read-only disk does."""
    file.with_name(f"{file.name}-shm").symlink_to(file.parent / "no folder" / "no file")


@pytest.mark.parametrize("linked", [False, True])
def test_a_ledger_on_a_read_only_disk_can_be_read_and_copied(ledger, tmp_path, linked):
    ledger.add_dataset("pop", epsilon=1)
    spend(ledger, "pop", laplace("1/4"))
    records = ledger.records()
    no_file_of_locks(ledger.path)
    if linked:
        (tmp_path / "link").mkdir()
        (tmp_path / "link/to.db").symlink_to(ledger.path)
    seen = Ledger(tmp_path / "link/to.db") if linked else ledger
    assert seen.records() == records
    assert seen.faults() == ()
    assert seen.account("pop").spent == Fraction(1, 4)
    seen.back_up(tmp_path / "copy.db")
    assert Ledger(tmp_path / "copy.db").records() == records
    with pytest.raises(ReleaseError, match="cannot be written"):
        spend(seen, "pop", laplace("1/4"))


@pytest.mark.parametrize("linked", [False, True])
def test_a_ledger_on_a_read_only_disk_is_not_read_without_its_last_records(
    ledger, tmp_path, linked
):
    """A killed process leaves the last records in another file, which has to be read with it."""
    ledger.add_dataset("pop", epsilon=1)
    whole = ledger.path.read_bytes()
    with closing(sqlite3.connect(ledger.path)) as killed:
        killed.execute("SELECT count(*) FROM records").fetchone()
        spend(ledger, "pop", laplace("1/4"))
        last_records = ledger.path.with_name(f"{ledger.path.name}-wal").read_bytes()
    (tmp_path / "disk").mkdir()
    file = tmp_path / "disk/agency.db"
    file.write_bytes(whole)
    file.with_name(f"{file.name}-wal").write_bytes(last_records)
    no_file_of_locks(file)
    if linked:
        (tmp_path / "to.db").symlink_to(file)
    with pytest.raises(ReleaseError, match="cannot be opened"):
        Ledger(tmp_path / "to.db" if linked else file).account("pop")


def test_a_cost_that_its_events_do_not_have_shows_although_the_chain_is_whole(ledger):
    """Who rewrites a cost can work out every hash anew."""
    ledger.add_dataset("pop", epsilon=1)
    spend(ledger, "pop", laplace("1/4"))
    last = ledger.records()[-1]
    cheaper = Record.after(
        last.number - 1, last.previous, last.time, last.kind, {**last.body, "cost": "1/8"}
    )
    rewrite(
        ledger,
        f"UPDATE records SET body = '{canonical(cheaper.body)}', hash = '{cheaper.hash}' "
        f"WHERE number = {last.number}",
    )
    (fault,) = ledger.faults()
    assert "cost" in fault
    assert last.body["release"] in fault


def test_a_folder_is_not_a_ledger(tmp_path) -> None:
    for use in (lambda ledger: ledger.datasets(), lambda ledger: ledger.add_dataset("x", rho=1)):
        with pytest.raises(ReleaseError, match="is a folder, not a ledger"):
            use(Ledger(tmp_path))
