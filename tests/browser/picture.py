"""Make the README's picture anew: `.venv/bin/python tests/browser/picture.py`."""

import re
import socket
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

HERE = Path(__file__).resolve().parent
PICTURE = HERE / "overview.png"
CHROMIUM = "/usr/bin/chromium"
SIZE = {"width": 1400, "height": 1130}


def main() -> None:
    from playwright.sync_api import sync_playwright  # only this needs it

    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    address = f"http://127.0.0.1:{port}"
    command = [sys.executable, "-m", "streamlit", "run", "app.py", "--server.headless=true"]
    server = subprocess.Popen([*command, f"--server.port={port}"], cwd=HERE.parents[1])
    try:
        for _ in range(300):
            try:
                urllib.request.urlopen(address + "/_stcore/health", timeout=1)
                break
            except OSError:
                time.sleep(0.1)
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(
                executable_path=CHROMIUM, args=["--no-sandbox", "--disable-gpu"]
            )
            page = browser.new_page(viewport=SIZE)
            page.goto(address)
            page.get_by_text(re.compile("100 of 100 simulated releases complete")).wait_for()
            page.locator('[data-test-script-state="notRunning"]').wait_for()  # the last redraw
            page.screenshot(path=str(PICTURE))
            browser.close()
    finally:
        server.terminate()
        server.wait(20)
    print(f"written: {PICTURE}")


if __name__ == "__main__":
    main()
