"""The taxi table is generated: real places, the paper's totals, and a very long tail."""

import hashlib
import time
from collections import Counter

import numpy as np
import pytest
from support.simulations import simulated

from hierdp_core.samples import taxi
from hierdp_core.samples.chance import Uniforms
from hierdp_core.samples.taxi import (
    LARGEST,
    PAIRS,
    PICKUPS,
    TAXI,
    city_regions,
    kind_of,
    tailed,
    whole_sizes,
    zone_weights,
)
from hierdp_core.tables import GroupSizes, require_exact
from hierdp_core.util.data_files import data_rows

DIGEST = "3535bffefba48a04"  # of the values as little-endian int64
SLOWEST = 2.0  # seconds of this process's own time; about 0.5
ZONES = {
    "Manhattan": 69,
    "Queens": 69,
    "Brooklyn": 61,
    "Bronx": 43,
    "Staten Island": 20,
    "EWR": 1,
}


@pytest.fixture(scope="module")
def table():
    return TAXI.table(None)


@pytest.fixture(scope="module")
def pickups(table):
    return dict(zip(table.regions.ids, table.values @ np.arange(LARGEST + 1), strict=True))


def test_its_places(table):
    regions = table.regions
    assert regions.levels == ("city", "borough", "zone")
    assert table.tree.level_sizes.tolist() == [1, 6, 263]
    for borough, zones in ZONES.items():
        family = table.tree.children(regions.node(borough, 1))
        assert family.stop - family.start == zones


def test_zones_are_the_official_ones():
    rows = data_rows("nyc_taxi_zones.csv")
    assert [row["zone"] for row in rows] == [str(number) for number in range(1, 264)]
    assert Counter(row["borough"] for row in rows) == ZONES
    services = {"Boro Zone": 205, "Yellow Zone": 55, "Airports": 2, "EWR": 1}
    assert Counter(row["service"] for row in rows) == services
    names = {row["zone"]: row["name"] for row in rows}
    assert names["132"] == "JFK Airport"
    assert names["230"] == "Times Sq/Theatre District"


def test_no_two_regions_share_a_name():
    regions = city_regions()
    assert len(set(regions.names)) == regions.tree.n_nodes
    assert regions.names[regions.node("56", 2)] == "Corona (56)"
    assert regions.names[regions.node("57", 2)] == "Corona (57)"
    assert regions.names[regions.node("79", 2)] == "East Village"


def test_totals_are_those_of_the_paper(table, pickups):
    require_exact(table)
    assert table.values[0].sum() == PAIRS == 360_872
    assert pickups["NYC"] == PICKUPS == 130_962_398
    for total in (PAIRS, PICKUPS):
        assert f"{total:,}" in TAXI.info.about


def test_distinct_sizes_are_about_as_many_as_in_the_paper(table):
    assert np.count_nonzero(table.values[0]) == 3088


def test_it_is_the_same_everywhere(table):
    assert hashlib.sha256(table.values.astype("<i8").tobytes()).hexdigest()[:16] == DIGEST


def test_the_cap_cuts_nothing_and_keeps_the_table_small(table):
    largest = int(np.flatnonzero(table.values[0])[-1])
    assert table.n_sizes == LARGEST + 1 == 5001
    assert not table.top_coded
    assert largest < LARGEST
    assert f"0 to {largest:,}." in TAXI.info.about
    assert table.values.nbytes < 50e6


def test_the_tail_is_very_long(table):
    at_most = np.cumsum(table.values[0])
    median, rare, rarest = np.searchsorted(at_most, np.array([0.5, 0.99, 0.999]) * PAIRS)
    assert rare > 10 * median
    assert rarest > 15 * median
    assert np.flatnonzero(table.values[0])[-1] > 30 * median
    beyond = table.values[0, 3000:]
    assert 0 < np.count_nonzero(beyond) < len(beyond) / 3  # far out sizes are single


def test_zones_differ_by_orders_of_magnitude(table, pickups):
    zones = table.regions.ids[table.tree.leaves]
    count = np.array([pickups[id] for id in zones])
    assert count.max() > 5_000_000
    assert np.median(count) < 100_000
    assert count.min() < 10
    busiest = {zones[i] for i in np.argsort(-count)[:4]}
    assert {"132", "138"} <= busiest  # both airports
    assert busiest - {"132", "138"} <= taxi.MIDTOWN


def test_boroughs_stand_in_their_order(pickups):
    order = ["Manhattan", "Queens", "Brooklyn", "Bronx", "Staten Island", "EWR"]
    count = [pickups[borough] for borough in order]
    assert count == sorted(count, reverse=True)
    assert count[0] > 0.7 * PICKUPS
    assert 0 < count[4] < 0.001 * PICKUPS


def test_some_taxis_come_without_picking_up(table):
    staten = table.values[table.regions.node("Staten Island", 1)]
    assert 0 < staten[0] < staten.sum()
    assert 0 < table.values[0, 0] < 0.05 * PAIRS


def test_every_zone_has_taxis_and_none_more_than_the_city_had(table):
    taxis = table.values[table.tree.leaves].sum(axis=1)
    assert taxis.min() > 0
    assert taxis.max() < 13_000


def test_words_read_well(table):
    titles = {q.id: q.title for q in small(table).quantities}
    assert titles["occupied"] == "active taxi-zone pairs"
    assert titles["members"] == "pickups"
    assert titles["groups"] == "taxi-zone pairs"
    assert titles["size-0"] == "empty taxi-zone pairs"
    assert titles["size-1"] == "active taxi-zone pairs of 1 pickup"
    assert titles["size-3"] == "active taxi-zone pairs of 3 pickups"


def test_what_is_protected_is_one_pickup(table):
    made = simulated(small(table), "pgsr-h-dp", epsilon=1)
    assert "one pickup" in made.privacy.sentence
    assert "neither a taxi nor its driver" in TAXI.info.about


def test_tiles_are_drawn_for_every_zone(table):
    boundaries = TAXI.boundaries(table)
    assert [len(boundaries.level(k)["features"]) for k in range(3)] == [1, 6, 263]


def test_it_is_made_quickly():
    start = time.process_time()
    TAXI.table(None)
    assert time.process_time() - start < SLOWEST


@pytest.mark.parametrize(
    ("zone", "borough", "service", "kind"),
    [
        ("132", "Queens", "Airports", "airport"),
        ("161", "Manhattan", "Yellow Zone", "midtown"),
        ("79", "Manhattan", "Yellow Zone", "yellow"),
        ("103", "Manhattan", "Yellow Zone", "isle"),
        ("41", "Manhattan", "Boro Zone", "Manhattan"),
        ("5", "Staten Island", "Boro Zone", "Staten Island"),
        ("1", "EWR", "EWR", "EWR"),
    ],
)
def test_the_kind_of_a_zone(zone, borough, service, kind):
    assert kind_of({"zone": zone, "borough": borough, "service": service}) == kind


def test_midtown_and_isles_lie_in_the_yellow_zone_of_manhattan():
    rows = {row["zone"]: row for row in data_rows("nyc_taxi_zones.csv")}
    for id in taxi.MIDTOWN | taxi.ISLES:
        assert (rows[id]["borough"], rows[id]["service"]) == ("Manhattan", "Yellow Zone")
    for id in ("161", "162", "163", "164"):
        assert rows[id]["name"].startswith("Midtown")


def test_weights_keep_within_their_odds():
    regions = city_regions()
    weights = dict(
        zip(regions.ids[regions.tree.leaves], zone_weights(regions, Uniforms(5)), strict=True)
    )
    for row in data_rows("nyc_taxi_zones.csv"):
        kind = kind_of(row)
        wide = kind in {"Queens", "Brooklyn", "Bronx", "Staten Island", "EWR"}
        base = {**taxi._BUSY, **taxi._BUSY_BOROUGH}[kind]
        factor = 9.0001 if wide else 3.0001
        assert base / factor <= weights[row["zone"]] <= base * factor


def test_tailed_numbers_are_log_logistic():
    drawn = tailed(np.full(100_000, 10.0), Uniforms(9))
    for size in (5.0, 10.0, 20.0, 50.0):
        chance = 1 / (1 + (size / 10) ** 4)
        deviation = (chance * (1 - chance) / 100_000) ** 0.5
        assert abs(np.mean(drawn > size) - chance) < 5 * deviation


@pytest.mark.parametrize("total", [0, 1, 17, 400, 1234, 1480])
def test_whole_sizes_add_up_below_the_largest(total):
    wanted = tailed(np.full(50, 3.0), Uniforms(2))
    sizes = whole_sizes(wanted, total=total, largest=30)
    assert sizes.sum() == total
    assert sizes.min() >= 0
    assert sizes.max() <= 30


def test_whole_sizes_keep_their_order_but_for_one():
    wanted = np.sort(tailed(np.full(2000, 3.0), Uniforms(4)))
    sizes = whole_sizes(wanted, total=20_000, largest=500)
    assert np.diff(sizes).min() >= -1


def test_equal_wishes_are_met_though_their_sum_jumps():
    sizes = whole_sizes(np.ones(10), total=25, largest=100)
    assert sorted(sizes.tolist()) == [2] * 5 + [3] * 5


def test_small_sizes_follow_what_is_wanted():
    sizes = whole_sizes(np.array([1.0, 2.0, 4.0]), total=700, largest=10**6)
    np.testing.assert_allclose(sizes, [100, 200, 400], atol=1)


def small(table):
    """The same table, sizes 0 to 3 only."""
    return GroupSizes(
        regions=table.regions,
        values=table.values[:, :4],
        group=table.group,
        occupied=table.occupied,
        person=table.person,
        people=table.people,
    )
