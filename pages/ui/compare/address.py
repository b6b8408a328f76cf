"""The cases that Compare mechanisms shows, and their address."""

import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self

from hierdp_core import mechanisms, samples
from hierdp_core.evaluation.comparison import SCALES, fitting_grid, measure_of, rivals
from hierdp_core.exceptions import ChoiceError, HierdpError
from hierdp_core.mechanisms.base import Plan
from hierdp_core.privacy import ACCOUNTS, NOISES, PRESETS, Budget, SharePreset
from hierdp_core.privacy.budget import BEST_NOISE, TIGHT_ACCOUNT
from hierdp_core.privacy.rounding import as_typed
from hierdp_core.samples import Sample
from hierdp_core.samples.sample import OWN
from hierdp_core.settings import Settings, budget_call, current_words
from hierdp_core.util.constraints import USUAL_DELTA
from hierdp_core.util.text import join_or
from hierdp_core.writers import notebook
from hierdp_core.writers.notebook import Cells
from pages.ui.shell import datasets, loading
from pages.ui.shell.address import PageAddress, View

KINDS = ("epsilon", "delta", "rho")
SIMULATIONS = (10, 30, 100, 300)
MOST_CASES = 72  # charts show no more
MOST_MECHANISMS = 8  # colours that can be distinguished
_USUAL_SIZES = (0.1, 1.0, 10.0)
_FIRST = 4  # mechanisms compared at first, if none is suggested for the kind of table

# Parameters of the address whose attributes have other names, and names in the first version.
_ATTRIBUTES = {"as": "kinds", "budgets": "sizes", "simulations": "n_simulations"}
_OLD_WORDS = {"draws": "simulations", "promise": "guarantee"}


@dataclass(frozen=True, kw_only=True)
class CompareView(PageAddress):
    """The cases of the page and the results that it shows.

    Attributes:
        sample, mechanisms: ids.
        kinds: the kinds of budgets, of `KINDS`.
        sizes: the values of the budgets, which apply to each kind.
        delta: δ, for the kind (ε, δ).
        accounting, noise: how (ε, δ) becomes noise, as in `Budget.approximate`.
        allocation: ids of presets, or allocations such as "1:1:2".
        options: (name, value) of options, the name after its mechanism: "coc.cap".
        n_simulations, seed: the number of simulations of each case, and their seed.
        measure, guarantee, scale, x, y: see `Looking`; None for the default.
    """

    STANDALONE: ClassVar[bool] = True
    USUAL: ClassVar[str] = "The default comparison is shown."

    sample: str
    mechanisms: tuple[str, ...]
    kinds: tuple[str, ...] = ("epsilon",)
    sizes: tuple[float, ...] = _USUAL_SIZES
    delta: float = USUAL_DELTA
    accounting: str = TIGHT_ACCOUNT
    noise: str = BEST_NOISE
    allocation: tuple[str, ...] = ("even",)
    options: tuple[tuple[str, str], ...] = ()
    n_simulations: int = 30
    seed: int = 0
    measure: str | None = None
    guarantee: str | None = None
    scale: str = SCALES[0]
    x: str | None = None
    y: str | None = None

    @classmethod
    def start(cls, view: View) -> Self:
        """Return the default comparison for the data of the view."""
        return cls.usual(datasets.get(view.settings.sample))

    def guarantee_among(self, guarantees: Sequence[str]) -> str:
        """Return the guarantee at which errors are compared; by default the one in the middle."""
        if self.guarantee is not None and self.guarantee in guarantees:
            return self.guarantee
        return guarantees[len(guarantees) // 2]

    @classmethod
    def usual(cls, sample: Sample) -> Self:
        """Return the default comparison of a sample."""
        ids = fitting_mechanisms(sample)
        suggested = tuple(id for id in ids if mechanisms.describe(id).is_suggested)
        chosen = suggested or tuple(ids[:_FIRST])
        view = cls(sample=sample.id, mechanisms=chosen)
        try:
            view.plans(sample)
        except HierdpError:  # none of them can spend ε alone
            return replace(view, kinds=("delta",))
        return view

    @classmethod
    def at(cls, sample: Sample, plan: Plan, *, mechanisms: Sequence[str] = ()) -> Self:
        """Return a comparison of a plan's own allocation with an equal one, at its budget.

        Args:
            sample: the sample of the plan.
            plan: its mechanism comes first.
            mechanisms: the other mechanisms; by default the usual ones.
        """
        usual = cls.usual(sample)
        budget = plan.budget
        kind = "rho" if budget.epsilon is None else "epsilon" if budget.delta is None else "delta"
        size = budget.rho if budget.epsilon is None else budget.epsilon
        own = own_words(plan.allocation.weights)
        return replace(
            usual,
            mechanisms=tuple(dict.fromkeys([plan.id, *(mechanisms or usual.mechanisms)])),
            kinds=(kind,),
            sizes=(float(size or 0),),
            delta=usual.delta if budget.delta is None else float(budget.delta),
            accounting=budget.accounting,
            noise=budget.noise,
            allocation=("even", own) if len(set(plan.allocation.weights)) > 1 else ("even",),
            options=_changed_options(plan),
        )

    @classmethod
    def from_query(cls, query: Mapping[str, str], view: View | None = None) -> Self:
        """Return the comparison of an address, checked against its sample.

        Raises:
            HierdpError: a parameter of the address is unknown or has an invalid value.
        """
        words = current_words(query)
        sample = loading.sample(samples.describe(words.pop("sample", Settings().sample)).id)
        defaults = cls.usual(sample)
        read: dict[str, Callable[[str], Any]] = {
            "mechanisms": lambda text: _known(text, mechanisms.names(), "mechanism"),
            "as": lambda text: _known(text, KINDS, "kind of budget"),
            "budgets": _sizes,
            "delta": lambda text: float(_one_budget("1", text).delta or 0),
            "accounting": lambda text: _known(text, ACCOUNTS, "accounting method")[0],
            "noise": lambda text: _known(text, NOISES, "kind of noise")[0],
            "allocation": _allocation,
            "options": read_options,
            "simulations": _simulations,
            "seed": lambda text: Settings.of({"seed": text}).seed,
            "measure": lambda text: measure_of(sample.table, text).id,
            "guarantee": str,
            "scale": lambda text: _known(text, SCALES, "scale")[0],
            "x": str,
            "y": str,
        }
        for old, word in _OLD_WORDS.items():
            if old in words and word in words:
                raise ChoiceError(f'"{old}" is the old name of "{word}"; give only one of them.')
        for parameter, text in words.items():
            word = _OLD_WORDS.get(parameter, parameter)
            if word not in read:
                raise ChoiceError(
                    f'Compare mechanisms has no setting "{word}". Its settings are '
                    f"{', '.join(read)}."
                )
            name = _ATTRIBUTES.get(word, word)
            defaults = replace(defaults, **{name: read[word](text)})
        plans, _ = defaults.plans(sample)
        for level in (defaults.x, defaults.y):
            if level is not None and level not in plans[0].levels:
                names = join_or(plans[0].levels)
                raise ChoiceError(f'There is no level "{level[:60]}". Choose {names}.')
        guarantee = _as_named_now(defaults.guarantee, plans)
        if guarantee is not None and guarantee not in {words for words, _ in rivals(plans)}:
            raise ChoiceError(
                f'No mechanism here has the guarantee "{guarantee[:60]}". Choose a guarantee on '
                "the page."
            )
        return replace(defaults, guarantee=guarantee)

    def to_query(self) -> dict[str, str]:
        """Return the parameters of the address, without defaults."""
        defaults = CompareView.usual(datasets.get(self.sample))
        words = {
            "mechanisms": ",".join(self.mechanisms),
            "as": ",".join(self.kinds),
            "budgets": ",".join(as_typed(size) for size in self.sizes),
            "delta": as_typed(self.delta),
            "accounting": self.accounting,
            "noise": self.noise,
            "allocation": ",".join(self.allocation),
            "options": ";".join(f"{name}={value}" for name, value in self.options),
            "simulations": str(self.n_simulations),
            "seed": str(self.seed),
            "measure": self.measure,
            "guarantee": self.guarantee,
            "scale": self.scale,
            "x": self.x,
            "y": self.y,
        }
        changed = {
            word: text
            for word, text in words.items()
            if text is not None and self._stated(word) != defaults._stated(word)
        }
        return {"sample": self.sample} | changed

    def notebook(self, view: View) -> Cells:
        sample = datasets.get(self.sample)
        return notebook.comparison(
            View(settings=view.settings).with_sample(self.sample).settings,
            source=datasets.source_of(self.sample),
            mechanisms=self.mechanism_texts(),
            budgets=[budget_call(budget) for budget in self.budgets()],
            allocation=self.splits(sample),
            simulations=self.n_simulations,
            seed=self.seed,
        )

    @property
    def shows_own_data(self) -> bool:
        return self.sample == OWN

    def _stated(self, word: str) -> object:
        return getattr(self, _ATTRIBUTES.get(word, word))

    def budgets(self) -> tuple[Budget, ...]:
        """Return every budget, with each value in each kind."""
        makers = {
            "epsilon": lambda size: Budget.of(epsilon=size),
            "delta": lambda size: Budget.approximate(
                size, self.delta, accounting=self.accounting, noise=self.noise
            ),
            "rho": lambda size: Budget.of(rho=size),
        }
        return tuple(makers[kind](size) for kind in self.kinds for size in self.sizes)

    def splits(self, sample: Sample) -> tuple[tuple[int, ...] | None, ...]:
        """Return the weights of each allocation; None for equal ones, the default."""
        fitting = presets(sample)
        levels = () if sample.between_regions else sample.table.regions.levels
        allocations = {
            id: fitting[id].weights_for(levels) if id in fitting else own_allocation(id)
            for id in self.allocation
        }
        return tuple(
            None if id == "even" else weights
            for id, weights in allocations.items()
            if id == "even" or weights is not None
        )

    def plans(self, sample: Sample) -> tuple[tuple[Plan, ...], tuple[str, ...]]:
        """Return the cases, and the reasons for excluding others.

        Raises:
            HierdpError: no case is left, or there are more than a chart shows.
        """
        budgets, splits = self.budgets(), self.splits(sample)
        cases = len(self.mechanisms) * len(budgets) * len(splits)
        if cases > MOST_CASES:
            raise ChoiceError(
                f"{len(self.mechanisms)} mechanisms × {len(budgets)} budgets × {len(splits)} "
                f"allocations are {cases} configurations. This page shows at most {MOST_CASES}. "
                "Choose fewer, or use `hierdp compare`."
            )
        return fitting_grid(sample.table, self.mechanism_texts(), budgets, allocation=splits)

    def mechanism_texts(self) -> tuple[str, ...]:
        """Return each mechanism with its options, as text such as "coc cap=100"."""
        return tuple(mechanisms.text_of(id, self.options_of(id)) for id in self.mechanisms)

    def options_used(self) -> dict[str, str]:
        """Return the stated options of the compared mechanisms, such as {"coc.cap": "100"}."""
        return {n: v for n, v in self.options if n.partition(".")[0] in self.mechanisms}

    def options_of(self, id: str) -> dict[str, str]:
        """Return the stated options of one mechanism, by name."""
        return {n.removeprefix(f"{id}."): v for n, v in self.options if n.startswith(f"{id}.")}

    def with_options(self, id: str, options: Mapping[str, str]) -> Self:
        """Return the view with other options of one mechanism."""
        others = tuple((n, v) for n, v in self.options if not n.startswith(f"{id}."))
        return replace(self, options=(*others, *((f"{id}.{n}", v) for n, v in options.items())))


def own_words(weights: Sequence[int]) -> str:
    """Return the weights of an allocation as written in the address.

    >>> own_words((1, 1, 2))
    '1:1:2'
    """
    return ":".join(map(str, weights))


def own_allocation(text: str) -> tuple[int, ...] | None:
    """Return the weights of a text such as "1:1:2"; None for the name of a preset.

    >>> own_allocation("1:1:2"), own_allocation("even")
    ((1, 1, 2), None)
    """
    parts = text.split(":")
    digits = all(part.isdecimal() and len(part) < 7 for part in parts)
    return tuple(map(int, parts)) if digits else None


def read_own_allocation(text: str) -> tuple[str, ...]:
    """Return the allocations of a text such as "1:1:2" or "1, 1, 2", separated by semicolons.

    >>> read_own_allocation("1, 1, 2; 1:3:3")
    ('1:1:2', '1:3:3')

    Raises:
        ChoiceError: an allocation is not a list of integers.
    """
    allocations = []
    for split in filter(None, (part.strip() for part in text.split(";"))):
        word = ":".join(part.strip() for part in split.replace(",", ":").split(":"))
        if own_allocation(word) is None:
            raise ChoiceError(
                "An allocation is one integer per level, such as 1:1:2. Separate allocations with "
                f'semicolons; got "{split[:40]}".'
            )
        allocations.append(word)
    return tuple(dict.fromkeys(allocations))


def read_options(text: str) -> tuple[tuple[str, str], ...]:
    """Return the options in a text such as "coc.cap=100;inftda.order=descending".

    Raises:
        ChoiceError: there is no such mechanism or option, or a value is missing.
    """
    options: dict[str, str] = {}
    for part in filter(None, text.split(";")):
        name, equals, value = part.partition("=")
        id, _, option = name.partition(".")
        _known(id, mechanisms.names(), "mechanism")
        _known(option, [o.name for o in mechanisms.describe(id).options], f"option of {id}")
        if not equals:
            raise ChoiceError(f'An option has the form MECHANISM.NAME=VALUE; got "{part[:40]}".')
        options[name] = value
    return tuple(options.items())


def presets(sample: Sample) -> dict[str, SharePreset]:
    """Return the preset allocations that fit, by id.

    For flows, only the equal allocation fits, because their levels depend on the mechanism.
    """
    if sample.between_regions:
        return {p.id: p for p in PRESETS if p.id == "even"}
    levels = sample.table.regions.levels
    return {p.id: p for p in PRESETS if p.weights_for(levels) is not None}


def fitting_mechanisms(sample: Sample) -> list[str]:
    """Return the ids of mechanisms for tables of this kind and size."""
    domain = sample.table.domain
    cells = domain.tree.n_nodes * domain.n_columns
    return [
        id
        for id in mechanisms.names(sample.kind)
        if cells <= (mechanisms.describe(id).largest_cells or cells)
    ]


def _known(text: str, choices: Sequence[str] | Mapping[str, str], what: str) -> tuple[str, ...]:
    parts = tuple(dict.fromkeys(text.split(",")))
    for part in parts:
        if part not in choices:
            raise ChoiceError(f'There is no {what} "{part[:40]}". Choose {join_or(list(choices))}.')
    return parts


# How older links named a guarantee: "(1, 1e-08)-DP, add or …", "0.5-zCDP, …".
_NUMBER = r"(\d+(?:\.\d+)?(?:e[+-]?\d+)?)"
_NAMED_BEFORE = re.compile(rf"\(?{_NUMBER}(?:, {_NUMBER}\))?-(DP|zCDP), (.*)")


def _as_named_now(guarantee: str | None, plans: Sequence[Plan]) -> str | None:
    match = _NAMED_BEFORE.match(guarantee or "")
    if match is None:
        return guarantee
    size, delta, kind, pair = match.groups()
    for words, cases in rivals(plans):
        privacy = plans[cases[0]].privacy
        now = privacy.rho if kind == "zCDP" else privacy.epsilon
        if (
            pair == f"{privacy.neighbours.value.removesuffix(' one')} {privacy.unit}"
            and (privacy.epsilon is None) == (kind == "zCDP")
            and math.isclose(now or 0, float(size), rel_tol=1e-5)  # older links have six digits
            and math.isclose(privacy.delta or 0, float(delta or 0), rel_tol=1e-5)
        ):
            return words
    return guarantee


def _sizes(text: str) -> tuple[float, ...]:
    return tuple(dict.fromkeys(float(Budget.of(rho=part).rho or 0) for part in text.split(",")))


def _allocation(text: str) -> tuple[str, ...]:
    ids = [preset.id for preset in PRESETS]
    for part in text.split(","):
        if own_allocation(part) is None:
            _known(part, ids, "preset")
    return tuple(dict.fromkeys(text.split(",")))


def _changed_options(plan: Plan) -> tuple[tuple[str, str], ...]:
    defaults = {o.name: o.default for o in mechanisms.describe(plan.id).options}
    return tuple((f"{plan.id}.{n}", v) for n, v in plan.options if v != defaults.get(n))


def _one_budget(epsilon: str, delta: str) -> Budget:
    return Budget.of(epsilon=epsilon, delta=delta)


def _simulations(text: str) -> int:
    if not text.isdecimal() or int(text) not in SIMULATIONS:
        choices = ", ".join(map(str, SIMULATIONS))
        raise ChoiceError(f'The number of simulations must be one of {choices}; got "{text[:20]}".')
    return int(text)
