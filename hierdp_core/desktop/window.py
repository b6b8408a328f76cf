"""The app in its own window; the server ends when the window closes."""

import shutil
import subprocess
import sys
import webbrowser
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from subprocess import DEVNULL

from hierdp_core.desktop.server import Server
from hierdp_core.desktop.window_size import of_profile, private_folder, remember, remembered

ICON = Path(__file__).with_name("icon.svg")
_TITLE = "HierDP"
# Names of browsers that have an app mode, in the order in which they are tried.
_BROWSERS = (
    *("chromium", "chromium-browser", "google-chrome", "google-chrome-stable"),
    *("microsoft-edge", "microsoft-edge-stable", "msedge", "brave-browser", "chrome"),
)
_MAC = (
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/Applications/Microsoft Edge.app/Contents/MacOS/Microsoft Edge",
)


def show(server: Server, *, full_screen: bool, say: Callable[[str], None]) -> None:
    """Show the app in a window, and return when the window is closed.

    If there is no browser for a window, open the app in a tab and return when the server ends.

    Args:
        server: the running app; the caller stops it.
        full_screen: whether to fill the screen, for presentations.
        say: called with a line about the kind of window, unless it is a separate one.
    """
    if find_spec("webview") is not None:
        _own_window(server.entry, full_screen)
        return
    browser = installed_browser()
    if browser is not None:
        say(
            f"The window belongs to {Path(browser).name}. For a window of its own, install the "
            'extra "desktop" in the folder of the repository: pip install ".[desktop]".'
        )
        call = browser_call(browser, server.entry, full_screen=full_screen)
        # Browsers print messages of their own on a terminal.
        ended = subprocess.run(call, check=False, stdout=DEVNULL, stderr=DEVNULL)
        if not full_screen:
            remember(of_profile(private_folder("window")))
        if ended.returncode:
            say(f"{Path(browser).name} ended with code {ended.returncode}.")
        return
    say(
        "No installed browser can show the app in a window of its own, so it opens in a tab. Press "
        "Ctrl+C to end the app."
    )
    webbrowser.open(server.entry)
    server.process.wait()


def installed_browser() -> str | None:
    """Return the path of a browser that can show a page as an app, or None."""
    paths = (shutil.which(name) for name in _BROWSERS)
    on_mac = (path for path in _MAC if sys.platform == "darwin" and Path(path).exists())
    return next((path for path in (*paths, *on_mac) if path), None)


def browser_call(browser: str, url: str, *, full_screen: bool) -> list[str]:
    """Return the command that shows a page as an app.

    The browser has a separate profile, so the command ends with the window.
    """
    width, height = remembered()
    return [
        browser,
        f"--app={url}",
        f"--user-data-dir={private_folder('window')}",
        f"--window-size={width},{height}",
        "--no-first-run",
        "--no-default-browser-check",
        *(["--start-fullscreen"] if full_screen else []),
    ]


def _own_window(url: str, full_screen: bool) -> None:
    import webview

    width, height = remembered()
    window = webview.create_window(_TITLE, url, width=width, height=height, fullscreen=full_screen)
    if not full_screen:
        window.events.resized += lambda *size: remember(tuple(map(int, size)))
    folder = private_folder("webview")
    webview.start(private_mode=False, storage_path=str(folder), icon=str(ICON))
