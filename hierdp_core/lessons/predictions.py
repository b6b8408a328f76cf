"""A class's predictions without a network: each student gives a short code.

A code is the student's number and the answers in their order: "7-62" for a number, "7-b" for the
second of several choices.
"""

import re
from string import ascii_lowercase

import pandas as pd

from hierdp_core.exceptions import ChoiceError
from hierdp_core.lessons.kit import Field, Lesson, Prediction, checked_number
from hierdp_core.util.text import join_or

_MOST_CODES = 500


def prediction_code(lesson: Lesson, number: int, prediction: Prediction) -> str:
    """Return the code of one student's prediction.

    Args:
        lesson: the lesson of the prediction.
        number: the number of the student in the class.
        prediction: an answer to each field of the lesson.

    Raises:
        ChoiceError: an answer is not one of the choices of its field.
    """
    parts = [_in_words(field, prediction[field.name]) for field in lesson.fields]
    return "-".join([str(checked_number(number)), *parts])


def read_codes(lesson: Lesson, text: str) -> tuple[pd.DataFrame, tuple[str, ...]]:
    """Return the predictions of a class, and the codes that cannot be read.

    If a number occurs twice, only its last code counts. Codes after the first 500 are ignored.

    Args:
        lesson: the lesson of the predictions.
        text: codes, separated by spaces, commas or line breaks.

    Returns:
        a frame with the column `number` and one for each field of the lesson; and the first 20
        characters of each code that could not be read.
    """
    rows: dict[int, dict[str, str | int]] = {}
    unread = []
    for code in re.split(r"[\s,;]+", text.strip())[:_MOST_CODES]:
        if not code:
            continue
        try:
            number, answers = _read(lesson, code)
        except (ChoiceError, ValueError):
            unread.append(code[:20])
        else:
            rows[number] = {"number": number, **answers}
    columns = ["number", *(field.name for field in lesson.fields)]
    return pd.DataFrame([rows[n] for n in sorted(rows)], columns=columns), tuple(unread)


def _in_words(field: Field, answer: str | int) -> str:
    if not field.choices:
        return str(int(answer))
    if answer not in field.choices:
        raise ChoiceError(
            f'"{str(answer)[:40]}" is not one of the answers to "{field.label}". Choose '
            f"{join_or(list(field.choices))}."
        )
    return ascii_lowercase[field.choices.index(str(answer))]


def _read(lesson: Lesson, code: str) -> tuple[int, dict[str, str | int]]:
    number, *parts = code.lower().split("-")
    answers = {
        field.name: _answer(field, part) for field, part in zip(lesson.fields, parts, strict=True)
    }
    return checked_number(int(number)), answers


def _answer(field: Field, part: str) -> str | int:
    if not field.choices:
        value = int(part)
        if not field.least <= value <= field.most:
            raise ChoiceError(
                f'"{field.label}" must lie between {field.least} and {field.most}; got {value}. '
                "Correct the code."
            )
        return value
    letters = ascii_lowercase[: len(field.choices)]
    if len(part) != 1 or part not in letters:
        raise ChoiceError(
            f'"{part[:20]}" is not one of the answers to "{field.label}". Correct the code.'
        )
    return field.choices[letters.index(part)]
