"""The words in columns' names that a guess listens to."""

import re

COUNT = (
    "count", "counts", "population", "pop", "people", "persons", "total", "n", "value", "values",
    "number", "households", "residents", "inhabitants", "cases", "jobs", "trips", "commuters",
    "flow", "flows", "workers", "students", "freq", "frequency", "obs_value", "births", "deaths",
    "groups", "units", "einwohner", "popolazione", "abitanti", "anzahl", "totale",
)  # fmt: skip
SIZE = ("size", "hhsize", "household_size", "group_size", "members", "n_persons", "np", "hh_size")
GROUP = re.compile(
    r"(household|hh|hhd|family|group|serial|serialno|dwelling|unit|firm|taxi|medallion|epnum)"
    r"(_?(id|no|nr|num|number|key|code))?"
)
ORIGIN = r"(origin|orig|o|from|home|h|residence|res|pickup|pu|source|src)"
DESTINATION = r"(destination|dest|d|to|work|w|workplace|lav|dropoff|do|target|dst)"
PARENT = ("parent", "parent_id", "parent_code", "parentid", "above", "belongs_to", "part_of")
NOT_A_PLACE = re.compile(
    r"(lat|lon|lng|long|latitude|longitude|intptlat|intptlong?|x|y|area_?(sq_?)?(km|mi|m|ha).*|aland|awater|.*_?sqmi|"
    r"year|date|.*_date|datetime|.*_datetime|age|sex|gender|shape_.*|funcstat|note.*|index|unnamed.*)"
)
CODE = re.compile(
    r".*(code|id|fips|geoid|cod|nuts|kode|key|nr)[0-9]{0,2}|.*(geoid|fips|cod_|pro_com).*"
)
PLACE = re.compile("country|nation|state|region|province|county|district|department|territory")
LABELS = {"name", "label", "title", "code", "id", "fips", "geoid", "key", "nr", "abbr", "abbrev"}
SIZE_COLUMN = re.compile(
    r"(?:[a-z_ ]*?)([0-9]{1,4})(?: *(?:\+|plus|or more|_?people|_?persons?|_?or_more)*)?"
)


def plain_name(name: str) -> str:
    """A name in small letters, its words joined by one stroke."""
    split = re.sub("([a-z])([A-Z])", r"\1_\2", name)
    return re.sub("[^a-z0-9]+", "_", split.lower()).strip("_")
