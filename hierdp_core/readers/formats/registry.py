"""All file formats that can be read, with their names, their recognition and their readers.

To add one, write its module in this folder and add its `Format` to `FORMATS`. The module is
imported when a file of the format is read, so that the list itself loads no heavy library.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any, Literal, TypeVar

if TYPE_CHECKING:
    from hierdp_core.readers.formats.features import Features
    from hierdp_core.readers.formats.sheet import Sheet
    from hierdp_core.readers.formats.sniff import Source
    from hierdp_core.readers.limits import Limits
    from hierdp_core.readers.report import Notebook

_TOKEN = re.compile(rb'"(?:[^"\\]|\\.)*(?:"|\\?\Z)|[^\s"{}\[\],:]+|[{}\[\],:]', re.DOTALL)
_FORMATS = "hierdp_core.readers.formats"
_Reader = TypeVar("_Reader", "TableReader", "BoundaryReader")


@dataclass(frozen=True, kw_only=True)
class TableReader:
    """The functions that read tables of a format.

    Attributes:
        read: returns the table as text. If it is too large to be read whole, the sheet has only the
            first rows and is `partial`, and `batches` returns all of them.
        batches: yields all rows in the named columns as pyarrow tables; None where tables are
            always read whole.
        n_rows: returns the number of rows; None where it is not known before reading.
    """

    read: "Callable[[Source, Notebook, Limits], Sheet]"
    batches: "Callable[[Source, Sequence[str], Notebook, Limits], Iterator[Any]] | None" = None
    n_rows: "Callable[[Source, Notebook, Limits], int] | None" = None


@dataclass(frozen=True, kw_only=True)
class BoundaryReader:
    """The function that reads boundaries of a format.

    Attributes:
        read: returns the features of a file, in longitude and latitude.
    """

    read: "Callable[[Source, Notebook, Limits], Features]"


@dataclass(frozen=True, kw_only=True)
class Content:
    """The part of a file by which its format is recognised.

    Attributes:
        head: the first bytes of the file.
        members: the names of the files in it, where it is a zip archive.
    """

    head: bytes = b""
    members: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Format:
    """A file format.

    Attributes:
        id: its name in code.
        title: its name on screen.
        suffixes: the suffixes of its files, without the dot; the page offers them.
        holds: what is in its files.
        reader: the place of its `TableReader` or `BoundaryReader`, as "module:name".
        recognises: whether a file is of this format, by its content and not by its name.
        many_members: its files are zip archives, recognised by what is in them, of many members.
    """

    id: str
    title: str
    suffixes: tuple[str, ...]
    holds: Literal["table", "boundaries"]
    reader: str
    recognises: Callable[[Content], bool]
    many_members: bool = False

    @property
    def table_reader(self) -> TableReader:
        """The reader of a format that holds tables."""
        return self._reader(TableReader)

    @property
    def boundary_reader(self) -> BoundaryReader:
        """The reader of a format that holds boundaries."""
        return self._reader(BoundaryReader)

    def _reader(self, expected: type[_Reader]) -> _Reader:
        module, _, name = self.reader.partition(":")
        reader = getattr(import_module(module), name)
        if not isinstance(reader, expected):
            raise TypeError(f"{self.reader} is not a {expected.__name__}.")
        return reader


def starts_with(*beginnings: bytes) -> Callable[[Content], bool]:
    """Recognise a file by its first bytes."""
    return lambda content: content.head.startswith(beginnings)


def _is_json(content: Content) -> bool:
    return _text_of(content).startswith((b"{", b"["))


def _is_geojson(content: Content) -> bool:
    """Return whether the outermost object is GeoJSON or TopoJSON, whatever any text in it says."""
    members = _outermost_members(_text_of(content))
    kind = members.get(b'"type"')
    if kind in (b'"FeatureCollection"', b'"Topology"') or members.get(b'"features"') == b"[":
        return True
    return kind == b'"Feature"' and not members.keys().isdisjoint({b'"geometry"', b'"properties"'})


def _text_of(content: Content) -> bytes:
    return content.head.removeprefix(b"\xef\xbb\xbf").lstrip()


def _outermost_members(text: bytes) -> dict[bytes, bytes]:
    """Return the names in the outermost object of JSON, each with the first token of its value.

    The text may end anywhere. There are none if it starts with a list.
    """
    members: dict[bytes, bytes] = {}
    if not text.startswith(b"{"):
        return members
    depth, before, name = 0, b"", b""
    for token in _TOKEN.findall(text):
        if depth == 1 and before == b":" and name:
            members.setdefault(name, token)
        if depth == 1 and token == b":":
            name = before
        depth += (token in (b"{", b"[")) - (token in (b"}", b"]"))
        if depth == 0:
            break
        before = token
    return members


def _is_workbook(content: Content) -> bool:
    return "xl/workbook.xml" in content.members


def _is_opendocument(content: Content) -> bool:
    return "content.xml" in content.members and "META-INF/manifest.xml" in content.members


def _is_px(content: Content) -> bool:
    known = b"AXIS-VERSION=" in content.head or b"MATRIX=" in content.head
    return known and bool(re.match(rb"(\xef\xbb\xbf)?\s*[A-Z][A-Z-]*(\[[a-z]+\])?=", content.head))


def _is_stata(content: Content) -> bool:
    old = re.match(rb"[\x66-\x73][\x01\x02]\x01\x00", content.head)
    return content.head.startswith(b"<stata_dta>") or bool(old)


def _is_zipped_shapefile(content: Content) -> bool:
    return any(PurePosixPath(name).suffix.lower() == ".shp" for name in content.members)


# A file that no format recognises and `sniff` does not refuse is read as text.
TEXT = Format(
    id="text", title="CSV", suffixes=("csv", "tsv", "txt", "gz", "zip"), holds="table",
    reader=f"{_FORMATS}.text_files:READER", recognises=lambda _: False,
)  # fmt: skip
FORMATS = (
    TEXT,
    Format(id="parquet", title="Parquet", suffixes=("parquet",), holds="table",
           reader=f"{_FORMATS}.parquet:READER", recognises=starts_with(b"PAR1")),
    Format(id="excel", title="Excel", suffixes=("xlsx",), holds="table",
           reader=f"{_FORMATS}.excel:READER", recognises=_is_workbook, many_members=True),
    Format(id="opendocument", title="OpenDocument", suffixes=("ods",), holds="table",
           reader=f"{_FORMATS}.opendocument:READER", recognises=_is_opendocument,
           many_members=True),
    Format(id="px", title="PX", suffixes=("px",), holds="table",
           reader=f"{_FORMATS}.px:READER", recognises=_is_px),
    Format(id="json", title="JSON", suffixes=("json",), holds="table",
           reader=f"{_FORMATS}.json_tables:READER",
           recognises=lambda content: _is_json(content) and not _is_geojson(content)),
    Format(id="stata", title="Stata", suffixes=("dta",), holds="table",
           reader=f"{_FORMATS}.stata:READER", recognises=_is_stata),
    Format(id="spss", title="SPSS", suffixes=("sav", "zsav"), holds="table",
           reader=f"{_FORMATS}.spss:READER", recognises=starts_with(b"$FL2", b"$FL3")),
    Format(id="geojson", title="GeoJSON", suffixes=("geojson", "json"), holds="boundaries",
           reader=f"{_FORMATS}.shapes:GEOJSON", recognises=_is_geojson),
    Format(id="geopackage", title="GeoPackage", suffixes=("gpkg",), holds="boundaries",
           reader=f"{_FORMATS}.gdal:GEOPACKAGE",
           recognises=starts_with(b"SQLite format 3\0")),
    Format(id="shapefile", title="zipped shapefile", suffixes=("zip",), holds="boundaries",
           reader=f"{_FORMATS}.gdal:SHAPEFILE", recognises=_is_zipped_shapefile),
)  # fmt: skip


def recognised(content: Content) -> Format | None:
    """Return the format of a file, or None if it is not recognised."""
    return next((one for one in FORMATS if one.recognises(content)), None)


def suffixes() -> list[str]:
    """Return the suffixes of all formats, without the dot, each once.

    >>> suffixes()  # doctest: +NORMALIZE_WHITESPACE
    ['csv', 'tsv', 'txt', 'gz', 'zip', 'parquet', 'xlsx', 'ods', 'px', 'json', 'dta', 'sav',
    'zsav', 'geojson', 'gpkg']
    """
    return list(dict.fromkeys(suffix for one in FORMATS for suffix in one.suffixes))


def titles(holds: Literal["table", "boundaries"]) -> list[str]:
    """Return the names on screen of the formats of tables, or of boundaries.

    >>> titles("boundaries")
    ['GeoJSON', 'GeoPackage', 'zipped shapefile']
    """
    return [one.title for one in FORMATS if one.holds == holds]
