"""The base of objects that are printed in one line, and that a notebook shows as a card."""

from typing import Any

from hierdp_core.util.escaping import visible
from hierdp_core.util.late import late


class Shown:
    """An object with a card in `hierdp_core.display.cards`.

    Without this class, the text of an object repeats its arrays, each of which may fill a screen.
    """

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Restore the state from a copy or a pickle, with arrays that stay read-only."""
        for value in state.values():
            if hasattr(value, "setflags"):  # an array; this avoids loading NumPy
                value.setflags(write=False)
        self.__dict__.update(state)

    def __repr__(self) -> str:
        return visible(str(late("display.cards", "text")(self)))

    def _repr_html_(self) -> str:
        return str(late("display.cards", "html")(self))
