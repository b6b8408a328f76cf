"""Signs that a column holds codes, names or a level of regions."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from hierdp_core.readers.columns.attributes import holds_flags, holds_kinds_of_settlement
from hierdp_core.readers.columns.facts import (
    GROUPED,
    ColumnFacts,
    SheetFacts,
    called_total,
    follows,
)
from hierdp_core.readers.columns.partitions import holds_sexes
from hierdp_core.readers.columns.question import Question
from hierdp_core.readers.columns.vocabulary import (
    ABOUT_THE_ROW,
    CATEGORY,
    CODE,
    GROUP_ID,
    IN_CHARGE,
    LABELS,
    NAMES_OF_A_YEAR,
    PERSON,
    PLACE,
    PLACES_COUNTED,
    ROUND,
    ROW_NUMBER,
    SCHOOL_CLASS,
    YEAR,
    words,
)
from hierdp_core.readers.formats.sheet import as_mask

LABEL_SHARE = 0.75  # proportion of regions with different names, for a column of names
_FEW_CODES = 3  # values of a column that may be sexes
_LONG = 5  # digits of numbers that are codes
_ROWS_OF_EACH = 2  # rows of each of them, on average
_MOST_OF_A_NAME = 1.2  # such numbers for each name, on average
_NUMBER = re.compile("(?:^|_)(?:number|num|no|numero|nummer)(?:_|$)")
NAMES = words(
    """
    name namelsad label den comune denominazione bezeichnung libelle nom nome nombre libgeo navn
    namn naam nazwa naziv nazev nimi nama adi adı pavadinimas nosaukums nimetus denumire title desc
    description 名称 名稱 名前 이름 명칭 नाम ชื่อ ονομα ονομασια имя название наименование nama jina
    الاسم اسم isim
    """
)
# Names of candidates and of their parties.
_CANDIDATE = re.compile(
    r"(.*_)?(candidates?|candidat[aeo]?s?|kandidat[a-z]*|kandidaat|kandydat[a-z]*|jelolt|ehdokas|"
    r"political_(affiliation|party)|party|parties|partei|partido|partito|partij|partia|puolue)(_.*)?"
)
_OF_A_TABLE = words(  # what a table has, of which a column with one value may speak
    """
    table tabelle tabla tableau tabela tabella tabel taulukko tabulka tablo cuadro quadro sheet file
    dataset source sources quelle fuente fonte kilde kalla bron zrodlo zdroj unit units einheit
    unidad unidade unite unita eenheid enhed enhet yksikko year jahr ano annee anno jaar vintage
    edition version release round wave survey period indicator indikator indicador indicateur
    indicatore note notes anmerkung nota notas remarque record status
    """
)


@dataclass(frozen=True, kw_only=True)
class RegionColumns:
    """The columns of regions.

    Attributes:
        words: settings of a layout; empty if no column looks like regions.
        used: all columns about regions, including those of names and of parents.
        reasons: one line for each decision, for people.
        question: a question, if the columns can be read in several ways.
    """

    words: dict[str, Any]
    used: frozenset[str] = frozenset()
    reasons: tuple[str, ...] = ()
    question: Question | None = None

    def of_one_column(self) -> "RegionColumns":
        """Return the regions as one column of codes and those of names, without a prefix."""
        names = tuple(name for name in self.words.get("names", ()) if name)
        words = {"levels": self.words["levels"], "names": names}
        return replace(self, words={k: v for k, v in words.items() if v})


def may_be_region(column: ColumnFacts) -> bool:
    """Return whether the cells of a column may be codes or names of regions.

    Plain numbers may be codes only if the name of the column says so, or if it has no name and each
    row has a different number.
    """
    if column.blank or (column.name.startswith("column ") and column.counts_rows):
        return False
    if not len(column.filled) or column.never_places:
        return False  # marks of missing numbers alone, days, times or weights
    if column.counts_rows and ROW_NUMBER.fullmatch(column.plain) and column.plain != "id":
        return False
    if column.numeric and not column.leading_zeros:
        # A plain number is a code only where its name or its kind says so, and is not 12,345.
        return (
            not column.fractions
            and not column.share(GROUPED)
            and (column.counts_rows or not PLACES_COUNTED.fullmatch(column.plain))
            and bool(
                CODE.fullmatch(column.plain)
                or PLACE.search(column.plain)
                or _one_to_a_place(column)
            )
        )
    return True


def numbers_of_names(facts: SheetFacts, names: Sequence[str]) -> list[str]:
    """Return columns of whole numbers that are named like a column of names and determine it.

    Examples are "Campus Number" and "Campus Name". Long numbers of one length may be called
    otherwise if both repeat in the same rows, as "VD Number" and "VS Name".
    """
    texts = [n for n in names if is_name(facts[n]) and not facts[n].numeric and _stem(facts[n])]
    return [
        name for name in names
        if facts[name].numeric and not facts[name].fractions and not facts[name].counts_rows
        and _NUMBER.search(facts[name].plain)
        and any(
            (_stem(facts[name]) == _stem(facts[other]) or _repeat_alike(facts, name, other))
            and facts[name].distinct >= facts[other].distinct
            and follows(facts[name].index, facts[other].index)
            for other in texts
        )
    ]  # fmt: skip


def _repeat_alike(facts: SheetFacts, number: str, name: str) -> bool:
    """Return whether long numbers of one length and names repeat, and few names have two."""
    numbers = facts[number]
    repeat = _ROWS_OF_EACH * numbers.distinct <= facts.n_rows
    if not repeat or numbers.distinct > _MOST_OF_A_NAME * facts[name].distinct:
        return False
    lengths = {len(cell) for cell in numbers.different.to_pylist()}
    return len(lengths) == 1 and min(lengths) >= _LONG


def _stem(column: ColumnFacts) -> frozenset[str]:
    parts = column.plain.split("_")
    return frozenset(w for w in parts if w not in LABELS | NAMES and not _NUMBER.fullmatch(w))


def _one_to_a_place(column: ColumnFacts) -> bool:
    """Return whether a column without a name has a different value in each row."""
    return column.name.startswith("column ") and column.distinct == len(column.text)


def about_something_else(facts: SheetFacts, name: str) -> bool:
    """Return whether a column is about persons, categories, dates, weights or levels of regions."""
    column = facts[name]
    plain = column.plain
    if any(kind.fullmatch(plain) for kind in (ABOUT_THE_ROW, YEAR, ROUND, PERSON)):
        return True
    if SCHOOL_CLASS.fullmatch(plain) and _one_row_a_class(column):
        return False
    if CATEGORY.fullmatch(plain) or GROUP_ID.fullmatch(plain):
        return True
    if column.never_places or (column.years and not column.numeric):
        return True
    if _CANDIDATE.fullmatch(plain) and (not column.numeric or CODE.fullmatch(plain)):
        return True
    if column.level_of_row or column.one_level or column.bands or IN_CHARGE.fullmatch(plain):
        return True
    if column.distinct <= _FEW_CODES and _holds_sexes(column):
        return True
    if holds_flags(column) or holds_kinds_of_settlement(column):
        return True
    constant = column.distinct == 1 and facts.n_rows > 1
    return constant and (
        column.numeric or not _may_name_a_place(plain) or _state_of_a_record(facts, column)
    )


def _may_name_a_place(plain: str) -> bool:
    """Return whether a column with one value may hold the region that all rows belong to.

    Words such as "name" and "code" are not a sign of a region beside words for something else.

    >>> [_may_name_a_place(plain) for plain in ("state_code", "name", "table_name", "source_area")]
    [True, True, False, False]
    """
    own = [word for word in plain.split("_") if word not in LABELS]
    if not own:
        return True
    return not _OF_A_TABLE & {*own} and bool(PLACE.search("_".join(own)))


def _state_of_a_record(facts: SheetFacts, column: ColumnFacts) -> bool:
    """Return whether a column with one value has words for regions and others, behind regions.

    "estado_acta" is the status of a record, and "estado" may be a state.
    """
    own = [word for word in column.plain.split("_") if word not in LABELS]
    if all(PLACE.search(word) for word in own):
        return False
    names = facts.sheet.names
    before = names[: names.index(column.name)]
    return any(facts[n].distinct > 1 and PLACE.search(facts[n].plain) for n in before)


def _one_row_a_class(column: ColumnFacts) -> bool:
    """Return whether no two rows have equal cells, apart from blank cells and totals."""
    kept = ~(called_total(column.text) | as_mask(pc.equal(column.text, "")))
    cells = column.text.filter(pa.array(kept))
    return len(cells) > 1 and len(pc.unique(cells)) == len(cells)


def _holds_sexes(column: ColumnFacts) -> bool:
    return holds_sexes(column.filled.to_pylist())


def is_name(column: ColumnFacts) -> bool:
    """Return whether the name of a column says that it holds names, such as "county_name"."""
    words = column.plain.split("_")
    return bool({words[0], words[-1]} & NAMES) or any(
        w.endswith(("name", "bez", "desc")) or NAMES_OF_A_YEAR.fullmatch(w) for w in words
    )
