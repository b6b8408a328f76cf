"""The page Lessons: predict, run, compare; and the class together."""

import pytest
from streamlit.testing.v1 import AppTest
from support.pages import healthy, texts

from hierdp_core.lessons import LESSONS, class_results, lesson

LEARN = "pages/lessons_page.py"
SHOWN = ("info", "success")  # beside paragraphs and captions


def run_button(test: AppTest):
    return next(button for button in test.button if button.label == "Run")


def test_nothing_is_shown_before_a_prediction(open_app) -> None:
    test = open_app(LEARN)
    assert "Make a prediction first" in texts(healthy(test), *SHOWN)
    assert run_button(test).disabled
    assert not test.get("plotly_chart")
    test.number_input(key="w-learn-field-why-noise-right").set_value(18).run()
    assert not run_button(test).disabled
    run_button(test).click().run()
    text = texts(healthy(test), *SHOWN)
    right = int(lesson("why-noise").run(1).value)
    assert f"You expected to be right in 18 of 20 months, and were right in {right}." in text
    assert lesson("why-noise").moral in text
    assert len(test.get("plotly_chart")) == 1


@pytest.mark.parametrize("id", [each.id for each in LESSONS])
def test_every_lesson_opens_by_its_link(open_app, id: str) -> None:
    test = open_app(LEARN, lesson=id, number="5")
    assert lesson(id).question in texts(healthy(test), *SHOWN)
    assert test.query_params["lesson"] in (id, [id])


def test_another_number_gives_another_result(open_app) -> None:
    test = open_app(LEARN, lesson="where-epsilon-goes", number="2")
    test.radio[0].set_value("about a fifth of the error of one answer").run()
    run_button(test).click().run()
    first = texts(healthy(test), *SHOWN)
    assert "You were right. With independent noise, the error of an average" in first
    test.number_input(key="w-learn-number").set_value(3).run()
    assert texts(healthy(test), *SHOWN) != first


def test_the_teacher_sees_what_the_class_got(open_app) -> None:
    test = open_app(LEARN, lesson="why-noise", **{"class": "30"})
    values = class_results(lesson("why-noise"))["value"]
    text = texts(healthy(test), *SHOWN)
    assert "30 students, each with their own noise" in text
    assert f"from **{values.min():.1g}**" in text or f"from **{values.min():.0f}**" in text
    assert test.query_params["class"] in ("30", ["30"])


def test_what_is_the_same_for_all_is_reported_and_not_drawn(open_app) -> None:
    test = open_app(LEARN, lesson="broken-proof", **{"class": "30"})
    assert "All students get the same result" in texts(healthy(test), *SHOWN)
    assert not test.get("plotly_chart")


@pytest.mark.parametrize(
    ("query", "words"),
    [
        ({"lesson": "nap"}, "There is no lesson"),
        ({"number": "x"}, "must be a whole number from 1 to 200"),
        ({"number": "-1"}, "must be a whole number from 1 to 200"),
        ({"class": "5000"}, "must be a whole number from 2 to 200"),
        ({"class": "1"}, "must be a whole number from 2 to 200"),
        ({"lesson": "why-noise", "seat": "3"}, "not one of them"),
    ],
)
def test_a_bad_link_is_reported_and_not_used(open_app, query, words) -> None:
    test = open_app(LEARN, **query)
    assert not test.exception
    assert any(words in str(w.value) and "not used" in str(w.value) for w in test.warning)


# --- the class's predictions


def test_a_prediction_comes_with_a_code_and_the_class_shows_all_of_them(open_app) -> None:
    test = open_app(LEARN, lesson="why-noise", number="4", **{"class": "10"})
    test.number_input(key="w-learn-field-why-noise-right").set_value(18).run()
    run_button(test).click().run()
    assert "**`4-18`**" in texts(healthy(test), *SHOWN)
    test.text_area(key="w-learn-codes-why-noise").set_value("4-18 5-12, 6-18\nx").run()
    shown = texts(healthy(test), *SHOWN)
    assert "**3** students made a prediction" in shown
    assert any("Not a prediction code of this lesson: x." in str(w.value) for w in test.warning)
    assert len(test.get("plotly_chart")) == 3


def test_the_class_stays_closed_until_the_instructor_gives_the_key(open_app, monkeypatch) -> None:
    monkeypatch.setenv("HIERDP_INSTRUCTOR_KEY", "sesame")
    test = open_app(LEARN, lesson="why-noise", **{"class": "10"})
    assert "each with their own noise" not in texts(healthy(test), *SHOWN)
    test.text_input(key="w-learn-key").set_value("guess").run()
    assert "not the instructor key" in test.error[0].value
    test.text_input(key="w-learn-key").set_value("sesame").run()
    assert "each with their own noise" in texts(healthy(test), *SHOWN)
