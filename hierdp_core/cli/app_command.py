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
from hierdp_core.desktop import offered
from hierdp_core.exceptions import ChoiceError
from hierdp_core.settings import Parser
from hierdp_core.util.text import paragraph

_FIRST_PORT, _PORTS_TRIED = 8501, 100
_LOOPBACK = "127.0.0.1"
_PROXY = re.compile(r"https?://[\w.-]+(:\d+)?(/[\w./-]*)?")

_PACKAGE_PAGE, _RESULT_PAGE = "package", "result"
_HANDED_ON = ("ledger", "package", "public_key", "result", "table", "paths")  # to the window's app
_ON_A_NETWORK = (
    "Requests are not encrypted, so others on the network can read them. Use it on a trusted "
    "network."
)
_OTHER_HOST = "Give --host an address of this machine."
_NOT_IN_A_WINDOW = ("host", "proxy", "no_token", "framed")


def add(parser: Parser) -> None:
    parser.set_defaults(do=_open)
    parser.add_argument(
        "--port",
        metavar="N",
        help=f"port on which the app listens (default: the first free one from {_FIRST_PORT} on)",
    )
    parser.add_argument(
        "--ledger",
        metavar="FILE",
        help="show the page Release for this ledger (not with --host, --proxy or --no-token)",
    )
    parser.add_argument(
        "--package",
        metavar="PACKAGE",
        help="show the released numbers of a package, with their margins of error",
    )
    parser.add_argument(
        "--public-key",
        metavar="FILE",
        help="with --package: require that the package was signed with the private key of this "
        "public key",
    )
    parser.add_argument(
        "--result",
        metavar="DIR",
        help="show areas of a simulation in parts, written by `hierdp parts simulate`, or of a "
        "package of a release (not with --host, --proxy or --no-token)",
    )
    parser.add_argument(
        "--table",
        metavar="DIR",
        help="with --result, for a simulation: the exact table, written by `hierdp parts write`",
    )
    parser.add_argument("--no-browser", action="store_true", help="do not open a browser")
    parser.add_argument(
        "--window",
        action="store_true",
        help="open the app in its own window (not with --host, --proxy, --no-token or --framed)",
    )
    parser.add_argument(
        "--full-screen",
        action="store_true",
        help="with --window: fill the screen, for presentations",
    )
    parser.add_argument(
        "--shortcut",
        action="store_true",
        help="add a launcher to your menu and exit (untested on Windows and macOS)",
    )
    parser.add_argument(
        "--no-token",
        action="store_true",
        help="admit every program and user of this machine that connects to the port",
    )
    parser.add_argument(
        "--framed",
        action="store_true",
        help="allow pages of this machine, such as a notebook, to show the app in a frame (not "
        "with --host, --proxy or --no-token)",
    )
    parser.add_argument(
        "--host",
        metavar="ADDRESS",
        help="listen on this address of the machine, for a class on a trusted network",
    )
    parser.add_argument(
        "--proxy",
        metavar="URL",
        help="address under which a proxy on this machine serves the app and controls access to it",
    )
    parser.add_argument(
        "--paths",
        action="store_true",
        help="allow the page Your data to read files of this machine by their path (not with "
        "--host or --proxy)",
    )


def _open(flags: argparse.Namespace) -> None:
    if flags.shortcut:
        from hierdp_core.desktop import shortcut

        print(f"The launcher was written to {shortcut.make()}.")
    elif flags.window:
        _in_window(flags)
    elif flags.full_screen:
        raise ChoiceError("--full-screen requires --window. Add --window.")
    else:
        _serve(flags)


def _in_window(flags: argparse.Namespace) -> None:
    from hierdp_core.desktop import server, window

    for name in _NOT_IN_A_WINDOW:
        if getattr(flags, name):
            raise ChoiceError(
                f"{_flag(name)} is for browsers, not for a window. Leave it out, or leave out "
                "--window."
            )
    _offered(flags)  # reports invalid options here, since a window has no terminal
    port = None if flags.port is None else _free_port(flags.port, _LOOPBACK)
    print("HierDP is starting. The first start takes a few seconds longer.", flush=True)
    running = server.start(port=port, options=_handed_on(flags))
    try:
        window.show(running, full_screen=flags.full_screen, say=print)
    finally:
        running.stop()


def _handed_on(flags: argparse.Namespace) -> list[str]:
    """Return the options with which the app of a window is started."""
    words: list[str] = []
    for name in _HANDED_ON:
        value = getattr(flags, name)
        if value is not None and value is not False:
            words += [_flag(name)] if value is True else [_flag(name), value]
    return words


def _flag(name: str) -> str:
    return "--" + name.replace("_", "-")


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
        page=_first_page(flags),
        framed_by=PAGES_HERE if flags.framed else NOBODY,
    )
    if flags.framed and (serving.proxy or not serving.here_only or not serving.token):
        raise ChoiceError(
            "--framed is for pages of this machine. Leave out --host, --proxy and --no-token."
        )
    for name in ("ledger", "result"):
        if getattr(flags, name) is not None and (
            serving.proxy or not serving.here_only or not serving.token
        ):
            raise ChoiceError(
                f"--{name} is only for the owner of the file on this machine. Leave out --host, "
                "--proxy and --no-token."
            )
    os.environ.update(_offered(flags))
    if serving.paths and (serving.proxy or not serving.here_only):
        raise ChoiceError(
            "--paths is for this machine only. Leave out --paths, or leave out --host and --proxy."
        )
    if serving.proxy and not serving.here_only:
        raise ChoiceError("--proxy is for a proxy on this machine. Leave out --host.")
    for line in _warnings(serving):
        print(f"hierdp: {line}", file=sys.stderr)
    serve(serving)


def _warnings(serving: Serving) -> list[str]:
    """Return warnings about who gets access to the app and its files."""
    lines = []
    if not serving.here_only:
        whom = (
            f"--host {serving.host} opens the app to everyone on the network who has the address."
            if serving.token
            else f"--host {serving.host} opens the app to everyone who can reach this machine."
        )
        lines.append(paragraph(whom, _ON_A_NETWORK))
    elif not serving.token and not serving.proxy:
        lines.append(
            "--no-token lets every user and every program of this machine use the app and see "
            "the data in it."
        )
    if serving.paths:
        lines.append("--paths lets the app read every file that you can read.")
    return lines


def _first_page(flags: argparse.Namespace) -> str:
    if flags.package is not None:
        return _PACKAGE_PAGE
    return _RESULT_PAGE if flags.result is not None else ""


def _offered(flags: argparse.Namespace) -> dict[str, str]:
    """Open every file that the options name before the app starts, so that errors appear here.

    Returns:
        the environment variables that pass the files to the app.

    Raises:
        HierdpError: an option has no valid value, or requires another that is missing.
    """
    for name, needed in (("public_key", "package"), ("table", "result")):
        if getattr(flags, name) is not None and getattr(flags, needed) is None:
            raise ChoiceError(
                f"{_flag(name)} requires {_flag(needed)}. Add {_flag(needed)}, or leave out "
                f"{_flag(name)}."
            )
    settings: dict[str, str | None] = {}
    if flags.package is not None:
        from hierdp_core.releases import open_release

        open_release(flags.package, public_key=flags.public_key)
        settings |= {offered.PACKAGE: flags.package, offered.PUBLIC_KEY: flags.public_key}
    if flags.result is not None:
        _require_result(flags.result, flags.table)
        settings |= {offered.RESULT: flags.result, offered.RESULT_TABLE: flags.table}
    if flags.ledger is not None:
        from hierdp_core.releases import Ledger

        Ledger(flags.ledger).datasets()
        settings[offered.LEDGER] = flags.ledger
    return {name: str(Path(path).resolve()) for name, path in settings.items() if path is not None}


def _require_result(folder: str, table: str | None) -> None:
    """Require a folder with a simulation in parts or, if no table is named, with a package.

    Raises:
        HierdpError: the folder has neither.
    """
    from hierdp_core.releases import open_release
    from hierdp_core.releases.parts.looking import RELEASED_ALONE, is_package, read_released_area
    from hierdp_core.scale import read_area

    if not is_package(folder):
        read_area(folder, table=table)
    elif table is not None:
        raise ChoiceError(RELEASED_ALONE.format(path=folder))
    else:
        read_released_area(open_release(folder))


def app_path() -> Path:
    """Return the path of app.py, which is in an installed package or beside a checked-out one."""
    here = Path(__file__).resolve().parents[1]
    places = (here / "_app" / "app.py", here.parent / "app.py")
    for place in places:
        if place.is_file():
            return place
    raise ChoiceError(f"The app is missing: there is no {places[1]}. Install HierDP again.")


def _checked_proxy(address: str | None) -> str:
    if address is None:
        return ""
    if not _PROXY.fullmatch(address):
        raise ChoiceError(
            f'--proxy takes an address such as https://stats.example.org/hierdp; got "{address}". '
            "Give the whole address."
        )
    return address.rstrip("/") + "/"


def _free_port(text: str | None, host: str) -> int:
    """Return the port that was asked for, or the first free one."""
    if text is not None:
        port = whole("--port", text, least=1, most=65_535)
        if reason := _why_not(host, port):
            remedy = "Name another, or leave out --port." if _is_here(host) else _OTHER_HOST
            raise ChoiceError(f"Port {port} of {host} cannot be used ({reason}). {remedy}")
        return port
    ports = range(_FIRST_PORT, _FIRST_PORT + _PORTS_TRIED)
    for port in ports:
        if not (reason := _why_not(host, port)):
            return port
    remedy = "Name another with --port." if _is_here(host) else _OTHER_HOST
    raise ChoiceError(
        f"No port from {ports[0]} to {ports[-1]} of {host} can be used ({reason}). {remedy}"
    )


def _is_here(host: str) -> bool:
    """Return whether an address is one of this machine."""
    return not _why_not(host, 0)  # 0 is any free port


def _why_not(host: str, port: int) -> str:
    """Return why a port cannot be used; "" if it can."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family) as door:
        door.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            door.bind((host, port))
        except OSError as error:
            return error.strerror or str(error)
    return ""
