"""The states and counties of the United States in 2010, as a hierarchy."""

from functools import cache

from hierdp_core.hierarchy.regions import Regions
from hierdp_core.util.data_files import data_rows

ISLAND = "PR"  # Puerto Rico, which only some samples include
NATION = "US"


@cache
def counties() -> tuple[dict[str, str], ...]:
    """Return the facts about each county, ordered by code; those of Puerto Rico come last."""
    return tuple(data_rows("us_counties.csv"))


def us_regions(*, with_island: bool = False, divisions: bool = False) -> Regions:
    """Return the hierarchy of nation, state and county; region and division are optional levels.

    Args:
        with_island: whether to include Puerto Rico and its municipios.
        divisions: whether to put the levels "region" and "division" below the nation.
    """
    rows = [row for row in counties() if with_island or row["state"] != ISLAND]
    titles = {row["state"]: row["name"] for row in data_rows("us_state_names.csv")}
    codes = {row["state"]: row["geoid"][:2] for row in rows}
    parents: dict[str, str | None] = {NATION: None}
    names = {NATION: "United States and Puerto Rico" if with_island else "United States"}
    over = dict.fromkeys(codes, NATION)
    if divisions:
        for row in data_rows("us_divisions.csv"):
            parents |= {row["region"]: NATION, row["division"]: row["region"]}
            names |= {row["region"]: row["region_name"], row["division"]: row["division_name"]}
            over |= dict.fromkeys(row["states"].split(), row["division"])
    for state, code in codes.items():
        parents[code], names[code] = over[state], titles[state]
    for row in rows:
        code, state = row["geoid"], row["state"]
        parents[code], names[code] = codes[state], f"{row['name']}, {state}"
    middle = ("region", "division") if divisions else ()
    return Regions.from_parents(parents, levels=("nation", *middle, "state", "county"), names=names)
