"""Values that say in a line or two what they are, and that a notebook shows as a card."""

from typing import Any

from hierdp_core.util.escaping import visible
from hierdp_core.util.late import late


class Shown:
    """A value with a card in `hierdp_core.display.cards`.

    Without it the text of a value repeats every array in it, which may take a screen for each.
    """

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Take the state of a copy or of a pickle: arrays cannot be written to there either."""
        for value in state.values():
            if hasattr(value, "setflags"):  # an array; NumPy is not loaded for this
                value.setflags(write=False)
        self.__dict__.update(state)

    def __repr__(self) -> str:
        return visible(str(late("display.cards", "text")(self)))

    def _repr_html_(self) -> str:
        return str(late("display.cards", "html")(self))
