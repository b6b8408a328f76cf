"""The lessons on paper: a worksheet for students, or notes for the instructor."""

from collections.abc import Sequence

from hierdp_core.lessons import Lesson
from hierdp_core.util.escaping import in_html
from hierdp_core.util.text import counted

_STYLE = """
body {font-family: system-ui, sans-serif; max-width: 44rem; margin: 2rem auto; line-height: 1.45;
 padding: 0 1rem}
section {break-inside: avoid; border-top: 1px solid #888; padding: .5rem 0}
.line {border-bottom: 1px solid #888; height: 1.9rem}
.moral {background: #eee; padding: .5rem .75rem}
"""


_HOW = {
    False: (
        "First write down what you expect. Then run the simulation, and write down what you saw."
    ),
    True: (
        "Students first write down what they expect. Then they run the simulation, and write down "
        "what they saw."
    ),
}
_NAME = "<p>Name, student number:</p><div class='line'></div>"


def worksheet(lessons: Sequence[Lesson], *, for_the_teacher: bool) -> str:
    """Return the worksheet or the notes as an HTML page to print."""
    minutes = sum(lesson.minutes for lesson in lessons)
    title = "Privacy and statistics: student worksheet"
    if for_the_teacher:
        title = "Privacy and statistics: instructor notes"
    parts = "".join(_section(k, lesson, for_the_teacher) for k, lesson in enumerate(lessons, 1))
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        f"<title>{in_html(title)}</title><style>{_STYLE}</style></head><body><h1>{in_html(title)}</h1>"
        f"<p>{counted(len(lessons), 'lesson')}, about {minutes} minutes. {_HOW[for_the_teacher]} "
        "The student number seeds the noise, so the same number always gives the same results."
        "</p>"
        f"{'' if for_the_teacher else _NAME}{parts}</body></html>"
    )


def _section(k: int, lesson: Lesson, for_the_teacher: bool) -> str:
    labels = [
        f"{field.label} ({' / '.join(field.choices)})" if field.choices else field.label
        for field in lesson.fields
    ]
    answers = "".join(f"<p>{in_html(label)}:</p><div class='line'></div>" for label in labels)
    answer_lines = "<p>What I saw:</p><div class='line'></div><div class='line'></div>"
    if for_the_teacher:
        answers = ""
        right = f"<p>Right answer: {in_html(lesson.answer)}.</p>" if lesson.answer else ""
        answer_lines = (
            f"{right}<p>Student number 1 sees: <i>{in_html(lesson.run(1).result)}</i></p>"
            f"<p class='moral'>{in_html(lesson.moral)}</p>"
        )
    return (
        f"<section><h2>{k}. {in_html(lesson.title)} ({lesson.minutes} min)</h2>"
        f"<p>{in_html(lesson.story)}</p><p><b>{in_html(lesson.question)}</b></p>{answers}{answer_lines}"
        "</section>"
    )
