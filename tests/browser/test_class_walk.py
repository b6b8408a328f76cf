"""A first lesson: students predict and run, and the lecturer shows it from the class view alone."""

import re
from collections.abc import Callable
from typing import Any

from support.browser import wait_for_rest

from hierdp_core.lessons import LESSONS, class_results

FIRST = LESSONS[0]
CLASS = 12


def test_a_lecturer_gives_the_first_lesson_from_the_class_view(visit: Callable[..., Any]) -> None:
    codes = [student(visit, number, prediction) for number, prediction in ((3, 18), (7, 11))]

    lecturer = visit(f"/learn?class={CLASS}", width=1280, height=720)
    field = lecturer.get_by_label("Prediction codes of the class")
    field.fill("\n".join(codes))
    field.press("Control+Enter")
    lecturer.get_by_text("2 students made a prediction.").wait_for()
    wait_for_rest(lecturer)
    values = class_results(FIRST, students=CLASS)["value"]
    shown = lecturer.get_by_text(re.compile(rf"{CLASS} students, each with their own noise"))
    assert f"from {values.min():.0f} to {values.max():.0f}" in shown.inner_text()
    for chart in ("predicted-", "class-"):
        assert lecturer.locator(f"[class*='st-key-{chart}'] .main-svg").first.is_visible()
    assert lecturer.locator("[data-testid=stException], [data-testid=stAlert]").count() == 0


def student(visit: Callable[..., Any], number: int, prediction: int) -> str:
    """Predict, run and look; return the code to hand in."""
    page = visit(f"/learn?number={number}", width=900, height=900)
    page.get_by_text(FIRST.question).wait_for()
    assert page.get_by_role("button", name="Run", exact=True).is_disabled()
    field = page.get_by_label(FIRST.fields[0].label)
    field.fill(str(prediction))
    field.press("Enter")
    page.locator("button:enabled", has_text=re.compile("^Run$")).click()
    code = page.get_by_text("Code of your prediction, for the class").locator("code")
    code.wait_for()
    page.get_by_text(FIRST.moral[:40]).wait_for()
    return str(code.inner_text())
