"""Result in parts: one area of a simulation on disk with its sub-areas, and every level of it."""

from pages.ui.result import opened, view
from pages.ui.shell import frame

with frame.page("Result in parts", demonstration=False):
    frame.notice()
    result = opened.result()
    shown = view.area(result)
    view.headline(shown)
    view.way(shown)
    view.sub_areas(shown)
    view.sizes(shown)
    view.levels(result)
    view.guarantee(shown)
