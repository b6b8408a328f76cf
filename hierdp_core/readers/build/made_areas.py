"""Upper regions that exist only because some codes begin with theirs."""

from collections.abc import Sequence
from itertools import pairwise

import pyarrow as pa
import pyarrow.compute as pc

from hierdp_core.readers.columns.code_schemes import Scheme
from hierdp_core.readers.formats.sheet import Text, as_mask
from hierdp_core.readers.report import Notebook, shown_codes
from hierdp_core.util.text import counted

_MOST_LISTED = 0.5  # proportion of the regions of a level with rows, above which others lack theirs
_SHOWN = 5


def report_made_areas(
    codes: Text, lengths: Sequence[int], scheme: Scheme | None, notes: Notebook
) -> None:
    """Report codes of the last level that begin with an upper region that nothing else supports.

    Such a region does not exist in the system of codes, or it has no row although most regions of
    its level have one. Its code is then probably of another kind, and the region that it really
    belongs to lacks its count.

    Args:
        codes: the codes of the rows, blank for none.
        lengths: the lengths of the codes on each level, from the top down.
        scheme: the system of the codes; None if it is not known.
        notes: receives the finding.
    """
    different = pc.unique(codes)
    size = pc.utf8_length(different)
    lowest = different.filter(pc.equal(size, lengths[-1]))
    made: dict[str, None] = {}
    below: dict[str, None] = {}
    for upper, _ in pairwise(lengths):
        begins = pc.utf8_slice_codeunits(lowest, 0, upper)
        areas = pc.unique(begins)
        unlisted = _without_rows(areas, different.filter(pc.equal(size, upper)))
        doubtful = [code for code in areas.to_pylist() if code in unlisted]
        doubtful += [code for code in _unknown(areas, scheme) if code not in unlisted]
        made |= dict.fromkeys(doubtful)
        of_them = as_mask(pc.is_in(begins, value_set=pa.array(doubtful, pa.string())))
        below |= dict.fromkeys(lowest.filter(pa.array(of_them)).to_pylist())
    if not made:
        return
    notes.note(
        "made-areas",
        f"the only evidence of upper areas {shown_codes(list(made), shown=_SHOWN)} is that "
        f"{counted(len(below), 'code')} below them, {shown_codes(list(below), shown=_SHOWN)}, "
        "begin with their codes: they have no row of their own, or do not exist in this system",
        "If these codes belong to other upper areas, the counts of those are too low. Then correct "
        "the codes, or add columns with the upper areas and name them in levels.",
    )


def _without_rows(areas: Text, listed: Text) -> frozenset[str]:
    """Return the regions without a row; empty where many regions of the level have none."""
    has_row = as_mask(pc.is_in(areas, value_set=listed))
    if len(areas) == 0 or has_row.mean() <= _MOST_LISTED:
        return frozenset()
    return frozenset(areas.filter(pa.array(~has_row)).to_pylist())


def _unknown(areas: Text, scheme: Scheme | None) -> list[str]:
    """Return the regions that do not exist in a system of codes.

    All states of FIPS codes exist, or the system is another one.
    """
    if scheme is None or scheme.id == "fips" or scheme.known(areas) == 1.0:
        return []
    return [code for code in areas.to_pylist() if not scheme.known(pa.array([code]))]
