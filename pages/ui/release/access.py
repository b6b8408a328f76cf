"""Access to the page: only for the owner of the ledger that the app was started with."""

import os
import shlex
from pathlib import Path

from hierdp_core.desktop import offered
from hierdp_core.exceptions import ReleaseError
from hierdp_core.releases import Ledger
from pages.ui.shell.reach import only_here


def ledger() -> Ledger:
    """Return the ledger that the app was started with.

    Raises:
        ReleaseError: no ledger was given, other machines can connect to the app, or the file is
            missing or has another owner.
    """
    named = os.environ.get(offered.LEDGER)
    if not named:
        raise ReleaseError(
            "This page needs a ledger. Start the app with `hierdp --ledger FILE` on this machine."
        )
    if not only_here():
        raise ReleaseError(
            "Other machines can connect to this app, so nothing can be released with it. Start it "
            "with `hierdp --ledger FILE` and without `--host`, so that only this machine can "
            "connect to it."
        )
    path = Path(named)
    if not path.is_file():
        raise ReleaseError(
            f"There is no ledger {path}. Create one with `hierdp ledger {shlex.quote(named)} "
            "add-dataset NAME --epsilon NUMBER`."
        )
    if hasattr(os, "getuid") and path.stat().st_uid != os.getuid():
        raise ReleaseError(
            f"The ledger {path} belongs to another user. Only its owner can release with it."
        )
    return Ledger(path)


def is_open() -> bool:
    """Return whether the page is available."""
    try:
        ledger()
    except ReleaseError:
        return False
    return True
