"""The address of Impact on decisions: a rule, and whom it decides about."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self

from hierdp_core import decisions
from hierdp_core.decisions import Preset, Rule
from hierdp_core.evaluation.released_counts import true_counts
from hierdp_core.exceptions import ChoiceError
from hierdp_core.settings import Settings
from hierdp_core.writers import notebook
from hierdp_core.writers.notebook import Cells
from pages.ui.impact import impact_words
from pages.ui.shell import datasets, session
from pages.ui.shell.address import PageAddress, View, read_simulations

SHOWN = ("places", "budgets", "programmes", "sizes", "draws")
USUAL_RULE = "funding"  # it concerns every area
USUAL_SIMULATIONS = 300
_PREFIX = "rule."  # starts the name of a rule's parameter in the address
_UNUSED = ("level", "region")  # the area that other pages show; links to this page have none
_OLD_DRAWS = "draws"  # the name of "simulations" in the first version, still accepted by this page


@dataclass(frozen=True, kw_only=True)
class ImpactAddress(PageAddress):
    """A rule, the level it is for, and how many simulations it is applied to.

    Attributes:
        rule: id of a rule.
        level: the name of the level that is decided about; None for the usual one of the rule.
        parameters: the names and values, as text, of the parameters that are set.
        n_simulations: the number of simulations.
        show: which of `SHOWN` is open.
        beside: id of a preset that is shown beside the rule; empty for none.
    """

    WORDS: ClassVar[tuple[str, ...]] = (
        "rule",
        "places",
        "show",
        "beside",
        "simulations",
        _OLD_DRAWS,
    )

    rule: str = USUAL_RULE
    level: str | None = None
    parameters: tuple[tuple[str, str], ...] = ()
    n_simulations: int = USUAL_SIMULATIONS
    show: str = SHOWN[0]
    beside: str = ""

    @classmethod
    def owns(cls, word: str) -> bool:
        return word in (*cls.WORDS, *_UNUSED) or word.startswith(_PREFIX)

    def notebook(self, view: View) -> Cells:
        settings = view.settings
        return notebook.impact(
            settings,
            datasets.get(settings.sample).table,
            source=datasets.source_of(settings.sample),
            rule=self.rule,
            level=self.level,
            parameters=dict(self.parameters),
            simulations=self.n_simulations,
        )

    @classmethod
    def from_query(cls, query: Mapping[str, str], view: View) -> Self:
        """Return the address of a query, checked against the table of the view.

        Raises:
            HierdpError: a parameter of the address has an invalid value.
        """
        if unused := [word for word in _UNUSED if word in query]:
            session.tell(impact_words.unused(unused))
        table, quantity = datasets.get(view.settings.sample).table, view.settings.quantity
        rule = decisions.get(query.get("rule", USUAL_RULE))
        level, show = query.get("places"), query.get("show", SHOWN[0])
        if show not in SHOWN:
            raise ChoiceError(f'"show" must be one of {", ".join(SHOWN)}; got "{show[:20]}".')
        given = {n.removeprefix(_PREFIX): v for n, v in query.items() if n.startswith(_PREFIX)}
        truth = true_counts(table, quantity or table.quantities[0].id)
        usual = rule.usual_level(truth.regions)
        rule.read(given, truth.of_level(level or usual))
        beside = query.get("beside", "")
        if beside and decisions.get_preset(beside) not in decisions.presets_for(table):
            raise ChoiceError(f'The preset "{beside}" does not fit these data. Leave out "beside".')
        return cls(
            rule=rule.id,
            level=None if level == usual else level,
            parameters=tuple(given.items()),
            n_simulations=_simulations(query),
            show=show,
            beside=beside,
        )

    def to_query(self) -> dict[str, str]:
        words = {"rule": self.rule}
        if self.level is not None:
            words["places"] = self.level
        words |= {_PREFIX + name: value for name, value in self.parameters}
        if self.n_simulations != USUAL_SIMULATIONS:
            words["simulations"] = str(self.n_simulations)
        if self.beside:
            words["beside"] = self.beside
        return words | ({"show": self.show} if self.show != SHOWN[0] else {})

    def full_query(self, view: View) -> dict[str, str]:
        """Return all parameters, except the number of simulations on other pages."""
        shared = {name: v for name, v in view.at_root().to_query().items() if name != "draws"}
        return shared | self.to_query()

    def elsewhere(self) -> Self:
        """Return the address for other data, with their usual level and parameters."""
        return replace(self, level=None, parameters=(), beside="")

    def under(self, rule: str, level: str | None) -> Self:
        """Return the address at a rule and level; new ones start with their usual parameters."""
        same = rule == self.rule and level == self.level
        return self if same else replace(self, rule=rule, level=level, parameters=())

    def set_to(self, rule: Rule, values: Mapping[str, Any], usual: Mapping[str, Any]) -> Self:
        """Return the address with these parameters; it states only what differs from the usual."""
        parameters = {n: rule.parameter(n).say(v) for n, v in values.items() if v != usual[n]}
        return replace(self, parameters=tuple(parameters.items()))


def under_preset(view: View, preset: Preset) -> View:
    """Return the view that shows a preset, with the quantity closest to what its law counts."""
    table = datasets.get(view.settings.sample).table
    rule, quantity = decisions.get(preset.rule), preset.quantity_in(table)
    level = preset.level_in(table.regions.levels)
    usual = rule.usual_level(table.regions_of(table.quantity(quantity)))
    address = replace(
        view.of(ImpactAddress),
        rule=rule.id,
        level=None if level == usual else level,
        parameters=tuple((n, rule.parameter(n).say(v)) for n, v in preset.parameters.items()),
    )
    first = table.quantities[0].id
    settings = replace(view.settings, quantity=None if quantity == first else quantity)
    return replace(view, settings=settings).having(address)


def preset_of(
    presets: Iterable[Preset], *, rule: str, level: str, values: Mapping[str, Any]
) -> Preset | None:
    """Return the preset with this rule, level and these parameters; None if there is none."""
    for preset in presets:
        same = all(values.get(name) == value for name, value in preset.parameters.items())
        if preset.rule == rule and level in preset.levels and same:
            return preset
    return None


def _simulations(query: Mapping[str, str]) -> int:
    if _OLD_DRAWS in query and "simulations" in query:
        raise ChoiceError('"draws" is the old name of "simulations"; give only one of them.')
    text = query.get("simulations", query.get(_OLD_DRAWS))
    return USUAL_SIMULATIONS if text is None else read_simulations(text)


def to_python(
    settings: Settings,
    quantity: str,
    *,
    rule: str,
    level: str,
    given: Mapping[str, Any],
    n_simulations: int,
) -> str:
    """Return lines of Python that compute the same probabilities.

    Args:
        settings: the data, the mechanism and the budget.
        quantity: id of the quantity that is compared.
        rule, level, given: the id of the rule, its level and its parameters.
        n_simulations: the number of simulations.
    """
    plan = settings.to_python().split("sim = ")[0]
    words = "".join(f", {name}={value!r}" for name, value in given.items())
    return (
        f"{plan}counts = hdp.released_counts(\n"
        f'    data.table, plan, "{quantity}", n_simulations={n_simulations}, seed={settings.seed}\n'
        ")\n"
        f'outcome = hdp.decisions.decide("{rule}", counts.of_level("{level}"){words})\n'
        'print(outcome.places.sort_values("wrong", ascending=False))\n'
    )
