"""Workers on a Dask cluster, given by the address of its scheduler."""

import platform
from typing import Any

import numpy as np

from hierdp_core import __version__
from hierdp_core.exceptions import ChoiceError

_SECONDS = 10  # time limit for the answer of the scheduler


def cluster_client(address: str) -> Any:
    """Return a client of a Dask scheduler whose workers run the same software.

    Raises:
        ChoiceError: Dask is not installed, no scheduler answers at the address, there are no
            workers, or one of them has another version of Python, NumPy or HierDP.
    """
    try:
        from distributed import Client
    except ImportError:
        raise ChoiceError(
            "A scheduler needs Dask. Install it in the folder of the repository: "
            'pip install ".[scale]".'
        ) from None
    try:
        client = Client(address, timeout=_SECONDS)  # type: ignore[no-untyped-call]
    except (OSError, ValueError) as error:
        raise ChoiceError(
            f"No scheduler answers at {address}: {error}. Start one with `dask scheduler`, or name "
            "the address that it prints."
        ) from None
    try:
        _require_same_software(client, address)
    except BaseException:
        client.close()  # type: ignore[no-untyped-call]
        raise
    return client


def software() -> dict[str, str]:
    """Return the versions on which the numbers depend, of the process that calls this."""
    python = ".".join(platform.python_version_tuple()[:2])
    return {"HierDP": __version__, "NumPy": np.__version__, "Python": python}


def _require_same_software(client: Any, address: str) -> None:
    try:
        by_worker = client.run(software)
    except (ImportError, AttributeError) as error:
        raise ChoiceError(
            f"The workers of {address} cannot run HierDP ({error}). Install HierDP {__version__} "
            'on each of them, in the folder of the repository: pip install ".[scale]".'
        ) from None
    if not by_worker:
        raise ChoiceError(
            f"The scheduler at {address} has no workers. Start one with `dask worker {address}`."
        )
    own = software()
    for worker, versions in by_worker.items():
        for name, version in versions.items():
            if version != own[name]:
                raise ChoiceError(
                    f"The worker {worker} has {name} {version}, and this process {own[name]}. "
                    "Install the same version on both."
                )
