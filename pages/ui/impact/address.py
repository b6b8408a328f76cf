"""The address of the page Impact: a rule, and whom it decides about."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self

from hierdp_core import decisions
from hierdp_core.decisions import Rule
from hierdp_core.evaluation.released_counts import true_counts
from hierdp_core.exceptions import ChoiceError
from hierdp_core.samples.sample import OWN
from hierdp_core.settings import Settings
from hierdp_core.writers import notebook
from hierdp_core.writers.notebook import Cells
from pages.ui.shell import datasets
from pages.ui.shell.address import PageAddress, View, read_draws

SHOWN = ("places", "sizes", "draws")
USUAL_DRAWS = 300
_PREFIX = "rule."  # starts the name of a rule's parameter in the address
_OLD_DRAWS = "draws"  # of the first version; this page alone reads it so


@dataclass(frozen=True, kw_only=True)
class ImpactAddress(PageAddress):
    """A rule, the places it is for, and how many draws it is looked at over.

    Attributes:
        rule: id of a rule.
        level: the name of the level whose places are decided about; the last when not set.
        parameters: name and words of those that are set.
        draws: how many.
        show: which of `SHOWN` is open.
    """

    WORDS: ClassVar[tuple[str, ...]] = ("rule", "places", "show", "simulations", _OLD_DRAWS)

    rule: str = decisions.names()[0]
    level: str | None = None
    parameters: tuple[tuple[str, str], ...] = ()
    draws: int = USUAL_DRAWS
    show: str = SHOWN[0]

    @classmethod
    def owns(cls, word: str) -> bool:
        return word in cls.WORDS or word.startswith(_PREFIX)

    def notebook(self, view: View) -> Cells:
        settings = view.settings
        return notebook.impact(
            settings,
            datasets.get(settings.sample).table,
            own=settings.sample == OWN,
            rule=self.rule,
            level=self.level,
            parameters=dict(self.parameters),
            simulations=self.draws,
        )

    @classmethod
    def from_query(cls, query: Mapping[str, str], view: View) -> Self:
        """From an address; its words are held against the table of the view.

        Raises:
            HierdpError: a word of it says nothing usable.
        """
        table, quantity = datasets.get(view.settings.sample).table, view.settings.quantity
        rule = decisions.get(query.get("rule", decisions.names()[0]))
        level, show = query.get("places"), query.get("show", SHOWN[0])
        if show not in SHOWN:
            raise ChoiceError(f'Impact on decisions shows {", ".join(SHOWN)}; got "{show[:20]}".')
        given = {n.removeprefix(_PREFIX): v for n, v in query.items() if n.startswith(_PREFIX)}
        truth = true_counts(table, quantity or table.quantities[0].id)
        last = truth.regions.levels[-1]
        rule.read(given, truth.of_level(level or last))
        return cls(
            rule=rule.id,
            level=None if level == last else level,
            parameters=tuple(given.items()),
            draws=_draws(query),
            show=show,
        )

    def to_query(self) -> dict[str, str]:
        words = {"rule": self.rule}
        if self.level is not None:
            words["places"] = self.level
        words |= {_PREFIX + name: value for name, value in self.parameters}
        if self.draws != USUAL_DRAWS:
            words["simulations"] = str(self.draws)
        return words | ({"show": self.show} if self.show != SHOWN[0] else {})

    def full_query(self, view: View) -> dict[str, str]:
        """All words; how many draws other pages average over is not said here."""
        shared = {name: v for name, v in view.at_root().to_query().items() if name != "draws"}
        return shared | self.to_query()

    def elsewhere(self) -> Self:
        """The same for other data: level and parameters as usual there."""
        return replace(self, level=None, parameters=())

    def under(self, rule: str, level: str | None) -> Self:
        """The same rule and level, or others with their usual parameters."""
        same = rule == self.rule and level == self.level
        return self if same else replace(self, rule=rule, level=level, parameters=())

    def set_to(self, rule: Rule, values: Mapping[str, Any], usual: Mapping[str, Any]) -> Self:
        """The same with these parameters; only what differs from the usual is said."""
        said = {n: rule.parameter(n).say(v) for n, v in values.items() if v != usual[n]}
        return replace(self, parameters=tuple(said.items()))


def _draws(query: Mapping[str, str]) -> int:
    if _OLD_DRAWS in query and "simulations" in query:
        raise ChoiceError('"draws" is the old name of "simulations"; give one of them.')
    text = query.get("simulations", query.get(_OLD_DRAWS))
    return USUAL_DRAWS if text is None else read_draws(text)


def to_python(
    settings: Settings,
    quantity: str,
    *,
    rule: str,
    level: str,
    given: Mapping[str, Any],
    draws: int,
) -> str:
    """Lines of Python that give the same frequencies.

    Args:
        settings: what is loaded and how it is protected.
        quantity: which number of each region.
        rule, level, given: what is decided about whom, and with which parameters.
        draws: how many.
    """
    plan = settings.to_python().split("rel = ")[0]
    words = "".join(f", {name}={value!r}" for name, value in given.items())
    return (
        f"{plan}draws = hdp.released_counts(\n"
        f'    data.table, plan, "{quantity}", n_simulations={draws}, seed={settings.seed}\n'
        ")\n"
        f'found = hdp.decisions.decide("{rule}", draws.of_level("{level}"){words})\n'
        'print(found.places.sort_values("wrong", ascending=False))\n'
    )
