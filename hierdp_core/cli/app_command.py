"""`hierdp` without a command: open the app."""

import argparse
import os
import re
import socket
import sys
from pathlib import Path

from hierdp_core.cli.door import NOBODY, PAGES_HERE
from hierdp_core.cli.serving import Serving, serve
from hierdp_core.cli.words import whole
from hierdp_core.exceptions import ChoiceError
from hierdp_core.settings import Parser

_FIRST_PORT, _PORTS_TRIED = 8501, 100
_LOOPBACK = "127.0.0.1"
_PROXY = re.compile(r"https?://[\w.-]+(:\d+)?(/[\w./-]*)?")

# How the app learns of a ledger or a package, in this process alone.
LEDGER_VARIABLE = "HIERDP_LEDGER"
PACKAGE_VARIABLE, PUBLIC_KEY_VARIABLE = "HIERDP_PACKAGE", "HIERDP_PUBLIC_KEY"
_PACKAGE_PAGE = "package"


def add(parser: Parser) -> None:
    parser.set_defaults(do=_open)
    parser.add_argument("--port", metavar="N", help="where the app listens; the first free one")
    parser.add_argument(
        "--ledger", metavar="FILE", help="show the page Release, for this ledger's owner only"
    )
    parser.add_argument(
        "--package", metavar="PACKAGE", help="show the released numbers of a package with margins"
    )
    parser.add_argument(
        "--public-key", metavar="FILE", help="with --package: it must be signed with this key"
    )
    parser.add_argument("--no-browser", action="store_true", help="do not open a browser")
    parser.add_argument("--window", action="store_true", help="open it in a window of its own")
    parser.add_argument(
        "--full-screen", action="store_true", help="with --window: fill the screen, to present"
    )
    parser.add_argument(
        "--shortcut",
        action="store_true",
        help="put a launcher into your menu and end (untested on Windows and macOS)",
    )
    parser.add_argument(
        "--no-token",
        action="store_true",
        help="let in every program and user of this machine that asks for the port",
    )
    parser.add_argument(
        "--framed",
        action="store_true",
        help="let pages of this machine show the app in a frame, such as a notebook",
    )
    parser.add_argument(
        "--host",
        metavar="ADDRESS",
        help="listen on this address of the machine, for a class on a trusted network",
    )
    parser.add_argument(
        "--proxy",
        metavar="URL",
        help="the address under which a proxy on this machine serves the app; the proxy decides "
        "who comes in",
    )
    parser.add_argument(
        "--paths",
        action="store_true",
        help="let the page Your data read files of this machine by their path",
    )


def _open(flags: argparse.Namespace) -> None:
    if flags.shortcut:
        from hierdp_core.desktop import shortcut

        print(f"The launcher is {shortcut.make()}.")
    elif flags.window:
        _in_window(full_screen=flags.full_screen)
    else:
        _serve(flags)


def _in_window(*, full_screen: bool) -> None:
    from hierdp_core.desktop import server, window

    print("HierDP is getting ready; the first start takes some seconds more.", flush=True)
    running = server.start()
    try:
        window.show(running, full_screen=full_screen, say=print)
    finally:
        running.stop()


def _serve(flags: argparse.Namespace) -> None:
    from hierdp_core.desktop.server import end_with_input

    end_with_input()
    host = flags.host or _LOOPBACK
    serving = Serving(
        script=app_path(),
        host=host,
        port=_free_port(flags.port, host),
        token=not flags.no_token,
        proxy=_checked_proxy(flags.proxy),
        browser=not flags.no_browser and not flags.proxy,
        paths=flags.paths,
        page=_PACKAGE_PAGE if flags.package is not None else "",
        framed_by=PAGES_HERE if flags.framed else NOBODY,
    )
    if flags.framed and (serving.proxy or not serving.here_only or not serving.token):
        raise ChoiceError(
            "--framed is for pages of this machine; leave out --host, --proxy and --no-token."
        )
    _offer_package(flags)
    if flags.ledger is not None:
        if serving.proxy or not serving.here_only or not serving.token:
            raise ChoiceError(
                "--ledger is for its owner on this machine; leave out --host, --proxy and "
                "--no-token."
            )
        os.environ[LEDGER_VARIABLE] = str(_ledger(flags.ledger))
    if serving.paths and (serving.proxy or not serving.here_only):
        raise ChoiceError(
            "--paths is for this machine only; leave out --paths, or leave out --host and --proxy."
        )
    if serving.proxy and not serving.here_only:
        raise ChoiceError("--proxy is for a proxy on this machine; leave out --host.")
    for line in _warnings(serving):
        print(f"hierdp: {line}", file=sys.stderr)
    serve(serving)


def _warnings(serving: Serving) -> list[str]:
    """What a way of serving opens, said before it does."""
    lines = []
    if not serving.here_only:
        who = "that has the address" if serving.token else "that reaches this machine"
        lines.append(
            f"--host {serving.host} opens the app to everyone on the network {who}. Requests are "
            "not encrypted, so others on the network can read them. Use it on a trusted network."
        )
    elif not serving.token and not serving.proxy:
        lines.append(
            "--no-token lets every user and every program of this machine use the app and see "
            "what it may see."
        )
    if serving.paths:
        lines.append("--paths lets the app read every file that you can read.")
    return lines


def _offer_package(flags: argparse.Namespace) -> None:
    """Open a package once before the app starts, so that a bad one is refused here.

    Raises:
        HierdpError: it is no package, or is not as it was released.
    """
    if flags.package is None:
        if flags.public_key is not None:
            raise ChoiceError("--public-key goes with --package.")
        return
    from hierdp_core.releases import open_release

    open_release(flags.package, public_key=flags.public_key)
    os.environ[PACKAGE_VARIABLE] = str(Path(flags.package).resolve())
    if flags.public_key is not None:
        os.environ[PUBLIC_KEY_VARIABLE] = str(Path(flags.public_key).resolve())


def _ledger(file: str) -> Path:
    from hierdp_core.releases import Ledger

    Ledger(file).datasets()
    return Path(file).resolve()


def app_path() -> Path:
    """Return where app.py is: inside an installed package, or beside a checked-out one."""
    here = Path(__file__).resolve().parents[1]
    places = (here / "_app" / "app.py", here.parent / "app.py")
    for place in places:
        if place.is_file():
            return place
    raise ChoiceError(f"The app is missing: no {places[1]}. Install hierdp again.")


def _checked_proxy(address: str | None) -> str:
    if address is None:
        return ""
    if not _PROXY.fullmatch(address):
        raise ChoiceError(
            f'--proxy takes an address such as https://stats.example.org/hierdp; got "{address}".'
        )
    return address.rstrip("/") + "/"


def _free_port(text: str | None, host: str) -> int:
    """Return the port that was asked for, or the first free one."""
    if text is not None:
        port = whole("--port", text, least=1, most=65_535)
        if reason := _why_not(host, port):
            raise ChoiceError(
                f"Port {port} of {host} cannot be used ({reason}); name another, or leave out "
                "--port."
            )
        return port
    ports = range(_FIRST_PORT, _FIRST_PORT + _PORTS_TRIED)
    for port in ports:
        if not (reason := _why_not(host, port)):
            return port
    raise ChoiceError(f"No port from {ports[0]} to {ports[-1]} of {host} can be used ({reason}).")


def _why_not(host: str, port: int) -> str:
    """Return why a port cannot be used; "" where it can."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family) as door:
        door.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            door.bind((host, port))
        except OSError as error:
            return error.strerror or str(error)
    return ""
