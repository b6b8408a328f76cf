"""A ledger keeps every event exactly, with all shapes that its privacy loss follows from."""

import json
from fractions import Fraction
from pathlib import Path

import pytest

from hierdp_core.privacy import Event, GaussianEvent, GeometricEvent, ThresholdEvent
from hierdp_core.privacy.shapes import trip_shapes, unit_shape
from hierdp_core.releases.ledger import Ledger
from hierdp_core.releases.ledger.events import event_as_dict, event_from_dict
from hierdp_core.releases.ledger.records import GENESIS, Kind, Record, faults_of_chain

SHAPES = trip_shapes(3, records=2)
EVENTS: tuple[Event, ...] = (
    GaussianEvent(
        level=2, query="q", l2_sensitivity_squared=18, sigma2=Fraction(10, 3), shapes=SHAPES
    ),
    GeometricEvent(level=None, query="r", l1_sensitivity=6, scale=Fraction(1, 7), shapes=SHAPES),
    GeometricEvent(level=0, query="s", l1_sensitivity=5, scale=Fraction(9), shapes=unit_shape(5)),
    GeometricEvent(level=0, query="t", l1_sensitivity=5, scale=Fraction(9)),
    ThresholdEvent(
        level=1,
        query="u",
        l1_sensitivity=4,
        scale=Fraction(4, 3),
        threshold=0.1 + 0.2,
        created=4,
        most=2,
    ),
)


@pytest.mark.parametrize("event", EVENTS, ids=lambda event: event.query)
def test_an_event_is_the_same_after_it_was_stored(event: Event) -> None:
    assert event_from_dict(json.loads(json.dumps(event_as_dict(event)))) == event


def test_the_account_of_a_ledger_has_the_events_that_were_debited(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path / "ledger.db")
    ledger.add_dataset("d", epsilon=1000, delta="1e-6")
    ledger.reserve("d", EVENTS[:4], plan={}, protects="one person")
    assert Ledger(ledger.path).account("d").events == EVENTS[:4]


def test_a_record_that_follows_another_hash_is_a_fault_even_if_it_is_whole() -> None:
    time, body = "2026-01-01T00:00:00Z", {"dataset": "d"}
    first = Record.after(0, GENESIS, time, Kind.DATASET_ADDED, body)
    second = Record.after(1, first.hash, time, Kind.DATASET_ADDED, body)
    stray = Record.after(1, "f" * 64, time, Kind.DATASET_ADDED, body)
    assert second.is_whole
    assert stray.is_whole
    assert faults_of_chain([first, second]) == []
    assert faults_of_chain([first, stray]) == ["Record 2 does not follow the record before it."]
