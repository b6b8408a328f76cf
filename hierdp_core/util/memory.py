"""The free memory, so that work that does not fit is refused before it starts."""

import os
from pathlib import Path

from hierdp_core.exceptions import HierdpError

_MEMINFO = Path("/proc/meminfo")
_OWN_SIZE = Path("/proc/self/statm")
_CONTROL_GROUP = Path("/sys/fs/cgroup")


def available_bytes() -> int | None:
    """Return the memory that this process can use without swapping; None if it is not known."""
    limits = [_free_in_system(), _left_in_control_group(), _left_of_address_space()]
    known_limits = [limit for limit in limits if limit is not None]
    return max(0, min(known_limits)) if known_limits else None


def require_memory(cells: int, *, bytes_a_cell: int, what: str) -> None:
    """Refuse work that needs more memory than is available.

    Args:
        cells: the number of cells.
        bytes_a_cell: the memory that each cell needs at the peak, in bytes.
        what: the cells in words, such as "3 areas × 5 sizes".

    Raises:
        HierdpError: the work does not fit; the message states how many cells would.
    """
    available, needed = available_bytes(), cells * bytes_a_cell
    if available is None or needed <= available:
        return
    raise HierdpError(
        f"This table is too large for the memory of this machine: {what} ({cells:,} numbers) need "
        f"about {_gigabytes(needed)}, and {_gigabytes(available)} are free, enough for "
        f"{available // bytes_a_cell:,} numbers. Use a smaller table, or free some memory."
    )


def _gigabytes(amount: int) -> str:
    return f"{amount / 1e9:,.1f} GB" if amount >= 1e8 else f"{amount / 1e6:,.1f} MB"


def _free_in_system() -> int | None:
    try:
        lines = _MEMINFO.read_text().splitlines()
        available = next(line for line in lines if line.startswith("MemAvailable:"))
        return int(available.split()[1]) * 1024
    except (OSError, StopIteration, ValueError, IndexError):
        pass
    try:
        return os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, OSError, ValueError):
        return None


def _left_in_control_group() -> int | None:
    """Return the memory that a container may still use."""
    try:
        most = int((_CONTROL_GROUP / "memory.max").read_text())
        return most - int((_CONTROL_GROUP / "memory.current").read_text())
    except (OSError, ValueError):  # none, or "max"
        return None


def _left_of_address_space() -> int | None:
    try:
        import resource

        limit = resource.getrlimit(resource.RLIMIT_AS)[0]
        if limit == resource.RLIM_INFINITY:
            return None
        pages = int(_OWN_SIZE.read_text().split()[0])
        return limit - pages * os.sysconf("SC_PAGE_SIZE")
    except (ImportError, OSError, ValueError, IndexError):
        return None
