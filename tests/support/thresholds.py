"""What a threshold that hides cells must keep to, in all runs under watching noise.

A `ThresholdEvent` adds noise to cells above 0 alone, so which cells there are must be hidden by
the threshold, except with the probability δ.
"""

import math

import numpy as np

from hierdp_core.privacy import event_delta

_ROUND_OFF = 1e-9  # of the probabilities summed here in floats; δ itself is exact


def faults_of_threshold(event, delta, runs):
    """What must not be where a threshold hides cells, over all cells of all runs.

    Whether a cell is released, and with what number, must be one and the same function of its
    noisy number, and below the threshold it must stay hidden. Then a cell that both of two
    neighbours have is treated alike in both, and a cell that one of them has alone is released
    no more often than its noisy number reaches the threshold.

    Args:
        event: a `ThresholdEvent`.
        delta: of the budget.
        runs: a `WatchedRun` for each.
    """
    fates = {}
    for run in runs:
        for _, number, released in run.cells:
            fates.setdefault(number, set()).add(released)
    faults = []
    if any(len(several) > 1 for several in fates.values()):
        faults.append("a cell's fate does not follow from its noisy number")
    if any(several != {None} for number, several in fates.items() if number < event.threshold):
        faults.append("a cell is released whose noisy number is below the threshold")
    if all(several == {None} for several in fates.values()):
        faults.append("no cell is ever released, so nothing was proved")
    outcomes = {}
    for run in runs:
        outcomes.setdefault(run.measured, set()).add(run.outcome)
    if any(len(several) > 1 for several in outcomes.values()):
        faults.append("something comes out beside the cells")
    if event_delta(event) > delta:
        faults.append("the threshold needs more δ than the budget has")
    return faults


def faults_of_created_cells(event, vectors, pairs):
    """What must not be in the cells that only one of two neighbours has.

    Their number, what they hold, and the exact probability that any of them shows, added up
    over both sides, are held against what the event declares.
    """
    one, other = (np.stack([vectors[table] for table in side]) for side in pairs.T)
    alone = [(one > 0) & (other == 0), (other > 0) & (one == 0)]
    created = sum(side.sum(axis=1) for side in alone).max()
    largest = max(
        (numbers[side].max(initial=0)) for numbers, side in zip((one, other), alone, strict=True)
    )
    shows = np.array(
        [chance_to_show(event, n) for n in range(int(max(one.max(), other.max())) + 1)]
    )
    delta = sum(
        1 - np.prod(np.where(side, 1 - shows[numbers], 1), axis=1)
        for numbers, side in zip((one, other), alone, strict=True)
    ).max()
    faults = []
    if created > event.created:
        faults.append(f"one record makes {created} cells, not {event.created}")
    if largest > event.most:
        faults.append(f"one record puts {largest} into a cell, not {event.most}")
    if delta > event_delta(event) * (1 + _ROUND_OFF):
        faults.append(
            f"cells of one record show with probability {delta}, not {event_delta(event)}"
        )
    return faults


def chance_to_show(event, number):
    """The exact P(number + X ≥ threshold) for the event's noise X."""
    return at_least(event, math.ceil(event.threshold) - number)


def at_least(event, k):
    """The exact P(X ≥ k) for the two-sided geometric noise X of an event."""
    q = math.exp(-1 / float(event.scale))
    return q**k / (1 + q) if k > 0 else 1 - q ** (1 - k) / (1 + q)
