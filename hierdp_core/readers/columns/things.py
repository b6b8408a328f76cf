"""Words for what a table counts, by the names of its columns: people, households or cases."""

import re
from collections.abc import Sequence
from typing import Any

from hierdp_core.readers.columns.facts import SheetFacts
from hierdp_core.readers.columns.units import lines_of
from hierdp_core.readers.columns.vocabulary import plain_name, words

_MIN_RECORDS = 4  # rows with different numbers, so that they number records
# Plural and singular of a thing, with the words for it.
_THINGS = (
    ("households", "household", words(
        """
        household households hh hhs hhid haushalt haushalte haushalten menage menages hogar hogares
        domicilio domicilios famiglie hushall hushold husholdning huishoudens asuntokunnat
        asuntokuntien gospodarstwa domacnosti privathushald tothog 世帯 世帯数 세대 세대수 戶數 户数
        """
    )),
    ("dwellings", "dwelling", words(
        "dwelling dwellings housing_units wohnungen vivienda viviendas logements bostader asunnot"
    )),
    ("jobs", "job", words("jobs emplois arbeitsplatze puestos")),
    ("births", "birth", words("births geburten naissances nacimientos nascite nascimentos")),
    ("deaths", "death", words("deaths sterbefalle deces defunciones obitos decessi")),
    ("discharges", "discharge", words("discharge discharges austritte entlassungen altas sorties")),
    ("admissions", "admission", words("admission admissions aufnahmen internacoes ingresos")),
    ("cases", "case", words("case cases fall falle casos cas caso casi")),
    ("incidents", "incident", words("incident incidents crime crimes offence offences offenses")),
    ("accidents", "accident", words("accident accidents unfalle accidentes")),
    ("enterprises", "enterprise", words("enterprise enterprises firm firms unternehmen empresas")),
    ("farms", "farm", words("farm farms betriebe")),
    ("vehicles", "vehicle", words("vehicle vehicles cars fahrzeuge")),
    ("votes", "vote", words("votes stimmen voti votos voix glosy")),
    ("cattle", "animal", words("cattle bovines kvaeg rinder bovinos bovins bovini")),
    ("attendances", "attendance", words("attendance attendances")),
    ("TEU", "TEU", words("teu teus")),
    ("buildings", "building", words("building buildings gebaude batiments")),
    ("trips", "trip", words(
        "trip trips journeys rides fahrten trajets viajes viagens viaggi reizen"
    )),
    ("stays", "stay", words("stay stays sejours aufenthalte estancias")),
    ("visits", "visit", words("visit visits besuche visites visitas")),
    ("beds", "bed", words("bed beds betten bettplatze lits camas camas_hospitalares letti lozka")),
)  # fmt: skip
_PEOPLE = words(
    """
    person persons people population pop personen personas personnes persone pessoas bevolkerung
    einwohner habitants habitantes abitanti residents inhabitants members men women male female
    moradores residentes 人口 asuntovaesto vaesto 인구
    """
)
# What follows the thing that is counted, such as "by number of persons".
_ATTRIBUTE = re.compile(
    r"(?<=.)_(by|with|having|nach|mit|selon|avec|por|segun|con|com|per|op|naar|met|efter|med|etter|"
    r"wedlug|podle)_.*"
)
_NUMBERED = re.compile(r"(id|nr|no|num|number|nummer|key|code)")


def counted_unit(name: str) -> tuple[str, str]:
    """Return what a column counts by its name, plural and singular; empty if it does not say.

    >>> counted_unit("Number of households"), counted_unit("household_population")
    (('households', 'household'), ('', ''))
    >>> counted_unit("housing_units"), counted_unit("n")
    (('dwellings', 'dwelling'), ('', ''))
    >>> counted_unit("Total households by number of persons")
    ('households', 'household')
    """
    plain = _ATTRIBUTE.sub("", plain_name(name))
    parts = {re.sub("[0-9]+$", "", part) for part in (plain, *plain.split("_"))} - {""}
    if parts & _PEOPLE:
        return "", ""
    matches = [
        (plural, one) for plural, one, known in _THINGS
        if parts & known or any("_" in word and word in plain for word in known)
    ]  # fmt: skip
    return matches[0] if len(matches) == 1 else ("", "")


def unit_words(facts: SheetFacts, chosen: dict[str, Any]) -> dict[str, str]:
    """Return the settings for what is counted, if the names of columns say that it is not people.

    Args:
        facts: facts about the table.
        chosen: the settings of the layout.
    """
    if chosen["kind"] == "group-sizes":
        return {}
    names = [chosen.get("count", ""), *chosen.get("parts", ())]
    if chosen["row"] in ("person", "trip"):
        names = _numbers_of_records(facts)
    elif not any(names_people(name) for name in names):
        names = [n for n in names if n and counted_unit(n)[0]] or _parts_of(facts, names)
    units = {counted_unit(name) for name in names if name}
    plural, one = units.pop() if len(units) == 1 else ("", "")
    return {"unit": plural, "person": one} if plural else {}


def names_people(name: str) -> bool:
    """Return whether a name contains a word for people."""
    plain = _ATTRIBUTE.sub("", plain_name(name))
    return bool({re.sub("[0-9]+$", "", part) for part in plain.split("_")} & _PEOPLE)


def unnamed_unit(facts: SheetFacts, chosen: dict[str, Any]) -> str:
    """Return a reason if counts are called people, although no name states what they are.

    Args:
        facts: facts about the table.
        chosen: the settings of the layout.
    """
    if chosen["kind"] != "counts" or chosen["row"] != "region" or chosen.get("unit"):
        return ""
    names = [chosen.get("count", ""), *chosen.get("parts", ()), *lines_of(facts.sheet.heading)]
    if any(names_people(name) for name in names):
        return ""
    return "no name states what is counted, so it is called people (settings person and unit)"


def _parts_of(facts: SheetFacts, names: Sequence[str]) -> list[str]:
    """Return columns for parts of the counts, whose names continue that of the counts.

    The US census names such columns "Estimate!!Total:!!Family households".
    """
    stem = next((name.split(" ", 1)[-1] for name in names if "!!" in name), "")
    alike = [n for n in facts.sheet.names if stem and stem in n and n not in names]
    return [n for n in alike if counted_unit(n)[0]]


def _numbers_of_records(facts: SheetFacts) -> list[str]:
    """Return columns with a different number in each record, such as "case_id"."""
    return [
        n for n in facts.sheet.names
        if facts[n].distinct == facts.n_rows >= _MIN_RECORDS
        and (_NUMBERED.fullmatch(facts[n].plain.split("_")[-1]) or facts[n].plain == "hhid")
        and counted_unit(n)[0]
    ]  # fmt: skip
