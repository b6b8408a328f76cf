"""Published commuting flows between the five counties of Rhode Island."""

from hierdp_core.hierarchy import Regions
from hierdp_core.hierarchy.united_states import counties
from hierdp_core.samples.sample import Recipe, SampleInfo
from hierdp_core.samples.us import BOUNDARIES, us_boundaries
from hierdp_core.tables import Flows
from hierdp_core.util.data_files import data_rows

_STATE = "44"


def _regions() -> Regions:
    rows = [row for row in counties() if row["geoid"].startswith(_STATE)]
    parents = {_STATE: None, **{row["geoid"]: _STATE for row in rows}}
    names = {_STATE: "Rhode Island", **{row["geoid"]: row["name"] for row in rows}}
    return Regions.from_parents(parents, levels=("state", "county"), names=names)


def _table(_: object) -> Flows:
    regions, rows = _regions(), data_rows("ri_commuting.csv")
    home, work = ([row[end] for row in rows] for end in ("home", "work"))
    jobs = [int(row["jobs"]) for row in rows]
    return Flows.from_pairs(regions, regions, home, work, jobs, unit="jobs", person="job")


RHODE_ISLAND = Recipe(
    info=SampleInfo(
        id="ri-commuting",
        title="Commuting in Rhode Island, 2023",
        kind=Flows.kind,
        about=(
            "Jobs by the county where the worker lives and the county of work, both in Rhode "
            "Island: 412,443 jobs in all 25 pairs of 5 counties."
        ),
        badge="flows contain noise added by the Census Bureau",
        real=(
            "The flows are those that the Census Bureau publishes. It adds noise to them for "
            "confidentiality."
        ),
        source=(
            "LEHD Origin-Destination Employment Statistics (LODES 8), US Census Bureau, 2023. "
            f"Boundaries: {BOUNDARIES}"
        ),
        licence="Public domain (work of the United States government)",
        person="job",
    ),
    table=_table,
    boundaries=lambda table: us_boundaries(table.regions, "ri-commuting", fine=True),
)
