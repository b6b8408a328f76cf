"""Maps: a shape for every region of every level, on one plane that Plotly draws offline.

The display plane is an equal-area projection scaled to 100 km per degree around (0, 0) and drawn
with the equirectangular projection. Areas on screen are then in proportion to true areas, and an
inset is a shifted part. Exterior rings are clockwise, as Plotly's maps require.

Upper levels are dissolved from the leaves after these were rounded. Borders therefore have the same
points on every level, and the area of a parent is the sum of those of its children.
"""

import hashlib
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from hierdp_core.exceptions import HierarchyError
from hierdp_core.hierarchy import Regions
from hierdp_core.util.arrays import FloatArray
from hierdp_core.util.late import late
from hierdp_core.util.shown import Shown
from hierdp_core.util.text import some

Box = tuple[float, float, float, float]
Geometry = Mapping[str, Any]  # a GeoJSON Polygon or MultiPolygon
Shapes = np.ndarray[Any, np.dtype[np.object_]]  # shapely polygons

METRES_PER_DEGREE = 100_000.0
APPROXIMATE = "Approximate boundaries"  # caption of a map drawn from centroids
_NEAR = 1 / 3  # regions up to this proportion of the map's width are shown in fine detail
_SHOWN = 5


@dataclass(frozen=True, eq=False, kw_only=True)
class MapLayer:
    """Polygons for a map, with the caption that must be shown under it.

    Attributes:
        polygons: a GeoJSON FeatureCollection whose ids are codes of regions, or its address.
        caption: a description of the boundaries, or their publisher.
    """

    polygons: Mapping[str, Any] | str = field(repr=False)
    caption: str


@dataclass(frozen=True, kw_only=True)
class Plane:
    """The position of a display plane on the earth.

    A point in the projection `system`, in metres, is shifted by (−x, −y) and multiplied by
    `factor`.
    """

    system: str
    x: float
    y: float
    factor: float

    def in_degrees(self, shapes: Shapes) -> Shapes:
        """Return shapes of the display plane in degrees east and north, WGS 84."""
        import shapely
        from pyproj import Transformer

        back = Transformer.from_crs(self.system, "EPSG:4326", always_xy=True).transform

        def unrolled(points: FloatArray) -> FloatArray:
            metres = points / self.factor + (self.x, self.y)
            return np.column_stack(back(metres[:, 0], metres[:, 1]))

        return np.asarray(shapely.transform(shapes, unrolled))


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class Boundaries(Shown):
    """A shape for every region of every level.

    Attributes:
        regions: the hierarchy with its names.
        shapes: for each level, one GeoJSON geometry per region, in level order, on the display
            plane and with clockwise exterior rings.
        caption: the text on boundaries under every map: `APPROXIMATE`, or their publisher.
        label: a word for file names: "us-households".
        read_fine: a function that reads the same shapes in finer detail, for maps of a small part;
            None if there is only one level of detail.
        plane: the position of the display plane on the earth; None for maps with shifted parts or
            without a position on the earth.

    Raises:
        HierarchyError: the number of shapes of a level differs from the number of its regions.
    """

    regions: Regions
    shapes: tuple[tuple[Geometry, ...], ...] = field(repr=False)
    caption: str
    label: str = "regions"
    read_fine: Callable[[], tuple[tuple[Geometry, ...], ...]] | None = field(
        default=None, repr=False
    )
    plane: Plane | None = None

    def __post_init__(self) -> None:
        sizes = [len(level) for level in self.shapes]
        wanted = self.regions.tree.level_sizes.tolist()
        if sizes != wanted:
            raise HierarchyError(
                f"Every region needs one shape. By level, there are {wanted} regions and {sizes} "
                "shapes. Give one shape for each region, in level order."
            )

    @classmethod
    def from_geodataframe(
        cls, frame: Any, regions: Regions, *, id: str | None = None, caption: str = "GeoDataFrame"
    ) -> "Boundaries":
        """Return a shape for every region from a GeoDataFrame, dissolved upwards.

        Args:
            frame: one row per region of the last level, or several, in any coordinate system.
            regions: the regions of a table: `table.regions`.
            id: the column of the codes; None takes the one that matches most regions.
            caption: the publisher of the boundaries, for the text under every map.

        Raises:
            ChoiceError: `frame` is not a GeoDataFrame, or has no coordinate system or no such
                column.
            TableError: fewer than half of the regions have a shape.
        """
        boundaries: Boundaries = late("readers.frames", "boundaries_from")(
            frame, regions, id=id, caption=caption
        )
        return boundaries

    def has(self, level: int) -> bool:
        """Return whether there are shapes for level number `level`."""
        return 0 <= level < len(self.shapes)

    def level(self, level: int) -> dict[str, Any]:
        """Return a GeoJSON FeatureCollection of one level, with features in level order.

        Raises:
            HierarchyError: there is no such level.
        """
        ids = self.regions.ids[self.regions.tree.level(level)]
        return _collection(ids, self.shapes[level])

    def layer(self, level: int) -> MapLayer:
        """Return the shapes of one level, with their caption.

        Raises:
            HierarchyError: there is no such level.
        """
        return MapLayer(polygons=self.level(level), caption=self.caption)

    def layer_within(self, level: int, above: int, id: str) -> MapLayer:
        """Return the shapes of one level that lie in one region of level number `above`.

        If the region is small compared with the whole map, the shapes are in fine detail where
        the boundaries have it.

        Args:
            level: the level of the shapes.
            above: a level number up to `level`.
            id: code of a region on level number `above`.

        Raises:
            HierarchyError: there is no such region.
        """
        x0, x1, _, _ = self.box_of(above, id)
        whole_x0, whole_x1, _, _ = self.box
        fine = self.read_fine is not None and x1 - x0 <= _NEAR * (whole_x1 - whole_x0)
        tree, node = self.regions.tree, self.regions.node(id, above)
        nodes = range(node, node + 1)
        for _ in range(level - above):
            nodes = range(tree.children(nodes[0]).start, tree.children(nodes[-1]).stop)
        start = tree.level(level).start
        shapes = (self._fine_shapes if fine else self.shapes)[level]
        own = slice(nodes.start - start, nodes.stop - start)
        ids = self.regions.ids[nodes.start : nodes.stop]
        return MapLayer(polygons=_collection(ids, shapes[own]), caption=self.caption)

    @cached_property
    def _fine_shapes(self) -> tuple[tuple[Geometry, ...], ...]:
        return self.shapes if self.read_fine is None else self.read_fine()

    @cached_property
    def box(self) -> Box:
        """The bounding box of the whole map: x0, x1, y0, y1 in display degrees."""
        return _box_of(self.shapes[0])

    def box_of(self, level: int, id: str) -> Box:
        """Return the bounding box of the region with code `id` on level number `level`.

        Raises:
            HierarchyError: there is no such region.
        """
        at = self.regions.node(id, level) - self.regions.tree.level(level).start
        return _box_of((self.shapes[level][at],))

    def centres(self, level: int) -> FloatArray:
        """Return a point for every region of a level, at which lines to the region end.

        This is the centroid of the largest part of its shape.

        Returns:
            shape (regions of the level, 2), display degrees.

        Raises:
            HierarchyError: there is no such level.
        """
        self.regions.tree.level(level)  # raises an error if there is no such level
        return np.array([_centroid(_largest_ring(shape)) for shape in self.shapes[level]])

    def static_name(self, level: int) -> str:
        """Return the file name of a level's GeoJSON text, which changes with the content.

        The text itself is not kept in memory.

        Raises:
            HierarchyError: there is no such level.
        """
        if level not in self._static_names:
            self._static_names[level], _ = self.static_file(level)
        return self._static_names[level]

    @cached_property
    def _static_names(self) -> dict[int, str]:
        return {}

    def static_file(self, level: int) -> tuple[str, str]:
        """Return the file name and the GeoJSON text of a level.

        Raises:
            HierarchyError: there is no such level.
        """
        polygons = self.level(level)
        return static_file(f"{self.label}-{self.regions.levels[level]}", polygons)

    def static_files(self) -> dict[str, str]:
        """Return the GeoJSON text of every level, by a file name that changes with the content."""
        return dict(self._static_files)

    @cached_property
    def _static_files(self) -> dict[str, str]:
        return dict(self.static_file(level) for level in range(len(self.regions.levels)))


def static_file(label: str, polygons: Mapping[str, Any]) -> tuple[str, str]:
    """Return a file name that changes with the content, and the GeoJSON text."""
    text = json.dumps(polygons, separators=(",", ":"))
    digest = hashlib.sha256(text.encode()).hexdigest()[:12]
    return f"{label.replace(' ', '-')}-{digest}.geojson", text


def boundaries_from_leaves(
    regions: Regions,
    leaf_shapes: Shapes,
    *,
    caption: str,
    label: str = "regions",
    digits: int = 2,
) -> Boundaries:
    """Return boundaries of every level, dissolved upwards from one shape per leaf.

    Args:
        regions: the hierarchy with its names.
        leaf_shapes: shape (n_leaves,), in level order: polygons on the display plane that
            cover it without overlaps and share the points of their borders.
        caption: as in `Boundaries`.
        label: a word for file names.
        digits: the number of decimals of coordinates, increased if the shapes would not fit
            together with so few.

    Raises:
        HierarchyError: a shape is missing or empty, or shapes overlap.
    """
    leaves = _rounded_coverage(regions, leaf_shapes, digits)
    levels = dissolved(regions, leaves)
    return Boundaries(
        regions=regions,
        shapes=tuple(geometries(level) for level in levels),
        caption=caption,
        label=label,
    )


def dissolved(regions: Regions, leaf_shapes: Shapes) -> tuple[Shapes, ...]:
    """Return one polygon per region for every level, where each parent unites its children."""
    import shapely

    tree = regions.tree
    levels = [leaf_shapes]
    for level in reversed(range(tree.n_levels - 1)):
        start = tree.level(level + 1).start
        families = [tree.children(node) for node in range(*tree.level(level).indices(tree.n_nodes))]
        unions = [
            shapely.coverage_union_all(levels[0][family.start - start : family.stop - start])
            for family in families
        ]
        levels.insert(0, np.array([_polygons(union) for union in unions], dtype=object))
    return tuple(levels)


def geometries(shapes: Shapes) -> tuple[Geometry, ...]:
    """Return polygons as GeoJSON geometries with clockwise exterior rings."""
    import shapely

    turned = shapely.orient_polygons(shapes, exterior_cw=True)
    return tuple(json.loads(text) for text in shapely.to_geojson(turned))


def _polygons(shape: Any) -> Any:
    """Return `shape` as one Polygon or MultiPolygon, never a collection."""
    import shapely

    parts = [part for part in shapely.get_parts(shape) if part.geom_type == "Polygon"]
    return parts[0] if len(parts) == 1 else shapely.MultiPolygon(parts)


def _rounded_coverage(regions: Regions, shapes: Shapes, digits: int) -> Shapes:
    import shapely

    tree = regions.tree
    if len(shapes) != tree.n_leaves:
        raise HierarchyError(
            f"One shape for each {regions.levels[-1]} is needed, {tree.n_leaves:,} in all; got "
            f"{len(shapes):,}. Give the shapes in the order of table.regions."
        )
    empty = np.flatnonzero(shapely.is_empty(shapes) | shapely.is_missing(shapes))
    if len(empty):
        raise HierarchyError(
            f"Every {regions.levels[-1]} needs a shape, and these have none: "
            f"{_named(regions, empty)}. Add their shapes."
        )
    for places in range(digits, digits + 4):
        try:
            rounded = shapely.transform(shapes, lambda points, d=places: np.round(points, d))
            rounded = shapely.remove_repeated_points(rounded)
        except shapely.errors.GEOSException:  # a ring shrunk to a point
            continue
        if shapely.is_valid(rounded).all() and shapely.coverage_is_valid(rounded):
            return np.asarray(rounded)
    raise HierarchyError(_coverage_fault(regions, shapes, digits + 3))


def _coverage_fault(regions: Regions, shapes: Shapes, digits: int) -> str:
    """Return the message on shapes that do not form a map with `digits` decimals."""
    import shapely

    crossing = np.flatnonzero(~shapely.is_valid(shapes))
    if len(crossing):
        return (
            "The border of a shape must not cross itself, as it does for "
            f"{_named(regions, crossing)}. Correct these shapes, for example with “Fix geometries” "
            "in QGIS."
        )
    apart = np.flatnonzero(~shapely.is_empty(shapely.coverage_invalid_edges(shapes)))
    if len(apart):
        return (
            "Some shapes overlap, or do not share the points of their borders. They are those of "
            f"{_named(regions, apart)}. Take all shapes from one edition of one map, or correct "
            "these."
        )
    smallest = np.argsort(shapely.area(shapes), kind="stable")[:1]
    return (
        f"Shapes are drawn with up to {digits} decimals, and some are too small for this. The "
        f"smallest is that of {_named(regions, smallest)}. Merge it with a neighbour, or give "
        "coordinates in a smaller unit."
    )


def _collection(ids: Sequence[str], shapes: Sequence[Geometry]) -> dict[str, Any]:
    features = [
        {"type": "Feature", "id": id, "properties": {}, "geometry": shape}
        for id, shape in zip(ids, shapes, strict=True)
    ]
    return {"type": "FeatureCollection", "features": features}


def _named(regions: Regions, leaves: Sequence[int] | np.ndarray[Any, Any]) -> str:
    first = regions.tree.leaves.start
    return some([regions.names[first + int(i)] for i in leaves], shown=_SHOWN)


def _box_of(shapes: Sequence[Geometry]) -> Box:
    points = np.array([point for shape in shapes for point in _outline(shape)])
    (x0, y0), (x1, y1) = points.min(axis=0).tolist(), points.max(axis=0).tolist()
    return x0, x1, y0, y1


def _largest_ring(shape: Geometry) -> FloatArray:
    rings = shape["coordinates"]
    outer = [rings[0]] if shape["type"] == "Polygon" else [polygon[0] for polygon in rings]
    return np.asarray(max((np.array(ring) for ring in outer), key=lambda ring: abs(_area(ring))))


def _area(ring: FloatArray) -> float:
    x, y = ring.T
    return float(x[:-1] @ y[1:] - x[1:] @ y[:-1]) / 2


def _centroid(ring: FloatArray) -> FloatArray:
    middle = ring[:-1].mean(axis=0)
    x, y = (ring - middle).T  # about the middle, for the digits
    cross = x[:-1] * y[1:] - x[1:] * y[:-1]
    if not cross.sum():
        return np.asarray(middle)
    weighted = np.array([(x[:-1] + x[1:]) @ cross, (y[:-1] + y[1:]) @ cross])
    return np.asarray(middle + weighted / (3 * cross.sum()))


def _outline(shape: Geometry) -> Iterator[Sequence[float]]:
    rings = shape["coordinates"]
    for polygon in [rings] if shape["type"] == "Polygon" else rings:
        yield from polygon[0]
