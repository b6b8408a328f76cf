"""Hostile packages, hostile names in packages, and ledgers that somebody edited or linked."""

import hashlib
import io
import json
import os
import sqlite3
import zipfile
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq
import pytest
from support.releases import new_ledger, small_table

import hierdp_core as hdp
from hierdp_core.exceptions import ReleaseError
from hierdp_core.hierarchy import Regions
from hierdp_core.releases.ledger import Ledger
from hierdp_core.releases.package import reading
from hierdp_core.tables import Counts

PLAIN: dict[str, Any] = {"plan": {"title": "t"}, "protects": "one person"}


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """The files of a package."""
    folder, table = tmp_path_factory.mktemp("package"), small_table("counts")
    made = hdp.release(
        table, hdp.plan(table, "tree-dp", epsilon=1), ledger=new_ledger(folder), dataset="pop"
    )
    path = made.write(folder / "p.zip", margins=made.margins(n_simulations=10))
    with zipfile.ZipFile(path) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def zipped(files: dict[str, bytes], path: Path) -> Path:
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return path


def certified(files: dict[str, bytes], **changes: Any) -> dict[str, bytes]:
    """The files with a certificate that somebody wrote for them."""
    stated = json.loads(files["certificate.json"]) | changes
    stated["files"] = {
        name: hashlib.sha256(content).hexdigest()
        for name, content in files.items()
        if name != "certificate.json"
    }
    return files | {"certificate.json": json.dumps(stated).encode()}


DEEP = b'{"format": 1, "a": ' + b"[" * 100_000 + b"]" * 100_000 + b"}"


@pytest.mark.parametrize("content", [DEEP, b'{"a": ' + b"9" * 5_000 + b"}", b"[]", b"\xff\xfe{"])
def test_a_certificate_that_is_none_is_reported(
    files: dict[str, bytes], content: bytes, tmp_path: Path
) -> None:
    with pytest.raises(ReleaseError, match=r"certificate\.json is damaged"):
        hdp.open_release(zipped(files | {"certificate.json": content}, tmp_path / "x.zip"))


@pytest.mark.parametrize("changes", [{"title": "\ud800"}, {"note": float("nan")}], ids=str)
def test_a_certificate_that_no_page_can_show_is_reported(
    files: dict[str, bytes], changes: dict[str, Any], tmp_path: Path
) -> None:
    with pytest.raises(ReleaseError, match=r"certificate\.json is damaged"):
        hdp.open_release(zipped(certified(files, **changes), tmp_path / "x.zip"))


LIES: tuple[Any, ...] = (
    [],
    {},
    {"index_columns": ["zzz"], "columns": [], "column_indexes": []},
    {
        "index_columns": [],
        "columns": [],
        "column_indexes": [{"name": 5, "pandas_type": "bytes", "numpy_type": "evil"}],
    },
)


@pytest.mark.parametrize("shown", [*(json.dumps(lie).encode() for lie in LIES), b"[" * 100_000])
def test_a_table_that_lies_about_its_columns_is_reported(
    files: dict[str, bytes], shown: bytes, tmp_path: Path
) -> None:
    rows = pq.read_table(io.BytesIO(files["tables/parish.parquet"]))
    target = io.BytesIO()
    pq.write_table(rows.replace_schema_metadata({b"pandas": shown}), target)
    changed = certified(files | {"tables/parish.parquet": target.getvalue()})
    with pytest.raises(ReleaseError, match=r"parish\.parquet is not a table of a release"):
        hdp.open_release(zipped(changed, tmp_path / "x.zip"))


@pytest.mark.parametrize(
    "levels",
    [("2 x", "x", "x!"), ("n", "x" * 300, "x" * 299), ("n", "é" * 150, "😀" * 90), ("..", "/", "")],
    ids=["alike", "long", "wide", "none"],
)
def test_every_level_gets_a_file_of_its_own_in_a_package(
    levels: tuple[str, ...], tmp_path: Path
) -> None:
    parents = {"r": None, "a": "r", "b": "r", "c": "a", "d": "b"}
    levels = tuple(level or "leaf" for level in levels)
    table = Counts.from_leaves(Regions.from_parents(parents, levels=levels), np.array([50, 60]))
    made = hdp.release(
        table, hdp.plan(table, "tree-dp", epsilon=1), ledger=new_ledger(tmp_path), dataset="pop"
    )
    path = made.write(tmp_path / "package", margins=made.margins(n_simulations=10))
    assert tuple(hdp.open_release(path).tables) == levels


def edited(ledger: Ledger, statement: str) -> None:
    """Change a ledger behind its back."""
    with closing(sqlite3.connect(ledger.path)) as connection:
        connection.execute("DROP TRIGGER no_change")
        connection.execute("DROP TRIGGER no_removal")
        connection.execute(statement)
        connection.commit()


@pytest.mark.parametrize(
    "statement",
    [
        'UPDATE records SET body = replace(body, \'"cost":"\', \'"cost":"-\') WHERE number = 2',
        'UPDATE records SET body = replace(body, \'"cost":"\', \'"cost":"1e9\') WHERE number = 2',
        "UPDATE records SET body = replace(body, '100', '1000') WHERE number = 1",
        "UPDATE records SET body = '{}' WHERE number = 1",
        "UPDATE records SET body = '[]' WHERE number = 2",
        "UPDATE records SET body = printf('%.*c', 100000, '[') WHERE number = 2",
        "DELETE FROM records WHERE number = 2",
    ],
)
def test_nothing_is_spent_on_a_ledger_that_was_edited(statement: str, tmp_path: Path) -> None:
    ledger = new_ledger(tmp_path)
    table = small_table("counts")
    hdp.release(table, hdp.plan(table, "tree-dp", epsilon=1), ledger=ledger, dataset="pop")
    before = ledger.path.read_bytes()
    edited(ledger, statement)
    assert ledger.path.read_bytes() != before
    for use in (
        lambda: ledger.reserve("pop", (), **PLAIN),
        ledger.datasets,
        lambda: ledger.set_budget("pop", epsilon=200, reason="more"),
    ):
        with pytest.raises(ReleaseError, match=r"cannot be used|is damaged"):
            use()


def test_a_link_to_a_ledger_has_its_key_and_its_measurements(tmp_path: Path) -> None:
    ledger = new_ledger(tmp_path)
    (tmp_path / "elsewhere").mkdir()
    link = tmp_path / "elsewhere" / "link"
    link.symlink_to(ledger.path)
    assert Ledger(link).key_file == ledger.key_file
    assert Ledger(link).folder == ledger.folder


def test_a_ledger_of_two_names_is_refused(tmp_path: Path) -> None:
    ledger = new_ledger(tmp_path)
    os.link(ledger.path, tmp_path / "second")
    for path in (ledger.path, tmp_path / "second"):
        with pytest.raises(ReleaseError, match="has a second name"):
            Ledger(path).datasets()


def test_names_that_are_no_text_are_files_and_no_reasons(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path / os.fsdecode(b"\xff?%3f#.db"))
    ledger.add_dataset("pop", epsilon=1)
    assert [os.fsencode(file.name) for file in tmp_path.iterdir()] == [b"\xff?%3f#.db"]
    with pytest.raises(ReleaseError, match="cannot be printed"):
        ledger.set_budget("pop", epsilon=2, reason=os.fsdecode(b"\xff"))


def test_a_table_that_pandas_cannot_hold_is_reported(
    files: dict[str, bytes], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(_: bytes) -> None:
        raise NotImplementedError("|S6")  # what pandas 3.0 says of a type that it does not know

    monkeypatch.setattr(reading, "read_parquet", refuse)
    with pytest.raises(ReleaseError, match="is not a table of a release"):
        hdp.open_release(zipped(files, tmp_path / "x.zip"))
