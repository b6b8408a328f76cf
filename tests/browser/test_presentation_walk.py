"""A talk: an adviser walks through the whole presentation and back, with the keyboard alone."""

from collections.abc import Callable
from typing import Any

from support.browser import wait_for_rest

from pages.ui.presentation.address import STEPS

NOW = """number => {
    const shown = element => element.checkVisibility({visibilityProperty: true});
    const slides = [...document.querySelectorAll('.st-key-stage [class*=st-key-slide-]')];
    const now = slides.filter(shown);
    return document.querySelector('.st-key-stage')?.innerText.includes(`Step ${number} of `)
        && now.length === 1 && now[0].classList.contains(`st-key-slide-${number}`)
        && [...now[0].querySelectorAll('.main-svg')].some(shown); }"""
TITLE = ".st-key-stage h1:visible"


def test_every_step_of_a_talk_shows_its_picture(visit: Callable[..., Any]) -> None:
    page = visit("/present?sample=running-example&epsilon=0.5&draws=10", width=1280, height=720)
    page.get_by_role("button", name="Present, step 1 of").click()
    titles = []
    for number in range(1, STEPS + 1):
        page.wait_for_function(NOW, arg=number)
        wait_for_rest(page)
        assert page.locator("[data-testid=stException], [data-testid=stAlert]").count() == 0
        titles.append(page.locator(TITLE).inner_text())
        if number < STEPS:
            page.keyboard.press("ArrowRight")
    assert len(set(titles)) == STEPS
    assert page.get_by_role("button", name="Next").is_disabled()
    page.keyboard.press("ArrowLeft")
    page.wait_for_function(NOW, arg=STEPS - 1)
    assert page.locator(TITLE).inner_text() == titles[-2]
    page.keyboard.press("Escape")
    page.get_by_role("button", name=f"Present, step {STEPS - 1} of").wait_for()
