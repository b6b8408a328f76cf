"""Noise that lets nothing through: it notes what it is added to and gives fixed numbers back.

Under it a mechanism hears the same answers whatever the table is. What it was added to are
the exact answers, one vector for each event, whose distances can be compared; and whatever
still differs between two tables was never covered by noise.
"""

import pickle
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, is_dataclass
from functools import lru_cache

import numpy as np

from hierdp_core.mechanisms.base import Questions
from hierdp_core.regions import Regions


class _Veil(np.ndarray):
    """Added to exact answers it notes them and gives its own numbers instead of the sum."""

    def __array_ufunc__(self, ufunc, method, *inputs, out=None, **kwargs):
        if ufunc is np.add and method == "__call__" and out is not inputs:
            (exact,) = [x for x in inputs if x is not self] or [np.zeros(self.shape, np.int64)]
            self.note(np.array(exact))
            heard = np.array(self.view(np.ndarray))
            if out is None:
                return heard
            out[0].view(np.ndarray)[...] = heard
            return out[0]
        plain = [x.view(np.ndarray) if isinstance(x, _Veil) else x for x in inputs]
        if out is not None:
            kwargs["out"] = tuple(x.view(np.ndarray) if isinstance(x, _Veil) else x for x in out)
        return getattr(ufunc, method)(*plain, **kwargs)


@dataclass
class WatchingNoise:
    """Notes every draw: of which event, of which shape, and which exact answers it covered."""

    seed: int = 0
    events: list = field(default_factory=list)
    shapes: list = field(default_factory=list)
    covered: list = field(default_factory=list)

    def draw(self, event, shape):
        place = len(self.events)
        self.events.append(event)
        self.shapes.append(tuple(shape))
        self.covered.append(None)
        numbers = np.random.default_rng((self.seed, place)).integers(-1, 6, size=shape)
        veil = numbers.view(_Veil)

        def note(exact):
            assert self.covered[place] is None, "noise is used twice"
            assert exact.shape == tuple(shape), "noise is shared by several answers"
            self.covered[place] = exact.astype(np.int64)

        veil.note = note
        return veil


@dataclass(frozen=True)
class Seen:
    """What one run under watching noise showed.

    Attributes:
        asked: (event, shape) of every draw, in order.
        answers: for each event that was drawn, all exact answers it covered, in order.
        outcome: everything that came out, as bytes.
    """

    asked: tuple
    answers: dict
    outcome: bytes


def watched(mechanism, table, plan, estimate=True, seed=0):
    """One run of `mechanism` on `table`; its failures are outcomes, too."""
    noise, parts = WatchingNoise(seed), []
    try:
        noisy = mechanism.measure(table.content, plan, noise)
        if not isinstance(noisy, Questions):
            parts.append(canonical(noisy))
        if estimate or isinstance(noisy, Questions):
            parts.append(canonical(mechanism.estimate(noisy, plan)))
        if isinstance(noisy, Questions):
            parts.append(canonical(noisy.heard()))
    except AssertionError:
        raise
    except Exception as error:  # noqa: BLE001  (a failure is an outcome)
        parts.append(repr(error))
    answers = {}
    for event, exact in zip(noise.events, noise.covered, strict=True):
        assert exact is not None, "noise was drawn and not used"
        answers.setdefault(event, []).append(exact.ravel())
    return Seen(
        asked=tuple(zip(noise.events, noise.shapes, strict=True)),
        answers={event: np.concatenate(vectors) for event, vectors in answers.items()},
        outcome=pickle.dumps(parts),
    )


def faults_of_run(plan, seen):
    """What one run shows that must not be: other noise than the plan says."""
    said, drawn = set(plan.events), set(seen.answers)
    return ["noise is drawn that the plan does not say"] * bool(drawn - said) + [
        "noise that the plan says is not drawn"
    ] * bool(said - drawn)


def differing(things, pairs):
    """Of how many pairs, numbers of shape (pairs, 2), the two things are not the same."""
    number = {}
    codes = np.array([number.setdefault(thing, len(number)) for thing in things])
    return int((codes[pairs[:, 0]] != codes[pairs[:, 1]]).sum())


def distances(vectors, pairs):
    """The largest (L1, squared L2) that lies between two vectors of a pair."""
    one, other = (np.stack([vectors[table] for table in side]) for side in pairs.T)
    apart = np.abs(other - one)
    return int(apart.sum(axis=1).max()), int(np.square(apart).sum(axis=1).max())


def declared(event):
    """(L1, squared L2) that an event says one record moves its answers by at most."""
    infinite = float("inf")
    return (
        getattr(event, "l1_sensitivity", infinite),
        getattr(event, "l2_sensitivity_squared", infinite),
    )


def canonical(thing):
    """A value that is equal only where everything in it is, to the byte."""
    if isinstance(thing, np.ndarray):
        return (thing.dtype.str, thing.shape, np.asarray(thing).tobytes())
    if isinstance(thing, Regions):
        return _regions(thing)
    if is_dataclass(thing):
        return (type(thing).__name__, [canonical(getattr(thing, f.name)) for f in fields(thing)])
    if isinstance(thing, Mapping):
        return [(key, canonical(value)) for key, value in thing.items()]
    if isinstance(thing, list | tuple):
        return [canonical(part) for part in thing]
    return repr(thing)


@lru_cache
def _regions(regions):
    return (regions.ids, regions.levels, regions.tree.parent.tobytes())
