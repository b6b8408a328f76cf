"""`hierdp` without a command: open the app."""

import argparse
import os
import socket
from contextlib import suppress
from pathlib import Path

from hierdp_core.cli.words import whole
from hierdp_core.exceptions import ChoiceError
from hierdp_core.settings import Parser, Settings

LEDGER_VARIABLE = "HIERDP_LEDGER"  # how the app learns of the ledger, in this process alone


def add(parser: Parser) -> None:
    parser.set_defaults(do=_open)
    parser.add_argument("--port", metavar="N", help="where the app listens on 127.0.0.1")
    parser.add_argument(
        "--ledger", metavar="FILE", help="show the page Release, for this ledger's owner only"
    )
    parser.add_argument("--no-browser", action="store_true", help="do not open a browser")


def _open(flags: argparse.Namespace) -> None:
    app, port = app_path(), []
    if flags.port is not None:
        port = [f"--server.port={_free_port(flags.port)}"]
    if flags.ledger is not None:
        os.environ[LEDGER_VARIABLE] = str(_ledger(flags.ledger))

    _get_ready()
    with suppress(OSError):  # boundaries come in here; without it the server starts with a warning
        (app.parent / "static").mkdir(exist_ok=True)

    from streamlit.runtime.pages_manager import PagesManager
    from streamlit.web import cli as streamlit

    # The folder pages/ would switch on Streamlit's older navigation beside ours, for one
    # wrong message on the first deep link.
    PagesManager.uses_pages_directory = False
    streamlit.main(
        [
            "run",
            str(app),
            "--server.address=127.0.0.1",
            "--browser.gatherUsageStats=false",
            "--server.showEmailPrompt=false",
            f"--server.headless={'true' if flags.no_browser else 'false'}",
            *port,
        ],
        prog_name="hierdp",
        standalone_mode=False,
    )


def _ledger(file: str) -> Path:
    from hierdp_core.releases import Ledger

    Ledger(file).datasets()
    return Path(file).resolve()


def app_path() -> Path:
    """Where app.py is: inside an installed package, or beside a checked-out one."""
    here = Path(__file__).resolve().parents[1]
    places = (here / "_app" / "app.py", here.parent / "app.py")
    for place in places:
        if place.is_file():
            return place
    raise ChoiceError(f"The app is missing: no {places[1]}. Install hierdp again.")


def _get_ready() -> None:
    """Load and compile what the first page needs, before anybody waits for it.

    Not beside the server: two threads that import the same libraries meet half of them.
    """
    import hierdp_core.figures  # noqa: F401
    from hierdp_core import mechanisms, samples

    print("HierDP is getting ready; the first start takes some seconds more.", flush=True)
    sample = samples.load(Settings().sample)
    sample.boundaries.level(sample.table.tree.n_levels - 1)
    mechanisms.warm_up(mechanisms.names(sample.kind)[0])


def _free_port(text: str) -> int:
    port = whole("--port", text, least=1, most=65_535)
    with socket.socket() as door:
        door.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            door.bind(("127.0.0.1", port))
        except OSError as error:
            raise ChoiceError(
                f"Port {port} cannot be used ({error.strerror}); name another, or leave out --port."
            ) from None
    return port
