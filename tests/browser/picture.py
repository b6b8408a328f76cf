"""Take the README's picture again: `.venv/bin/python tests/browser/picture.py`."""

from pathlib import Path

from hierdp_core.desktop import server

PICTURE = Path(__file__).resolve().with_name("overview.png")
CHROMIUM = "/usr/bin/chromium"
SIZE = {"width": 1400, "height": 1130}
COMPLETE = "100 of 100 simulated releases complete"


def main() -> None:
    from playwright.sync_api import sync_playwright  # only this needs it

    app = server.start()
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=CHROMIUM, args=["--no-sandbox", "--disable-gpu"]
        )
        page = browser.new_page(viewport=SIZE)
        page.goto(app.entry)
        page.get_by_text(COMPLETE).first.wait_for(timeout=120_000)
        page.locator('[data-test-script-state="notRunning"]').wait_for()
        page.screenshot(path=str(PICTURE))
        browser.close()
    app.stop()
    print(f"Saved {PICTURE}")


if __name__ == "__main__":
    main()
