"""Numbers in words, such as "Two persons" or "Einpersonenhaushalte", written in digits."""

import re
import unicodedata

# The numbers from one to ten in the languages of many offices, without accents.
_WORDS = (
    "one un une uno una ein eine einer um uma een en ett jedna jeden jedan yksi yhden egy bir один",
    "two deux dos due zwei dois duas twee to tva dwie dwa dva dve dvije kaksi kahden ket два iki",
    "three trois tres tre drei drie trzy tri kolme kolmen harom trei три uc tris trys kolm",
    "four quatre cuatro quattro vier quatro fire fyra cztery ctyri styri cetiri stiri nelja negy",
    "five cinq cinco cinque funf vijf fem piec pet pat viisi viiden ot cinci пять bes pieci penki",
    "six seis sei sechs zes seks sex szesc sest kuusi kuuden hat sase sis шесть alti sesi kuus",
    "seven sept siete sette sieben sete zeven syv sju siedem sedm sedem sedam семь yedi seitseman",
    "eight huit ocho otto acht oito otte atta osiem osm osem osam восемь sekiz kahdeksan",
    "nine neuf nueve nove neun negen ni nio dziewiec devet девять dokuz",
    "ten dix diez dieci zehn dez tien ti tio dziesiec deset десять on",
)
_OTHER_WORDS = (  # Persian, Arabic and Greek
    "یک واحد واحدة ενα ενας μια",
    "دو اثنان فردان شخصان اثنين δυο",
    "سه ثلاثة ثلاث τρια τρεις",
    "چهار اربعة اربع τεσσερα τεσσερις",
    "پنج خمسة خمس πεντε",
    "شش ستة ست εξι",
    "هفت سبعة سبع επτα εφτα",
    "هشت ثمانية ثمان οκτω οχτω",
    "نه تسعة تسع εννεα εννια",
    "ده عشرة عشر δεκα",
)
_NUMBERS = {
    word: number
    for series in (_WORDS, _OTHER_WORDS)
    for number, same in enumerate(series, start=1)
    for word in same.split()
}
_LONGEST_FIRST = "|".join(sorted(_NUMBERS, key=len, reverse=True))
_WORD = re.compile(r"[^\W\d_]+")
# "Zweipersonenhaushalte" and "Tweepersoonshuishoudens": a number before a word for persons.
_JOINED = re.compile(rf"({_LONGEST_FIRST})(person|persoon|perso|osob|hengen|hengelised)")


def in_digits(text: str) -> str:
    """Return a text with its first number in words written in digits.

    A number word alone, or a text with digits, is returned as it is: "sex" may be a word for six.

    >>> in_digits("Fünf und mehr"), in_digits("Zweipersonenhaushalte"), in_digits("sex")
    ('5 und mehr', '2personenhaushalte', 'sex')
    >>> in_digits("Households of two persons"), in_digits("1 person, one room")
    ('Households of 2 persons', '1 person, one room')
    """
    if any(sign.isdigit() for sign in text):
        return text
    words = list(_WORD.finditer(text))
    for word in words:
        bare = _bare(word[0])
        number, rest = _NUMBERS.get(bare) if len(words) > 1 else None, ""
        if joined := _JOINED.match(bare):
            number, rest = _NUMBERS[joined[1]], bare[joined.end(1) :]
        if number is not None:
            return f"{text[: word.start()]}{number}{rest}{text[word.end() :]}"
    return text


def _bare(word: str) -> str:
    split = unicodedata.normalize("NFKD", word)
    bare = "".join(sign for sign in split if not unicodedata.category(sign).startswith("M"))
    return bare.lower().replace("ł", "l")
