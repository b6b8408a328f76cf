"""The server of the app: Streamlit's, with HierDP's access control.

Streamlit collects garbage after every run of a script and of each part of a page, which delays all
visitors. Here everything is loaded once and left out of collections, which then cost little and
run once a minute.
"""

import asyncio
import contextlib
import ctypes
import gc
import logging
import os
import signal
import sys
import webbrowser
from collections.abc import AsyncIterator
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from pathlib import Path
from threading import Event, Thread
from typing import Any
from urllib.parse import urlsplit

from hierdp_core.cli.door import (
    NOBODY,
    THIS_MACHINE,
    App,
    Door,
    Pass,
    Receive,
    Scope,
    Send,
    origin_of,
)
from hierdp_core.exceptions import HierdpError
from hierdp_core.readers.limits import PATHS
from hierdp_core.settings import Settings
from hierdp_core.util import temporary

# Read here, since Streamlit prefers its configuration file to this variable.
_STATIC = "STREAMLIT_SERVER_ENABLE_STATIC_SERVING"
_EVERY = 60.0  # seconds between two collections
_ARENAS = -8  # glibc: M_ARENA_MAX
# Libraries that the first page would load while someone waits for it.
FIRST_PAGE_MODULES = (
    "streamlit.emojis",
    "streamlit.material_icon_names",
    "PIL.Image",
    "hierdp_core.writers.notebook",
    "hierdp_core.writers.takeaway",
)
# Libraries that other pages would load: of the privacy account, of fits, of charts and of packages.
OTHER_PAGES_MODULES = (
    "dp_accounting.pld.pld_pmf",
    "scipy.signal",
    "scipy.optimize",
    "scipy.stats",
    "plotly.graph_objects",
    "hierdp_core.releases",
)
_FIRST_PAGE_SECONDS = 5.0  # seconds that a browser needs for the first page


@dataclass(frozen=True, kw_only=True)
class Serving:
    """How the app is served.

    Attributes:
        script: the path of app.py.
        host: the address to listen on.
        port: the port to listen on.
        token: whether to require the cookie that the first address sets.
        proxy: the address under which a proxy serves the app; "" for none.
        browser: whether to open a browser.
        paths: whether visitors can name files of this machine.
        framed_by: pages that may show the app in a frame, as a CSP names them.
        page: the path of the page that is shown first; "" for the default one.
    """

    script: Path
    host: str = "127.0.0.1"
    port: int = 8501
    token: bool = True
    proxy: str = ""
    browser: bool = True
    paths: bool = False
    framed_by: str = NOBODY
    page: str = ""

    @property
    def here_only(self) -> bool:
        """Whether only this machine reaches the app."""
        return self.host in THIS_MACHINE

    @property
    def address(self) -> str:
        """The first address, without its token."""
        if self.proxy:
            return self.proxy
        host = "127.0.0.1" if self.here_only else self.host
        return f"http://{host}:{self.port}/"

    @property
    def entry(self) -> Pass | None:
        """The token and its cookies; a class shares one token."""
        if not self.token or self.proxy:
            return None
        return Pass(cookie=f"hierdp-{self.port}", many=not self.here_only)

    @property
    def hosts(self) -> tuple[str, ...]:
        """The names that the server answers to; empty for any, if other machines have access."""
        if self.proxy:
            return (*THIS_MACHINE, urlsplit(self.proxy).hostname or "")
        return THIS_MACHINE if self.here_only else ()

    def door(
        self, entry: Pass | None, *, page: str = "", early: tuple[str, ...] = ()
    ) -> "partial[Door]":
        """Return a function that puts the door before an ASGI app.

        Args:
            entry: the token and its cookies; None for none.
            page: the HTML of the app's page.
            early: scripts that the browser fetches with the page.
        """
        origins = (origin_of(self.proxy),) if self.proxy else ()
        how: dict[str, Any] = {"entry": entry, "hosts": self.hosts, "origins": origins}
        return partial(Door.before, **how, framed_by=self.framed_by, page=page, early=early)

    @property
    def options(self) -> dict[str, Any]:
        """The settings of Streamlit in addition to its configuration file."""
        return {
            "server.address": self.host,
            "server.port": self.port,
            "server.headless": True,
            "server.showEmailPrompt": False,
            "server.enableStaticServing": os.environ.get(_STATIC, "true") != "false",
            "server.baseUrlPath": urlsplit(self.proxy).path.strip("/"),
            # The door checks the names in all requests.
            "server.allowedHosts": ["*"],
            "browser.gatherUsageStats": False,
            "runner.postScriptGC": False,
        }


def serve(serving: Serving) -> None:
    """Serve the app until the process is told to end."""
    with contextlib.suppress(OSError, AttributeError):  # glibc: fewer arenas return more memory
        ctypes.CDLL(None).mallopt(_ARENAS, 2)
    temporary.sweep()
    _load()
    with contextlib.suppress(OSError):  # for boundaries; Streamlit warns if it is missing
        (serving.script.parent / "static").mkdir(exist_ok=True)
    if serving.paths:
        os.environ[PATHS] = "1"

    import streamlit
    from starlette.middleware import Middleware
    from streamlit import net_util
    from streamlit.runtime.pages_manager import PagesManager
    from streamlit.web import bootstrap

    # Because of the folder pages/, Streamlit would also start its older navigation, which shows a
    # wrong message on the first deep link.
    PagesManager.uses_pages_directory = False
    # On a request with an unknown origin, Streamlit would look up its own address on the internet.
    net_util._external_ip = net_util._internal_ip = "127.0.0.1"
    # Streamlit would print an address without the token.
    bootstrap._print_url = lambda **_: None
    logging.getLogger("streamlit.runtime.app_session").setLevel(logging.WARNING)

    static = Path(streamlit.__file__).parent / "static"
    html = static / "index.html"
    page = html.read_text(encoding="utf-8") if html.is_file() else ""
    entry = serving.entry
    is_ready = Event()
    door = serving.door(entry, page=page, early=(*chart_scripts(static), *code_scripts(static)))
    app = streamlit.App(
        serving.script,
        lifespan=partial(_lifespan, serving, entry, is_ready),
        middleware=[Middleware(door), Middleware(partial(Waiting.before, is_ready=is_ready))],
    )
    sys.argv = [str(serving.script)]  # beside it lies the configuration file
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    app.run(config=serving.options)


@dataclass(frozen=True, eq=False, kw_only=True)
class Waiting:
    """ASGI middleware that passes requests to an app at once, and sessions when it is ready.

    Attributes:
        app: the app behind it.
        is_ready: set when everything that a session needs is loaded.
    """

    app: App
    is_ready: Event

    @classmethod
    def before(cls, app: App, **how: Any) -> "Waiting":
        """Return the middleware, for a framework that passes the app by position."""
        return cls(app=app, **how)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request to the app; a session waits until everything is ready."""
        if scope["type"] == "websocket" and not self.is_ready.is_set():
            await asyncio.to_thread(self.is_ready.wait)
        await self.app(scope, receive, send)


def chart_scripts(static: Path) -> tuple[str, ...]:
    """Return the path of the script that draws charts, as the page writes such paths.

    It is by far the largest script, and the browser would fetch it only for the first chart.
    """
    return _scripts(static, "PlotlyChart")


def code_scripts(static: Path) -> tuple[str, ...]:
    """Return the paths of the scripts of code and of tables, the next largest."""
    return (*_scripts(static, "StreamlitSyntaxHighlighter"), *_scripts(static, "DataFrame"))


def _scripts(static: Path, name: str) -> tuple[str, ...]:
    scripts = sorted(static.glob(f"static/js/{name}.*.js"))
    return tuple(f"./{path.relative_to(static).as_posix()}" for path in scripts)


@contextlib.asynccontextmanager
async def _lifespan(
    serving: Serving, entry: Pass | None, is_ready: Event, _: object
) -> AsyncIterator[None]:
    Thread(target=get_ready, args=(is_ready,), name="getting ready", daemon=True).start()
    logging.getLogger("uvicorn.error").setLevel(logging.WARNING)
    first = serving.address + serving.page + (f"?token={entry.token}" if entry else "")
    print(f"HierDP is at {first}", flush=True)
    if serving.browser:
        await asyncio.to_thread(webbrowser.open, first)
    keeping = asyncio.create_task(_keep_small())
    loading = asyncio.create_task(_load_the_rest())
    try:
        yield
    finally:
        keeping.cancel()
        loading.cancel()


async def _load_the_rest() -> None:
    """Load the libraries of other pages one by one, after the first page."""
    await asyncio.sleep(_FIRST_PAGE_SECONDS)
    for name in OTHER_PAGES_MODULES:
        with contextlib.suppress(ImportError):
            await asyncio.to_thread(import_module, name)


async def _keep_small() -> None:
    """Free the memory of past sessions from time to time."""
    await asyncio.sleep(_EVERY)
    await asyncio.to_thread(leave_out)
    while True:
        await asyncio.to_thread(give_back)
        await asyncio.sleep(_EVERY)


def leave_out() -> None:
    """Collect garbage once, and leave everything that is loaded out of later collections."""
    gc.unfreeze()
    gc.collect()
    gc.freeze()


def give_back() -> None:
    """Collect garbage and return freed memory to the system."""
    gc.collect()
    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL(None).malloc_trim(0)


def _load() -> None:
    """Load the libraries before anyone waits for a page.

    Not in parallel with the server, since two threads that import a library can find it half
    loaded.
    """
    print("HierDP is starting. The first start takes a few seconds longer.", flush=True)
    gc.disable()  # loading leaves no garbage
    import hierdp_core.figures
    import hierdp_core.samples  # noqa: F401


def get_ready(is_ready: Event) -> None:
    """Prepare what the first page needs, while the browser fetches the scripts of the app.

    Errors are ignored here, since they occur again in the page, which shows them.
    """
    try:
        with contextlib.suppress(HierdpError):
            _prepare(Settings().sample)
        for name in FIRST_PAGE_MODULES:
            with contextlib.suppress(ImportError):
                import_module(name)
    finally:
        gc.enable()
        is_ready.set()


def _prepare(id: str) -> None:
    from hierdp_core import mechanisms, samples

    sample = samples.load(id)
    for level in range(sample.table.tree.n_levels):
        sample.boundaries.static_name(level)
    mechanisms.warm_up(mechanisms.names(sample.kind)[0])
    gc.freeze()
