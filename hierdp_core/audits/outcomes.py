"""The outcomes of runs as one table of numbers: one row per run, one column per observation.

Everything about an outcome is recorded: every number, which numbers are present, and, if a run
failed, the failure.
"""

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass
from functools import cached_property
from typing import Any

import numpy as np

from hierdp_core.solvers.pooling import Pools
from hierdp_core.tables.flows import Pairs
from hierdp_core.util.arrays import FloatArray

Key = tuple[Hashable, ...]
_NO_PLACE = 2000.0  # for 0, which has no nonzero digit; higher than any real position


@dataclass(frozen=True, kw_only=True)
class Failure:
    """A run that gave no outcome. Which failure it was can reveal as much as a number."""

    text: str

    @classmethod
    def of(cls, error: Exception) -> "Failure":
        return cls(text=f"{type(error).__name__}: {error}")


@dataclass(frozen=True, eq=False, kw_only=True)
class Outcomes:
    """Outcomes of many runs.

    Attributes:
        keys: the name of each column, such as ("values", 3, 1).
        numbers: shape (runs, keys); NaN where an outcome has no such number.
    """

    keys: tuple[Key, ...]
    numbers: FloatArray

    @classmethod
    def of(cls, outcomes: Sequence[Any], keys: tuple[Key, ...] | None = None) -> "Outcomes":
        """Return the table of outcomes. If `keys` are given, it has these columns and no others."""
        kept = None if keys is None else {key: place for place, key in enumerate(keys)}
        groups: dict[Key, list[int]] = {}
        rows = []
        for run, outcome in enumerate(outcomes):
            layout, row = _flat(outcome)
            groups.setdefault(layout, []).append(run)
            rows.append(row)
        named = {layout: tuple(_keys(layout)) for layout in groups}
        if kept is None:
            every = dict.fromkeys(key for row_keys in named.values() for key in row_keys)
            kept = {key: place for place, key in enumerate(every)}
        numbers = np.full((len(rows), len(kept)), np.nan)
        for layout, runs in groups.items():
            known = [(kept[k], at) for at, k in enumerate(named[layout]) if k in kept]
            if known:
                to, taken = (np.array(side) for side in zip(*known, strict=True))
                stacked = np.stack([rows[run] for run in runs])
                numbers[np.ix_(np.array(runs), to)] = stacked[:, taken]
        return cls(keys=tuple(kept), numbers=numbers)

    def __len__(self) -> int:
        return len(self.numbers)

    def __getitem__(self, rows: slice) -> "Outcomes":
        return Outcomes(keys=self.keys, numbers=self.numbers[rows])

    @cached_property
    def present(self) -> FloatArray:
        """1 where a number is present, 0 where it is absent; shape (runs, keys)."""
        return (~np.isnan(self.numbers)).astype(np.float64)

    @cached_property
    def filled(self) -> FloatArray:
        """The numbers, with 0 for those that are absent; shape (runs, keys)."""
        return np.nan_to_num(self.numbers, nan=0.0, posinf=np.finfo(float).max)

    @cached_property
    def places(self) -> FloatArray:
        """The position of the lowest nonzero binary digit: k for an odd multiple of 2^k.

        Shape (runs, keys); 2000 for 0 and for absent numbers.
        """
        mantissa, exponent = np.frexp(self.filled)
        whole = np.ldexp(mantissa, 53).astype(np.int64)
        last = np.frexp((whole & -whole).astype(np.float64))[1] - 1
        return np.where(whole == 0, _NO_PLACE, last + exponent - 53.0)


def _flat(outcome: Any) -> tuple[Key, FloatArray]:
    """Return the layout of an outcome, and its numbers in a row."""
    if isinstance(outcome, np.ndarray):
        return ("array", outcome.shape, outcome.dtype.kind), outcome.ravel().astype(np.float64)
    if isinstance(outcome, Failure):
        return ("failure", outcome.text), np.ones(1)
    if isinstance(outcome, Pairs):
        ends = zip(outcome.origin.tolist(), outcome.destination.tolist(), strict=True)
        return ("flows", tuple(ends)), outcome.values.astype(np.float64)
    if isinstance(outcome, Pools):
        # The numbers of sizes in the pools give the position of each pool.
        return _flat(np.repeat(outcome.mean, outcome.count))
    if outcome is None or isinstance(outcome, str | bytes):
        return ("word", outcome), np.ones(1)
    if isinstance(outcome, Mapping):
        words = tuple(outcome)
        return _joined("named", words, [outcome[word] for word in words])
    if is_dataclass(outcome):
        names = tuple(field.name for field in fields(outcome))
        return _joined("named", names, [getattr(outcome, name) for name in names])
    if isinstance(outcome, Iterable):
        parts = list(outcome)
        return _joined("named", tuple(range(len(parts))), parts)
    return ("array", (), "f"), np.array([outcome], dtype=np.float64)


def _joined(word: str, names: tuple[Hashable, ...], parts: list[Any]) -> tuple[Key, FloatArray]:
    flat = [_flat(part) for part in parts]
    numbers = np.concatenate([numbers for _, numbers in flat]) if flat else np.zeros(0)
    return (word, names, tuple(layout for layout, _ in flat)), numbers


def _keys(layout: Key) -> Iterable[Key]:
    """Yield the key of each number of a layout, in order."""
    word, *rest = layout
    if word == "array":
        shape, _ = rest
        assert isinstance(shape, tuple)
        yield from (tuple(map(int, index)) for index in np.ndindex(shape))
    elif word == "flows":
        (ends,) = rest
        assert isinstance(ends, tuple)
        yield from (("flow", *pair) for pair in ends)
    elif word in ("failure", "word"):
        yield layout
    elif word == "named":
        names, parts = rest
        assert isinstance(names, tuple)
        assert isinstance(parts, tuple)
        for name, part in zip(names, parts, strict=True):
            yield from ((name, *key) for key in _keys(part))
