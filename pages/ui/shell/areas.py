"""Areas by level and code, as in an address."""

from dataclasses import dataclass
from typing import Self

from hierdp_core.exceptions import ChoiceError
from hierdp_core.hierarchy import Regions

PIN_WORDS = ("pin", "beside")  # parameters of the address for the first and second pinned area


@dataclass(frozen=True, kw_only=True)
class Area:
    """An area by the name of its level and its code."""

    level: str
    id: str

    @classmethod
    def of(cls, regions: Regions, node: int) -> Self:
        """Return the area with this number in the hierarchy."""
        return cls(level=regions.levels[int(regions.tree.level_of[node])], id=regions.ids[node])

    @classmethod
    def from_word(cls, word: str, regions: Regions) -> Self:
        """Return the area that a parameter of an address names, such as "county:48301".

        Raises:
            HierdpError: there is no such area.
        """
        levels = [level for level in regions.levels if word.startswith(f"{level}:")]
        if not levels:
            raise ChoiceError(
                'A pinned area is given as its level and its code, such as "county:48301"; got '
                f'"{word[:60]}". Correct the address, or pin the area on its page.'
            )
        level = max(levels, key=len)
        area = cls(level=level, id=word[len(level) + 1 :])
        area.node(regions)
        return area

    @property
    def word(self) -> str:
        """The area in an address."""
        return f"{self.level}:{self.id}"

    def node(self, regions: Regions) -> int:
        """Return the number of the area in the hierarchy.

        Raises:
            HierarchyError: there is no such area.
        """
        return regions.node(self.id, regions.level_index(self.level))
