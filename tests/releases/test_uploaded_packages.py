"""A ZIP that anybody may have made: opened like any package, or refused in one sentence."""

import hashlib
import io
import json
import stat
import zipfile

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from support.releases import new_ledger, small_table

import hierdp_core as hdp
from hierdp_core.exceptions import ReleaseError
from hierdp_core.maps.tiles import tile_layout
from hierdp_core.releases.package import reading, unpacking
from hierdp_core.releases.package.reading import open_release, open_uploaded


@pytest.fixture(scope="module")
def content(tmp_path_factory):
    folder = tmp_path_factory.mktemp("uploaded")
    table = small_table()
    plan = hdp.plan(table, "tree-dp", epsilon=1)
    made = hdp.release(table, plan, ledger=new_ledger(folder), dataset="pop")
    error = made.margins(n_simulations=10)
    drawn = tile_layout(table.regions, label="own")
    return made.write(folder / "package.zip", margins=error, boundaries=drawn).read_bytes()


def files_of(content):
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def zipped(files, *, method=zipfile.ZIP_DEFLATED):
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", method) as archive:
        for name, inside in files.items() if isinstance(files, dict) else files:
            archive.writestr(name, inside)
    return target.getvalue()


def certified(files, **changes):
    """A package whose hashes are right, whatever is in it."""
    certificate = json.loads(files["certificate.json"]) | changes
    others = {name: inside for name, inside in files.items() if name != "certificate.json"}
    certificate["files"] = {
        name: hashlib.sha256(inside).hexdigest() for name, inside in others.items()
    }
    return zipped(others | {"certificate.json": json.dumps(certificate).encode()})


def test_an_uploaded_package_is_the_same_as_that_of_its_path(content, tmp_path):
    (tmp_path / "package.zip").write_bytes(content)
    expected = hdp.open_release(tmp_path / "package.zip")
    package = open_uploaded(content, "package.zip")
    assert package.certificate_hash == expected.certificate_hash
    for level, rows in expected.tables.items():
        pd.testing.assert_frame_equal(package.tables[level], rows)
    assert {*package.maps} == {*expected.maps} == {"country", "district", "parish"}


@pytest.mark.parametrize(
    "name", ["../out.csv", "/etc/out", "a\\b.csv", "C:out", "a/./b", "a//b", "x" * 300, "a\nb"]
)
def test_a_path_that_leads_elsewhere_is_refused(content, name):
    with pytest.raises(ReleaseError, match="has a path that is not allowed"):
        open_uploaded(zipped(files_of(content) | {name: b""}), "package.zip")


def test_a_refusal_is_stated_once(content):
    with pytest.raises(ReleaseError, match=r"^package\.zip is not a package: a file in it"):
        open_uploaded(zipped(files_of(content) | {"../out.csv": b""}), "package.zip")


def test_a_folder_with_content_of_its_own_is_refused(content):
    files = files_of(content)
    assert open_uploaded(zipped(files | {"tables/": b""}), "package.zip").guarantee
    with pytest.raises(ReleaseError, match="a folder entry in it contains data"):
        open_uploaded(zipped(files | {"tables/": b"more"}), "package.zip")


def test_a_path_that_occurs_twice_is_refused(content):
    files = [*files_of(content).items(), ("README.MD", b"another")]
    with pytest.raises(ReleaseError, match="a path occurs twice"):
        open_uploaded(zipped(files), "package.zip")


def test_what_is_too_much_is_refused_before_it_is_unpacked(content, monkeypatch):
    files = files_of(content)
    monkeypatch.setattr(reading, "MOST_UPLOADED", 10**7)
    bomb = zipped(files | {"zeros": bytes(10**7)})
    assert len(bomb) < 100_000
    monkeypatch.setattr(zipfile.ZipFile, "read", lambda *_: pytest.fail("it was unpacked"))
    with pytest.raises(ReleaseError, match="it has more than 10 MB"):
        open_uploaded(bomb, "package.zip")
    many = zipped(files | {f"{n}.csv": b"" for n in range(unpacking.MOST_FILES)})
    with pytest.raises(ReleaseError, match="it has more than 1,000 files"):
        open_uploaded(many, "package.zip")


def test_a_folder_that_is_too_large_is_not_to_be_unpacked(tmp_path):
    with (tmp_path / "large.bin").open("wb") as file:
        file.truncate(unpacking.MOST_BYTES + 1)
    with pytest.raises(ReleaseError, match=r"more than 2,000 MB\. Name the package itself\."):
        open_release(tmp_path)


def test_a_size_that_is_stated_too_small_is_refused(content):
    lie = zipped(files_of(content) | {"zeros": bytes(1_000_000)})
    at = lie.rindex(b"PK\x01\x02")  # the last entry of the directory
    lie = lie[: at + 24] + (10).to_bytes(4, "little") + lie[at + 28 :]
    with pytest.raises(ReleaseError, match="cannot be read as a package"):
        open_uploaded(lie, "package.zip")


def test_other_files_are_refused_in_one_sentence(content):
    files = files_of(content)
    with pytest.raises(ReleaseError, match="cannot be read as a package"):
        open_uploaded(b"no ZIP", "package.zip")
    with pytest.raises(ReleaseError, match="its compression method is not supported"):
        open_uploaded(zipped(files, method=zipfile.ZIP_LZMA), "package.zip")
    link = zipfile.ZipInfo("tables/country.csv")
    link.external_attr = (stat.S_IFLNK | 0o777) << 16
    others = [(name, inside) for name, inside in files.items() if name != link.filename]
    with pytest.raises(
        ReleaseError, match=r"country\.csv was changed"
    ):  # read as text, not followed
        open_uploaded(zipped([*others, (link, b"/etc/hostname")]), "package.zip")


@pytest.mark.parametrize(
    "changes",
    [
        {"margins": {"level": 2.0, "simulations": 10}},
        {"margins": {"level": 0.9, "simulations": "many"}},
        {"mechanism": {}},
        {"noise_source": 5},
        {"treated_as_public": [{}]},
        {"released": None},
    ],
    ids=str,
)
def test_a_certificate_that_would_break_the_page_is_refused(content, changes):
    with pytest.raises(ReleaseError, match=r"certificate\.json is damaged"):
        open_uploaded(certified(files_of(content), **changes), "package.zip")


def parquet(table):
    target = io.BytesIO()
    pq.write_table(table, target)
    return target.getvalue()


def test_a_table_that_grows_when_it_is_read_is_refused(content, monkeypatch):
    monkeypatch.setattr(reading, "_MOST_CELLS", 1_000)
    files = files_of(content)
    rows = pq.read_table(io.BytesIO(files["tables/parish.parquet"]))
    long = rows.set_column(rows.column_names.index("name"), "name", pa.array(["x" * 10_001] * 3))
    large = pa.table({name: np.zeros(1_000) for name in rows.column_names})
    words = rows.set_column(rows.column_names.index("value"), "value", pa.array(["1", "2", "3"]))
    for table in (long, large, words, rows.drop_columns(["id"]), pa.table({})):
        changed = files | {"tables/parish.parquet": parquet(table)}
        with pytest.raises(ReleaseError, match=r"parish\.parquet is not a table of a release"):
            open_uploaded(certified(changed), "package.zip")
