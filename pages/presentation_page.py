"""Presentation: the settings as a story of a few steps, in large type, with arrow keys."""

from pages.ui.presentation import view
from pages.ui.presentation.address import PresentationAddress
from pages.ui.shell import frame

with frame.page("Presentation", PresentationAddress):
    view.show()
