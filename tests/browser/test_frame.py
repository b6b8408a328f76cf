"""The app in a frame of a page of this machine, as a notebook shows it; other pages get none."""

import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pandas as pd
import pytest

import hierdp_core as hdp

pytestmark = pytest.mark.browser


@pytest.fixture
def notebook() -> Iterator[Any]:
    """A server of pages that hold what a cell shows."""

    class Page(BaseHTTPRequestHandler):
        shown = ""

        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("content-type", "text/html")
            self.end_headers()
            self.wfile.write(Page.shown.encode())

        def log_message(self, *_: object) -> None:
            """Nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Page)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield Page, server.server_port
    server.shutdown()
    server.server_close()


@pytest.mark.parametrize("name", ["localhost", "127.0.0.1"])
def test_a_cell_holds_the_app_on_its_table(chromium: Any, notebook: Any, name: str) -> None:
    frame = pd.DataFrame({"state": ["Aland", "Bland"], "people": [70, 90]})
    table = hdp.Counts.from_frame(frame, levels="state", count="people")
    page_class, port = notebook
    opened = hdp.app(table, frame=True)
    context = chromium.new_context()
    try:
        page_class.shown = opened._repr_html_()
        page = context.new_page()
        page.goto(f"http://{name}:{port}/")
        inside = page.frame_locator("iframe")
        inside.get_by_role("heading", level=1).first.wait_for(timeout=90_000)
        inside.get_by_text("Aland").first.wait_for(timeout=30_000, state="attached")
        assert any(one.url.startswith(f"http://{name}:") for one in page.frames[1:])
    finally:
        context.close()
        opened.stop()
