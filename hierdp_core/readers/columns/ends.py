"""Names of columns that say which place of a person they hold, such as residence, work or birth."""

import re
from dataclasses import dataclass

from hierdp_core.readers.columns.vocabulary import PLACE, plain_name, words

# Where a person lives: the origin of a journey to one of the other places.
HOME = words(
    """
    residence residenza residencia residencial residential resident residing res resid home living
    lives usual mother maternal wohn wohnort wohnsitz domicile domicilio domicil habitual bosted
    bopael bostad bop zamieszkania woon woonplaats woongemeente vivienda habitation moradia
    """
)
AWAY = words(
    """
    work workplace working job employment employer arbeit arbeits lavoro trabajo trabalho travail
    dienst werk hospital hosp hospitalisation hospitalization hospitalizacion internacao ricovero
    treatment treating treated clinic facility care provider admission birth born birthplace
    nacimiento naissance nascita nascimento geburt geburts school schul ecole escuela escola scuola
    study studien university college campus reporting reported registration registered occurrence
    ocurrencia ocorrencia event diagnosis notification notifying death deces defuncion morte obito
    incident accident crime testing exposure infection vaccination voting marriage placement host
    previous prev former last prior next destination origin destino origen current behandlungs
    behandlung herkunfts ziel melde praxis alta baja zgonu urodzenia pracy geboorte occ ocor arb
    """
)
_BEFORE = words(
    "previous prev former last prior origin origen birth born nacimiento naissance baja"
)
_FILLERS = words("of de di du da do do the la le del dell des della place at in lieu luogo lugar")
_COMPOUND = re.compile(
    r"(wohn|arbeits|geburts|schul|dienst|herkunfts|ziel|behandlungs|melde|studien|praxis|woon|werk|"
    r"bostads|bosteds|bop[æa]e?ls|arbeidssteds|arbejdssteds|arbetsplats|arbets|bop|arb|asuin|tyo|"
    r"synnyin|bo|arbeids)"
    r"(ort|kreis|gemeinde|land|region|bezirk|stadt|plz|gemeente|plaats|provincie|kommun|kommune|lan|"
    r"kom|kunta|fylke|maakunta)(_.*)?"
)
_LAST = re.compile(r"(c?(?:pro|prov|provincia|mun|muni|municipio|com|reg|pais))_?(alta|baja)")
_PLACE_OF_WORK = re.compile("pw_?(state|county|puma|city|met)[0-9a-z]*")  # of IPUMS
_SAME = {
    "bostads": "bostad", "bosteds": "bostad", "bopæls": "bostad", "bopaels": "bostad",
    "bo": "bostad", "asuin": "bostad",
}  # fmt: skip
_FRENCH_CENSUS = {"dcran": "previous", "dcflt": "work", "dclt": "work", "dcetuf": "school"}
_CODES = words("code name id nr label cod key")
_SHORT = words(
    "dep depto dpto com cant reg pro prov mun muni edo ent arr can dist pais plz zip cp cap "
    "postcode"
)


@dataclass(frozen=True, kw_only=True)
class End:
    """A place of a person, as the name of a column states it.

    Attributes:
        end: the word for the place, such as "residence".
        rest: the other words, such as "district"; empty if there are none.
    """

    end: str
    rest: str

    @property
    def home(self) -> bool:
        """Whether the person lives there."""
        return self.end in HOME

    @property
    def before(self) -> bool:
        """Whether people come from there, as from a place of birth, to where they live."""
        return self.end in _BEFORE

    @property
    def about_a_place(self) -> bool:
        """Whether the other words of the name are about places or codes, or there are none."""
        kept = [word for word in self.rest.split("_") if word and word not in _CODES | _SHORT]
        return not kept or bool(PLACE.search("_".join(kept)))


def is_place_of_work(name: str) -> bool:
    """Return whether a column of a survey holds the place of work instead of that of residence.

    >>> is_place_of_work("PWCOUNTY"), is_place_of_work("COUNTYFIP")
    (True, False)
    """
    return bool(_PLACE_OF_WORK.fullmatch(plain_name(name)))


def end_of(name: str) -> End | None:
    """Return which place of a person a column holds by its name; None if the name does not say.

    >>> end_of("residence_district"), end_of("county_of_birth")
    (End(end='residence', rest='district'), End(end='birth', rest='county'))
    >>> end_of("Wohnkreis"), end_of("hospital"), end_of("district")
    (End(end='wohn', rest='kreis'), End(end='hospital', rest=''), None)
    """
    plain = plain_name(name)
    if survey := _PLACE_OF_WORK.fullmatch(plain):
        return End(end="work", rest=survey[1])
    if registered := _LAST.fullmatch(plain):
        return End(end=registered[2], rest=registered[1].removeprefix("c"))
    if plain in _FRENCH_CENSUS:
        return End(end=_FRENCH_CENSUS[plain], rest="")
    compound = _COMPOUND.fullmatch(plain)
    if compound:
        return End(end=_SAME.get(compound[1], compound[1]), rest=compound[2] + (compound[3] or ""))
    parts = plain.split("_")
    ends = [part for part in parts if part in HOME | AWAY]
    if len(ends) != 1:
        return None
    rest = [part for part in parts if part != ends[0] and part not in _FILLERS]
    return End(end=ends[0], rest="_".join(rest))
