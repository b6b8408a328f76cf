"""Tables on screen hold true values, and Streamlit's own button saves them without saying so."""

from collections.abc import Callable
from typing import Any


def test_no_table_can_be_saved_without_the_mark(visit: Callable[..., Any]) -> None:
    page = visit("/?sample=running-example")
    page.get_by_role("tab", name="Largest errors").click()
    table = page.locator('[data-testid="stDataFrame"]').locator("visible=true").first
    table.wait_for()
    table.hover()
    tools = page.locator('[data-testid="stElementToolbarButton"]')
    tools.locator("visible=true").first.wait_for()
    unmarked = page.get_by_label("Download as CSV")
    assert unmarked.count() > 0  # the name that the style hides is still the button's
    assert not any(button.is_visible() for button in unmarked.all())
