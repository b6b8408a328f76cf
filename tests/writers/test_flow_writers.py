"""Released flows as a list of pairs."""

import pandas as pd
import pytest
from support.simulations import simulated
from support.strategies import binary_places, lomax_flows

from hierdp_core.exceptions import ChoiceError
from hierdp_core.tables import Flows
from hierdp_core.writers.exploration import released_level
from hierdp_core.writers.takeaway import _makers

PLACES = binary_places(2)


def test_every_level_is_a_list_of_its_pairs_and_adds_up():
    released = simulated(lomax_flows(PLACES, 0.4, 0), "inftda", epsilon=1).table
    for level in range(3):
        frame = released_level(released, level)
        assert list(frame) == [
            "level",
            "origin",
            "origin_name",
            "destination",
            "destination_name",
            "value",
        ]
        assert frame["value"].sum() == released.total
        assert not frame.duplicated(["origin", "destination"]).any()
    leaves = released_level(released, 2)
    rows = (leaves[column] for column in ("origin", "destination", "value"))
    again = Flows.from_pairs(PLACES, PLACES, *rows)
    pd.testing.assert_frame_equal(released_level(again, 2), leaves)


def test_a_map_of_pairs_is_refused_before_anything_is_written():
    released = simulated(lomax_flows(PLACES, 0.4, 0), "inftda", epsilon=1).table
    names = [name for name, _ in _makers(released, ["csv"], None)]
    assert names == ["simulated-level-0.csv", "simulated-level-1.csv", "simulated-level-2.csv"]
    with pytest.raises(ChoiceError, match=r"Flows have no shapes.* csv or parquet"):
        list(_makers(released, ["geojson"], None))


def test_no_flows_are_an_empty_list():
    none = Flows.from_pairs(PLACES, PLACES, [], [], [])
    assert len(released_level(none, 2)) == 0
