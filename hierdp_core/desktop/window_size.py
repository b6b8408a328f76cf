"""The size of the window, stored between sessions in a file that only its owner can read."""

import json
import os
import secrets
from contextlib import suppress
from pathlib import Path
from typing import Final

from hierdp_core.util.user_cache import cache_folder

Size = tuple[int, int]  # pixels: width, height

USUAL: Final[Size] = (1280, 860)
_SMALLEST, _LARGEST = 320, 16_384  # pixels of a side; other sizes are not valid
_FILE = "size.json"


def private_folder(name: str) -> Path:
    """Return a folder in the user's cache that only the user can enter, for data of a window."""
    folder = cache_folder() / name
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    folder.chmod(0o700)  # an earlier version may have created it with other permissions
    return folder


def remembered() -> Size:
    """Return the size of the window when it was last closed, or the default size."""
    try:
        size = json.loads((cache_folder() / "window" / _FILE).read_text(encoding="utf-8"))
    except (OSError, RuntimeError, ValueError):  # no file, no home folder, or not JSON
        return USUAL
    return _sensible(size) or USUAL


def remember(size: object) -> None:
    """Store the size of a window, in pixels; do nothing if it is not valid or cannot be stored."""
    checked_size = _sensible(size)
    if checked_size is None:
        return
    with suppress(OSError, RuntimeError):
        folder = private_folder("window")
        beside = folder / f"{secrets.token_hex(8)}.part"
        with os.fdopen(os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as out:
            json.dump(checked_size, out)
        beside.replace(folder / _FILE)


def of_profile(profile: Path) -> Size | None:
    """Return the size that a Chromium browser stored for its only app window, or None.

    The preferences of the profile contain the edges of the window.
    """
    try:
        text = (profile / "Default" / "Preferences").read_text(encoding="utf-8")
        placed = json.loads(text)["browser"]["app_window_placement"]
        (edges,) = _with_edges(placed)
        return _sensible((edges["right"] - edges["left"], edges["bottom"] - edges["top"]))
    except (OSError, ValueError, KeyError, TypeError):
        return None


def _with_edges(placed: object) -> list[dict[str, int]]:
    """Return all placements in the preferences; a dot in the name of an app makes a nested key."""
    if not isinstance(placed, dict):
        return []
    if "right" in placed:
        return [placed]
    return [edges for part in placed.values() for edges in _with_edges(part)]


def _sensible(size: object) -> Size | None:
    if not isinstance(size, list | tuple) or len(size) != 2:
        return None
    if not all(type(side) is int and _SMALLEST <= side <= _LARGEST for side in size):
        return None
    return size[0], size[1]
