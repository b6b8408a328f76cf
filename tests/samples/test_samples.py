"""What every sample promises, whichever they are."""

import json
import subprocess
import sys

import pytest

from hierdp_core import samples
from hierdp_core.exceptions import ChoiceError
from hierdp_core.tables import require_exact


def test_the_samples_of_the_design_are_there():
    households = {"us-households", "us-households-national"}
    assert households | {"running-example", "us-population", "taxi"} <= set(samples.names())


@pytest.mark.parametrize("id", samples.names())
def test_a_sample_is_as_it_is_described(id):
    info = samples.describe(id)
    sample = samples.load(id)
    assert info.id == sample.id == id
    assert info.kind == sample.table.kind
    assert info.person == sample.table.person
    assert sample.as_dict() == info.as_dict()
    assert json.loads(json.dumps(info.as_dict())) == info.as_dict()
    assert all(text for name, text in info.as_dict().items() if name != "badge")
    all_real = info.real.startswith("All")
    assert bool(info.badge) != all_real
    require_exact(sample.table)

    boundaries = sample.boundaries
    assert boundaries.regions is sample.table.regions
    for level in range(sample.table.tree.n_levels):
        ids = [feature["id"] for feature in boundaries.level(level)["features"]]
        assert ids == list(sample.table.regions.ids[sample.table.tree.level(level)])


@pytest.mark.parametrize("id", samples.names())
def test_a_sample_is_loaded_once(id):
    assert samples.load(id) is samples.load(id)
    assert samples.load(id).boundaries is samples.load(id).boundaries


@pytest.mark.parametrize("ask", [samples.load, samples.describe])
def test_an_unknown_sample_is_refused_with_the_known_ones(ask):
    with pytest.raises(ChoiceError) as refused:
        ask("us-houses")
    assert 'There is no sample "us-houses"' in str(refused.value)
    assert all(id in str(refused.value) for id in samples.names())


def test_partially_synthetic_samples_say_so():
    for id in ("us-households", "us-households-national"):
        assert "Fitted:" in samples.describe(id).real
    assert "by county are fitted" in samples.describe("us-households").about


def test_a_generated_sample_states_it():
    assert samples.describe("taxi").about.startswith("A synthetic table")
    assert "Synthetic, from a seeded generator" in samples.describe("taxi").real


def test_what_is_read_at_the_start_is_light():
    """No geometry and no data frame library for a command that needs a table only."""
    code = (
        "import sys, hierdp_core.samples as s; s.load('us-households').boundaries; "
        "print([m for m in ('pandas', 'geopandas', 'shapely', 'pyproj') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
