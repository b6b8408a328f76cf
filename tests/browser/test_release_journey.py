"""A release in a browser by the owner of a ledger, and the package as its readers see it."""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import hierdp_core as hdp
from hierdp_core.releases import Ledger

COUNTS = {"a1": 48_611, "a2": 17_203, "b1": 230_977}
SETTINGS = """
mechanism = "tree-dp"
epsilon = "0.01"
title = "Parishes"

[columns]
kind = "counts"
row = "region"
levels = ["district", "parish"]
count = "people"
"""


@pytest.fixture
def desk(tmp_path: Path) -> Path:
    """A folder with a table, a list of areas, settings and a ledger."""
    rows = [f"{parish[0]},{parish},{count}" for parish, count in COUNTS.items()]
    (tmp_path / "table.csv").write_text("\n".join(["district,parish,people", *rows]) + "\n")
    (tmp_path / "regions.csv").write_text("district,parish\na,a1\na,a2\nb,b1\n")
    (tmp_path / "settings.toml").write_text(SETTINGS)
    Ledger(tmp_path / "agency.db").add_dataset("pop", epsilon=1)
    return tmp_path


class Started:
    """The app as the command starts it with these words."""

    def __init__(self, *words: str) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "hierdp_core", "--no-browser", *words],
            env=dict(os.environ),
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        assert self.process.stdout is not None
        self.first = next(line.split()[-1] for line in self.process.stdout if "?token=" in line)

    def stop(self) -> None:
        self.process.terminate()
        self.process.wait(20)
        assert self.process.stdout is not None
        self.process.stdout.close()


@pytest.fixture
def page(chromium: Any) -> Iterator[Any]:
    context = chromium.new_context(viewport={"width": 1400, "height": 1000}, bypass_csp=True)
    opened = context.new_page()
    opened.set_default_timeout(60_000)
    yield opened
    context.close()


def no_true_number(page: Any) -> bool:
    text = page.locator("body").inner_text()
    return not any(f"{n:,}" in text or str(n) in text for n in COUNTS.values())


def test_an_owner_releases_and_a_reader_opens_the_package(desk: Path, page: Any) -> None:
    app = Started("--ledger", str(desk / "agency.db"))
    try:
        page.goto(app.first)
        page.get_by_role("link", name="Release", exact=True).click()
        page.get_by_role("heading", name="Release", exact=True).wait_for()
        for label, file in (
            ("Settings file", "settings.toml"),
            ("Table", "table.csv"),
            ("List of areas (unless in the settings file)", "regions.csv"),
            ("Package (optional)", "package"),
        ):
            page.get_by_label(label, exact=True).fill(str(desk / file))
        page.get_by_label("The plan was chosen on", exact=True).click()
        page.get_by_role("option", name="Public data").click()
        page.get_by_role("button", name="Check the plan").click()
        page.get_by_role("heading", name="The plan and its cost").wait_for()
        assert no_true_number(page)
        assert Ledger(desk / "agency.db").account("pop").spent == 0
        page.get_by_label("To release, type the name of the dataset, “pop”.").fill("pop")
        page.get_by_label("To release, type the name of the dataset, “pop”.").press("Enter")
        page.get_by_role("button", name="Release", exact=True).click()
        page.get_by_text("The package is in").wait_for()
        assert no_true_number(page)
    finally:
        app.stop()
    assert float(Ledger(desk / "agency.db").account("pop").spent) == 0.01
    released = hdp.open_release(desk / "package").tables["parish"]

    app = Started("--package", str(desk / "package"))
    try:
        page.goto(app.first)
        page.get_by_role("heading", name="Published release").wait_for()
        first = released.iloc[0]
        page.get_by_text(f"with a margin of error of {first['margin']:,}").wait_for()
        page.get_by_role("heading", name="Certificate").wait_for()
        assert page.get_by_role("link", name="Release", exact=True).count() == 0
        assert page.locator('[data-testid="stException"]').count() == 0
    finally:
        app.stop()
