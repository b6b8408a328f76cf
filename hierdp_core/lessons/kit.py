"""The parts of a lesson: a prediction, a simulation by each student, and its outcome."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import pandas as pd

from hierdp_core.exceptions import ChoiceError

CLASS_SIZE = 30
LARGEST_NUMBER = 10_000

Prediction = Mapping[str, str | int]


@dataclass(frozen=True, kw_only=True)
class Field:
    """One thing to predict: a number from `least` to `most`, or one of `choices`."""

    name: str
    label: str
    choices: tuple[str, ...] = ()
    least: int = 0
    most: int = 100


@dataclass(frozen=True, eq=False, kw_only=True)
class Outcome:
    """The result of one student's simulation.

    Attributes:
        value: the number that the class compares.
        bars: columns `what` and `value`, to draw.
        result: what happened, in one or two sentences.
    """

    value: float
    bars: pd.DataFrame
    result: str


@dataclass(frozen=True, kw_only=True)
class Lesson:
    """A lesson: predict, run, compare.

    Attributes:
        id: the name of the lesson in addresses.
        title, minutes: title and duration, for the list.
        story: the situation, before the question.
        question: the quantity to predict.
        fields: the inputs of a prediction.
        run: returns the outcome for a student number, which seeds the noise.
        judge: returns a comment on a prediction, given the outcome.
        moral: the conclusion.
        measure: the meaning of an outcome's value, for an axis.
        unit: the unit of the bars.
        answer: the right choice, in words, if the prediction is a choice; else empty.
        expected: the expected value of an outcome, if it is known from theory.
        logarithmic: whether the bars have a logarithmic scale.
        onward: a link to a page that continues the topic: (words, page, query).
    """

    id: str
    title: str
    minutes: int
    story: str
    question: str
    fields: tuple[Field, ...]
    run: Callable[[int], Outcome] = field(repr=False)
    judge: Callable[[Prediction, Outcome], str] = field(repr=False)
    moral: str
    measure: str
    unit: str
    answer: str = ""
    expected: float | None = None
    logarithmic: bool = False
    onward: tuple[str, str, Mapping[str, str]] | None = None


def checked_number(number: int) -> int:
    """Return a student number, which seeds that student's noise, if it is valid.

    Raises:
        ChoiceError: the number is not an integer from 1 to `LARGEST_NUMBER`.
    """
    if isinstance(number, bool) or not isinstance(number, int) or not 1 <= number <= LARGEST_NUMBER:
        raise ChoiceError(
            "A student number, or a number of students, must be a whole number from 1 to "
            f"{LARGEST_NUMBER:,}; got {number}. Correct it."
        )
    return number


def class_results(lesson: Lesson, *, students: int = CLASS_SIZE) -> pd.DataFrame:
    """Return the results of students 1 to `students`: columns `number` and `value`.

    A student's noise depends on the student number alone. So these are the results that the
    students saw on their own computers, and no network is needed.

    Raises:
        ChoiceError: `students` is not an integer from 1 to `LARGEST_NUMBER`.
    """
    checked_number(students)
    values = [lesson.run(number).value for number in range(1, students + 1)]
    return pd.DataFrame({"number": range(1, students + 1), "value": values})


def bars(**values: float) -> pd.DataFrame:
    """Return a frame of names (underscores become spaces) and their values, in order."""
    return pd.DataFrame(
        {"what": [name.replace("_", " ") for name in values], "value": list(values.values())}
    )
