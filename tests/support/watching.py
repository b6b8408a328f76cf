"""Noise that lets nothing through: it notes what it is added to and gives fixed numbers back.

Under it a mechanism gets the same answers whatever the table is. What it was added to are
the exact answers, one vector for each event, whose distances can be compared; and whatever
still differs between two tables was never covered by noise.

The answers lie near the numbers of small tables and far away from them, so that a cut or a
condition at a large number takes effect as well. Where a threshold hides cells (a
`ThresholdEvent`), each cell has its own answers, below the threshold and above it.
"""

import math
import pickle
import sys
from collections.abc import Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, fields, is_dataclass
from functools import lru_cache
from unittest import mock
from zlib import crc32

import numpy as np

from hierdp_core.hierarchy import Regions
from hierdp_core.mechanisms.base import Questions
from hierdp_core.privacy import GaussianEvent, GeometricEvent, ThresholdEvent
from hierdp_core.simulation import simulate
from hierdp_core.tables import Pairs

NEAR = range(-1, 6)
FAR = 10**6
# What is measured beside the levels (totals, the largest size) says how long arrays become. So
# its answers stay short, and yet lie far above the sizes and totals of all small tables.
FAR_BESIDE_LEVELS = 20
FAR_PART = 0.35
# A mechanism may work through long vectors in pieces of `..._AT_ONCE` numbers. Pieces this
# small come several to a table, so each of them is watched.
PIECE = 2


class _Veil(np.ndarray):
    """Added to exact answers it notes them and gives its own numbers instead of the sum."""

    def __array_ufunc__(self, ufunc, method, *inputs, out=None, **kwargs):
        if ufunc is np.add and method == "__call__" and out is not inputs:
            (exact,) = [x for x in inputs if x is not self] or [np.zeros(self.shape, np.int64)]
            self.note(np.array(exact))
            answers = np.array(self.view(np.ndarray))
            if out is None:
                return answers
            out[0].view(np.ndarray)[...] = answers
            return out[0]
        plain = [x.view(np.ndarray) if isinstance(x, _Veil) else x for x in inputs]
        if out is not None:
            kwargs["out"] = tuple(x.view(np.ndarray) if isinstance(x, _Veil) else x for x in out)
        return getattr(ufunc, method)(*plain, **kwargs)


@dataclass
class WatchingNoise:
    """Notes every draw: of which event, of which shape, and which exact answers it covered.

    Attributes:
        seed: of the answers.
        cells: the places of the numbers above 0, in the table's order, as (origin,
            destination): what a `ThresholdEvent` adds noise to.
    """

    seed: int = 0
    cells: tuple = ()
    events: list = field(default_factory=list)
    shapes: list = field(default_factory=list)
    covered: list = field(default_factory=list)

    def draw(self, event, shape, cells=None):
        place = len(self.events)
        self.events.append(event)
        self.shapes.append(tuple(shape))
        self.covered.append(None)
        veil = self._answers(event, place, tuple(shape)).view(_Veil)

        def note(exact):
            assert self.covered[place] is None, "noise is used twice"
            assert exact.shape == tuple(shape), "noise is shared by several answers"
            self.covered[place] = exact.astype(np.int64)

        veil.note = note
        return veil

    def _answers(self, event, place, shape):
        if isinstance(event, ThresholdEvent):
            assert shape == (len(self.cells),), "noise does not cover exactly the cells above 0"
            return np.array(
                [answer_of(event, self.seed, cell) for cell in self.cells], dtype=np.int64
            )
        rng = np.random.default_rng((self.seed, place))
        return near_or_far(rng, shape, FAR_BESIDE_LEVELS if event.level is None else FAR)


def near_or_far(rng, shape, far):
    """Whole numbers in `NEAR`, some of them from there to ±`far` instead, of any magnitude."""
    near = rng.integers(NEAR.start, NEAR.stop, size=shape)
    away = np.rint(far ** rng.uniform(0.2, 1, size=shape)).astype(np.int64)
    away *= rng.choice([-1, 1], size=shape)
    return np.where(rng.random(shape) < FAR_PART, away, near)


def answer_of(event, seed, cell):
    """The noisy number of one cell: below the threshold with one seed, above it with the next."""
    least = math.ceil(event.threshold)
    numbers = (least - 1, least, least - 3, least + 1, 0, FAR, -FAR, least + 2)
    return numbers[(seed + crc32(str(cell).encode())) % len(numbers)]


@dataclass(frozen=True)
class WatchedRun:
    """What one run under watching noise showed.

    Attributes:
        draws: (event, shape) of every draw, in order; no shape where a threshold hides cells,
            since noise is then drawn for cells above 0 alone.
        answers: for each event that was drawn, all exact answers it covered, in order; for a
            threshold's one number for each cell there could be.
        failed: it ended in an error, which is its outcome.
        measured, outcome: what `measure` gave, and everything that came out, as bytes.
        cells: where a threshold hides cells, what became of each: (cell, noisy number, number
            released or None where hidden); else empty.
    """

    draws: tuple
    answers: dict
    measured: bytes
    outcome: bytes
    failed: bool
    cells: tuple = ()


def watched(mechanism, table, plan, estimate=True, seed=0, *, through_run=False):
    """Run `mechanism` on `table` under watching noise; a failure is an outcome, too."""
    cells = _cells_of(table) if _hides(plan) else ()
    noise, parts, failed = WatchingNoise(seed, cells), [], False
    try:
        if through_run:
            _run(table, plan, noise, parts)
        else:
            _go_through(mechanism, table, plan, noise, estimate, parts)
    except AssertionError:
        raise
    except Exception as error:  # noqa: BLE001  (a failure is an outcome)
        failed = True
        parts.append(repr(error))
    answers = {}
    for event, exact in zip(noise.events, noise.covered, strict=True):
        assert exact is not None, "noise was drawn and not used"
        if isinstance(event, ThresholdEvent):
            exact = _dense(table, cells, exact)
        answers.setdefault(event, []).append(exact.ravel())
    return WatchedRun(
        draws=tuple(
            (event, None if isinstance(event, ThresholdEvent) else shape)
            for event, shape in zip(noise.events, noise.shapes, strict=True)
        ),
        answers={event: np.concatenate(vectors) for event, vectors in answers.items()},
        measured=pickle.dumps(canonical(parts[:1])),
        outcome=pickle.dumps(canonical(parts)),
        failed=failed,
        cells=_fates(plan, parts[0], cells, seed) if _hides(plan) else (),
    )


def _go_through(mechanism, table, plan, noise, estimate, parts):
    """Put into `parts` everything that comes out of a mechanism, step by step."""
    noisy = mechanism.measure(table.content, plan, noise)
    stepwise = isinstance(noisy, Questions)
    if not stepwise:
        parts.append(noisy)
    if estimate or stepwise:
        values = mechanism.estimate(noisy, plan)
        parts += [values, mechanism.released(table.blank(), values, plan)]
    if stepwise:
        parts.append(noisy.measured())


def _run(table, plan, noise, parts):
    """Put into `parts` everything of a release but how long it took."""
    with mock.patch("hierdp_core.simulation.SeededNoise", return_value=noise):
        done = simulate(table, plan)
    parts += [done.noisy, done.table, done.checks]


def _hides(plan):
    return any(isinstance(event, ThresholdEvent) for event in plan.events)


def _cells_of(table):
    pairs = table.content
    return tuple(zip(pairs.origin.tolist(), pairs.destination.tolist(), strict=True))


def _dense(table, cells, exact):
    """The exact numbers of all cells that there could be, 0 where noise covered none."""
    width = table.destinations.tree.n_leaves
    everywhere = np.zeros(table.tree.n_leaves * width, dtype=np.int64)
    everywhere[[origin * width + destination for origin, destination in cells]] = exact
    return everywhere


def _fates(plan, noisy, cells, seed):
    """What became of each cell above 0; a cell that is 0 must never be released."""
    (event,) = plan.events
    assert isinstance(noisy, Pairs), "a threshold's answers are no cells"
    ends = zip(noisy.origin.tolist(), noisy.destination.tolist(), strict=True)
    shown = dict(zip(ends, noisy.values.tolist(), strict=True))
    assert shown.keys() <= set(cells), "a cell is released that is 0"
    return tuple((cell, answer_of(event, seed, cell), shown.get(cell)) for cell in cells)


def faults_of_run(plan, run):
    """What one run shows that must not be: other noise than the plan has.

    A run may draw less than all of it, where questions or lengths depend on noisy answers.
    """
    planned, drawn = set(plan.events), set(run.answers)
    return ["noise is drawn that the plan does not have"] * bool(drawn - planned)


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


def moves(vectors, pairs):
    """All rows of changes between two vectors of a pair: the absolute ones, the largest first."""
    one, other = (np.stack([vectors[table] for table in side]) for side in pairs.T)
    rows = np.unique(-np.sort(-np.abs(other - one), axis=1), axis=0)
    return {tuple(int(move) for move in row if move) for row in rows}


def within_a_shape(row, shapes):
    """Whether a row of changes moves no number further than one of the shapes does."""
    return any(
        len(row) <= len(shape) and all(a <= b for a, b in zip(row, shape, strict=False))
        for shape in shapes
    )


def declared(event):
    """(L1, squared L2) that an event says one record moves its answers by at most."""
    infinite = float("inf")
    return (
        getattr(event, "l1_sensitivity", infinite),
        getattr(event, "l2_sensitivity_squared", infinite),
    )


@contextmanager
def small_pieces(size=PIECE):
    """Work through long vectors in pieces of so many numbers, everywhere."""
    with set_everywhere(dict.fromkeys(constants("hierdp_core.", "_AT_ONCE"), size)):
        yield


@contextmanager
def set_everywhere(values):
    """Give constants, named as (module, name), other values for a while."""
    patches = [mock.patch.object(sys.modules[m], name, v) for (m, name), v in values.items()]
    for patch in patches:
        patch.start()
    try:
        yield
    finally:
        for patch in reversed(patches):
            patch.stop()


def constants(package, pattern=""):
    """The whole-number constants of loaded modules whose name has `pattern`.

    Returns:
        the value of each (module, name).
    """
    return {
        (module, name): value
        for module, loaded in sorted(sys.modules.items())
        if module.startswith(package)
        for name, value in vars(loaded).items()
        if type(value) is int and name.isupper() and pattern in name
    }


def faults_of_seeded_noise(source):
    """Where seeded noise does not hand an event's own parameter to the sampler of its law.

    That the samplers have their laws is held in test_noise.py.

    Args:
        source: a class like `SeededNoise`.
    """
    faults = []
    of_law = {"l1_sensitivity": 3, "query": "", "level": 0}
    for parameter in (7, 400):
        hidden = ThresholdEvent(scale=parameter, threshold=9, created=1, most=1, **of_law)
        events = {
            "double_geometric": [GeometricEvent(scale=parameter, **of_law), hidden],
            "discrete_gaussian": [
                GaussianEvent(level=0, query="", l2_sensitivity_squared=3, sigma2=parameter)
            ],
        }
        for sampler, event in ((s, e) for s, several in events.items() for e in several):
            sample = np.arange(6).reshape(2, 3)
            with mock.patch(f"hierdp_core.noise.seeded.{sampler}", return_value=sample) as call:
                noise = source(0).draw(event, (2, 3))
            arguments = call.call_args and call.call_args.args[1:]
            if arguments is None or call.call_count != 1 or arguments[0] != parameter:
                faults.append(f"{type(event).__name__}: {sampler} gets {arguments}")
            elif arguments[1].starts[-1] != sample.size:
                faults.append(f"{type(event).__name__}: {arguments[1].starts[-1]} cells")
            elif not np.array_equal(noise, sample):
                faults.append(f"{type(event).__name__}: what was drawn is changed")
    return faults


_PLAIN = frozenset({bool, float, int, str, type(None)})


def canonical(thing):
    """A value that is equal only where everything in it is, to the byte."""
    if type(thing) in _PLAIN:  # most parts are such, so they are looked at first
        return repr(thing)
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
