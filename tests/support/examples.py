"""How many examples a property is tried on: few for every change, all each night.

`.ci/slow` sets HIERDP_EXAMPLES=full. Which examples these are is no matter of how many: with CI set
they are always the same ones, else new ones each time.
"""

import os

FULL = os.environ.get("HIERDP_EXAMPLES") == "full"
FEWER = 4  # times fewer
FEWEST = 10


def examples(full: int) -> int:
    """Return how many examples to try of `full`."""
    return full if FULL else min(full, max(full // FEWER, FEWEST))
