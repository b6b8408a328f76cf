"""The lessons say what is so: every outcome against a count of its own."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hierdp_core.exceptions import ChoiceError
from hierdp_core.lessons import (
    LESSONS,
    Outcome,
    checked_number,
    class_results,
    lesson,
    prediction_code,
    read_codes,
)
from hierdp_core.lessons.kit import bars
from hierdp_core.writers.worksheet import worksheet


@pytest.mark.parametrize("each", LESSONS, ids=lambda each: each.id)
def test_every_lesson_can_be_done(each):
    outcome = each.run(3)
    again = each.run(3)
    assert outcome.result == again.result
    assert math.isfinite(outcome.value)
    assert outcome.bars["value"].notna().all()
    if each.logarithmic:
        assert (outcome.bars["value"] > 0).all()
    assert each.minutes >= 1
    assert each.question.endswith("?")
    answers = [
        {field.name: choice for field in each.fields}
        for choice in (each.fields[0].choices or (each.fields[0].least, each.fields[0].most))
    ]
    shown = {each.judge(answer, outcome) for answer in answers}
    assert len(shown) == len(answers)


@pytest.mark.parametrize(
    ("expected", "right", "verdict"),
    [
        (13, 15, "That is close."),
        (2, 4, "That is close."),  # although the mean is 12.4
        (13, 16, "chance made the difference."),
        (14, 9, "chance made the difference."),
        (20, 12, "Chance often changes this by 2 or 3 months."),
        (0, 12, "Chance often changes this by 2 or 3 months."),
    ],
)
def test_a_good_expectation_is_not_judged_by_chance(expected, right, verdict):
    outcome = Outcome(value=right, bars=bars(right=right), result="")
    assert lesson("why-noise").judge({"right": expected}, outcome).endswith(verdict)


def test_twenty_minutes_in_all():
    assert 15 <= sum(each.minutes for each in LESSONS) <= 25
    assert len({each.id for each in LESSONS}) == len(LESSONS)


def test_the_class_differs_and_comes_to_what_theory_says():
    for id, room in (("why-noise", 0.25), ("where-epsilon-goes", 0.05)):
        results = class_results(lesson(id), students=400)
        assert results["value"].nunique() > 5
        deviation = results["value"].std() / math.sqrt(len(results))
        assert abs(results["value"].mean() - lesson(id).expected) < 4 * deviation
        assert deviation < room


def test_states_add_up_as_seldom_as_their_noise_says():
    """The gap of 52 double geometric noises is near a normal of the same variance."""
    results = class_results(lesson("not-adding-up"), students=300)
    q = math.exp(-1 / 2)
    variance = 52 * 2 * q / (1 - q) ** 2
    expected = 100 / math.sqrt(2 * math.pi * variance)
    assert results["value"].mean() == pytest.approx(expected, rel=0.1)


@given(ga=st.integers(0, 6), ny=st.integers(0, 6))
def test_no_repair_is_cheaper_than_the_optimum(ga, ny):
    repair = lesson("repair")
    outcome = repair.run(1)
    verdict = repair.judge({"ga": ga, "ny": ny}, outcome)
    cost = (ga - 3) ** 2 + ny**2 + (ga + ny - 2) ** 2
    assert cost >= outcome.value
    assert f"= {cost}." in verdict
    assert ("yours is an optimum" in verdict) == (cost == outcome.value)


def test_the_broken_proof_moves_a_sum_in_every_county():
    assert lesson("broken-proof").run(1).value == 3143


def test_both_moves_look_the_same_cell_by_cell():
    """The claim of the lesson on histograms, counted."""
    true, near, far = (np.eye(6, dtype=int)[k] * 100 for k in (1, 2, 5))
    assert np.abs(true - near).sum() == np.abs(true - far).sum() == 200
    assert np.abs(np.cumsum(true - near)).sum() == 100
    assert np.abs(np.cumsum(true - far)).sum() == 400


def test_the_verdict_on_zooming_out_is_a_sentence():
    zoom = lesson("zoom-out")
    shown = zoom.judge({"factor": "the same"}, zoom.run(1))
    assert shown.startswith(
        "You expected the median relative error of counties to be the same as the nation's."
    )
    assert shown.endswith("1,000 times the nation's.")


@pytest.mark.parametrize(
    ("ratio", "verdict"),
    [
        (1, "In your simulation, the two were about the same."),
        (400, "In your simulation, it was closer to 1,000 times the nation's."),
        (1000, "In your simulation, it was at least 1,000 times the nation's."),
    ],
)
def test_the_verdict_on_zooming_out_is_true_of_the_ratio(ratio, verdict):
    zoom = lesson("zoom-out")
    outcome = Outcome(value=0.0, bars=bars(nation=1.0, county=float(ratio)), result="")
    shown = zoom.judge({"factor": "10 times"}, outcome)
    expected = "You expected the median relative error of counties to be 10 times the nation's."
    assert shown == f"{expected} {verdict}"


def test_no_ratio_is_given_to_an_error_of_zero():
    """The noise of student 26 leaves the nation's number of households exact."""
    zoom = lesson("zoom-out")
    outcome = zoom.run(26)
    assert "The error was 0 households for the nation" in outcome.result
    assert "no ratio can be computed" in outcome.result
    assert "times the relative error of the nation" not in outcome.result
    verdict = zoom.judge({"factor": "10 times"}, outcome)
    assert "cannot be compared" in verdict
    assert "right" not in verdict
    assert "times the relative error of the nation" in zoom.run(1).result


def test_unusable_words_are_reported():
    with pytest.raises(ChoiceError, match=r'There is no lesson "nap"\. Choose why-noise'):
        lesson("nap")
    for number in (0, -1, True, 1.5, 10_001):
        with pytest.raises(ChoiceError, match="from 1 to 10,000"):
            checked_number(number)


def test_the_sheet_keeps_what_only_the_teacher_should_know():
    sheet = worksheet(LESSONS, for_the_teacher=False)
    notes = worksheet(LESSONS, for_the_teacher=True)
    for each in LESSONS:
        assert each.title in sheet
        assert each.moral[:30].replace("'", "&#x27;") not in sheet
        assert each.moral[:30].replace("'", "&#x27;") in notes
    assert "http" not in sheet + notes


# --- predictions of a class


@pytest.mark.parametrize("known", LESSONS, ids=lambda known: known.id)
def test_a_prediction_reads_back_from_its_code(known):
    prediction = {f.name: f.choices[-1] if f.choices else f.most for f in known.fields}
    code = prediction_code(known, 7, prediction)
    found, unread = read_codes(known, f"{code}\n{code.upper()}, nonsense 0-1")
    assert unread == ("nonsense", "0-1")
    assert found.to_dict("records") == [{"number": 7} | prediction]


def test_codes_outside_the_answers_are_named_not_counted():
    known = LESSONS[0]
    (field,) = known.fields
    found, unread = read_codes(known, f"1-{field.most + 1} 2-{field.most} 2-{field.least} 3")
    assert unread == (f"1-{field.most + 1}", "3")
    assert found[field.name].tolist() == [field.least]
