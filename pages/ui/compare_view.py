"""What the page Compare holds side by side, and the address that says the same."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Self

from hierdp_core import mechanisms, samples
from hierdp_core.comparison import SCALES, fitting_grid, measure_of, rivals
from hierdp_core.exceptions import ChoiceError, HierdpError
from hierdp_core.mechanisms.base import Plan
from hierdp_core.privacy import PRESETS, Budget, SharePreset
from hierdp_core.samples import Sample
from hierdp_core.settings import Settings
from pages.ui import loading

KINDS = {"epsilon": "ε", "delta": "ε with δ", "rho": "ρ"}
DRAWS = (10, 30, 100, 300)
MOST_CASES = 72  # more than this no chart shows
MOST_MECHANISMS = 8  # colours that can be told apart
_USUAL_SIZES = (0.1, 1.0, 10.0)
_USUAL_SEVERAL = {"group-sizes": ("pgsr-h-dp", "pgsr-c-dp", "topdown-2018", "coc")}
_USUAL_DELTA = 1e-8
_FIRST = 4  # mechanisms of a kind without a list of its own


@dataclass(frozen=True, kw_only=True)
class CompareView:
    """The cases of the page and what of them is looked at.

    Attributes:
        sample, mechanisms: ids.
        kinds: how budgets are stated, of `KINDS`.
        sizes: the number of each budget.
        delta: beside ε, where a kind asks for it.
        shares: ids of presets.
        draws, seed: how many draws of each case, and of which noise.
        measure, promise, scale, x, y: see `Looking`; None is the usual one.
    """

    sample: str
    mechanisms: tuple[str, ...]
    kinds: tuple[str, ...] = ("epsilon",)
    sizes: tuple[float, ...] = _USUAL_SIZES
    delta: float = _USUAL_DELTA
    shares: tuple[str, ...] = ("even",)
    draws: int = 30
    seed: int = 0
    measure: str | None = None
    promise: str | None = None
    scale: str = SCALES[0]
    x: str | None = None
    y: str | None = None

    @classmethod
    def usual(cls, sample: Sample) -> Self:
        """What stands there before anything is chosen."""
        ids = fitting_mechanisms(sample)
        several = _USUAL_SEVERAL.get(sample.kind, tuple(ids[:_FIRST]))
        chosen = tuple(id for id in several if id in ids) or tuple(ids[:1])
        view = cls(sample=sample.id, mechanisms=chosen)
        try:
            view.plans(sample)
        except HierdpError:  # none of them can spend ε alone
            return replace(view, kinds=("delta",))
        return view

    @classmethod
    def from_query(cls, query: Mapping[str, str]) -> Self:
        """The view that an address asks for, held against its sample.

        Raises:
            HierdpError: a word of it says nothing usable.
        """
        words = dict(query)
        sample = loading.sample(samples.describe(words.pop("sample", Settings().sample)).id)
        view = cls.usual(sample)
        read = {
            "mechanisms": lambda text: _known(text, mechanisms.names(), "mechanism"),
            "as": lambda text: _known(text, KINDS, "kind of budget"),
            "budgets": _sizes,
            "delta": lambda text: float(_one_budget("1", text).delta or 0),
            "shares": lambda text: _known(text, [preset.id for preset in PRESETS], "preset"),
            "draws": _draws,
            "seed": lambda text: Settings.of({"seed": text}).seed,
            "measure": lambda text: measure_of(sample.table, text).id,
            "promise": str,
            "scale": lambda text: _known(text, SCALES, "scale")[0],
            "x": str,
            "y": str,
        }
        for word, text in words.items():
            if word not in read:
                raise ChoiceError(f'No setting "{word}"; Compare knows {", ".join(read)}.')
            name = {"as": "kinds", "budgets": "sizes"}.get(word, word)
            view = replace(view, **{name: read[word](text)})
        plans, _ = view.plans(sample)
        for level in (view.x, view.y):
            if level is not None and level not in plans[0].levels:
                names = ", ".join(plans[0].levels)
                raise ChoiceError(f'No level "{level[:60]}"; the levels are {names}.')
        if view.promise not in {None, *(promise for promise, _ in rivals(plans))}:
            raise ChoiceError(f'Nothing here promises "{view.promise[:60]}".')
        return view

    def to_query(self, sample: Sample) -> dict[str, str]:
        """The words of the address; what is as usual is left out."""
        usual = CompareView.usual(sample)
        words = {
            "mechanisms": ",".join(self.mechanisms),
            "as": ",".join(self.kinds),
            "budgets": ",".join(f"{size:g}" for size in self.sizes),
            "delta": f"{self.delta:g}",
            "shares": ",".join(self.shares),
            "draws": str(self.draws),
            "seed": str(self.seed),
            "measure": self.measure,
            "promise": self.promise,
            "scale": self.scale,
            "x": self.x,
            "y": self.y,
        }
        changed = {
            word: text
            for word, text in words.items()
            if text is not None and self._said(word) != usual._said(word)
        }
        return {"sample": self.sample} | changed

    def _said(self, word: str) -> object:
        return getattr(self, {"as": "kinds", "budgets": "sizes"}.get(word, word))

    def budgets(self) -> tuple[Budget, ...]:
        """Every number in every kind."""
        stated = {
            "epsilon": lambda size: Budget.of(epsilon=size),
            "delta": lambda size: Budget.of(epsilon=size, delta=self.delta),
            "rho": lambda size: Budget.of(rho=size),
        }
        return tuple(stated[kind](size) for kind in self.kinds for size in self.sizes)

    def splits(self, sample: Sample) -> tuple[tuple[int, ...] | None, ...]:
        """The shares of each preset; None where they are even, which is every usual split."""
        fitting = presets(sample)
        levels = () if sample.kind == "flows" else sample.table.regions.levels
        found = {
            id: fitting[id].weights_for(levels) if id in fitting else None for id in self.shares
        }
        return tuple(
            None if id == "even" else weights
            for id, weights in found.items()
            if id == "even" or weights is not None
        )

    def plans(self, sample: Sample) -> tuple[tuple[Plan, ...], tuple[str, ...]]:
        """The cases, and why some of what was asked for is not among them.

        Raises:
            HierdpError: there are none, or more than a chart shows.
        """
        budgets, splits = self.budgets(), self.splits(sample)
        cases = len(self.mechanisms) * len(budgets) * len(splits)
        if cases > MOST_CASES:
            raise ChoiceError(
                f"{len(self.mechanisms)} mechanisms × {len(budgets)} budgets × {len(splits)} "
                f"splits are {cases} cases; this page shows at most {MOST_CASES}. Choose fewer, "
                "or use `hierdp compare`."
            )
        return fitting_grid(sample.table, self.mechanisms, budgets, shares=splits)


def presets(sample: Sample) -> dict[str, SharePreset]:
    """The splits that fit; of flows, whose levels depend on the mechanism, only the even one."""
    if sample.kind == "flows":
        return {p.id: p for p in PRESETS if p.id == "even"}
    levels = sample.table.regions.levels
    return {p.id: p for p in PRESETS if p.weights_for(levels) is not None}


def fitting_mechanisms(sample: Sample) -> list[str]:
    """The mechanisms that take a table of this kind and size."""
    domain = sample.table.domain
    cells = domain.tree.n_nodes * domain.n_columns
    return [
        id
        for id in mechanisms.names(sample.kind)
        if cells <= (mechanisms.describe(id).largest_cells or cells)
    ]


def _known(text: str, known: Sequence[str] | Mapping[str, str], what: str) -> tuple[str, ...]:
    parts = tuple(dict.fromkeys(text.split(",")))
    for part in parts:
        if part not in known:
            raise ChoiceError(f'No {what} "{part[:40]}"; there are: {", ".join(known)}.')
    return parts


def _sizes(text: str) -> tuple[float, ...]:
    return tuple(dict.fromkeys(float(Budget.of(rho=part).rho or 0) for part in text.split(",")))


def _one_budget(epsilon: str, delta: str) -> Budget:
    return Budget.of(epsilon=epsilon, delta=delta)


def _draws(text: str) -> int:
    if not text.isdecimal() or int(text) not in DRAWS:
        choices = ", ".join(map(str, DRAWS))
        raise ChoiceError(f'The number of draws is one of {choices}; got "{text[:20]}".')
    return int(text)
