"""Values that say in a line or two what they are, and that a notebook shows as a card."""

from hierdp_core.util.escaping import visible
from hierdp_core.util.late import late


class Shown:
    """A value with a card in `hierdp_core.display.cards`.

    Without it the text of a value repeats every array in it, which may take a screen for each.
    """

    def __repr__(self) -> str:
        return visible(str(late("display.cards", "text")(self)))

    def _repr_html_(self) -> str:
        return str(late("display.cards", "html")(self))
