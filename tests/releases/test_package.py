"""A package: whole or not there, verified when opened, and blind to the exact table."""

import errno
import hashlib
import io
import json
import os
import shutil
import zipfile
from dataclasses import replace
from unittest import mock

import numpy as np
import pandas as pd
import pytest
from support.releases import InjectedNoise, new_ledger, small_table, without_times

import hierdp_core as hdp
from hierdp_core.exceptions import ReleaseError
from hierdp_core.hierarchy import Regions
from hierdp_core.maps.tiles import tile_layout
from hierdp_core.mechanisms import MECHANISMS, TreeDp
from hierdp_core.mechanisms.base import Tuning
from hierdp_core.releases.checks import refusal, releasable
from hierdp_core.releases.ledger import Ledger
from hierdp_core.releases.making import Release, finished, measured
from hierdp_core.releases.margins import margins
from hierdp_core.releases.package.certificate import certificate
from hierdp_core.releases.package.page import certificate_page
from hierdp_core.releases.package.reading import open_uploaded
from hierdp_core.releases.package.writing import package_files
from hierdp_core.releases.verification import faults_against

RELEASABLE = [id for id, kind in MECHANISMS.items() if not refusal(kind())]
SIMULATIONS = 10


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    """One release with its folder."""
    folder = tmp_path_factory.mktemp("release")
    ledger, table = new_ledger(folder), small_table()
    plan = hdp.plan(table, "tree-dp", epsilon=1, allocation=[1, 1, 2])
    released = hdp.release(table, plan, ledger=ledger, dataset="pop", title="Parishes <2026>")
    drawn = tile_layout(table.regions, label="own")
    error = released.margins(n_simulations=SIMULATIONS)
    path = released.write(folder / "package", margins=error, boundaries=drawn, measurements=True)
    return released, path, error


def test_a_package_has_every_level_in_every_format_and_names_every_file(written):
    _, path, _ = written
    names = {file.relative_to(path).as_posix() for file in path.rglob("*") if file.is_file()}
    levels = ("country", "district", "parish")
    assert {f"tables/{level}.{kind}" for level in levels for kind in ("csv", "parquet")} <= names
    assert {f"maps/{level}.gpkg" for level in levels} <= names
    certificate = json.loads((path / "certificate.json").read_text(encoding="utf-8"))
    assert set(certificate["files"]) == names - {"certificate.json"}
    readme = (path / "README.md").read_text(encoding="utf-8")
    parts = {f"{name.split('/')[0]}/" if "/" in name else name for name in names}
    assert {part for part in parts if f"- `{part}`:" in readme} == parts - {"README.md"}


def test_an_opened_package_gives_the_released_numbers_with_margins(written):
    released, path, error = written
    package = hdp.open_release(path)
    assert list(package.tables) == ["country", "district", "parish"]
    parishes = package.tables["parish"]
    last = released.table.tree.leaves
    assert parishes["value"].tolist() == released.table.values[last].tolist()
    assert parishes["margin"].tolist() == error.values[last].tolist()
    assert (parishes["low"] == np.maximum(0, parishes["value"] - parishes["margin"])).all()
    assert package.guarantee == released.privacy.sentence
    expected = np.select(
        [parishes["margin"].isna(), parishes["value"] <= parishes["margin"]],
        ["margin not known", "not above its margin"],
        default="",
    )
    assert parishes["note"].tolist() == expected.tolist()
    assert parishes["parent"].tolist() == ["a", "a", "b"]
    assert package.tables["country"]["parent"].tolist() == [""]
    csv = pd.read_csv(path / "tables" / "parish.csv")
    assert csv["value"].tolist() == parishes["value"].tolist()
    import geopandas as gpd

    shapes = gpd.read_file(path / "maps" / "parish.gpkg")
    assert shapes["value"].tolist() == parishes["value"].tolist()


def test_the_certificate_states_what_was_done_and_by_which_record(written):
    released, path, _ = written
    stated = json.loads((path / "certificate.json").read_text(encoding="utf-8"))
    assert stated["title"] == "Parishes <2026>"
    assert stated["guarantee"]["epsilon"] == 1
    assert stated["budget"]["allocation"] == {"country": 1, "district": 1, "parish": 2}
    assert stated["ledger"]["hash"] == released.entry.last.hash
    assert "OpenDP" in stated["noise_source"]
    assert stated["plan_chosen_on"]["basis"] == "nothing"
    assert stated["margins"]["public_seed"] == released.seed
    page = (path / "certificate.html").read_text(encoding="utf-8")
    assert "Parishes &lt;2026&gt;" in page
    assert released.privacy.sentence.split(".")[0] in page
    reserved = released.entry.reserved
    assert f"The cost was debited in record {reserved.number} of the ledger" in page
    assert reserved.hash in page
    assert released.entry.last.hash in page
    assert "http" not in page.replace("https://", "")


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        (lambda p: (p / "tables" / "parish.csv").write_text("x"), "parish.csv was changed"),
        (lambda p: (p / "README.md").unlink(), "README.md is missing"),
        (lambda p: (p / "more.csv").write_text("x"), "more.csv is not in the certificate"),
        (lambda p: (p / "empty").mkdir(), "empty/ is not in the certificate"),
        (lambda p: (p / "a" / "b").mkdir(parents=True), "a/ is not in the certificate"),
        (lambda p: (p / "tables" / "more.parquet").mkdir(), "more.parquet/ is not in the"),
        (lambda p: (p / "link").symlink_to(p / "nothing"), "link/ is not in the certificate"),
        (lambda p: (p / "link").symlink_to(p / "tables"), "link/ is not in the certificate"),
        (lambda p: os.mkfifo(p / "pipe"), "pipe/ is not in the certificate"),
        (lambda p: (p / "certificate.json").write_text("{"), "damaged"),
        (lambda p: (p / "certificate.json").write_text('{"format": 1}'), "damaged"),
        (lambda p: (p / "certificate.json").write_text('{"format": 2}'), "newer version"),
        (lambda p: (p / "certificate.json").unlink(), "not a package"),
    ],
)
def test_a_changed_package_is_not_opened(written, tmp_path, change, fault):
    copy = tmp_path / "copy"
    shutil.copytree(written[1], copy)
    change(copy)
    with pytest.raises(ReleaseError, match=fault):
        hdp.open_release(copy)


def test_a_change_of_any_file_is_seen(written, tmp_path):
    released, path, _ = written
    copy = tmp_path / "copy"
    shutil.copytree(path, copy)
    names = [file.relative_to(path).as_posix() for file in path.rglob("*") if file.is_file()]
    names.remove("certificate.json")
    assert {"certificate.html", "noisy-measurements.npz", "maps/parish.gpkg"} <= {*names}
    for name in names:
        kept = (copy / name).read_bytes()
        for change, fault in (
            (kept[:-1] + bytes([kept[-1] ^ 1]), "was changed"),
            (None, "is miss"),
        ):
            (copy / name).unlink()
            if change is not None:
                (copy / name).write_bytes(change)
            with pytest.raises(ReleaseError, match=f"{name} {fault}"):
                hdp.open_release(copy)
            with pytest.raises(ReleaseError, match=f"{name} {fault}"):
                open_uploaded(zipped(copy), "copy.zip")
            assert any(f"{name} {fault}" in one for one in faults_against(released.ledger, [copy]))
        (copy / name).write_bytes(kept)
    assert hdp.open_release(copy).certificate_hash


def zipped(folder):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for file in folder.rglob("*"):
            if file.is_file():
                archive.write(file, file.relative_to(folder).as_posix())
    return buffer.getvalue()


@pytest.mark.parametrize(("folder", "opens"), [("tables/", True), ("empty/", False)])
def test_a_zip_has_no_folder_without_files(written, tmp_path, folder, opens):
    copy = tmp_path / "copy.zip"
    with zipfile.ZipFile(copy, "w") as archive:
        archive.writestr(folder, b"")
        for file in written[1].rglob("*"):
            if file.is_file():
                archive.write(file, file.relative_to(written[1]).as_posix())
    if opens:
        assert hdp.open_release(copy).guarantee
        return
    with pytest.raises(ReleaseError, match="empty/ is not in the certificate"):
        hdp.open_release(copy)
    (fault, *_) = faults_against(written[0].ledger, [copy])
    assert "empty/ is not in the certificate" in fault


@pytest.mark.parametrize("further", ["", "__MACOSX/._package", "__MACOSX/package/._README.md"])
def test_a_zip_may_hold_the_package_in_a_folder(written, tmp_path, further):
    copy = tmp_path / "copy.zip"
    with zipfile.ZipFile(copy, "w") as archive:
        archive.writestr("package/", b"")
        for file in written[1].rglob("*"):
            if file.is_file():
                archive.write(file, f"package/{file.relative_to(written[1]).as_posix()}")
        if further:
            archive.writestr(further, b"about a file")
    assert hdp.open_release(copy).certificate == hdp.open_release(written[1]).certificate
    assert open_uploaded(copy.read_bytes(), "copy.zip").certificate


@pytest.mark.parametrize("further", ["other/certificate.json", "notes.txt"])
def test_a_zip_holds_one_package_and_nothing_else(written, tmp_path, further):
    copy = tmp_path / "copy.zip"
    with zipfile.ZipFile(copy, "w") as archive:
        for file in written[1].rglob("*"):
            if file.is_file():
                archive.write(file, f"package/{file.relative_to(written[1]).as_posix()}")
        archive.writestr(further, b"{}")
    with pytest.raises(ReleaseError, match="has no certificate"):
        hdp.open_release(copy)


def test_a_package_with_a_further_file_in_a_folder_of_a_zip_does_not_open(written, tmp_path):
    copy = tmp_path / "copy.zip"
    with zipfile.ZipFile(copy, "w") as archive:
        for file in written[1].rglob("*"):
            if file.is_file():
                archive.write(file, f"package/{file.relative_to(written[1]).as_posix()}")
        archive.writestr("package/more.txt", b"more")
    with pytest.raises(ReleaseError, match=r"more\.txt is not in the certificate"):
        hdp.open_release(copy)


def test_a_zip_that_cannot_be_unpacked_is_reported_in_one_sentence(written, tmp_path):
    released, _, error = written
    archive = released.write(tmp_path / "package.zip", margins=error)
    content = bytearray(archive.read_bytes())
    flags = content.index(b"PK\x01\x02") + 8
    content[flags] |= 1  # as of an encrypted member
    archive.write_bytes(content)
    with pytest.raises(ReleaseError, match="cannot be read as a package"):
        hdp.open_release(archive)


def test_every_file_is_on_the_disk_before_the_package_appears(written, tmp_path):
    released, _, error = written
    synced = []
    real = os.fsync

    def watched(descriptor):
        synced.append(os.fstat(descriptor).st_ino)
        assert not (tmp_path / "p").exists() or len(synced) > 1
        real(descriptor)

    with mock.patch("os.fsync", watched):
        path = released.write(tmp_path / "p", margins=error)
    files = {file.stat().st_ino for file in path.rglob("*")}
    assert files <= {*synced}


def _without(*path):
    """Change a certificate so that a name in it is missing, and its file is as it says."""

    def change(folder):
        words = json.loads((folder / "certificate.json").read_text(encoding="utf-8"))
        part = words
        for name in path[:-1]:
            part = part[name]
        del part[path[-1]]
        (folder / "certificate.json").write_text(json.dumps(words))

    return change


@pytest.mark.parametrize(
    "change",
    [
        _without("budget"),
        _without("ledger", "reserved_hash"),
        _without("guarantee", "sentence"),
        _without("fitness_for_use", 0, "level"),
        lambda p: (p / "certificate.json").write_text("[]"),
    ],
)
def test_a_certificate_without_what_is_read_in_it_is_damaged(written, tmp_path, change):
    released, path, _ = written
    copy = tmp_path / "copy"
    shutil.copytree(path, copy)
    change(copy)
    with pytest.raises(ReleaseError, match="damaged"):
        hdp.open_release(copy)
    (fault,) = faults_against(released.ledger, [copy])
    assert "damaged" in fault


def test_a_table_that_is_none_is_refused_although_its_hash_is_right(written, tmp_path):
    copy = tmp_path / "copy"
    shutil.copytree(written[1], copy)
    (copy / "tables" / "parish.parquet").write_bytes(b"PAR1")
    words = json.loads((copy / "certificate.json").read_text(encoding="utf-8"))
    words["files"]["tables/parish.parquet"] = hashlib.sha256(b"PAR1").hexdigest()
    (copy / "certificate.json").write_text(json.dumps(words))
    with pytest.raises(ReleaseError, match=r"parish\.parquet is not a table"):
        hdp.open_release(copy)


def test_the_page_of_a_certificate_rounds_against_the_release(written):
    released, _, error = written
    values = certificate(released, replace(error, level=0.995), {}, checks=released.checks)
    values["fitness_for_use"] = [
        {"level": "parish", "from": 1, "to": 5, "numbers": 9, "median_margin": 2.5,
         "without_margin": 0.0, "within_a_tenth": 0.996},
    ]  # fmt: skip
    page = certificate_page(values).decode()
    assert "The margins have a confidence of 99.5%" in page
    assert "<td>3</td><td>99%</td>" in page


def test_a_zip_is_the_same_package(written, tmp_path):
    released, path, error = written
    drawn = tile_layout(released.table.regions, label="own")
    archive = released.write(
        tmp_path / "package.zip", margins=error, boundaries=drawn, measurements=True
    )
    with zipfile.ZipFile(archive) as opened:
        content = {name: opened.read(name) for name in opened.namelist()}
    assert content == {
        file.relative_to(path).as_posix(): file.read_bytes()
        for file in path.rglob("*")
        if file.is_file()
    }
    assert hdp.open_release(archive).certificate == hdp.open_release(path).certificate


def test_a_package_overwrites_nothing_and_leaves_nothing_half_done(written, tmp_path):
    released, path, error = written
    with pytest.raises(ReleaseError, match="already exists"):
        released.write(path, margins=error)
    with pytest.raises(ReleaseError, match="there is no folder"):
        released.write(tmp_path / "none" / "package", margins=error)
    full = OSError(28, "No space left on device")
    with (
        mock.patch("pathlib.Path.write_bytes", side_effect=full),
        pytest.raises(ReleaseError, match="without new noise and without cost"),
    ):
        released.write(tmp_path / "full", margins=error)
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(ReleaseError, match="There is no package"):
        hdp.open_release(tmp_path / "none")


@pytest.mark.parametrize("name", ["package", "package.zip"])
@pytest.mark.parametrize("links", [True, False])
def test_a_file_that_appears_while_the_package_is_made_is_kept(
    written, tmp_path, monkeypatch, name, links
):
    released, _, error = written
    target = tmp_path / name

    def with_a_rival(*given, **named):
        files = package_files(*given, **named)
        target.write_bytes(b"of somebody else")
        return files

    if not links:
        refused = OSError(errno.EPERM, os.strerror(errno.EPERM))
        monkeypatch.setattr("pathlib.Path.hardlink_to", mock.Mock(side_effect=refused))
    monkeypatch.setattr("hierdp_core.releases.package.writing.package_files", with_a_rival)
    with pytest.raises(ReleaseError):
        released.write(target, margins=error)
    assert target.read_bytes() == b"of somebody else"
    assert [path.name for path in tmp_path.iterdir()] == [name]


def test_a_zip_is_written_where_files_have_one_name(written, tmp_path, monkeypatch):
    released, _, error = written
    refused = OSError(errno.EPERM, os.strerror(errno.EPERM))
    monkeypatch.setattr("pathlib.Path.hardlink_to", mock.Mock(side_effect=refused))
    archive = released.write(tmp_path / "package.zip", margins=error)
    assert hdp.open_release(archive).certificate["release"] == released.id
    assert list(tmp_path.iterdir()) == [archive]


def neighbours(kind):
    """Two tables that one record tells apart, with the public facts of both the same."""
    table = small_table(kind)
    if kind == "group-sizes":
        leaves = table.values[table.tree.leaves].copy()
        leaves[0, 1] -= 1
        leaves[0, 2] += 1
        return table, type(table).from_leaves(table.regions, leaves)
    if kind == "flows":
        values = [9, 4, 29, 3]
        other = type(table).from_pairs(
            table.regions, table.regions, [0, 0, 1, 2], [0, 1, 2, 0], values
        )
        return table, other
    return table, type(table).from_leaves(table.regions, [39, 18, 230])


def package_of(table, plan, entry, ledger, noise, error=None):
    exact = releasable(plan)
    noisy = measured(table, exact, noise)
    values, checks = finished(table.blank(), exact, noisy)
    release = Release(
        table=values, noisy=noisy, plan=exact, checks=checks, entry=entry, ledger=ledger
    )
    error = margins(values, exact, seed=release.seed, n_simulations=SIMULATIONS)
    return package_files(release, margins=error, measurements=True)


@pytest.mark.parametrize("id", RELEASABLE)
def test_neighbouring_tables_with_the_same_measurements_give_the_same_bytes(tmp_path, id):
    for kind in MECHANISMS[id].kinds:
        one, other = neighbours(kind)
        ledger = Ledger(tmp_path / f"{kind}.db")
        ledger.add_dataset("pop", rho=100)
        released = hdp.release(
            one, hdp.plan(one, id, rho=1), ledger=ledger, dataset="pop", title="T"
        )
        entry = without_times(released.entry)
        packages = [
            package_of(table, hdp.plan(table, id, rho=1), entry, ledger, InjectedNoise(5))
            for table in (one, other)
        ]
        assert packages[0] == packages[1]
        different = package_of(one, hdp.plan(one, id, rho=1), entry, ledger, InjectedNoise(6))
        assert different != packages[0]


class Leaky(TreeDp):
    """It adds no noise to the last number."""

    def measure(self, values, plan, noise):
        noisy = super().measure(values, plan, noise)
        noisy[-2] = values[-2]
        return noisy


def test_the_comparison_finds_a_number_without_noise(tmp_path):
    one, other = neighbours("counts")
    ledger = new_ledger(tmp_path)
    plan = hdp.plan(one, "tree-dp", epsilon=1)
    entry = without_times(hdp.release(one, plan, ledger=ledger, dataset="pop").entry)
    packages = [
        package_of(table, hdp.plan(table, Leaky(), epsilon=1), entry, ledger, InjectedNoise(5))
        for table in (one, other)
    ]
    assert packages[0] != packages[1]


def test_names_that_a_spreadsheet_would_run_are_made_harmless(tmp_path):
    places = Regions.from_parents(
        {"all": None, "a": "all", "b": "all"},
        levels=("country", "=cmd"),
        names={"a": "=1+1"},
    )
    table = hdp.Counts.from_leaves(places, [4, 9])
    released = hdp.release(
        table, hdp.plan(table, "tree-dp", epsilon=1), ledger=new_ledger(tmp_path), dataset="pop"
    )
    path = released.write(tmp_path / "p", margins=released.margins(n_simulations=SIMULATIONS))
    assert "'=1+1" in (path / "tables" / "cmd.csv").read_text(encoding="utf-8")


def test_a_plan_tuned_on_the_same_table_is_reported_in_the_certificate(tmp_path):
    table = small_table()
    plan = replace(hdp.plan(table, "tree-dp", epsilon=1), tuned_on=Tuning.SAME)
    released = hdp.release(
        table, plan, ledger=new_ledger(tmp_path), dataset="pop", allow_same_table=True
    )
    path = released.write(tmp_path / "p", margins=released.margins(n_simulations=SIMULATIONS))
    shown = "The guarantee does not cover that choice"
    assert shown in hdp.open_release(path).certificate["plan_chosen_on"]["sentence"]
    assert shown in (path / "certificate.html").read_text(encoding="utf-8")


def test_the_certificate_tells_lists_from_totals_and_says_what_levels_of_flows_count(tmp_path):
    ledger, table = new_ledger(tmp_path), small_table("flows")
    plan = hdp.plan(table, "inftda", epsilon=1, delta=1e-8)
    released = hdp.release(table, plan, ledger=ledger, dataset="pop", title="Trips")
    error = released.margins(n_simulations=SIMULATIONS)
    path = released.write(tmp_path / "package", margins=error)
    values = json.loads((path / "certificate.json").read_text(encoding="utf-8"))
    sources = {row["fact"].split(",")[0]: row["source"] for row in values["treated_as_public"]}
    assert sources == {
        "the list of areas and how they nest": "declared public by the owner",
        "the total": "the exact number of the table, which the release publishes",
    }
    page = (path / "certificate.html").read_text(encoding="utf-8")
    last = table.regions.levels[-1]
    assert "What it counts" in page
    assert f"flows from each {last} to each {last}" in page
    assert "an origin and a destination on the same level" in page


@pytest.mark.parametrize(("id", "counted"), [("coc", "in every area"), ("pgsr-h-dp", "groups")])
def test_public_numbers_of_groups_are_called_exact_numbers_of_the_table(id, counted):
    facts = hdp.plan(small_table("group-sizes"), id, epsilon=1).privacy.facts
    sources = {fact.words: fact.source.value for fact in facts}
    (number,) = (fact for fact, source in sources.items() if "the release publishes" in source)
    assert number.startswith("the number of groups")
    assert counted in number
    assert set(sources.values()) == {"declared public by the owner", sources[number]}
