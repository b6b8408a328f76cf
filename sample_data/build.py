"""Make everything in this folder that is derived.

`python sample_data/build.py` uses the fact tables that are committed here. It has three options.

`--facts DIR` also makes the fact tables of areas, from DIR.

`--census` also makes the boundaries of the United States.

`--out DIR` writes somewhere else, as the tests do.

Every run writes the same bytes. The step `--census` needs plotly-geo 1.0.0, which carries the
Census Bureau's file and which nothing else needs, and shapely 2.2 or later.
"""

import argparse
import csv
import gzip
import json
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np
import shapely

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent)]

import households as model  # noqa: E402
import it_map  # noqa: E402
import us_map  # noqa: E402

from hierdp_core.hierarchy.united_states import us_regions  # noqa: E402
from hierdp_core.maps.boundaries import APPROXIMATE, boundaries_from_leaves  # noqa: E402
from hierdp_core.samples.italy import italy_regions  # noqa: E402

COUNTY_COLUMNS = (
    "geoid",
    "state",
    "name",
    "population",
    "housing_units",
    "land_sq_mi",
    "lat",
    "lon",
)

MUNICIPALITY_COLUMNS = ("code", "name", "province", "population", "lat", "lon")

Rows = list[dict[str, str]]


def read(path: Path) -> Rows:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def write(path: Path, header: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        table = csv.writer(file, lineterminator="\n")
        table.writerow(header)
        table.writerows(rows)


def county_facts(facts: Path) -> Iterable[Sequence[object]]:
    """The columns of the county file that the samples need, coordinates to 0.01 degrees."""
    for row in sorted(read(facts / "us_counties_2010.csv"), key=lambda row: row["GEOID"]):
        land = f"{float(row['ALAND_SQMI']):.2f}"
        lat, lon = f"{float(row['LAT']):.2f}", f"{float(row['LON']):.2f}"
        yield row["GEOID"], row["USPS"], row["NAME"], row["POP10"], row["HU10"], land, lat, lon


def municipality_facts(facts: Path) -> Iterable[Sequence[object]]:
    """The columns of the municipality file that the samples need, coordinates to 0.01 degrees."""
    rows = read(facts / "italy_municipalities_2011.csv")
    for row in sorted(rows, key=lambda row: row["PRO_COM_T"]):
        lat, lon = f"{float(row['LAT']):.2f}", f"{float(row['LON']):.2f}"
        province = f"{int(row['COD_PROV']):03d}"
        yield row["PRO_COM_T"], row["COMUNE"], province, row["POP_2011"], lat, lon


def places(counties: Rows) -> model.Places:
    def column(name: str) -> model.Floats:
        return np.array([float(row[name]) for row in counties])

    return model.Places(
        people=column("population"), units=column("housing_units"), land=column("land_sq_mi")
    )


def known_counties(counties: Rows) -> tuple[model.Ints, model.Ints]:
    """Where the nine counties of known sizes stand, and their households of 1, 2, 3, 4+."""
    at = {row["geoid"]: i for i, row in enumerate(counties)}
    known = read(HERE / "us_household_counties.csv")
    sizes = [[int(row[c]) for c in list(row)[2:]] for row in known]
    return np.array([at[row["geoid"]] for row in known]), np.array(sizes)


def nation_calibrated(counties: Rows) -> model.Calibration:
    known, sizes = known_counties(counties)
    return model.calibrate(places(counties), known, sizes.sum(axis=1).astype(float))


def household_table(counties: Rows) -> model.Ints:
    """Housing units by county and size 0…15+, shape (n, 16); Puerto Rico's rows last."""
    nation = [row for row in counties if row["state"] != "PR"]
    published = [float(r["percent"]) / 100 for r in read(HERE / "us_household_shares.csv")]
    national = model.national_shares(np.array(published))
    occupancy = nation_calibrated(nation).model
    in_households = model.HOUSEHOLDS * model.PEOPLE_PER_HOUSEHOLD / places(nation).people.sum()

    known = places(nation)
    households = occupancy.households(known)
    means = in_households * known.people / households
    base = model.fitted_base(national, households, means)
    vacant = known.units - households
    expected = np.column_stack([vacant, households[:, None] * model.tilted(base, means)])
    table = model.whole(expected, known.units.astype(np.int64))
    total = known.units.astype(np.int64).sum()
    columns = np.floor(np.concatenate([[0], national * model.HOUSEHOLDS]) + 0.5).astype(np.int64)
    columns[2] += model.HOUSEHOLDS - columns.sum()
    columns[0] = total - model.HOUSEHOLDS
    table = model.settle(table, columns)

    island = places([row for row in counties if row["state"] == "PR"])
    households = occupancy.households(island)
    sizes = model.tilted(base, in_households * island.people / households)
    expected = np.column_stack([island.units - households, households[:, None] * sizes])
    return np.concatenate([table, model.whole(expected, island.units.astype(np.int64))])


def areas_of_counties(counties: Rows) -> dict[str, list[str]]:
    """The codes of the counties in every area that a map can show, by "level/code"."""
    members: dict[str, list[str]] = {f"county/{row['geoid']}": [row["geoid"]] for row in counties}
    for with_island in (True, False):
        regions = us_regions(with_island=with_island, divisions=not with_island)
        tree = regions.tree
        for leaf in range(tree.leaves.start, tree.n_nodes):
            node = int(tree.parent[leaf])
            while node >= 0:
                code = "US and PR" if with_island and node == 0 else regions.ids[node]
                area = members.setdefault(f"{regions.levels[tree.level_of[node]]}/{code}", [])
                if regions.ids[leaf] not in area:
                    area.append(regions.ids[leaf])
                node = int(tree.parent[node])
    return members


def write_us_boundaries(out: Path, counties: Rows) -> None:
    """Arcs of all areas, and beside them the names of the areas in their order."""
    states = {row["geoid"]: row["state"] for row in counties}
    polygons = us_map.county_polygons(states, us_map.published_counties())
    at = {id: k for k, id in enumerate(states)}
    areas = areas_of_counties(counties)
    above = [[at[id] for id in own] for own in [*areas.values()][len(counties) :]]
    unions = [shapely.coverage_union_all(polygons[own]) for own in above]
    us_map.in_two_details(polygons, unions).write(out / "us_boundaries.npz")
    write(out / "us_boundaries.csv", ["level", "code"], (area.split("/") for area in areas))


def shapes_of_italy(municipalities: Rows) -> dict[str, dict[str, object]]:
    """GeoJSON geometries by level and code."""
    cells = it_map.municipality_cells(municipalities, read(HERE / "it_outline.csv"))
    regions = italy_regions()
    cell = dict(zip((row["code"] for row in municipalities), cells, strict=True))
    leaves = np.array([cell[id] for id in regions.ids[regions.tree.leaves]])
    boundaries = boundaries_from_leaves(regions, leaves, caption=APPROXIMATE)
    levels = zip(regions.levels, boundaries.shapes, strict=True)
    return {
        name: dict(zip(regions.ids[regions.tree.level(level)], found, strict=True))
        for level, (name, found) in enumerate(levels)
    }


def write_shapes(path: Path, found: object) -> None:
    text = json.dumps(found, separators=(",", ":"))
    path.write_bytes(gzip.compress(text.encode(), mtime=0))


def build(out: Path, facts: Path | None, *, census: bool) -> None:
    known = HERE if facts is None else out
    if facts is not None:
        write(known / "us_counties.csv", COUNTY_COLUMNS, county_facts(facts))
        municipalities = municipality_facts(facts)
        write(known / "it_municipalities.csv", MUNICIPALITY_COLUMNS, municipalities)
    counties = read(known / "us_counties.csv")
    table = household_table(counties)
    header = ["geoid", *(f"size_{s}" for s in range(model.LAST_SIZE)), "size_15_or_more"]
    rows = ((row["geoid"], *sizes) for row, sizes in zip(counties, table.tolist(), strict=True))
    write(out / "us_households.csv", header, rows)
    if census:
        write_us_boundaries(out, counties)
    italy = shapes_of_italy(read(known / "it_municipalities.csv"))
    write_shapes(out / "it_boundaries.json.gz", italy)


if __name__ == "__main__":
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument(
        "--facts", type=Path, help="folder with the official county and municipality files"
    )
    arguments.add_argument(
        "--census", action="store_true", help="the boundaries of the United States too"
    )
    arguments.add_argument("--out", type=Path, default=HERE, help="folder to write to")
    given = arguments.parse_args()
    build(given.out, given.facts, census=given.census)
