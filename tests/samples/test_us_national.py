"""The national table is made by the papers' recipe, and kept."""

import hashlib

import numpy as np
import pytest

from hierdp_core.hierarchy.united_states import us_regions
from hierdp_core.samples import us_national
from hierdp_core.samples.chance import Uniforms
from hierdp_core.samples.us import household_sizes
from hierdp_core.samples.us_national import HOUSEHOLDS_NATIONAL, state_sizes

# Remake with: python -m pytest tests/samples/test_us_national.py -k everywhere
DIGEST = "bd1202e8d4dcbffa"


@pytest.fixture(autouse=True)
def cache(monkeypatch, tmp_path):
    monkeypatch.setenv("HIERDP_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache" / "us-households-national.cache"


@pytest.fixture(scope="module")
def table():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(us_national, "cached", lambda name, key, make: make())
        return HOUSEHOLDS_NATIONAL.table(None)


def test_its_places_and_sizes(table):
    assert table.regions.levels == ("nation", "state", "county")
    assert table.tree.level_sizes.tolist() == [1, 52, 3221]
    assert table.n_sizes == 1001
    assert not table.top_coded
    assert (table.values[:, 0] == 0).all()


def test_it_has_about_as_many_groups_as_the_papers(table):
    assert table.values[0].sum() == pytest.approx(117.6e6, rel=0.003)
    assert "117.4 million" in HOUSEHOLDS_NATIONAL.info.about
    assert round(table.values[0].sum() / 1e6, 1) == 117.4


def test_it_is_the_same_everywhere(table):
    assert hashlib.sha256(table.values.astype("<i8").tobytes()).hexdigest()[:16] == DIGEST


def test_sizes_one_to_seven_are_those_of_the_fitted_states(table):
    regions = us_regions(with_island=True)
    fitted = household_sizes(regions)
    outlier_free = slice(1, 8)
    assert table.values[0, outlier_free].tolist() == fitted[:, outlier_free].sum(axis=0).tolist()


def test_above_seven_each_size_is_thinned_by_the_same_ratio(table):
    sizes = table.values[0]
    ratio = sizes[7] / sizes[6]
    for size in (8, 9, 10):  # states differ a little, so the nation's ratio drifts
        assert sizes[size] / sizes[size - 1] == pytest.approx(ratio, rel=0.02)


def test_fifty_outliers_lie_up_to_a_thousand(table):
    beyond = table.values[0, 30:]
    assert 40 <= beyond.sum() <= 50
    assert np.flatnonzero(beyond)[-1] + 30 > 900


def test_counties_share_in_proportion(table):
    regions = table.regions
    texas = regions.node("48", 1)
    family = table.tree.children(texas)
    households = household_sizes(regions)[:, 1:].sum(axis=1)
    own = households[family.start - table.tree.leaves.start :][: family.stop - family.start]
    expected = table.values[texas, 1:8] * (own / own.sum())[:, None]
    assert np.abs(table.values[family, 1:8] - expected).max() <= 1


def test_thinning_follows_its_ratio_and_no_other():
    known = np.array([0, 0, 0, 0, 0, 1_000_000, 400_000])
    sizes = state_sizes(known, Uniforms(7))
    z = (sizes[8] - 0.4 * 400_000) / (400_000 * 0.4 * 0.6) ** 0.5
    assert abs(z) < 5  # by chance once in two million draws
    assert sizes[0] == 0
    assert sizes[1:8].tolist() == known.tolist()


def test_progress_is_reported_state_by_state_and_only_when_there_is_work(cache):
    shown = []
    first = HOUSEHOLDS_NATIONAL.table(lambda *step: shown.append(step))
    assert [done for done, _, _ in shown] == list(range(1, 53))
    assert {total for _, total, _ in shown} == {52}
    assert "Alabama" in shown[0][2]
    assert cache.is_file()

    shown.clear()
    second = HOUSEHOLDS_NATIONAL.table(lambda *step: shown.append(step))
    assert shown == []
    assert np.array_equal(first.values, second.values)


def test_a_broken_cache_is_made_anew(cache, table):
    cache.parent.mkdir()
    cache.write_bytes(b"not a table")
    assert np.array_equal(HOUSEHOLDS_NATIONAL.table(None).values, table.values)
    assert len(cache.read_bytes()) > 1000


def test_a_cache_folder_that_cannot_be_written_does_not_matter(monkeypatch, tmp_path, table):
    (tmp_path / "file").write_text("in the way")
    monkeypatch.setenv("HIERDP_CACHE", str(tmp_path / "file"))
    assert np.array_equal(HOUSEHOLDS_NATIONAL.table(None).values, table.values)
