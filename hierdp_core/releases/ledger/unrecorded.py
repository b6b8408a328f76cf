"""Releases whose noise is stored beside a ledger that does not record them.

A release is recorded before its noise is stored. Such noise therefore shows that the ledger was
rolled back, for example to a backup, and that it records less than was spent.
"""

import re
from pathlib import Path

_STORED = re.compile(r"([0-9a-f]{32})\.(?:npz|parts)")  # of a whole table, and of one in parts


def stored(folder: Path) -> tuple[str, ...]:
    """Return the ids of the releases with noise in a folder; none if it cannot be read."""
    try:
        names = sorted(path.name for path in folder.iterdir())
    except OSError:
        return ()
    return tuple(dict.fromkeys(m[1] for name in names if (m := _STORED.fullmatch(name))))


def fault(release: str, folder: Path) -> str:
    """Return a sentence on noise that is stored without a record."""
    return (
        f"The noise of release {release} is stored in {folder}, but the ledger does not record the "
        "release. The ledger was rolled back, or the folder belongs to another one."
    )


REMEDY = (
    "Nothing was spent. Restore a newer backup of the ledger. If there is none, lower the budget "
    "by what this release cost, with set-budget on the command line or Ledger.set_budget in "
    "Python. Then move its noise out of the folder."
)
