"""The file of a ledger: one SQLite database, written by one process at a time."""

import json
import os
import shlex
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import quote

from hierdp_core.exceptions import ReleaseError
from hierdp_core.releases.ledger.records import GENESIS, Kind, Record, canonical
from hierdp_core.util.disk import remedy

FORMAT = 1
APPLICATION = 0x48444C47  # "HDLG": a database of another program is refused
WAIT_SECONDS = 60.0
OWNER_ONLY = 0o600

_RECORDS = (
    "CREATE TABLE records (number INTEGER PRIMARY KEY, time TEXT NOT NULL, kind TEXT NOT NULL, "
    "body TEXT NOT NULL, previous TEXT NOT NULL, hash TEXT NOT NULL UNIQUE) STRICT"
)
_ONLY_ADDED = (
    "CREATE TRIGGER {name} BEFORE {change} ON records "
    "BEGIN SELECT RAISE(ABORT, 'records are only added'); END"
)
_FINGERPRINTS = (
    "CREATE TABLE fingerprints (release TEXT PRIMARY KEY, dataset TEXT NOT NULL, "
    "mark TEXT NOT NULL) STRICT"
)
_SCHEMA = (
    _RECORDS,
    _ONLY_ADDED.format(name="no_change", change="UPDATE"),
    _ONLY_ADDED.format(name="no_removal", change="DELETE"),
    _FINGERPRINTS,
    f"PRAGMA application_id={APPLICATION}",
    f"PRAGMA user_version={FORMAT}",
)
_RESTORE = (
    "Restore a backup, and compare it with the published packages with `hierdp ledger FILE verify "
    "--against PACKAGE`."
)
_OBJECTS = "SELECT type || ' ' || name, sql FROM sqlite_schema WHERE sql IS NOT NULL"
_COLUMNS = "number, time, kind, body, previous, hash"


class Mark(NamedTuple):
    """The fingerprint of the table that a release was made from."""

    release: str
    dataset: str
    mark: str


class Store:
    """The records of a ledger on disk.

    Every change is one transaction that locks the whole file (`BEGIN IMMEDIATE`), and it is on the
    disk when the call returns (`synchronous=FULL`).

    Args:
        path: the path of the file.
        wait: seconds to wait while another process writes.
    """

    def __init__(self, path: Path, *, wait: float = WAIT_SECONDS) -> None:
        self.path, self._wait = path, wait

    def create(self) -> None:
        """Create an empty ledger that only its owner can read; keep one that exists.

        Raises:
            ReleaseError: the file cannot be written.
        """
        _require_folder(self.path)
        if self.path.is_dir():
            raise ReleaseError(f"{self.path} is a folder, not a ledger. Name a file in it.")
        with _as_release_error(self.path):
            with suppress(FileExistsError):
                os.close(os.open(self.path, os.O_CREAT | os.O_EXCL | os.O_RDWR, OWNER_ONLY))
            with closing(self._open()) as connection:
                connection.execute("PRAGMA journal_mode=WAL")
                connection.execute("BEGIN IMMEDIATE")
                if connection.execute("SELECT count(*) FROM sqlite_schema").fetchone()[0] == 0:
                    for statement in _SCHEMA:
                        connection.execute(statement)
                connection.execute("COMMIT")
        with self.reading():
            pass

    @contextmanager
    def reading(self) -> Iterator["Rows"]:
        """Yield the records as they are now.

        Raises:
            ReleaseError: there is no ledger, or it cannot be used.
        """
        with self._connected(to_write=False) as connection:
            connection.execute("BEGIN")
            yield Rows(connection, self.path)
            connection.execute("ROLLBACK")

    @contextmanager
    def writing(self) -> Iterator["Rows"]:
        """Yield the records, to which no other process can add until the block ends.

        All additions are on the disk after the block; after an error, none are.

        Raises:
            ReleaseError: the ledger cannot be used, or is busy for too long.
        """
        with self._connected() as connection:
            connection.execute("BEGIN IMMEDIATE")
            yield Rows(connection, self.path)
            connection.execute("COMMIT")

    def back_up(self, copy: Path) -> None:
        """Write a copy of the ledger as it is now.

        Raises:
            ReleaseError: the copy exists already, or cannot be written.
        """
        if copy.exists():
            raise ReleaseError(f"{copy} already exists. Name a new file for the backup.")
        _require_folder(copy)
        with self._connected(to_write=False) as connection, _as_release_error(copy):
            os.close(os.open(copy, os.O_CREAT | os.O_EXCL | os.O_RDWR, OWNER_ONLY))
            with closing(sqlite3.connect(copy)) as other:
                connection.backup(other)

    @contextmanager
    def _connected(self, *, to_write: bool = True) -> Iterator[sqlite3.Connection]:
        if self.path.is_dir():
            raise ReleaseError(f"{self.path} is a folder, not a ledger. Name the file of a ledger.")
        if not self.path.is_file():
            raise ReleaseError(
                f"There is no ledger {self.path}. Create one with `hierdp ledger "
                f"{shlex.quote(str(self.path))} add-dataset NAME --epsilon NUMBER`."
            )
        if self.path.stat().st_nlink > 1:
            raise ReleaseError(
                f"The ledger {self.path} has a second name in the file system (a hard link), and "
                "SQLite cannot lock a file under two names. Remove the second name."
            )
        opened = self._open if to_write else self._open_to_read
        with _as_release_error(self.path), closing(opened()) as connection:
            self._require_ours(connection)
            yield connection  # closing it undoes what was not committed

    def _open(self, mode: str = "mode=rw") -> sqlite3.Connection:
        connection = sqlite3.connect(
            f"file:{_quoted(self.path)}?{mode}", uri=True, timeout=self._wait, isolation_level=None
        )
        try:
            connection.execute("PRAGMA synchronous=FULL")  # reads the file, so it may fail
        except sqlite3.Error:
            connection.close()
            raise
        return connection

    def _open_to_read(self) -> sqlite3.Connection:
        """Open the file, even on a read-only disk, where SQLite cannot make its file of locks.

        The file is then read as it is, which is right only if it holds every record. The last
        records may be in the file agency.db-wal, unless it is empty.
        """
        try:
            return self._open()
        except sqlite3.OperationalError as error:
            unwritable = _code(error) in (sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY)
            if not unwritable or self._has_records_beside:
                raise
        return self._open("mode=ro&immutable=1")

    @property
    def _has_records_beside(self) -> bool:
        file = self.path.resolve()  # SQLite looks beside the file itself, not beside a link to it
        try:
            return file.with_name(f"{file.name}-wal").stat().st_size > 0
        except FileNotFoundError:
            return False

    def _require_ours(self, connection: sqlite3.Connection) -> None:
        application = connection.execute("PRAGMA application_id").fetchone()[0]
        version = connection.execute("PRAGMA user_version").fetchone()[0]
        if application != APPLICATION:
            raise ReleaseError(f"{self.path} is not a HierDP ledger. Name the file of a ledger.")
        if version > FORMAT:
            raise ReleaseError(
                f"{self.path} was written by a newer version of HierDP (format {version}; this one "
                f"reads {FORMAT}). Install that version."
            )


class Rows:
    """The records inside one transaction."""

    def __init__(self, connection: sqlite3.Connection, path: Path) -> None:
        self._connection, self._path = connection, path

    def all(self) -> Iterator[Record]:
        """Yield every record, in order.

        Raises:
            ReleaseError: a record is damaged.
        """
        for row in self._connection.execute(f"SELECT {_COLUMNS} FROM records ORDER BY number"):
            try:
                record = _record(row)
            except (ValueError, RecursionError):  # no text, no JSON object, or an unknown kind
                raise ReleaseError(
                    f"Record {row[0]} of the ledger is damaged. {_RESTORE}"
                ) from None
            yield record

    def add(self, kind: Kind, body: dict[str, Any]) -> Record:
        """Add a record after the last.

        Raises:
            ReleaseError: a trigger of the file kept the record out.
        """
        last = self._connection.execute(
            "SELECT number, hash FROM records ORDER BY number DESC LIMIT 1"
        ).fetchone()
        number, previous = last or (0, GENESIS)
        time = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
        record = Record.after(number, previous, time, kind, body)
        values = (number + 1, time, kind.value, canonical(body), previous, record.hash)
        self._insert(f"INSERT INTO records ({_COLUMNS}) VALUES (?,?,?,?,?,?)", values)
        return record

    def fingerprints(self) -> tuple[Mark, ...]:
        """Return the fingerprints of the tables that were released."""
        rows = self._connection.execute("SELECT release, dataset, mark FROM fingerprints")
        return tuple(Mark(*row) for row in rows)

    def add_fingerprint(self, mark: Mark) -> None:
        """Add the fingerprint of a table.

        Raises:
            ReleaseError: a trigger of the file kept the fingerprint out.
        """
        self._insert("INSERT INTO fingerprints VALUES (?, ?, ?)", mark)

    def _insert(self, statement: str, values: tuple[Any, ...]) -> None:
        if self._connection.execute(statement, values).rowcount != 1:
            raise ReleaseError(_DAMAGED.format(path=self._path))

    def require_whole(self) -> None:
        """Require a file that SQLite finds undamaged.

        A damaged index can hide a record that reading in order finds, and the reverse.

        Raises:
            ReleaseError: the file is damaged.
        """
        if self.damage():
            raise ReleaseError(_DAMAGED.format(path=self._path))

    def require_own_schema(self) -> None:
        """Require that the tables and triggers of the file are as they were made.

        Without its triggers, records can be removed. With others, records can be kept out.

        Raises:
            ReleaseError: they are not.
        """
        if faults := self.faults_of_schema():
            raise ReleaseError(f"The ledger {self._path} cannot be used. {faults[0]} {_RESTORE}")

    def faults_of_schema(self) -> tuple[str, ...]:
        """Return a sentence on each table that was removed or changed, and on such triggers.

        A trigger that was added is also reported.
        """
        with closing(sqlite3.connect(":memory:")) as new:
            for statement in _SCHEMA:
                new.execute(statement)
            made = dict(new.execute(_OBJECTS))
        present = dict(self._connection.execute(_OBJECTS))
        added = [name for name in present if name not in made and name.startswith("trigger ")]
        return (
            *(
                f"The {name} of the file was removed or changed."
                for name, sql in made.items()
                if present.get(name) != sql
            ),
            *(f"The {name} was added to the file." for name in added),
        )

    def damage(self) -> str:
        """Return the report of SQLite on a damaged file; empty if the file is not damaged."""
        message = self._connection.execute("PRAGMA integrity_check").fetchone()[0]
        return "" if message == "ok" else str(message)


def _record(row: tuple[Any, ...]) -> Record:
    number, time, kind, text, previous, hash = row
    if not all(isinstance(value, str) for value in row[1:]):
        raise ValueError("not text")
    body = json.loads(text)
    if not isinstance(body, dict):
        raise ValueError("not an object")
    return Record(
        number=number,
        time=time,
        kind=Kind(kind),
        body=body,
        previous=previous,
        hash=hash,
    )


@contextmanager
def _as_release_error(path: Path) -> Iterator[None]:
    """Turn errors of the database or the disk into a `ReleaseError` with one plain sentence."""
    try:
        yield
    except sqlite3.Error as error:
        raise ReleaseError(_sentence(path, error)) from None
    except UnicodeDecodeError:  # of a message of SQLite that quotes damaged text
        raise ReleaseError(_DAMAGED.format(path=path)) from None
    except OSError as error:
        raise ReleaseError(
            f"The ledger {path} cannot be used: {error.strerror}. "
            f"{remedy(error, 'Correct its path or permissions.')}"
        ) from None


def _require_folder(path: Path) -> None:
    if not path.absolute().parent.is_dir():
        raise ReleaseError(f"{path} cannot be written. Name a file in a folder that exists.")


_DAMAGED = f"The ledger {{path}} is damaged. Nothing was released. {_RESTORE}"
_SENTENCES = {
    sqlite3.SQLITE_BUSY: "The ledger {path} is busy: another process is writing. Try again.",
    sqlite3.SQLITE_LOCKED: "The ledger {path} is busy: another process is writing. Try again.",
    sqlite3.SQLITE_READONLY: (
        "The ledger {path} is read-only, so nothing can be released with it. Correct its "
        "permissions, or those of its folder."
    ),
    sqlite3.SQLITE_CANTOPEN: (
        "The ledger {path} cannot be opened, or its folder cannot be written. Correct the "
        "permissions of both."
    ),
    sqlite3.SQLITE_FULL: (
        "The disk is full, so the ledger {path} was not changed. Free some space, and try again."
    ),
    # On a full disk, SQLite cannot extend the file agency.db-shm, and reports this as a failure.
    sqlite3.SQLITE_IOERR: (
        "The disk that holds the ledger {path} is full or failed. Free some space, or check the "
        "disk."
    ),
    sqlite3.SQLITE_CORRUPT: _DAMAGED,
    sqlite3.SQLITE_NOTADB: (
        "{path} is not a ledger, or it is damaged. If it was a ledger, restore a backup, and "
        "compare it with the published packages with `hierdp ledger FILE verify --against PACKAGE`."
    ),
}


def _sentence(path: Path, error: sqlite3.Error) -> str:
    if (code := _code(error)) in _SENTENCES:
        return _SENTENCES[code].format(path=path)
    return f"The ledger {path} cannot be used: {error}. {_RESTORE}"


def _code(error: sqlite3.Error) -> int:
    return int(getattr(error, "sqlite_errorcode", 0)) & 0xFF


def _quoted(path: Path) -> str:
    return quote(os.fsencode(path.absolute()))  # its bytes, which need not be UTF-8
