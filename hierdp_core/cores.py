"""How many processors this process may use."""

import os


def cores() -> int:
    """At least 1; honours the process's affinity where the system knows it."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
