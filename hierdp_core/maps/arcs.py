"""A map stored as arcs: every border is stored once, in two levels of detail.

An arc is a sequence of points between two places where borders meet, or the whole coast of an
island. A ring is a sequence of arcs, each forwards or backwards, so neighbours share the points of
their border in both levels of detail. The coarse level leaves out points of arcs, but not the ends
of open ones.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from hierdp_core.maps.boundaries import Geometry, Shapes
from hierdp_core.util.arrays import BoolArray, FloatArray, IntArray, frozen_array

GRID = 0.001  # display degrees between neighbouring coordinates, 100 m
_DIGITS = 3

_Point = tuple[int, int]
_Ring = list[_Point]  # closed by its first point, which is not repeated


@dataclass(frozen=True, eq=False, kw_only=True)
class Arcs:
    """Polygons as sequences of arcs, exterior rings clockwise.

    Attributes:
        points: shape (n_points, 2), in units of GRID.
        coarse: shape (n_points,): whether a point also belongs to the coarse level.
        arc_start: shape (n_arcs + 1,): arc k is `points[arc_start[k]:arc_start[k + 1]]`.
        refs: shape (n_refs,): the arcs of all rings in order; ~k is arc k backwards.
        ring_start: shape (n_rings + 1,): ring r has `refs[ring_start[r]:ring_start[r + 1]]`.
        ring_shape: shape (n_rings,), non-decreasing: the number of the shape of each ring.
        ring_is_hole: shape (n_rings,): whether a ring is a hole in the exterior ring before it.
    """

    points: IntArray
    coarse: BoolArray
    arc_start: IntArray
    refs: IntArray
    ring_start: IntArray
    ring_shape: IntArray
    ring_is_hole: BoolArray

    def __post_init__(self) -> None:
        for name in ("points", "arc_start", "refs", "ring_start", "ring_shape"):
            object.__setattr__(self, name, frozen_array(getattr(self, name), np.int64))
        for name in ("coarse", "ring_is_hole"):
            object.__setattr__(self, name, frozen_array(getattr(self, name), np.bool_))

    @classmethod
    def of_shapes(cls, shapes: Sequence[Any]) -> "Arcs":
        """Return shapely polygons as arcs on the grid, with all points in both levels of detail."""
        rings = [*_rings(shapes)]
        meetings = _meetings(ring for _, _, ring in rings)
        number: dict[tuple[_Point, ...], int] = {}
        refs: list[list[int]] = []
        for _, _, ring in rings:
            refs.append([_reference(arc, number) for arc in _cut(ring, meetings)])
        arcs = [*number]
        return cls(
            points=np.array([point for arc in arcs for point in arc]),
            coarse=np.ones(sum(map(len, arcs)), dtype=np.bool_),
            arc_start=np.cumsum([0, *map(len, arcs)]),
            refs=np.array([ref for own in refs for ref in own]),
            ring_start=np.cumsum([0, *map(len, refs)]),
            ring_shape=np.array([shape for shape, _, _ in rings]),
            ring_is_hole=np.array([is_hole for _, is_hole, _ in rings]),
        )

    @classmethod
    def read(cls, path: Path) -> "Arcs":
        """Return the arcs that `write` has stored."""
        with np.load(path, allow_pickle=False) as stored:
            arrays = {name: stored[name].astype(np.int64) for name in stored.files}
        arrays["points"] = np.cumsum(arrays.pop("steps"), axis=0)
        for part in ("arc", "ring"):
            arrays[f"{part}_start"] = np.cumsum([0, *arrays.pop(f"{part}_length")])
        return cls(**arrays)

    def write(self, path: Path) -> None:
        """Store the arcs in a compressed file; equal arcs give equal bytes."""
        np.savez_compressed(
            path,
            steps=np.diff(self.points, axis=0, prepend=0).astype(np.int32),
            coarse=self.coarse,
            arc_length=np.diff(self.arc_start).astype(np.int16),
            refs=self.refs.astype(np.int16),
            ring_length=np.diff(self.ring_start).astype(np.int16),
            ring_shape=self.ring_shape.astype(np.int16),
            ring_is_hole=self.ring_is_hole,
        )

    def without_coarse(self) -> "Arcs":
        """Return arcs whose coarse level has only the ends of open arcs, and no closed arcs."""
        first, last = self.arc_start[:-1], self.arc_start[1:] - 1
        is_open = (self.points[first] != self.points[last]).any(axis=1)
        coarse = np.zeros(len(self.points), dtype=np.bool_)
        coarse[first[is_open]] = coarse[last[is_open]] = True
        return replace(self, coarse=coarse)

    def with_coarse(self, shapes: IntArray, coordinates: FloatArray) -> "Arcs":
        """Return arcs whose coarse level also has the points of some shapes at given coordinates.

        Args:
            shapes: numbers of shapes.
            coordinates: shape (n, 2), on the grid.
        """
        own = np.isin(np.repeat(self.ring_shape, np.diff(self.ring_start)), shapes)
        arcs = np.where(self.refs < 0, ~self.refs, self.refs)[own]
        lengths = np.diff(self.arc_start)
        of_shapes = np.repeat(np.isin(np.arange(len(lengths)), arcs), lengths)
        points = {*map(tuple, np.rint(coordinates / GRID).astype(np.int64).tolist())}
        on_points = np.array([tuple(point) in points for point in self.points.tolist()])
        return replace(self, coarse=self.coarse | (of_shapes & on_points))

    def geometries(self, *, fine: bool) -> tuple[Geometry, ...]:
        """Return every shape as a GeoJSON geometry with clockwise exterior rings."""
        arcs = [*self._arc_points(fine)]
        shape: list[list[list[list[list[float]]]]] = [[] for _ in range(self.ring_shape[-1] + 1)]
        bounds = pairwise(self.ring_start.tolist())
        holes, owners = self.ring_is_hole.tolist(), self.ring_shape.tolist()
        refs = self.refs.tolist()
        for (start, stop), is_hole, owner in zip(bounds, holes, owners, strict=True):
            ring = _chained([arcs[r] if r >= 0 else arcs[~r][::-1] for r in refs[start:stop]])
            if len(ring) < 4:  # an islet that the coarse level leaves out
                continue
            if is_hole:
                shape[owner][-1].append(ring)
            else:
                shape[owner].append([ring])
        return tuple(_geometry(polygons) for polygons in shape)

    def polygons(self, *, fine: bool) -> Shapes:
        """Return every shape as a shapely polygon."""
        import json

        import shapely

        texts = [json.dumps(geometry) for geometry in self.geometries(fine=fine)]
        return np.asarray(shapely.from_geojson(texts))

    def _arc_points(self, fine: bool) -> Iterator[list[list[float]]]:
        points = np.round(self.points * GRID, _DIGITS).tolist()
        kept = self.coarse.tolist()
        for start, stop in pairwise(self.arc_start.tolist()):
            if fine:
                yield points[start:stop]
            else:
                yield [points[k] for k in range(start, stop) if kept[k]]


def _chained(arcs: list[list[list[float]]]) -> list[list[float]]:
    """Return arcs that follow each other as a closed ring."""
    ring = [point for arc in arcs for point in (arc[:-1] if len(arcs) > 1 else arc)]
    if ring and ring[0] != ring[-1]:
        ring.append(ring[0])
    return ring


def _geometry(polygons: list[Any]) -> Geometry:
    if len(polygons) == 1:
        return {"type": "Polygon", "coordinates": polygons[0]}
    return {"type": "MultiPolygon", "coordinates": polygons}


def _rings(shapes: Sequence[Any]) -> Iterator[tuple[int, bool, _Ring]]:
    """Yield every ring with the number of its shape and whether it is a hole."""
    import shapely

    for number, shape in enumerate(shapely.orient_polygons(shapes, exterior_cw=True)):
        for polygon in shapely.get_parts(shape):
            for k, ring in enumerate([polygon.exterior, *polygon.interiors]):
                on_grid = np.rint(shapely.get_coordinates(ring)[:-1] / GRID).astype(np.int64)
                yield number, k > 0, [(x, y) for x, y in on_grid.tolist()]


def _meetings(rings: Iterable[_Ring]) -> set[_Point]:
    """Return the points that have different neighbours in different rings."""
    neighbours: dict[_Point, set[frozenset[_Point]]] = defaultdict(set)
    for ring in rings:
        for before, point, after in zip(
            [ring[-1], *ring], ring, [*ring[1:], ring[0]], strict=False
        ):
            neighbours[point].add(frozenset((before, after)))
    return {point for point, pairs in neighbours.items() if len(pairs) > 1}


def _cut(ring: _Ring, meetings: set[_Point]) -> Iterator[tuple[_Point, ...]]:
    """Yield the arcs of a ring; a single one from its least point if no borders meet on it."""
    ends = [k for k, point in enumerate(ring) if point in meetings] or [ring.index(min(ring))]
    turned = [*ring[ends[0] :], *ring[: ends[0]], ring[ends[0]]]
    cuts = [k - ends[0] for k in ends] + [len(ring)]
    for start, stop in pairwise(cuts):
        yield tuple(turned[start : stop + 1])


def _reference(arc: tuple[_Point, ...], number: dict[tuple[_Point, ...], int]) -> int:
    backwards = arc[::-1]
    if arc <= backwards:
        return number.setdefault(arc, len(number))
    return ~number.setdefault(backwards, len(number))
