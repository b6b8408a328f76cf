"""How long a visitor waits on Overview, in a real browser (needs Chromium and the extra `browser`).

    .venv/bin/pytest -n0 -s tests/benchmarks/test_overview_speed.py

Times vary with the machine: they are printed, and not held to the bars of the design
(first chart from a cold start 5 s, a changed control 1 s, 100 simulations 10 s).
"""

import socket
import subprocess
import sys
import urllib.error
import urllib.request
from time import perf_counter, sleep

import pytest

CHROMIUM = "/usr/bin/chromium"
ARGUMENTS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--no-first-run"]
COUNTIES = 3143
DRAWN = """n => [...document.querySelectorAll('.js-plotly-plot')]
    .some(plot => plot.querySelectorAll('.choroplethlayer path').length >= n)"""


def started():
    """A fresh server of the installed command, and its address."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    code = "from hierdp_core.cli import main; main()"
    arguments = ["--no-browser", "--no-token", "--port", str(port)]
    server = subprocess.Popen(
        [sys.executable, "-c", code, *arguments],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    address = f"http://127.0.0.1:{port}"
    while True:
        try:
            urllib.request.urlopen(address + "/_stcore/health", timeout=1)
        except (urllib.error.URLError, OSError):
            assert server.poll() is None, "the server stopped"
            sleep(0.02)
        else:
            return server, address


@pytest.mark.parametrize("round", [1, 2, 3])
def test_how_long_explore_takes(round):
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        page = browser.new_page(viewport={"width": 1400, "height": 1000})
        page.set_default_timeout(120_000)
        begun = perf_counter()
        server, address = started()
        try:
            times = {"server up": perf_counter() - begun}
            opened = perf_counter()
            page.goto(address)
            page.wait_for_function(DRAWN, arg=1)
            times["page open to first map"] = perf_counter() - opened
            times["command to first map"] = perf_counter() - begun
            page.wait_for_function(DRAWN, arg=COUNTIES)
            times["page open to the map of counties"] = perf_counter() - opened
            page.get_by_text("100 of 100 simulated releases complete").wait_for()
            times["page open to 100 simulations"] = perf_counter() - opened

            box = page.get_by_label("ε =", exact=True)
            box.fill("0.5")
            changed = perf_counter()
            box.press("Enter")
            page.get_by_role("heading", name="ε = 0.5").wait_for()
            times["changed ε to its headline"] = perf_counter() - changed
            # The old status stand until the new simulations begin.
            page.get_by_role("button", name="Stop").wait_for()
            page.get_by_text("100 of 100 simulated releases complete").wait_for()
            times["changed ε to 100 simulations"] = perf_counter() - changed
        finally:
            server.terminate()
            server.wait(20)
            browser.close()
    print()
    for what, seconds in times.items():
        print(f"{what:36s} {seconds:5.1f} s")
    assert all(seconds > 0 for seconds in times.values())
