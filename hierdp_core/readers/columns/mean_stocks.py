"""Averages of a stock over a period, such as the mean population of a year.

Unlike the mean age or the mean pay, they add up over regions: an average of employment is a number
of persons who are employed.
"""

import re

import numpy as np

from hierdp_core.readers.columns.facts import ColumnFacts

# What is averaged: people, jobs or other things that are there for a time, or trips in each.
_STOCK = (
    r"(populations?|pop|employment|empl|emp|emplvl|employed|employees|jobs|workers|workforce|"
    r"labou?r_force|unemployed|headcount|enrol(l?ment|led)|membership|caseloads?|recipients|"
    r"beneficiaries|claimants|residents|inhabitants|estabs|establishments|(number|no|nb|count)(_of)?|"
    r"prisoners|insured|[a-z]*bevolkerung|[a-z]*einwohner(zahl)?|[a-z]*beschaftigten?|[a-z]*beschaftigung|"
    r"erwerbstatigen?|arbeitslosen?|[a-z]*bestand|[a-z]*anzahl|[a-z]*zahl|effectifs?|emplois?|nombre|"
    r"poblacion|empleos?|ocupados|afiliados|trabajadores|numero|populacao|empregos?|pessoal|"
    r"trabalhadores|popolazione|occupati|addetti|dipendenti|bevolking|werknemers|werkzamen?|banen|"
    r"aantal|folkem[ae]ngde|folketal|folketall|befolkning(en)?|sysselsatte|sysselsatta|ansatte|anstallda|"
    r"antal|antall|vakiluku|vaesto|tyolliset|lukumaara|ludnosc|ludnosci|zatrudnienie|pracujacych|"
    r"liczba|stav|pocet|obyvatel|obyvatelstva|zamestnancu|nepesseg|letszam|nufus|istihdam|"
    r"ridership|riders|passengers?|boardings|alightings|trips|journeys|travell?ers|commuters|visitors|"
    r"fahrgaste|reisenden?|pendler|fahrten|voyageurs|trajets|viajeros|pasajeros|viajes|passageiros|"
    r"viagens|passeggeri|viaggiatori|reizigers|ritten|resenarer?|resande|passasjerer|matkustaj[a-z]*|"
    r"pasazerow|podroznych|cestujicich|utasok|yolcu|пассажиров|"
    r"население|численность|население|人口|就業者数)"
)
_MEAN = (
    r"(avg|average|averaged|mean|durchschnitt[a-z]*|jahresdurchschnitt[a-z]*|mittlere[rsn]?|"
    r"moyen(ne)?s?|medi[oa]s?|promedio|gemiddelde?|genomsnitt[a-z]*|gennemsnit[a-z]*|"
    r"gjennomsnitt[a-z]*|keskimaarai[a-z]*|przecietn[a-z]*|sredni[a-z]*|stredni|prumern[a-z]*|"
    r"atlagos|ortalama|srednja|средн[а-я]*|среднегодов[а-я]*|年平均|平均)"
)
_ONE_WORD = (
    r"(medelfolkm[ae]ngd[a-z]*|medelbefolkning[a-z]*|medelantal[a-z]*|middelfolk[a-z]*|"
    r"middelbefolkning[a-z]*|keskivakiluku|keskivaesto|(jahres)?durchschnitts(bevolkerung|bestand|zahl)|"
    r"年平均人口|平均人口)"
)
_NAMED = re.compile(rf"(.*_)?({_MEAN}(_.*)?_{_STOCK}|{_STOCK}(_.*)?_{_MEAN}|{_ONE_WORD})(_.*)?")
# What makes a mean of it that is not a number of people or things.
_OF_EACH = re.compile(
    r"(.*_)?(per|pro|par|por|je|per_capita|age|alter|edad|eta|idade|ages|leeftijd|alder|wiek|vek|size|"
    r"grosse|taille|tamano|tamanho|dimensione|pay|wages?|wkly|weekly|hourly|salar[a-z]*|earnings?|"
    r"incomes?|lohne?|einkommen|revenus?|renta|ingresos?|renda|reddito|inkomen|inkomst|inntekt|"
    r"prices?|rents?|hours|stunden|heures|horas|rates?|ratio|index|density|distance|duration|length|"
    r"percent|pct|share|years|jahre|score|change|growth|rooms|persons_in|in_household|valor|valeur|"
    r"value|wert|cost|costs)(_.*)?"
)
_LARGE = 50  # a number above which a mean number of members or rooms never is
_SPREAD = 3.0  # the largest number, as a multiple of the smallest above 0


def holds_means_of_a_stock(column: ColumnFacts) -> bool:
    """Return whether a column is called a mean of people or things, and its numbers are counts.

    Means of persons in a household have similar names. They have decimals, are small, or hardly
    differ between regions.
    """
    if not _NAMED.fullmatch(column.plain) or _OF_EACH.fullmatch(column.plain):
        return False
    known = column.values[~np.isnan(column.values)]
    positive = known[known > 0]
    if not column.numeric or not positive.size or known.min() < 0:
        return False
    return bool(positive.max() > _LARGE and positive.max() >= _SPREAD * positive.min())
