"""Lessons for active work: predict, simulate, compare."""

from hierdp_core.exceptions import ChoiceError
from hierdp_core.lessons.kit import (
    CLASS_SIZE,
    Field,
    Lesson,
    Outcome,
    Prediction,
    checked_number,
    class_results,
)
from hierdp_core.lessons.levels import BROKEN_PROOF, EARTH_MOVER, WHERE_EPSILON_GOES, ZOOM_OUT
from hierdp_core.lessons.noise import NOT_ADDING_UP, REPAIR, WHY_NOISE
from hierdp_core.lessons.predictions import prediction_code, read_codes
from hierdp_core.lessons.trips import INVENTED_TRIPS
from hierdp_core.util.text import join_or

__all__ = [
    "CLASS_SIZE",
    "LESSONS",
    "Field",
    "Lesson",
    "Outcome",
    "Prediction",
    "checked_number",
    "class_results",
    "lesson",
    "prediction_code",
    "read_codes",
]

LESSONS: tuple[Lesson, ...] = (
    WHY_NOISE,
    NOT_ADDING_UP,
    REPAIR,
    ZOOM_OUT,
    INVENTED_TRIPS,
    EARTH_MOVER,
    WHERE_EPSILON_GOES,
    BROKEN_PROOF,
)


def lesson(id: str) -> Lesson:
    """Return the lesson with this id.

    Raises:
        ChoiceError: there is no lesson with this id.
    """
    for candidate in LESSONS:
        if candidate.id == id:
            return candidate
    raise ChoiceError(f'There is no lesson "{id[:40]}". Choose {join_or([x.id for x in LESSONS])}.')
