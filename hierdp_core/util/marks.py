"""Marks of files, tables and pictures that are not for publication."""

CONTAINS_TRUTH = "contains true values: not for publication"
SEEDED = (
    "seeded simulation: anyone with the seed can remove the noise, so this is not for publication"
)
CONFIDENTIAL = "made from confidential data: store it under the same rules as the data"


def truth_mark(*, confidential: bool = False) -> str:
    """Return the mark of files and pictures with true values, confidential ones if stated."""
    return f"{CONTAINS_TRUTH}; {CONFIDENTIAL}" if confidential else CONTAINS_TRUTH


def seeded_mark(*, confidential: bool = False) -> str:
    """Return the mark of files of a simulation, confidential ones if stated."""
    return f"{SEEDED}; {CONFIDENTIAL}" if confidential else SEEDED
