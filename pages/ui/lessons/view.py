"""The pieces of Learn: a list of lessons, one lesson to do, the class together, and on paper."""

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
)
from hierdp_core.util import text
from hierdp_core.writers.worksheet import worksheet
from pages.ui.lessons.address import MOST_STUDENTS, LessonsAddress
from pages.ui.shell import address, charts, session
from pages.ui.shell.announcer import announce
from pages.ui.shell.session import Key

_SCRIPTS = {
    "explore": "pages/overview_page.py",
    "zoom": "pages/area_page.py",
    "inside": "pages/how_it_works_page.py",
    "privacy": "pages/privacy_page.py",
}


def controls() -> LessonsAddress:
    """The number in the class, the teacher's view and the list of lessons."""
    arrived = address.view().of(LessonsAddress)
    toggle = session.seeded(Key.LEARN_TEACHER, arrived.teacher)
    widths = [2, 2, 5] if session.get(toggle) else [2, 7]  # an empty column is a gap on a phone
    left, middle, *right = st.columns(widths, gap="large", vertical_alignment="bottom")
    with left:
        number = st.number_input(
            "Your number in the class",
            min_value=1,
            max_value=MOST_STUDENTS,
            step=1,
            key=session.seeded(Key.LEARN_NUMBER, min(arrived.number, MOST_STUDENTS)),
            help="It seeds your noise: everybody in a class takes another one and gets other "
            "results, and yours can be repeated.",
        )
    with middle:
        teacher = st.toggle(
            "Teacher’s view",
            key=toggle,
            help="What everybody in the class gets. Results follow from the numbers alone, so no "
            "machine needs to know of any other.",
        )
    students = arrived.students
    if right:
        with right[0]:
            students = st.slider(
                "Students",
                2,
                MOST_STUDENTS,
                key=session.seeded(Key.LEARN_STUDENTS, arrived.students),
            )
    done = _done()
    minutes = sum(each.minutes for each in LESSONS)
    st.progress(
        len(done) / len(LESSONS),
        text=f"{len(done)} of {len(LESSONS)} lessons done, about {minutes} minutes in all",
    )
    chosen = st.pills(
        "Lessons",
        [each.id for each in LESSONS],
        format_func=lambda id: _title(id, id in done),
        key=session.seeded(Key.LEARN_LESSON, arrived.lesson.id),
        required=True,
        label_visibility="collapsed",
    )
    asked = LessonsAddress(
        lesson=lesson(chosen or arrived.lesson.id),
        number=int(number),
        teacher=teacher,
        students=students,
    )
    address.keep(address.view().having(asked))
    return asked


def doing(seat: LessonsAddress) -> None:
    """One lesson: the story, the prediction, the run, the look."""
    open_one = seat.lesson
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
            st.caption("Predict first: there is no wrong answer, and it is how one remembers.")
        return
    outcome = _outcome(open_one.id, seat.number)
    left, right = st.columns([3, 2], gap="large")
    with left:
        st.markdown(outcome.said)
        announce(outcome.said)
        columns = {"what": "", "value": open_one.unit}
        charts.show(
            Chart(
                title=open_one.title,
                figure=figures.lesson_results.bars(
                    outcome.bars, unit=open_one.unit, logarithmic=open_one.logarithmic
                ),
                alt=outcome.said,
                table=outcome.bars,
            ),
            key=f"bars-{open_one.id}",
            as_table="The chart as a table",
            draw_table=lambda bars: st.dataframe(bars, hide_index=True, column_config=columns),
        )
    with right:
        st.info(open_one.judge(ran, outcome), icon=":material/compare_arrows:")
        st.success(open_one.moral, icon=":material/lightbulb:")
        _onward(open_one)


def together(seat: LessonsAddress) -> None:
    """What everybody in the class gets."""
    if not seat.teacher:
        return
    st.divider()
    st.markdown(f"## The class together: {seat.lesson.title.lower()}")
    if seat.lesson.measure == "least cost":
        st.markdown("There is no noise in this lesson: everybody has the same numbers to mend.")
        return
    results = _class(seat.lesson.id, seat.students)
    values = results["value"]
    if values.nunique() == 1:
        same = text.number(values.iloc[0])
        st.markdown(f"Everybody gets the same here: {seat.lesson.measure}: **{same}**.")
        return
    st.markdown(
        f"{seat.students} students, each with their own noise: {seat.lesson.measure}: from "
        f"**{text.number(values.min())}** to "
        f"**{text.number(values.max())}**, mean "
        f"**{text.number(values.mean())}**."
        + (
            f" Theory expects {text.number(seat.lesson.expected)}."
            if seat.lesson.expected is not None
            else ""
        )
    )
    columns = {"number": "Number", "value": "Value"}
    charts.show(
        figures.lesson_results.class_chart(
            results, measure=seat.lesson.measure, mine=seat.number, expected=seat.lesson.expected
        ),
        key=f"class-{seat.lesson.id}",
        as_table="The class as a table",
        draw_table=lambda table: st.dataframe(table, hide_index=True, column_config=columns),
    )
    st.caption(
        "A dot a student, their number when you point at it; the orange one is yours. Everybody "
        "gets these results on a machine of their own, since the noise follows from the number."
    )


def on_paper() -> None:
    """The sheets to print, and how the page works."""
    with st.expander("On paper, and how a class uses this page"):
        st.markdown(
            "Give everybody a number. They open this page, each on any machine with HierDP, type "
            "their number, predict and run. The teacher switches on “Teacher’s view” and sees "
            "what everybody got, on the projector: nothing is sent anywhere, because results "
            "follow from the numbers. No accounts, no network."
        )
        sheet, notes = st.columns(2)
        with sheet:
            st.download_button(
                "Sheet to fill in (HTML, for printing)",
                lambda: worksheet(LESSONS, for_the_teacher=False),
                file_name="hierdp-lessons.html",
                mime="text/html",
                on_click="ignore",
            )
        with notes:
            st.download_button(
                "Notes for the teacher (HTML)",
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
                prediction[field.name] = st.radio(field.label, field.choices, index=None, key=key)
            else:
                value = st.number_input(
                    field.label,
                    min_value=field.least,
                    max_value=field.most,
                    value=None,
                    step=1,
                    key=key,
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


@st.cache_resource(max_entries=400, show_spinner="Running")
def _outcome(id: str, number: int) -> Outcome:
    return lesson(id).run(checked_number(number))


@st.cache_data(max_entries=32, show_spinner="Running the whole class")
def _class(id: str, students: int) -> pd.DataFrame:
    return class_results(lesson(id), students=students)


def _done() -> dict[str, dict[str, str | int]]:
    found: dict[str, dict[str, str | int]] = session.get(Key.LEARN_DONE) or {}
    return found


def _title(id: str, done: bool) -> str:
    found = lesson(id)
    position = 1 + [each.id for each in LESSONS].index(id)
    return f"{'✓ ' if done else ''}{position}. {found.title} · {found.minutes} min"
