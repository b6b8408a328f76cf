"""Filters above a pivot table, such as "School year | 2023-24", which are not a header."""

import re
from collections.abc import Sequence
from unicodedata import normalize

from hierdp_core.readers.columns.vocabulary import YEAR as NAME_OF_YEAR
from hierdp_core.readers.columns.vocabulary import plain_name
from hierdp_core.readers.formats.cells import NUMBER, Row, filled, is_year

_LOOKED_AT = 40  # rows above a pivot table
_MOST_FILTERS = 12
_FEWEST_BELOW = 2  # rows of the table below its header
_PERIOD = re.compile(r"(19|20)\d\d([-–/ ]{1,3}((19|20)?\d\d|[A-Za-z]?\d))?")
# What a filter shows instead of one value.
_ALL = re.compile(
    r"[(\[]?\s*[-–]?\s*("
    r"all|multiple items|multiple|blank|alle|mehrere elemente|mehrere|leer|tous|toutes?|tout|"
    r"(plusieurs|multiples?) (éléments?|elements?)|éléments multiples|vide|todos|todas|todo|"
    r"varios elementos|(múltiplos|multiplos|vários) itens|vários|en blanco|em branco|tutt[oie]|"
    r"(più|piu) elementi|elementi multipli|meerdere items|allemaal|flera (objekt|element)|alla|"
    r"flere elementer|wszystkie|wszystko|wiele elementów|vše|vsechny?|všechny|více položek|все|"
    r"\(?несколько элементов|tümü|hepsi|birden çok öğe|összes|több elem|すべて|複数のアイテム|全部|"
    r"多项|多個項目|모두|여러 항목"
    r")\s*[-–]?\s*[)\]]?",
    re.IGNORECASE,
)
# How the first column of a pivot table is called, and that above its columns.
_LABELS_ONLY = re.compile(
    r"(row|column) labels|(zeilen|spalten)beschriftung(en)?|"
    r"(étiquettes|etiquettes) de (lignes?|colonnes?)|etiquetas de (fila|columna)s?|"
    r"rótulos de (linha|coluna)s?|rotulos de (linha|coluna)s?|etichette di (riga|colonna)|"
    r"(rij|kolom)labels|rad(etiketter|etikett)|kolumn(etiketter|etikett)|"
    r"(rækkenavne|kolonnenavne|radetiketter|kolonneetiketter)|etykiety (wierszy|kolumn)|"
    r"popisky (řádků|sloupců)|названия (строк|столбцов)|satır etiketleri|sütun etiketleri|"
    r"sorcímkék|oszlopcímkék|行ラベル|列ラベル|行标签|列标签|列標籤|行標籤|행 레이블|열 레이블",
    re.IGNORECASE,
)
_LABELS = re.compile(
    rf"({_LABELS_ONLY.pattern})|filter|data|daten|values|werte|valeurs|valores|valori|waarden",
    re.IGNORECASE,
)
# How a pivot table calls what it adds up or counts.
_MEASURE = re.compile(
    r"(sum|count|average|max|min|distinct count|product) (of|[-–]) .+|"
    r"(summe|anzahl|mittelwert|maximum|minimum) (von|[-–]) .+|"
    r"(somme|nombre|nb|moyenne|max|min)( de | d['’]|\s*[-–] ).+|"
    r"(suma|cuenta|recuento|promedio|máx|mín) (de|[-–]) .+|"
    r"(soma|contagem|média|máximo|mínimo) (de|[-–]) .+|"
    r"(somma|conteggio|media) (di|[-–]) .+|(som|aantal|gemiddelde) (van|[-–]) .+|"
    r"(summa|antal|medel|sum|antall|gjennomsnitt) (av|[-–]) .+|"
    r"(suma|liczba|średnia) (z|[-–]) .+|(součet|počet|průměr) z .+|"
    r"(сумма|количество|среднее) по полю .+|toplam .+|"
    r"(合計|個数|平均) ?[/:／：] ?.+|(求和项|计数项|平均值项|加總|計數)\s*[-:：]\s*.+|"
    r"(합계|개수|평균) ?[:：] ?.+",
    re.IGNORECASE,
)


def n_filter_rows(rows: Sequence[Row], numbers: Sequence[int] = ()) -> int:
    """Return how many rows above a pivot table only state its filters; 0 without any.

    A filter is a name and a value in two cells, and several may stand side by side. Below the
    filters lies a blank row or a header with a name that only pivot tables have.

    Args:
        rows: the first rows of a file.
        numbers: the numbers of these rows in the file, if blank rows are not among them.

    >>> table = [["Year", "2023"], ["", ""], ["Area", "Sum of pupils"], ["a", "5"], ["b", "7"]]
    >>> n_filter_rows(table), n_filter_rows(table[2:])
    (2, 0)
    """
    end = 0
    while end < min(len(rows), _LOOKED_AT) and (_is_filter(rows[end]) or not filled(rows[end])):
        if end and filled(rows[end]) and _is_gap(rows, numbers, end):
            break
        end += 1
    while end and not _opens_a_table(rows, numbers, end):
        end -= 1
    if _names_the_columns_only(rows, end):
        end += 1
    above = [row for row in rows[:end] if filled(row)]
    if not above or len(above) > _MOST_FILTERS or _holds_counts(above):
        return 0
    return end


def _names_the_columns_only(rows: Sequence[Row], place: int) -> bool:
    """Return whether a row such as "Sum of pupils | Column Labels" lies above the header."""
    if place + 1 >= len(rows) or not _is_filter(rows[place]):
        return False
    names = [_plain(cell) for cell in rows[place] if cell.strip()]
    return (
        all(_LABELS.fullmatch(name) or _MEASURE.fullmatch(name) for name in names)
        and filled(rows[place + 1]) > len(names)
        and bool(_LABELS.fullmatch(_plain(rows[place + 1][0])))
    )


def _holds_counts(above: Sequence[Row]) -> bool:
    """Return whether rows of two cells are a table by themselves, with numbers other than years."""
    values = [[cell.strip() for cell in row if cell.strip()][-1] for row in above]
    numbers = [value for value in values if NUMBER.fullmatch(value) and not is_year(value)]
    return len(numbers) > 1


def _is_filter(row: Row) -> bool:
    """Return whether a row is names and values in pairs of cells with blanks between, and no more.

    In a table of two columns, the header is such a pair, too.
    """
    cells = [cell.strip() for cell in row]
    if filled(row) == 1 and cells[0].lower() == "filter":
        return True  # as LibreOffice writes above its filters
    pairs = 0
    place = 0
    while place < len(cells):
        if not cells[place]:
            place += 1
            continue
        value = cells[place + 1] if place + 1 < len(cells) else ""
        after = cells[place + 2] if place + 2 < len(cells) else ""
        if not value or after or NUMBER.fullmatch(cells[place]):
            return False
        pairs += 1
        place += 3
    return pairs > 0


def _is_gap(rows: Sequence[Row], numbers: Sequence[int], place: int) -> bool:
    """Return whether a blank row lies directly above a row."""
    if not filled(rows[place - 1]):
        return True
    return bool(numbers) and numbers[place] - numbers[place - 1] > 1


def _opens_a_table(rows: Sequence[Row], numbers: Sequence[int], place: int) -> bool:
    """Return whether a row is the header of a pivot table below filters."""
    if place >= len(rows):
        return False
    names = [_plain(cell) for cell in rows[place] if cell.strip()]
    below = [row for row in rows[place + 1 :] if filled(row)]
    if len(names) < 1 or len(below) < _FEWEST_BELOW:
        return False
    if any(NUMBER.fullmatch(name) for name in names[:1]):
        return False
    above = [row for row in rows[:place] if filled(row)]
    chosen = any(_ALL.fullmatch(_plain(cell)) for row in above for cell in row[1:])
    of_pivot = any(_LABELS.fullmatch(name) or _MEASURE.fullmatch(name) for name in names)
    gap = _is_gap(rows, numbers, place)
    only = any(_LABELS_ONLY.fullmatch(name) for name in names)
    if only or (of_pivot and (gap or chosen)):
        return True
    period = _state_a_period(above)
    if gap and (chosen or period):
        return _names_columns(rows, place, fewest=2)
    marked = any(_plain(cell)[:1] in "([-" for row in above for cell in row[1:] if cell.strip())
    return (gap or period or (chosen and marked)) and _names_columns(rows, place, fewest=3)


def _state_a_period(above: Sequence[Row]) -> bool:
    """Return whether each row is one name and its value, and the values are years or periods."""
    pairs = [[cell.strip() for cell in row if cell.strip()] for row in above]
    return all(
        len(pair) == 2 and bool(NAME_OF_YEAR.fullmatch(plain_name(pair[0])))
        and bool(_PERIOD.fullmatch(pair[1])) for pair in pairs
    )  # fmt: skip


def _names_columns(rows: Sequence[Row], place: int, fewest: int) -> bool:
    """Return whether a row has only words, at least `fewest` of them, with numbers below it."""
    row = rows[place]
    words = [cell for cell in row if cell.strip() and not NUMBER.fullmatch(cell.strip())]
    below = [other for other in rows[place + 1 :] if filled(other)]
    numbers = any(NUMBER.fullmatch(cell.strip()) for other in below for cell in other[1:])
    return len(words) == filled(row) >= fewest and numbers


def _plain(cell: str) -> str:
    return " ".join(normalize("NFKC", cell).split())
