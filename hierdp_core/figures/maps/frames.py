"""The classes of relative error in many simulations, for a map that shows them in turn."""

import numpy as np

from hierdp_core.evaluation.released_counts import LevelSimulations
from hierdp_core.figures.maps.scale import LABELS, SHARED

UNDEFINED_DIGIT = str(len(LABELS))


def class_digits(areas: LevelSimulations, *, most: int) -> list[str]:
    """Return the class of every area in each simulation, as text with one digit per area.

    An area without a relative error has the digit after the last class, `UNDEFINED_DIGIT`.

    Args:
        areas: one level of a table.
        most: use at most this many simulations, the first ones.
    """
    released = areas.released[:most]
    relative = np.full(released.shape, np.nan)
    np.divide(np.abs(released - areas.true), areas.true, out=relative, where=areas.true > 0)
    numbers = SHARED.classes(relative)
    digits = np.where(numbers < 0, len(LABELS), numbers).astype(np.uint8) + ord("0")
    return [row.tobytes().decode("ascii") for row in digits]
