"""Mistakes planted in the code of mechanisms that ship, which the proofs must find.

Each changes the real code for a while, unlike the mechanisms in planted.py, which are wrong from
the start. The letters are those of the audit that found proofs to miss them.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from hierdp_core.exceptions import ChoiceError
from hierdp_core.mechanisms import level_answers, size_cap
from hierdp_core.mechanisms.base import Mechanism
from hierdp_core.mechanisms.flow_queries import Records
from hierdp_core.mechanisms.leaf_noise import StabilityHistogram
from hierdp_core.tables import Counts, Flows, GroupSizes, Pairs


@dataclass(frozen=True)
class Sabotage:
    """A mistake in the code.

    Attributes:
        plant: puts it there, by way of pytest's `monkeypatch`.
        cases: (id, kind) whose proofs must find it, each by itself.
        fault: a part of what they find.
    """

    plant: Callable
    cases: tuple[tuple[str, str], ...]
    fault: str


def cut_answers(monkeypatch):
    """A: noisy answers are cut at a number that follows the largest exact one."""
    measure = Mechanism.measure

    def cut(self, values, plan, noise):
        return np.minimum(measure(self, values, plan, noise), 10 + 2 * values.max())

    monkeypatch.setattr(Mechanism, "measure", cut)


def exact_zeros(monkeypatch):
    """B: `released` gets the exact table and puts its zeros back."""
    for table in (Counts, GroupSizes, Flows):
        monkeypatch.setattr(table, "blank", lambda self: self)

    def with_zeros(self, table, values, plan):
        return table.with_values(np.where(table.values == 0, 0, values))

    monkeypatch.setattr(Mechanism, "released", with_zeros)


def _up_to_two(mechanism):
    return replace(mechanism, trips=min(2, mechanism.trips))


def of_two_trips(sensitivities):
    """Sensitivities that are those of two trips where there are more."""

    def cheap(self, domain):
        return sensitivities(_up_to_two(self), domain)

    return cheap


def trips_up_to_two(monkeypatch):
    """C: three trips or more cost as two."""
    event = StabilityHistogram._event

    def cheap_event(self, *arguments):
        return event(_up_to_two(self), *arguments)

    monkeypatch.setattr(Records, "sensitivities", of_two_trips(Records.sensitivities))
    monkeypatch.setattr(StabilityHistogram, "_event", cheap_event)


def kept_only(values, noisy, kept):
    """The noisy numbers of some flows, which is what the stability histogram measures."""
    return Pairs(
        origin=values.origin[kept], destination=values.destination[kept], values=noisy[kept]
    )


def measure_by_exact_flow(self, values, plan, noise):
    """Measure flows whose exact number reaches the threshold."""
    (event,) = plan.events
    noisy = values.values + noise.draw(event, values.values.shape)
    return kept_only(values, noisy, values.values >= event.threshold)


def kept_by_exact_flow(monkeypatch):
    """D: the stability histogram keeps flows whose exact number reaches the threshold."""
    monkeypatch.setattr(StabilityHistogram, "measure", measure_by_exact_flow)


def kept_noise_divided(monkeypatch):
    """E: the noise of the stability histogram is a tenth of what it should be."""

    def measure(self, values, plan, noise):
        (event,) = plan.events
        noisy = values.values + noise.draw(event, values.values.shape) // 10
        return kept_only(values, noisy, noisy >= event.threshold)

    monkeypatch.setattr(StabilityHistogram, "measure", measure)


def less_noise_drawn(monkeypatch):
    """E, another way: noise is drawn that has a tenth of the event's scale."""
    measure = StabilityHistogram.measure

    def drawn(self, values, plan, noise):
        less = tuple(replace(event, scale=event.scale / 10) for event in plan.events)
        return measure(self, values, replace(plan, events=less), noise)

    monkeypatch.setattr(StabilityHistogram, "measure", drawn)


def of_distinct_trips(sensitivities, change):
    """Sensitivities of which those of distinct trips are changed, from the root down."""

    def changed(self, domain):
        levels = sensitivities(self, domain)
        return change(levels, self.trips) if self.distinct else levels

    return changed


def distinct(change):
    """Change what distinct trips cost on each level."""

    def plant(monkeypatch):
        changed = of_distinct_trips(Records.sensitivities, change)
        monkeypatch.setattr(Records, "sensitivities", changed)

    return plant


def leaves_as_one_trip(levels, trips):
    """F: of distinct trips the leaves cost as one trip."""
    return (*levels[:-1], replace(levels[-1], l2_squared=levels[-1].l2_squared // trips, shapes=()))


def leaves_everywhere(levels, trips):
    """G: of distinct trips all levels cost what the leaves do, as [C] prints."""
    # The root is exact where its sensitivity is 0.
    return tuple(
        replace(level, l2_squared=min(level.l2_squared, levels[-1].l2_squared), shapes=())
        for level in levels
    )


def room_for_exact_size(monkeypatch):
    """H: whether the noisy largest size leaves room for a table is tested on the exact one."""
    noisy_cap = size_cap.noisy_cap

    def tested(values, event, noise):
        largest = size_cap.largest_size(values) + size_cap.room_above(1 / event.scale)
        if len(values) * (largest + 1) > size_cap.LARGEST_CELLS:
            raise ChoiceError("Give more for the largest size.")
        return noisy_cap(values, event, noise)

    monkeypatch.setattr(size_cap, "noisy_cap", tested)


def later_pieces_exact(monkeypatch):
    """J: sizes in order get noise in the first piece alone."""
    noisy_sizes = level_answers._noisy_sizes

    class First:
        def __init__(self, noise):
            self.noise, self.drawn = noise, False

        def draw(self, event, shape, cells=None):
            if self.drawn:
                return np.zeros(shape, dtype=np.int64)
            self.drawn = True
            return self.noise.draw(event, shape, cells)

    def first_alone(row, event, noise, *, region):
        return noisy_sizes(row, event, First(noise), region=region)

    monkeypatch.setattr(level_answers, "_noisy_sizes", first_alone)


COVERED = "something comes out that no noise covers"
FLOWS = (("inftda", "flows"), ("vanilla-gauss", "flows"))
TOP_DOWN_COUNTS = (("inftda", "counts"),)
HISTOGRAM = (("stability-histogram", "flows"),)
SABOTAGE = {
    "A: answers cut": Sabotage(
        cut_answers,
        (("hay", "counts"), ("tree-dp", "counts"), ("pgsr-c-dp", "group-sizes")),
        COVERED,
    ),
    "B: exact zeros": Sabotage(
        exact_zeros, (("hay", "counts"), ("pgsr-h-dp", "group-sizes")), COVERED
    ),
    "C: trips up to two": Sabotage(
        trips_up_to_two, FLOWS + TOP_DOWN_COUNTS + HISTOGRAM, "moved by"
    ),
    "D: kept by exact flow": Sabotage(
        kept_by_exact_flow, HISTOGRAM, "noisy number is below the threshold"
    ),
    "E: noise divided": Sabotage(kept_noise_divided, HISTOGRAM, "drawn and not used"),
    "E: less noise drawn": Sabotage(less_noise_drawn, HISTOGRAM, "the plan does not have"),
    "F: leaves as one trip": Sabotage(
        distinct(leaves_as_one_trip), FLOWS + TOP_DOWN_COUNTS, "moved by"
    ),
    "G: leaves everywhere": Sabotage(
        distinct(leaves_everywhere), FLOWS[:1] + TOP_DOWN_COUNTS, "moved by"
    ),
    "J: later pieces exact": Sabotage(later_pieces_exact, (("coc", "group-sizes"),), COVERED),
}
