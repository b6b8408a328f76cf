"""The tables of the United States against figures in print."""

import csv

import numpy as np
import pytest

from hierdp_core import samples
from hierdp_core.tables import by_region, quantity, require_exact
from hierdp_core.util.data_files import data_file, data_rows

PUBLISHED_SHARES = (26.7, 32.8, 16.1, 13.4, 6.5, 2.6, 1.9)  # Census Brief C2010BR-14


def of(table, level, name, wanted):
    k = table.regions.level_index(level)
    nodes = table.tree.level(k)
    at = table.regions.names[nodes].index(name) + nodes.start
    return int(by_region(table, quantity(table, wanted))[at])


@pytest.fixture(scope="module")
def population():
    return samples.load("us-population").table


@pytest.fixture(scope="module")
def households():
    return samples.load("us-households").table


def test_population_has_the_levels_and_places_of_2010(population):
    regions = population.regions
    assert regions.levels == ("nation", "region", "division", "state", "county")
    assert regions.tree.level_sizes.tolist() == [1, 4, 9, 51, 3143]
    require_exact(population)


@pytest.mark.parametrize(
    ("level", "name", "people"),
    [
        ("nation", "United States", 308_745_538),
        ("region", "Northeast", 55_317_240),
        ("region", "Midwest", 66_927_001),
        ("region", "South", 114_555_744),
        ("region", "West", 71_945_553),
        ("state", "California", 37_253_956),
        ("state", "District of Columbia", 601_723),
        ("state", "Wyoming", 563_626),
        ("county", "Los Angeles County, CA", 9_818_605),
        ("county", "Doña Ana County, NM", 209_233),
    ],
)
def test_population_is_the_published_one(population, level, name, people):
    assert of(population, level, name, "count") == people


def test_households_have_the_levels_and_sizes_stated(households):
    assert households.regions.levels == ("nation", "state", "county")
    assert households.regions.tree.level_sizes.tolist() == [1, 51, 3143]
    assert households.n_sizes == 16
    assert households.top_coded
    assert quantity(households, "size-15").title == "households of 15 or more people"
    require_exact(households)


def test_households_reproduce_the_nation(households):
    assert of(households, "nation", "United States", "groups") == 131_704_730
    assert of(households, "nation", "United States", "occupied") == 116_716_292
    people = of(households, "nation", "United States", "members")
    assert people / 116_716_292 == pytest.approx(2.58, abs=0.0005)


def test_household_shares_are_the_published_ones(households):
    sizes = households.values[0]
    allocation = 100 * np.append(sizes[1:7], sizes[7:].sum()) / sizes[1:].sum()
    np.testing.assert_allclose(allocation, PUBLISHED_SHARES, atol=0.1)


def test_every_county_keeps_its_housing_units(households):
    units = {row["geoid"]: int(row["housing_units"]) for row in data_rows("us_counties.csv")}
    leaves = households.tree.leaves
    found = dict(
        zip(households.regions.ids[leaves], households.values[leaves].sum(axis=1), strict=True)
    )
    assert found == {id: units[id] for id in found}


def test_no_county_has_more_people_in_households_than_people(households, population):
    # Rounding may add one or two in the very smallest.
    in_households = by_region(households, quantity(households, "members"))
    for leaf in range(households.tree.leaves.start, households.tree.n_nodes):
        same = population.regions.node(households.regions.ids[leaf], 4)
        assert in_households[leaf] <= population.values[same] + 2


def test_every_county_has_vacant_units_and_households_of_many_sizes(households):
    leaves = households.values[households.tree.leaves]
    assert (leaves[:, 0] > 0).all()
    assert (leaves[:, 1:4] > 0).all()
    large = leaves.sum(axis=1) > 10_000
    assert (np.diff(leaves[large, 6:], axis=1) <= 1).all()  # the tail falls


def test_the_nine_known_counties_are_as_near_as_we_say(households):
    """The figures in `about` and in the README of the sample data."""
    regions = households.regions
    known = data_rows("us_household_counties.csv")
    real = np.array([[int(row[c]) for c in list(row)[2:]] for row in known])
    rows = np.array([households.values[regions.node(row["geoid"], 2)] for row in known])
    fitted = np.column_stack([rows[:, 1:4], rows[:, 4:].sum(axis=1)])

    off = 100 * (fitted.sum(axis=1) / real.sum(axis=1) - 1)
    assert np.abs(off).mean() == pytest.approx(1.2, abs=0.05)
    assert np.abs(off).max() == pytest.approx(4.0, abs=0.05)
    points = 100 * (
        fitted / fitted.sum(axis=1, keepdims=True) - real / real.sum(axis=1, keepdims=True)
    )
    assert np.abs(points).mean() == pytest.approx(1.1, abs=0.05)
    assert np.abs(points).max() == pytest.approx(5.2, abs=0.05)
    about = samples.describe("us-households").about
    for figure in ("error of 1.2%", "error of 4.0%", "1.1 percentage points", "5.2"):
        assert figure in about


def test_the_known_counties_are_not_simply_copied(households):
    """If they were, their errors would say nothing about the rest."""
    for row in data_rows("us_household_counties.csv"):
        fitted = households.values[households.regions.node(row["geoid"], 2)]
        assert fitted[1] != int(row["size_1"])


def test_divisions_part_the_states():
    states = [s for row in data_rows("us_divisions.csv") for s in row["states"].split()]
    assert len(states) == len(set(states)) == 51
    assert {*states, "PR"} == {row["state"] for row in data_rows("us_state_names.csv")}


def test_codes_are_text_with_leading_zeros(population):
    regions = population.regions
    assert regions.names[regions.node("01001", 4)] == "Autauga County, AL"
    assert regions.names[regions.node("06", 3)] == "California"


def test_coordinates_are_kept_to_a_hundredth_of_a_degree():
    for row in data_rows("us_counties.csv"):
        assert {len(row[c].partition(".")[2]) for c in ("lat", "lon")} == {2}


def test_the_running_example_is_the_papers():
    table = samples.load("running-example").table
    assert table.regions.levels == ("nation", "state")
    assert table.regions.ids == ("US", "GA", "NY")
    assert table.values.tolist() == [
        [0, 3, 1, 2, 0, 0],
        [0, 2, 0, 1, 0, 0],
        [0, 1, 1, 1, 0, 0],
    ]


def test_tables_are_plain_csv_with_one_row_a_county():
    with data_file("us_households.csv").open(encoding="utf-8") as file:
        rows = list(csv.reader(file))
    assert len(rows) == 1 + 3143 + 78
    assert {len(row) for row in rows} == {17}
