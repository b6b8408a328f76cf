"""The encoding of a text that is not UTF-8, chosen by the likelihood of its letters.

Offices still publish in the code pages of their country, and several of these decode any text
without an error. Each encoding has languages, and each language its letters in the order of their
frequency. The bytes of a text have a likelihood under each language, and the most likely
encoding is used if the odds against the others are high. Otherwise, the user is asked.
"""

import math
import re
import unicodedata
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

_ODDS = math.log(30)  # of the best against the next
_WESTERN = math.log(20)  # of Windows-1252 against any other, before a letter is seen
_UNKNOWN = math.log(1e-4)  # a letter that is in no list of the language
_MISPLACED = math.log(1e-2)  # a sign inside a word, or a large letter after a small one
_PUNCTUATION = math.log(1 / 30)  # a sign such as a dash or a quotation mark
_CONTROL = math.log(1e-6)
_RARE = math.log(1e-3)  # an encoding that is hardly used for tables any more
_LISTED = 0.7  # of ideographs and syllables are in the lists
_OTHERS = 6_000  # ideographs and syllables that are not
_SAMPLE = 100_000  # bytes that are looked at
_THOUSANDS = re.compile(rb"(?<![0-9])[0-9]{1,3}(\xa0[0-9]{3})+(?![0-9])")  # with no-break spaces


@dataclass(frozen=True, kw_only=True)
class Encoding:
    """A code page or another encoding of texts.

    Attributes:
        id: as Python calls it.
        title: for people.
        alphabets: letters beyond ASCII of each language, in lower case, the most frequent first.
        signs: ideographs or syllables of its language in that order; then there are no alphabets.
        rare: hardly used for tables any more.
    """

    id: str
    title: str
    alphabets: tuple[str, ...] = ()
    signs: str = ""
    rare: bool = False


_KANA = "".join(map(chr, (*range(0x3041, 0x3097), *range(0x30A1, 0x30FD))))
# What tables of places and people are written with.
_JAPANESE = (
    "市県区町人口村男女総数都道府世帯郡大字人口総数男女世帯年月日計地域名番号団体者別国勢調査東京北海青森岩手宮城秋田山形福島茨栃木群馬埼"
    "玉千葉神奈川新潟富石井梨長野岐阜静岡愛知三重滋賀阪兵庫和歌鳥取根広口徳香媛高佐熊分崎児沖縄本中央南西上下小原松谷橋津浜"
    "横港台見古屋合戸平性以年齢歳第表単位身住民基帳"
) + _KANA
_SIMPLE_CHINESE = (
    "省市区县镇乡村街道人口总数男女户年月日计地域名称编号代码自治州盟旗北京上海天津重庆河南山东西江苏浙安徽福建广湖四川贵云陕"
    "甘肃青宁夏新疆内蒙古黑龙吉林辽台湾香港澳门中国统局普查常住籍比例合单位万城性别龄岁以岛阳岗华宝"
)
_TRADITIONAL_CHINESE = (
    "省市區縣鎮鄉村里街道人口總數男女戶年月日計地域名稱編號代碼臺北新竹中南高雄基隆嘉義桃園苗栗彰化投雲林屏東宜蘭花蓮澎湖金門"
    "連江灣香港澳統合性別齡歲以上鄰"
)
_KOREAN = (
    "서울특별시구동부산광역대인천주경기도강원충청북남전라제세종군읍면리가나다라마바사아자차카타파하총수녀계합연령행정코드이름"
    "지방고안성용평포해양영진천화창김여월년말등록"
)
_CYRILLIC = "оеаинтсрвлкмдпуяыьгзбчйхжшюцщэфъёіїєґјљњћџўќѓѕ"

ENCODINGS: tuple[Encoding, ...] = (
    Encoding(
        id="cp1252", title="Windows-1252 (Western European)",
        alphabets=(
            "éèàêçôâîûëïùœüæÿ", "üäöß", "óíáñéúü", "ãçáéíóõêâúàôü", "àèùìòéíóú", "øåæéöäü", "äöåéü",
            "áíðóúöéþýæ", "àóèíéòúçïü", "ëéïöüèêç",
            "óíáñéàèúüòçï",
        ),
    ),
    Encoding(
        id="cp1250", title="Windows-1250 (Central European)",
        alphabets=(
            "łóąęśżńćź", "íáéěýřčžšůúďťňó", "áíéčýžšúťľňôóäďŕĺ", "áéöóőüíűú", "čžšćđ",
            "ăâîşţ", "üäöß",
        ),
    ),
    Encoding(
        id="iso8859-2", title="ISO 8859-2 (Central European)",
        alphabets=(
            "łóąęśżńćź", "íáéěýřčžšůúďťňó", "áíéčýžšúťľňôóäďŕĺ", "áéöóőüíűú", "čžšćđ",
            "ăâîşţ", "üäöß",
        ),
    ),
    Encoding(id="cp1251", title="Windows-1251 (Cyrillic)", alphabets=(_CYRILLIC,)),
    Encoding(id="koi8-r", title="KOI8-R (Cyrillic)", alphabets=(_CYRILLIC,), rare=True),
    Encoding(id="cp866", title="DOS 866 (Cyrillic)", alphabets=(_CYRILLIC,), rare=True),
    Encoding(id="cp1253", title="Windows-1253 (Greek)",
             alphabets=("αοιετσνηυρπκμλςόίωγάέήδθχύφβζξώψϊϋΐΰ",)),
    Encoding(id="cp1254", title="Windows-1254 (Turkish)", alphabets=("ıİüöçşğâîû",)),
    Encoding(id="cp1255", title="Windows-1255 (Hebrew)",
             alphabets=("יוהלאתרבשנמכםעדחקפטגסןצזךץף",)),
    Encoding(id="cp1256", title="Windows-1256 (Arabic)",
             alphabets=("الينموترعبدسفهكقجحةشطصخأإىغذضزئءظؤآثپچژگ",)),
    Encoding(id="cp1257", title="Windows-1257 (Baltic)",
             alphabets=("ėųąšįžūčę", "āīēšņļūģžčķ", "äõüöšž")),
    Encoding(id="cp874", title="Windows-874 (Thai)",
             alphabets=("านรกอเ่งมยล้วดทสตะปบคหแจพชขใไโผถซศภธณญฐษฉฝฟฏฎฒฑฌฆฮ์็ัิีึืุูำ",)),
    Encoding(id="cp850", title="DOS 850 (Western European)", rare=True,
             alphabets=("éèàêçôâîûëïù", "üäöß", "óíáñéúü", "ãçáéíóõêâúàô", "øåæéöä")),
    Encoding(id="cp932", title="Shift JIS (Japanese)", signs=_JAPANESE),
    Encoding(id="euc_jp", title="EUC-JP (Japanese)", signs=_JAPANESE),
    Encoding(id="cp949", title="EUC-KR (Korean)", signs=_KOREAN),
    Encoding(id="gb18030", title="GB 18030 (Chinese)", signs=_SIMPLE_CHINESE),
    Encoding(id="big5", title="Big5 (Chinese)", signs=_TRADITIONAL_CHINESE),
)  # fmt: skip
TITLES: Mapping[str, str] = {one.id: one.title for one in ENCODINGS}
# Other names of these encodings, and of those whose letters they contain.
_ALIASES = {
    "shiftjis": "cp932", "sjis": "cp932", "windows31j": "cp932", "latin1": "cp1252",
    "iso88591": "cp1252", "latin2": "iso8859-2", "euckr": "cp949", "gbk": "gb18030",
    "gb2312": "gb18030", "utf8": "utf-8",
}  # fmt: skip


def id_of(name: str) -> str:
    """Return the id of an encoding under any of its names; the name itself if it is unknown.

    >>> id_of("Shift_JIS"), id_of("Windows-1250"), id_of("EUC-JP"), id_of("martian")
    ('cp932', 'cp1250', 'euc_jp', 'martian')
    >>> id_of("ISO-8859-15")  # has other signs than Windows-1252, and is not read
    'ISO-8859-15'
    """
    plain = re.sub("[^a-z0-9]", "", name.lower())
    known = {re.sub("[^a-z0-9]", "", id): id for id in TITLES}
    windows = plain.replace("windows", "cp").replace("ibm", "cp")
    return _ALIASES.get(plain) or known.get(plain) or known.get(windows) or name


@dataclass(frozen=True, kw_only=True)
class Decoding:
    """The possible encodings of a text.

    Attributes:
        best: the id of the most likely encoding.
        rivals: the encodings that are nearly as likely and give different texts, the best first;
            empty if the best one is clear.
    """

    best: str
    rivals: tuple[str, ...] = ()


def decoding_of(data: bytes) -> Decoding | None:
    """Return how a text that is not UTF-8 is encoded; None where no known encoding fits it.

    Of encodings that give the same text, the first in `ENCODINGS` is named. A byte that separates
    thousands as a no-break space in some of them is not a letter.

    >>> decoding_of("Łódź;Gdańsk;Kraków;Świętokrzyskie".encode("cp1250")).best
    'cp1250'
    """
    sample = _telling_cells(data)
    scored: dict[str, float] = {}
    texts: dict[str, str] = {}
    separated = bool(_THOUSANDS.search(sample))
    for encoding in ENCODINGS:
        try:
            text = sample.decode(encoding.id)
        except UnicodeDecodeError:
            continue
        if separated and "\xa0" not in text:
            continue  # a letter would stand between digits
        texts[encoding.id] = text
        scored[encoding.id] = log_likelihood(texts[encoding.id], encoding)
    ordered = sorted(scored, key=lambda id: -scored[id])
    if not ordered:
        return None
    best = next(id for id in texts if texts[id] == texts[ordered[0]])
    others = [id for id in ordered if texts[id] != texts[best]]
    near = [id for id in others if scored[id] > scored[ordered[0]] - _ODDS]
    return Decoding(best=best, rivals=(best, *near) if near else ())


def _telling_cells(data: bytes) -> bytes:
    """Return the different cells of a text that are not ASCII, up to a bound.

    A name in many rows shows no more about its language than a name in one row.
    """
    cells: dict[bytes, None] = {}
    size = 0
    for line in data.splitlines():
        for cell in () if line.isascii() else re.split(b'[;,\t"]', line):
            if not cell.isascii() and cell not in cells:
                cells[cell] = None
                size += len(cell)
        if size > _SAMPLE:
            break
    return b"\n".join(cells)


def log_likelihood(text: str, encoding: Encoding) -> float:
    """Return the log-likelihood of a text in the most likely language of an encoding.

    Frequencies fall as one over the rank of a letter (Zipf's law).
    """
    beyond = Counter(sign for sign in text if sign > "\x7f")
    letters = {sign: n for sign, n in beyond.items() if unicodedata.category(sign)[0] in "LM"}
    if encoding.signs:
        own = _of_signs(letters, encoding.signs)
    else:
        own = max(_of_alphabet(letters, alphabet) for alphabet in encoding.alphabets)
    prior = _RARE * encoding.rare + _WESTERN * (encoding.id == "cp1252")
    return own + _penalties(text, beyond) + prior


def _of_signs(letters: Mapping[str, int], signs: str) -> float:
    known = _frequencies(signs)
    other = math.log((1 - _LISTED) / _OTHERS)
    listed = math.log(_LISTED)
    return sum(
        n * (listed + known[sign] if sign in known else other) for sign, n in letters.items()
    )


def _of_alphabet(letters: Mapping[str, int], alphabet: str) -> float:
    known = _frequencies(alphabet)
    return sum(
        n * known.get(sign, known.get(sign.lower(), _UNKNOWN)) for sign, n in letters.items()
    )


def _frequencies(letters: str) -> dict[str, float]:
    """Return the log of the share of each letter, which falls as one over its rank."""
    ranked = list(dict.fromkeys(letters))
    whole = sum(1 / rank for rank in range(1, len(ranked) + 1))
    return {sign: -math.log(rank * whole) for rank, sign in enumerate(ranked, start=1)}


_INSIDE = re.compile(r"(?<=[^\W\d_])[\u0080-\u00bf\u00d7\u00f7\u2190-\u2bff]+(?=[^\W\d_])")
_BEFORE = re.compile(r"(?<![^\W\d_])[¢-ª¬-º¼-¾](?=[^\W\d_])")  # no word begins with such a sign
_MIXED = re.compile("[A-Za-z][\u0370-\u10ff]|[\u0370-\u10ff][A-Za-z]")  # scripts in one word
_USUAL = frozenset(
    "\u00a0\u00a7\u00a9\u00ab\u00bb\u00b0\u00b1\u00b2\u00b3\u00b9"
    "\u2013\u2014\u2018\u2019\u201c\u201d\u201e\u2026\u20ac、。（）・：　「」～\u3000"
)
_LINES = frozenset(map(chr, range(0x2500, 0x25A0)))  # of which frames were made, in no table
_NOT_ODD = _USUAL | _LINES


def _penalties(text: str, beyond: Mapping[str, int]) -> float:
    """Return the penalty on the log-likelihood for signs where no language has them."""
    inside = len(_INSIDE.findall(text)) + len(_BEFORE.findall(text))
    turned = sum(
        pair[0].islower() and pair[1].isupper() and pair[1] > "\x7f"
        for pair in re.findall(r"(?=([^\W\d_]{2}))", text)
    )
    odd = sum(
        n for sign, n in beyond.items()
        if unicodedata.category(sign)[0] not in "LMN" and sign not in _NOT_ODD
    )  # fmt: skip
    usual = sum(n for sign, n in beyond.items() if sign in _USUAL)
    controls = sum(
        n for sign, n in beyond.items()
        if unicodedata.category(sign) in ("Cc", "Co", "Cn") or sign in _LINES
    )  # fmt: skip
    wrong = inside + turned + odd + len(_MIXED.findall(text))
    return float(wrong * _MISPLACED + usual * _PUNCTUATION + controls * _CONTROL)
