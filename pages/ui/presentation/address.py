"""The address of the page Presentation: which step is shown."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, Self

from hierdp_core.exceptions import ChoiceError
from pages.ui.shell.address import PageAddress, View

STEPS = 5


@dataclass(frozen=True, kw_only=True)
class PresentationAddress(PageAddress):
    """The step of the presentation that is shown.

    Attributes:
        step: from 1 to `STEPS`.
        large: the steps fill the window, without navigation and settings.
    """

    WORDS: ClassVar[tuple[str, ...]] = ("step", "large")

    step: int = 1
    large: bool = False

    @classmethod
    def from_query(cls, query: Mapping[str, str], view: View) -> Self:
        """Return the address of a query.

        Raises:
            ChoiceError: there is no such step.
        """
        text = query.get("step", "1")
        if not text.isdecimal() or not 1 <= int(text) <= STEPS:
            raise ChoiceError(f'"step" must be a number from 1 to {STEPS}; got "{text[:20]}".')
        return cls(step=int(text), large=query.get("large") == "yes")

    def to_query(self) -> dict[str, str]:
        step = {} if self.step == 1 else {"step": str(self.step)}
        return step | ({"large": "yes"} if self.large else {})
