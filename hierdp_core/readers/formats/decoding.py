"""Conversion of text files to UTF-8, by byte-order mark, stated encoding or likely letters."""

import re
from collections.abc import Sequence

from hierdp_core.readers.columns.question import Choice
from hierdp_core.readers.formats.encodings import TITLES, decoding_of, id_of
from hierdp_core.readers.report import Notebook, shown_code

_EXAMPLE_LINES = 10_000
MARK, _UTF_8 = b"\xef\xbb\xbf", "utf-8"
_CONTROL = re.compile(rb"[\x01-\x08\x0e-\x1f\x7f]")


def decoded(data: bytes, notes: Notebook, stated: str = "") -> bytes:
    """Return the text in UTF-8, without a byte-order mark; report any other encoding.

    In confidential data, one record in other letters could change how all others are read. The
    stated encoding is therefore always used there, and no encoding is inferred.

    Args:
        data: the bytes of the file.
        notes: receives the finding.
        stated: the encoding that the user gave for a text without a byte-order mark; empty for
            none. In data that are not confidential, UTF-8 is recognised in spite of it.

    Raises:
        Unreadable: the bytes are not text, or the encoding is unknown or wrong.
    """
    if data.startswith((b"\xff\xfe\x00\x00", b"\x00\x00\xfe\xff")):
        return _recoded(data, "utf-32", "UTF-32", notes)
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        return _recoded(data, "utf-16", "UTF-16", notes)
    marked = data.startswith(MARK)
    data = data.removeprefix(MARK)
    head = data[:4096]
    for start, encoding in ((1, "utf-16-le"), (0, "utf-16-be")):
        if len(head) > 3 and head[start::2].count(0) > 0.7 * len(head[start::2]):
            return _recoded(data, encoding, "UTF-16 without a byte-order mark", notes)
    if b"\0" in data:
        row = data[: data.index(b"\0")].count(b"\n") + 1
        raise notes.unreadable(
            "nul", f"line {row:,} contains a zero byte, so the file is damaged or not plain text",
            "Save the table again as CSV in UTF-8.",
        )  # fmt: skip
    if _CONTROL.search(head):
        raise notes.unreadable(
            "not-text", "is not text", "Save the table as CSV in UTF-8, Parquet or .xlsx."
        )
    if notes.confidential and is_other(stated) and not marked and not data.isascii():
        return _from_code_page(data, notes, stated)
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        if notes.confidential and (marked or stated):
            raise notes.unreadable(
                "encoding", "is not valid UTF-8", "Save the table again as CSV in UTF-8."
            ) from None
        return _from_code_page(data, notes, stated)
    return data


def is_other(stated: str) -> bool:
    """Return whether an encoding other than UTF-8 is stated."""
    return bool(stated) and id_of(stated) != _UTF_8


def _from_code_page(data: bytes, notes: Notebook, stated: str) -> bytes:
    """Return the text in UTF-8 by the encoding that fits it; report a fault where several do."""
    if stated:
        stated = id_of(stated)
        if stated not in TITLES:
            raise notes.unreadable(
                "encoding", f"{shown_code(stated)} is not an encoding that can be read",
                f"Use one of {', '.join(TITLES)}.",
            )  # fmt: skip
        return _recoded(data, stated, TITLES[stated], notes)
    likely = decoding_of(data)
    if likely is None:
        raise notes.unreadable(
            "encoding",
            "is neither in UTF-8 nor in any other known encoding",
            "Save the table again as CSV in UTF-8.",
        )
    if not likely.rivals and not notes.confidential:
        return _recoded(data, likely.best, TITLES[likely.best], notes)
    possible = likely.rivals or (likely.best,)
    words = _examples(data, possible)
    notes.fault(
        "which-encoding",
        "is not UTF-8, and its records must not decide in which encoding they are read"
        if notes.confidential
        else "is not UTF-8, and several encodings are possible",
        "Choose the encoding in which names look right, or save the table again in UTF-8.",
        places=[f"{TITLES[id]}: {word}" for id, word in zip(possible, words, strict=True)],
        choices=[
            Choice(words=f"It is {TITLES[id]}, as in {word}", stated={"encoding": id})
            for id, word in zip(possible, words, strict=True)
        ],
    )
    return data.decode(likely.best).encode("utf-8", errors="replace")


def _examples(data: bytes, encodings: Sequence[str]) -> list[str]:
    """Return a name that differs between the encodings, as each of them reads it."""
    for line in data.splitlines()[:_EXAMPLE_LINES]:
        texts = [line.decode(encoding, errors="replace") for encoding in encodings]
        if len(set(texts)) == len(texts) and not line.isascii():
            cells = [
                re.findall(r"[^\x00-\x40;|]*[^\x00-\x7f][^\x00-\x40;|]*", text) for text in texts
            ]
            return [shown_code(letters[0] if letters else "") for letters in cells]
    return [shown_code("")] * len(encodings)


def _recoded(data: bytes, encoding: str, words: str, notes: Notebook) -> bytes:
    try:
        text = data.decode(encoding)
    except UnicodeDecodeError:
        raise notes.unreadable(
            "encoding",
            f"is neither valid UTF-8 nor {words}",
            "Save the table again as CSV in UTF-8.",
        ) from None
    notes.repair(
        "encoding", f"is not UTF-8 and was read as {words}",
        "If names look wrong, save the file again in UTF-8.",
    )  # fmt: skip
    return text.encode("utf-8", errors="replace")
