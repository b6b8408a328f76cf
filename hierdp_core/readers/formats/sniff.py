"""The first check of a file: its format, judged by its content before it is parsed.

Only regular files are opened. Addresses and virtual paths are refused. The bytes of compressed
files are counted while they are unpacked, whatever their headers state.
"""

import re
import stat
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from zipfile import BadZipFile, ZipFile, ZipInfo

from hierdp_core.readers.formats.refused import COMMANDS, REFUSED
from hierdp_core.readers.formats.registry import TEXT, Content, Format, recognised
from hierdp_core.readers.limits import MEGABYTE, Limits
from hierdp_core.readers.report import Notebook, shown_code

_ADDRESS = re.compile(r"[a-z][a-z0-9+.-]*:/|/vsi|\\\\", re.IGNORECASE)
_PIECE = MEGABYTE
_SLACK = 4 * MEGABYTE  # unpacked bytes that need no ratio: small files pack well
_OFFICE_SUFFIXES = (".xlsx", ".xlsm", ".ods")
_TEXT_SUFFIXES = (".csv", ".tsv", ".txt", ".tab", ".dat", ".sf1")  # inside a zip


@dataclass(frozen=True, kw_only=True)
class Source:
    """A file that may be read.

    Attributes:
        name: its name in messages, without a folder.
        path: where it is.
        format: its file format, which names its reader.
        packed: "gzip" or "zip" if it contains a text, else "".
        member: its name in the zip.
        size: the size of the file, in bytes.
        sheet: the sheet of a workbook, or the file of an archive, that a person chose; empty for
            the one that holds a table.
        encoding: the encoding of a text that is not UTF-8, as stated by the user; empty if it is
            guessed.
    """

    name: str
    path: Path
    format: Format
    packed: str = ""
    member: str = ""
    size: int = 0
    sheet: str = ""
    encoding: str = ""


def open_source(path: str | Path, notes: Notebook, limits: Limits, *, sheet: str = "") -> Source:
    """Return the file at `path` with its format; `sheet` is the chosen file of an archive.

    Raises:
        Unreadable: the path is an address or not a regular file, or its format is not read.
    """
    if _ADDRESS.match(str(path)):
        raise notes.unreadable(
            "address",
            "this is an address, and only files on this machine are read",
            "Download the file and give its path.",
        )
    path = Path(path)
    try:
        about = path.stat()
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or "no such path"
        raise notes.unreadable("missing", f"cannot be read: {reason}", "Check the path.") from None
    if not stat.S_ISREG(about.st_mode):
        raise notes.unreadable("not-a-file", "is not a regular file", "Name one file.")
    if about.st_size == 0:
        raise notes.unreadable("empty", "is empty", "Save the table again.")
    if about.st_size > limits.file_bytes:
        raise notes.unreadable(
            "too-large",
            f"has {about.st_size:,} bytes, but a file may have at most {limits.file_bytes:,}",
            "Leave out what is not needed.",
        )
    try:
        with path.open("rb") as file:
            head = file.read(4096)
    except OSError as error:
        reason = error.strerror or "no permission"
        raise notes.unreadable(
            "missing", f"cannot be read: {reason}", "Check its permissions."
        ) from None
    format, packed, member = _format_of(path, head, notes, limits, sheet)
    return Source(
        name=notes.file, path=path, format=format, packed=packed, member=member, size=about.st_size
    )


def _format_of(
    path: Path, head: bytes, notes: Notebook, limits: Limits, sheet: str
) -> tuple[Format, str, str]:
    """Return the format, the kind of compression, and the name of the file in the archive."""
    for start, what, remedy in REFUSED:
        if head.startswith(start):
            raise notes.unreadable("kind", what, remedy)
    if program := COMMANDS.get(path.suffix.lower()):
        raise notes.unreadable(
            "commands",
            f"holds commands for {program} that read a file of fixed width, and is not a "
            "table itself",
            f"Run it in {program}, or read its columns with another program, and save it as CSV.",
        )
    if head.startswith((b"PK\x03\x04", b"PK\x05\x06")):
        return _format_of_zip(path, head, notes, limits, sheet)
    if format := recognised(Content(head=head)):
        return format, "", ""
    if head.startswith(b"\x1f\x8b"):
        return TEXT, "gzip", ""
    if re.match(rb"\x80[\x02-\x05]", head) and path.suffix.lower() != ".csv":
        raise notes.unreadable(
            "pickle",
            "is a pickle, which may contain a program, so it was not opened",
            "Save the table as CSV or Parquet.",
        )
    text = head.removeprefix(b"\xef\xbb\xbf").lstrip()
    if text.startswith(b"<"):
        raise notes.unreadable(
            "xml",
            "is XML or HTML, which is not read",
            "Save a table as CSV, and boundaries as GeoJSON, GeoPackage or a zipped shapefile.",
        )
    if path.suffix.lower() == ".shp":
        raise notes.unreadable(
            "shapefile-parts",
            "is only one part of a shapefile",
            "Zip its .shp, .shx, .dbf and .prj together and give the ZIP file.",
        )
    return TEXT, "", ""


def _format_of_zip(
    path: Path, head: bytes, notes: Notebook, limits: Limits, sheet: str
) -> tuple[Format, str, str]:
    with opened_zip(path, notes, limits) as archive:
        names = [info.filename for info in archive.infolist() if not info.is_dir()]
    if format := recognised(Content(head=head, members=tuple(names))):
        return format, "", ""
    suffixes = {Path(name).suffix.lower() for name in names}
    if suffixes & {".dbf", ".shx"}:
        raise notes.unreadable(
            "shapefile-parts", "contains a shapefile without its .shp file", "Add it."
        )
    texts = [name for name in names if Path(name).suffix.lower() in _TEXT_SUFFIXES]
    from hierdp_core.readers.formats.archives import choices_of, tables_in

    tables = [sheet] if sheet in texts else tables_in(texts)
    if len(tables) == 1:
        if len(texts) > 1:
            notes.note("member", f"of {len(texts)} texts, {shown_code(tables[0])} was read")
        return TEXT, "zip", tables[0]
    if not tables:
        raise notes.unreadable(
            "archive-content",
            "contains neither a table that can be read nor a shapefile",
            "Put a CSV file, or the parts of one shapefile, in the archive.",
        )
    raise notes.unreadable(
        "archive-content",
        f"holds {len(tables)} tables and no shapefile, but only one table can be read",
        "Choose one of them, or unpack it and name the file inside.",
        choices=choices_of(tables),
    )


class Archive(ZipFile):
    """A ZIP archive with the number of bytes unpacked from all its members."""

    unpacked_bytes: int = 0


def opened_zip(path: Path, notes: Notebook, limits: Limits) -> Archive:
    """Return a ZIP archive whose members are few regular files with safe names, not archives.

    Raises:
        Unreadable: the members are not so, or the archive is incomplete.
    """
    try:
        archive = Archive(path)
        infos = archive.infolist()
    except (BadZipFile, OSError, ValueError, NotImplementedError):
        if path.suffix.lower() in _OFFICE_SUFFIXES:
            raise notes.unreadable(
                "archive", "is incomplete, because the end of the workbook is missing",
                "Download or save it again.",
            ) from None  # fmt: skip
        raise notes.unreadable(
            "archive", "is not a complete ZIP archive", "Zip it again."
        ) from None
    many = f"more than {limits.members} files"
    few = "Put only the necessary files in the archive."
    for id, wrong, what, remedy in (
        ("archive-members", len(infos) > limits.members * 4, many, few),
        (
            "archive-path",
            any(_leads_outside(i) for i in infos),
            "a path that leads outside it",
            "Zip the files again, without the paths of their folders.",
        ),
        (
            "archive-link",
            any(_is_link(i) for i in infos),
            "a link to another file",
            "Put the file itself in the archive.",
        ),
        (
            "archive-locked",
            any(i.flag_bits & 1 for i in infos),
            "files that are protected by a password",
            "Save it without a password.",
        ),
        (
            "archive-nested",
            any(_is_archive(i) for i in infos),
            "an archive inside the archive",
            "Unpack the inner archive, and give the file that it contains.",
        ),
        (
            "archive-members",
            limits.members < len(infos) <= limits.members * 4 and not _has_many_members(archive),
            many,
            few,
        ),
    ):
        if wrong:
            archive.close()
            raise notes.unreadable(id, f"holds {what}", remedy)
    return archive


def unpacked(archive: Archive, member: str, notes: Notebook, limits: Limits) -> Iterator[bytes]:
    """Yield the bytes of one member, and add their number to that of other members.

    Raises:
        Unreadable: the archive is damaged or unpacks to too many bytes.
    """
    about = archive.getinfo(member)
    packed = max(about.compress_size, 1)
    _require_ratio(about.file_size, packed, notes, limits)  # a bomb that says so needs no unpacking
    try:
        with archive.open(member) as file:
            pieces = iter(lambda: file.read(_PIECE), b"")
            for piece in _counted(pieces, packed, notes, limits):
                archive.unpacked_bytes += len(piece)
                if archive.unpacked_bytes > limits.unpacked_bytes:
                    raise _too_large(notes, limits)
                yield piece
    except (BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError, OSError):
        raise notes.unreadable("archive", "is a damaged zip archive", "Zip it again.") from None


def text_bytes(source: Source, notes: Notebook, limits: Limits) -> bytes:
    """Return all bytes of a text table, unpacked.

    Raises:
        Unreadable: the file is damaged or too large.
    """
    if source.packed == "zip":
        with opened_zip(source.path, notes, limits) as archive:
            return b"".join(unpacked(archive, source.member, notes, limits))
    if source.packed == "gzip":
        return b"".join(_gunzipped(source, notes, limits))
    if source.size > limits.unpacked_bytes:
        raise _too_large(notes, limits)
    return source.path.read_bytes()


def _gunzipped(source: Source, notes: Notebook, limits: Limits) -> Iterator[bytes]:
    def pieces() -> Iterator[bytes]:
        inflate, read_whole = zlib.decompressobj(wbits=31), False
        with source.path.open("rb") as file:
            while packed := file.read(_PIECE):
                while packed:
                    yield inflate.decompress(packed, _PIECE)
                    packed = inflate.unconsumed_tail
                    if inflate.eof:  # the next of several streams in a row
                        packed, inflate = inflate.unused_data, zlib.decompressobj(wbits=31)
                        read_whole = True
                    else:
                        read_whole = False
        if not read_whole:
            raise zlib.error("cut off")

    try:
        yield from _counted(pieces(), source.size, notes, limits)
    except zlib.error:
        raise notes.unreadable("archive", "is a damaged gzip file", "Pack it again.") from None


def _counted(
    pieces: Iterator[bytes], packed: int, notes: Notebook, limits: Limits
) -> Iterator[bytes]:
    total = 0
    for piece in pieces:
        total += len(piece)
        if total > limits.unpacked_bytes:
            raise _too_large(notes, limits)
        _require_ratio(total, packed, notes, limits)
        yield piece


def _require_ratio(total: int, packed: int, notes: Notebook, limits: Limits) -> None:
    if total > _SLACK and total > limits.ratio * packed:
        raise notes.unreadable(
            "archive-ratio",
            f"unpacks to more than {limits.ratio} times its size",
            "Unpack it and give the file inside.",
        )


def _too_large(notes: Notebook, limits: Limits) -> Exception:
    return notes.unreadable(
        "too-large",
        f"holds more than {limits.unpacked_bytes:,} bytes of text",
        "Save it as Parquet, which is read in pieces, or leave out columns.",
    )


def _has_many_members(archive: ZipFile) -> bool:
    format = recognised(Content(members=tuple(archive.namelist())))
    return format is not None and format.many_members


def _leads_outside(info: ZipInfo) -> bool:
    name = info.filename.replace("\\", "/")
    return name.startswith("/") or ".." in name.split("/") or ":" in name or "\0" in name


def _is_link(info: ZipInfo) -> bool:
    return stat.S_ISLNK(info.external_attr >> 16)


def _is_archive(info: ZipInfo) -> bool:
    return info.filename.lower().endswith((".zip", ".gz", ".bz2", ".xz", ".7z", ".rar", ".tar"))
