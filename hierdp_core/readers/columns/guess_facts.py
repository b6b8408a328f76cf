"""What a guess is, and the facts about columns that it rests on."""

from dataclasses import dataclass, field

import numpy as np

from hierdp_core.readers.columns.codes import bare_codes
from hierdp_core.readers.columns.layout import Layout
from hierdp_core.readers.formats.sheet import Sheet, Text
from hierdp_core.util.arrays import IntArray

_LOOKED_AT = 50_000  # rows that a guess is made from


@dataclass(frozen=True, kw_only=True)
class Guess:
    """What the columns may mean.

    Attributes:
        layout: the whole; None where none can be made out.
        reasons: one line a choice, for people.
        title: what official file this is, if one.
        missing: what could not be made out.
        caution: what must be known about the file.
        official: the whole layout is that of an official file, known without its rows.
    """

    layout: Layout | None
    reasons: tuple[str, ...] = ()
    title: str = ""
    missing: str = ""
    caution: str = field(default="")
    official: bool = False


def spread(sheet: Sheet) -> Sheet:
    """Rows from all over a long sheet: what is guessed from them is checked against all."""
    step = -(-sheet.n_rows // _LOOKED_AT)
    return sheet if step <= 1 else sheet.take(np.arange(sheet.n_rows) % step == 0)


def index_of(text: Text) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    """A number for each different code, shape (n_rows,)."""
    encoded = bare_codes(text).dictionary_encode()
    return np.asarray(encoded.indices.to_numpy(zero_copy_only=False), dtype=np.int64)


def follows(code: IntArray, name: IntArray) -> bool:
    """Whether each code has one name."""
    pairs = len(np.unique(code * (int(name.max()) + 1) + name))
    return pairs == len(np.unique(code))
