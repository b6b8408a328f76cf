"""The package that the app was started with. It is public, so all visitors share one copy."""

import os
from functools import lru_cache

from hierdp_core.desktop import offered
from hierdp_core.exceptions import ReleaseError
from hierdp_core.releases import Package, open_release


def package() -> Package:
    """Return the package that the app was started with, verified.

    Raises:
        ReleaseError: there is none, or it is not as it was released.
    """
    named = os.environ.get(offered.PACKAGE)
    if not named:
        raise ReleaseError(
            "This page needs a package. Start the app with `hierdp --package PACKAGE`."
        )
    return _opened(named, os.environ.get(offered.PUBLIC_KEY))


@lru_cache(maxsize=2)
def _opened(path: str, public_key: str | None) -> Package:
    return open_release(path, public_key=public_key)
