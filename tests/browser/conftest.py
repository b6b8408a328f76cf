"""The app in a real browser: a server of its own, Chromium without any network."""

import os
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
CHROMIUM = ("/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome")
ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--enable-unsafe-swiftshader",
]
START_SECONDS = 60


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.browser)


class Serving:
    """A server of the app as the command starts it, and the cookie that its token was good for."""

    def __init__(self, **environment: str) -> None:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        self.base = f"http://127.0.0.1:{port}"
        self.process = subprocess.Popen(
            [sys.executable, "-m", "hierdp_core", "--no-browser", "--port", str(port)],
            cwd=ROOT,
            env={**os.environ, **environment},
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        until = time.monotonic() + START_SECONDS
        self.cookie = self._cookie()
        while not self._healthy():
            assert time.monotonic() < until, "the app did not start"
            time.sleep(0.1)

    def _cookie(self) -> dict[str, str]:
        """The cookie that the first address hands out, as a browser keeps it."""
        assert self.process.stdout is not None
        first = next(line.split()[-1] for line in self.process.stdout if "?token=" in line)
        with urllib.request.urlopen(first, timeout=START_SECONDS) as answer:
            name, _, rest = answer.headers["set-cookie"].partition("=")
        value = rest.partition(";")[0]
        return {"name": name, "value": value, "url": self.base, "sameSite": "Strict"}

    def _healthy(self) -> bool:
        try:
            with urllib.request.urlopen(self.base + "/_stcore/health", timeout=1) as answer:
                return bool(answer.status == 200)
        except OSError:
            return False

    def stop(self) -> None:
        self.process.terminate()
        self.process.wait(20)
        assert self.process.stdout is not None
        self.process.stdout.close()


@pytest.fixture(scope="session")
def serving() -> Iterator[Serving]:
    server = Serving()
    yield server
    server.stop()


@pytest.fixture
def serving_no_files() -> Iterator[Serving]:
    server = Serving(STREAMLIT_SERVER_ENABLE_STATIC_SERVING="false")
    yield server
    server.stop()


@pytest.fixture(scope="session")
def chromium() -> Iterator[Any]:
    sync_api = pytest.importorskip("playwright.sync_api")
    found = next((path for path in CHROMIUM if Path(path).exists()), None)
    if found is None:
        pytest.skip("no Chromium on this machine")
    with sync_api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=found, args=ARGUMENTS)
        yield browser
        browser.close()


@pytest.fixture
def visit(serving: Serving, chromium: Any) -> Iterator[Callable[..., Any]]:
    """Open an address: `visit("/zoom?sample=us-population", width=420)` gives the page.

    At the end no request may have left this machine, and no error stand in the console. The
    policy against scripts is off unless `policy` is set: the waits of Playwright are such scripts.
    """
    contexts, outside, errors = [], [], []

    def visited(
        path: str = "/",
        *,
        width: int = 1400,
        height: int = 1000,
        dark: bool = False,
        policy: bool = False,
    ) -> Any:
        context = chromium.new_context(
            viewport={"width": width, "height": height},
            color_scheme="dark" if dark else "light",
            bypass_csp=not policy,
        )
        contexts.append(context)
        context.add_cookies([serving.cookie])
        page = context.new_page()
        page.set_default_timeout(60_000)
        page.on("request", lambda request: _note(request.url, outside))
        page.on("pageerror", lambda error: errors.append(str(error)))
        page.goto(serving.base + path)
        return page

    yield visited
    for context in contexts:
        context.close()
    assert not outside, f"requests left this machine: {outside}"
    assert not errors


def _note(url: str, outside: list[str]) -> None:
    if not url.startswith(("http://127.0.0.1:", "ws://127.0.0.1:", "data:", "blob:")):
        outside.append(url)
