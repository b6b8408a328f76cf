"""A county table and a boundary file that the project has never seen, from drop to map."""

import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

Visit = Callable[..., Any]
SECONDS = 60
ROWS, COLUMNS = 4, 6


def write_files(folder: Path) -> list[str]:
    """Zones in a grid, two districts, a semicolon and lost zeros; boundaries with full codes."""
    lines, features = ["district;zone;residents"], []
    for row in range(ROWS):
        for column in range(COLUMNS):
            zone = f"{row}{column}7"
            district = "North" if row < ROWS // 2 else "South"
            lines.append(f"{district};{int(zone)};{100 + 10 * column + row}")
            x, y = 5 + column * 0.3, 47 - row * 0.3
            ring = [[x, y], [x + 0.3, y], [x + 0.3, y - 0.3], [x, y - 0.3], [x, y]]
            geometry = {"type": "Polygon", "coordinates": [ring]}
            named = {"ZONE_ID": str(int(zone)), "label": f"Zone {zone}"}
            features.append({"type": "Feature", "properties": named, "geometry": geometry})
    table, shapes = folder / "zones.csv", folder / "zones.geojson"
    table.write_text("\n".join(lines) + "\n")
    shapes.write_text(json.dumps({"type": "FeatureCollection", "features": features}))
    return [str(table), str(shapes)]


def to_your_data(page: Any) -> None:
    page.get_by_role("link", name="Your data").click()
    page.get_by_role("heading", name="Your data").wait_for()


def test_from_drop_to_map_and_forgotten(visit: Visit, tmp_path: Path) -> None:
    page = visit("/")
    page.locator(".js-plotly-plot").first.wait_for()
    to_your_data(page)
    page.get_by_text("Public: anyone may see them").click()
    start = time.monotonic()
    page.locator("input[type=file]").first.set_input_files(write_files(tmp_path))
    page.get_by_text("The table can be used.").wait_for()
    page.get_by_text("in 2 districts and 24 zones").wait_for()
    page.get_by_role("button", name="Use these data in Overview").click()
    page.wait_for_function(
        """() => [...document.querySelectorAll('.js-plotly-plot')]
            .some(plot => plot.querySelectorAll('.choroplethlayer path').length === 24)"""
    )
    assert time.monotonic() - start < SECONDS
    assert "?" not in page.url
    assert page.locator('[data-testid="stException"]').count() == 0

    to_your_data(page)
    page.get_by_role("button", name="Delete data").click()
    page.get_by_text("In this session:").wait_for(state="detached")
    page.get_by_role("link", name="Overview").click()
    page.get_by_role("heading", name="at ε = 1,").wait_for()
    assert "zones.csv" not in page.locator("body").inner_text()


def test_a_bad_file_is_reported_completely(visit: Visit, tmp_path: Path) -> None:
    bad = tmp_path / "bad.csv"
    bad.write_text("zone;n\na;-1\nb;2,5\nc;\n")
    page = visit("/")
    page.locator(".js-plotly-plot").first.wait_for()
    to_your_data(page)
    page.get_by_text("Synthetic: they describe no real people").click()
    page.locator("input[type=file]").first.set_input_files([str(bad)])
    page.get_by_text("Correct 3 errors before you use the table.").wait_for()
    for row in (2, 3, 4):
        page.get_by_text(f'row {row}, column "n"').wait_for()
    assert page.get_by_role("button", name="Use these data in Overview").count() == 0


def test_a_wrong_guess_is_corrected_on_the_page(visit: Visit, tmp_path: Path) -> None:
    """Houses are taken for the counts; a person chooses the right column, and sees its map."""
    zones, shapes = write_files(tmp_path)
    lines = Path(zones).read_text(encoding="utf-8").splitlines()
    rows = [f"{line};{k % 7 + 2}" for k, line in enumerate(lines[1:])]
    head = "district;zone;population;tenants"
    Path(zones).write_text("\n".join([head, *rows]) + "\n")
    page = visit("/")
    page.locator(".js-plotly-plot").first.wait_for()
    to_your_data(page)
    page.get_by_text("Public: anyone may see them").click()
    page.locator("input[type=file]").first.set_input_files([zones, shapes])
    page.get_by_text("The table can be used.").wait_for()
    page.get_by_text("3,036 people").wait_for()
    role = page.get_by_role("combobox", name="tenants")
    page.get_by_role("button", name="Use these data in Overview").wait_for()
    role.click()
    page.locator("li", has_text="Not used").wait_for()
    role.press_sequentially("Counts", delay=50)
    page.locator("li", has_text="Area, level 1").wait_for(state="detached")
    role.press("Enter")
    page.get_by_text("114 people").wait_for()
    page.locator('[data-test-script-state="notRunning"]').wait_for()
    page.get_by_role("button", name="Use these data in Overview").click()
    page.get_by_role("heading", name="at ε = 1").wait_for()
    page.wait_for_function(
        """() => [...document.querySelectorAll('.js-plotly-plot')]
            .some(plot => plot.querySelectorAll('.choroplethlayer path').length === 24)"""
    )
    assert page.locator('[data-testid="stException"]').count() == 0
