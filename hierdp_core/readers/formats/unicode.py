"""Letters with accents written in one way, whatever the version of the Arrow library."""

import unicodedata
from typing import Any, Literal

import pyarrow as pa
import pyarrow.compute as pc

Text = Any  # a pyarrow array of strings without nulls


def normalized(text: Text, form: Literal["NFC", "NFKC", "NFKD"]) -> Text:
    """Return text in a Unicode normal form.

    Arrow's own function composed no letters before version 26, so Python's is used, once for each
    different cell that is not plain ASCII.

    Args:
        text: an array or chunked array, shape (n_rows,).
        form: the normal form of the Unicode standard.

    >>> normalized(pa.array(["Do\\u00f1a", "Don\\u0303a", "Ada"]), "NFC").to_pylist()
    ['Doña', 'Doña', 'Ada']
    """
    other = pc.invert(pc.string_is_ascii(text))
    if not pc.any(other).as_py():
        return text
    cells = pc.filter(text, other).dictionary_encode()
    if isinstance(cells, pa.ChunkedArray):
        cells = cells.unify_dictionaries().combine_chunks()
    known = [unicodedata.normalize(form, cell) for cell in cells.dictionary.to_pylist()]
    new = pa.array(known, type=text.type).take(cells.indices)
    return pc.replace_with_mask(text, other, new)
