"""Levels among the rows of one column of regions, by codes, indents or sums."""

import numpy as np
import pyarrow.compute as pc

from hierdp_core.readers.columns.code_trees import code_tree
from hierdp_core.readers.columns.facts import ColumnFacts, SheetFacts, called_whole
from hierdp_core.readers.columns.measure import Measure
from hierdp_core.readers.columns.outline import SUMS, Outline, detect_outline
from hierdp_core.readers.columns.region_columns import RegionColumns
from hierdp_core.readers.columns.size_pivot import numbers_by_size
from hierdp_core.readers.formats.sheet import Sheet
from hierdp_core.util.arrays import FloatArray

_MIN_AREAS = 3  # regions with a row for each size; of fewer, none is the sum of others


def outline_of_regions(
    facts: SheetFacts, measure: Measure, places: RegionColumns, *, summed: bool
) -> Outline:
    """Return how the rows of one column of regions lie within each other.

    Args:
        facts: facts about the rows that are read.
        measure: what a row is, and the columns of numbers.
        places: the columns of regions.
        summed: rows of a region were added up. Then only codes that begin with those above are
            evidence, because the order of rows is that of the first row of each region.
    """
    words = measure.words
    levels = tuple(places.words["levels"])
    numbers = [
        n for n in (words.get("count", ""), *words.get("sizes", ()), *words.get("parts", ())) if n
    ]
    if len(levels) != 1 or not numbers or facts.sampled:
        return Outline(words={})
    if places.words.get("parent") or places.words.get("within"):
        return Outline(words={})
    if size := words.get("size"):
        by_size = numbers_by_size(facts, levels, str(size), numbers[0])
        if by_size is None or by_size[0].n_rows < _MIN_AREAS:
            return Outline(words={})
        facts, values = SheetFacts(by_size[0]), by_size[1]
    else:
        values = np.column_stack([facts[name].values for name in numbers])
    names = tuple(n for n in places.words.get("names", ()) if n)
    total = called_whole([facts[levels[0]].text], [facts[name].text for name in names])
    if total.all():
        return Outline(words={})
    # Rows that total everything are set apart before regions are made.
    sheet, values = facts.sheet.take(~total), values[~total]
    if places.words.get("prefix"):
        return Outline(words={}) if summed else _of_equal_codes(sheet, levels[0], values)
    tree = code_tree(ColumnFacts(levels[0], sheet.column(levels[0])), values)
    if tree.words or tree.question or summed:
        return tree
    return detect_outline(sheet, (*levels, *names), values)


def _of_equal_codes(sheet: Sheet, name: str, values: FloatArray) -> Outline:
    """Return the outline of codes of one length, such as 11000 above 11101, by sums alone."""
    lengths = pc.unique(pc.utf8_length(sheet.column(name)))
    outline = detect_outline(sheet, (name,), values) if len(lengths) == 1 else Outline(words={})
    return outline if outline.words.get("outline") == SUMS else Outline(words={})
