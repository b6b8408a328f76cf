"""Names that come from people's own files, made harmless in cells and file names."""

import pandas as pd

_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "|", "%")


def defused(frame: pd.DataFrame) -> pd.DataFrame:
    """The same table, its texts such that no spreadsheet runs one as a formula.

    A text that starts like a formula gets an apostrophe before it, as spreadsheets themselves
    write it. Numbers stay numbers.

    >>> defused(pd.DataFrame({"name": ["=1+1", "Ada"], "value": [-1, 2]})).values.tolist()
    [["'=1+1", -1], ['Ada', 2]]
    """
    safe = frame.copy()
    for name in frame.columns:
        if not pd.api.types.is_numeric_dtype(frame[name]):
            texts = frame[name].astype(str)
            risky = texts.str.lstrip(" ").str.startswith(_FORMULA)
            safe[name] = frame[name].where(~risky | frame[name].isna(), "'" + texts)
    safe.columns = [f"'{c}" if str(c).startswith(_FORMULA) else c for c in frame.columns]
    return safe


def file_word(level: str) -> str:
    """The name of a level as a part of a file name.

    >>> file_word("NUTS 3 region"), file_word("../x")
    ('nuts-3-region', 'x')
    """
    word = "".join(c if c.isalnum() else "-" for c in level.lower()).strip("-")
    return word or "level"
