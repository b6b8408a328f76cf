"""The address of the page Lessons: the lesson that is open, and for whom."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, Self

from hierdp_core.exceptions import ChoiceError
from hierdp_core.lessons import CLASS_SIZE, LESSONS, Lesson, lesson
from hierdp_core.util.text import join_and
from hierdp_core.writers import notebook
from hierdp_core.writers.notebook import Cells
from pages.ui.shell.address import PageAddress, View

MOST_STUDENTS = 200


@dataclass(frozen=True, kw_only=True)
class LessonsAddress(PageAddress):
    """A lesson and the student who does it.

    Attributes:
        lesson: the open lesson.
        number: the number of the student in the class, which seeds the noise.
        teacher: whether the instructor view is on.
        students: the number of students in the class.
    """

    WORDS: ClassVar[tuple[str, ...]] = ("lesson", "number", "class")
    STANDALONE: ClassVar[bool] = True

    lesson: Lesson = LESSONS[0]
    number: int = 1
    teacher: bool = False
    students: int = CLASS_SIZE

    @classmethod
    def from_query(cls, query: Mapping[str, str], view: View) -> Self:
        """Return the state that an address describes.

        Raises:
            ChoiceError: a parameter is unknown or has no usable value.
        """
        unknown = sorted(set(query) - set(cls.WORDS))
        if unknown:
            raise ChoiceError(
                f"A link to Lessons has the parameters {join_and(list(cls.WORDS))}; "
                f'"{unknown[0][:40]}" is not one of them.'
            )
        return cls(
            lesson=lesson(query.get("lesson", LESSONS[0].id)),
            number=_whole(query.get("number", "1"), "number", least=1),
            teacher="class" in query,
            students=_whole(query.get("class", str(CLASS_SIZE)), "class", least=2),
        )

    def notebook(self, view: View) -> Cells:
        return notebook.lesson(self.lesson.id, self.number)

    def to_query(self) -> dict[str, str]:
        own = {"class": str(self.students)} if self.teacher else {}
        return {"lesson": self.lesson.id, "number": str(self.number)} | own


def _whole(text: str, name: str, *, least: int) -> int:
    if not text.isdecimal() or len(text) > 6 or not least <= int(text) <= MOST_STUDENTS:
        raise ChoiceError(
            f'The parameter "{name}" in the address must be a whole number from {least} to '
            f'{MOST_STUDENTS}; got "{text[:20]}".'
        )
    return int(text)
