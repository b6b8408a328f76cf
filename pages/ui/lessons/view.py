"""The pieces of Lessons: the list, one lesson to do, the results of the class, and worksheets."""

import hmac
import os

import pandas as pd
import streamlit as st

from hierdp_core import figures
from hierdp_core.figures.chart import Chart
from hierdp_core.lessons import (
    LESSONS,
    Lesson,
    Outcome,
    checked_number,
    class_results,
    lesson,
    prediction_code,
    read_codes,
)
from hierdp_core.util import text
from hierdp_core.util.text import capital, three_digits
from hierdp_core.writers.worksheet import worksheet
from pages.ui.lessons.address import MOST_STUDENTS, LessonsAddress
from pages.ui.shell import address, charts, session, widgets
from pages.ui.shell.announcer import announce
from pages.ui.shell.session import Key

_KEY_NAME = "HIERDP_INSTRUCTOR_KEY"
_SCRIPTS = {
    "explore": "pages/overview_page.py",
    "zoom": "pages/area_page.py",
    "inside": "pages/how_it_works_page.py",
    "privacy": "pages/privacy_page.py",
}


def controls() -> LessonsAddress:
    """Show student number, instructor view and list of lessons; return what is chosen."""
    arrived = address.view().of(LessonsAddress)
    toggle = session.seeded(Key.LEARN_TEACHER, arrived.teacher)
    widths = [2, 2, 5] if session.get(toggle) else [2, 7]  # an empty column is a gap on a phone
    left, middle, *right = st.columns(widths, gap="large", vertical_alignment="bottom")
    with left:
        number = widgets.number_input(
            "Student number",
            min_value=1,
            max_value=MOST_STUDENTS,
            step=1,
            key=session.seeded(Key.LEARN_NUMBER, min(arrived.number, MOST_STUDENTS)),
            help="Your number in the class. It seeds the noise, so the same number always gives "
            "the same results.",
        )
    with middle:
        teacher = widgets.toggle(
            "Instructor view",
            key=toggle,
            help="Shows the predictions and results of the whole class. The results follow from "
            "the student numbers, so no network is needed.",
        )
    students = arrived.students
    if right:
        with right[0]:
            students = widgets.slider(
                "Students",
                2,
                MOST_STUDENTS,
                key=session.seeded(Key.LEARN_STUDENTS, arrived.students),
            )
    predictions = _done()
    minutes = sum(each.minutes for each in LESSONS)
    st.progress(
        len(predictions) / len(LESSONS),
        text=f"{len(predictions)} of {len(LESSONS)} lessons complete (all lessons take about "
        f"{minutes} minutes)",
    )
    chosen = widgets.pills(
        "Lessons",
        [each.id for each in LESSONS],
        format_func=lambda id: _title(id, id in predictions),
        key=session.seeded(Key.LEARN_LESSON, arrived.lesson.id),
        required=True,
        label_visibility="collapsed",
    )
    selection = LessonsAddress(
        lesson=lesson(chosen or arrived.lesson.id),
        number=int(number),
        teacher=teacher,
        students=students,
    )
    address.keep(address.view().having(selection))
    return selection


def doing(state: LessonsAddress) -> None:
    """Show one lesson: the story, the prediction, the run and the result."""
    open_one = state.lesson
    st.markdown(f"## {open_one.title}")
    st.markdown(open_one.story)
    st.markdown(f"**{open_one.question}**")
    prediction = _predict(open_one)
    ran = _done().get(open_one.id)
    ready = all(value is not None for value in prediction.values())
    if st.button("Run", type="primary", disabled=not ready):
        ran = {name: value for name, value in prediction.items() if value is not None}
        session.put(Key.LEARN_DONE, _done() | {open_one.id: ran})
        st.rerun()
    if ran is None:
        if not ready:
            st.caption("Make a prediction first, then press **Run**.")
        return
    outcome = _outcome(open_one.id, state.number)
    left, right = st.columns([3, 2], gap="large")
    with left:
        st.markdown(outcome.result)
        announce(outcome.result)
        columns = {"what": "", "value": open_one.unit}
        charts.show(
            Chart(
                title=open_one.title,
                figure=figures.lesson_results.bars(
                    outcome.bars, unit=open_one.unit, logarithmic=open_one.logarithmic
                ),
                alt=outcome.result,
                table=outcome.bars,
            ),
            key=f"bars-{open_one.id}",
            as_table="View as table",
            draw_table=lambda bars: st.dataframe(bars, hide_index=True, column_config=columns),
        )
    with right:
        code = prediction_code(open_one, state.number, ran)
        st.markdown(f"Code of your prediction, for the class: **`{code}`**")
        st.info(open_one.judge(ran, outcome), icon=":material/compare_arrows:")
        st.success(open_one.moral, icon=":material/lightbulb:")
        _onward(open_one)


def together(state: LessonsAddress) -> None:
    """Show the results of all students of the class."""
    if not state.teacher:
        return
    st.divider()
    st.markdown(f"## Class results: {state.lesson.title.lower()}")
    if not _opened():
        return
    _predictions(state)
    if state.lesson.measure == "lowest cost":
        st.markdown("In this lesson, all students have the same noisy counts.")
        return
    results = _class(state.lesson.id, state.students)
    values = results["value"]
    if values.nunique() == 1:
        same = text.number(values.iloc[0])
        st.markdown(f"All students get the same result ({state.lesson.measure}): **{same}**.")
        return
    expected = state.lesson.expected
    spread = f"from **{text.number(values.min())}** to **{text.number(values.max())}**"
    st.markdown(
        text.paragraph(
            f"The class has {state.students} students, each with their own noise.",
            f"{capital(state.lesson.measure)}: {spread}, with a mean of "
            f"**{text.number(values.mean())}**.",
            "" if expected is None else f"Expected value: {three_digits(expected)}.",
        )
    )
    columns = {"number": "Student number", "value": capital(state.lesson.measure)}
    charts.show(
        figures.lesson_results.class_chart(
            results, measure=state.lesson.measure, mine=state.number, expected=state.lesson.expected
        ),
        key=f"class-{state.lesson.id}",
        as_table="View as table",
        draw_table=lambda table: st.dataframe(table, hide_index=True, column_config=columns),
    )
    st.caption(
        text.paragraph(
            "Each dot is a student.",
            f"The orange dot is student {state.number}." if state.number <= state.students else "",
            "Hold the pointer over a dot to see the student number. With the same version of "
            "HierDP, the same number gives the same result on every computer.",
        )
    )


def _opened() -> bool:
    """Return whether the instructor view may be shown: the key was given, or none is set."""
    key = os.environ.get(_KEY_NAME, "")
    if not key:
        return True
    given = widgets.text_input("Instructor key", type="password", key=Key.LEARN_KEY)
    if not given:
        return False
    if hmac.compare_digest(given.encode(), key.encode()):
        return True
    st.error("This is not the instructor key.", icon=":material/lock:")
    return False


def _predictions(state: LessonsAddress) -> None:
    """Show what the class predicted, from the codes that students hand in."""
    pasted = widgets.text_area(
        "Prediction codes of the class",
        key=f"{Key.LEARN_CODES}{state.lesson.id}",
        placeholder="One code per student, such as 7-62",
        height=96,
    )
    if not pasted.strip():
        return
    predictions, unread = read_codes(state.lesson, pasted)
    if unread:
        what = text.by_number(len(unread), "Not a prediction code", "Not prediction codes")
        st.warning(f"{what} of this lesson: {text.some(unread, shown=5)}.")
    if predictions.empty:
        return
    students = text.by_number(len(predictions), "student", "students")
    st.markdown(f"**{len(predictions)}** {students} made a prediction.")
    for field in state.lesson.fields:
        charts.show(
            figures.lesson_results.answers_chart(predictions, field.name, title=field.label),
            key=f"predicted-{state.lesson.id}-{field.name}",
            heading=True,
        )


def on_paper() -> None:
    """Offer the worksheets to print, and explain how the page works."""
    with st.expander("Worksheets and classroom guide"):
        st.markdown(
            "Assign each student a number. Students open this page on a computer with HierDP, "
            "enter their number, make a prediction and press **Run**. Then they hand in the code "
            "of their prediction, for example in a chat. The instructor switches on **Instructor "
            "view** and pastes the codes. The page then shows the predictions above the results. "
            "It needs no logins and no network. "
            f"To protect the instructor view with a key, set the environment variable "
            f"`{_KEY_NAME}` to that key before HierDP starts."
        )
        sheet, notes = st.columns(2)
        with sheet:
            st.download_button(
                "Student worksheet (HTML)",
                lambda: worksheet(LESSONS, for_the_teacher=False),
                file_name="hierdp-lessons.html",
                mime="text/html",
                on_click="ignore",
            )
        with notes:
            st.download_button(
                "Instructor notes (HTML)",
                lambda: worksheet(LESSONS, for_the_teacher=True),
                file_name="hierdp-lessons-teacher.html",
                mime="text/html",
                on_click="ignore",
            )


def _predict(open_one: Lesson) -> dict[str, str | int | None]:
    prediction: dict[str, str | int | None] = {}
    for field, column in zip(
        open_one.fields, st.columns(max(2, len(open_one.fields))), strict=False
    ):
        key = f"{Key.LEARN_FIELD}{open_one.id}-{field.name}"
        with column:
            if field.choices:
                prediction[field.name] = st.radio(
                    field.label, field.choices, index=None, key=session.identity(key)
                )
            else:
                value = st.number_input(
                    field.label,
                    min_value=field.least,
                    max_value=field.most,
                    value=None,
                    step=1,
                    key=session.identity(key),
                    placeholder=f"{field.least} to {field.most}",
                )
                prediction[field.name] = None if value is None else int(value)
    return prediction


def _onward(open_one: Lesson) -> None:
    if open_one.onward is None:
        return
    words, page, query = open_one.onward
    if st.button(words, icon=":material/arrow_forward:", type="tertiary"):
        address.follow(_SCRIPTS[page], query)


@st.cache_resource(max_entries=400, show_spinner="Running…")
def _outcome(id: str, number: int) -> Outcome:
    return lesson(id).run(checked_number(number))


@st.cache_data(max_entries=32, show_spinner="Running the class…")
def _class(id: str, students: int) -> pd.DataFrame:
    return class_results(lesson(id), students=students)


def _done() -> dict[str, dict[str, str | int]]:
    predictions: dict[str, dict[str, str | int]] = session.get(Key.LEARN_DONE) or {}
    return predictions


def _title(id: str, is_done: bool) -> str:
    entry = lesson(id)
    position = 1 + [each.id for each in LESSONS].index(id)
    return f"{'✓ ' if is_done else ''}{position}. {entry.title} · {entry.minutes} min"
