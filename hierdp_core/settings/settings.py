"""The settings of a simulation: the sample, the mechanism with its budget, and the seed.

Settings can be written as an address, a TOML file, a shell command or a few lines of Python, and be
read from each of these again.
"""

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, fields
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Self

from hierdp_core.exceptions import ChoiceError
from hierdp_core.settings import codecs
from hierdp_core.settings.words import (
    ACCOUNT,
    BUDGET,
    current_words,
    read_allocation,
    read_seed,
    text_of,
)
from hierdp_core.util.text import join_and, join_or

if TYPE_CHECKING:
    from hierdp_core.mechanisms import Mechanism
    from hierdp_core.privacy import Budget
    from hierdp_core.simulation import Plan
    from hierdp_core.tables import Table


@dataclass(frozen=True, kw_only=True)
class Settings:
    """A sample, a mechanism with its budget, and a seed.

    Attributes:
        sample: the id of a sample, or "own-data" for a table of one's own.
        mechanism: the id of a mechanism.
        epsilon: the ε of the budget; 1 if neither `epsilon` nor `rho` is given.
        delta: the δ of the budget; None for a budget of ε alone or of ρ.
        rho: the ρ of the budget, instead of `epsilon`.
        accounting: the accounting method for (ε, δ), as in `Budget.approximate`; None for the
            default.
        noise: the kind of noise for (ε, δ), as in `Budget.approximate`; None for the default.
        allocation: one whole number per level, from the root down; None for equal parts.
        seed: the seed of the noise, at least 0. Anyone who knows it can remove the noise.
        options: the options of the mechanism that are set.
        quantity: the id of the quantity of a region that is evaluated; None for every cell. It is
            not compared with the table here.

    Raises:
        ChoiceError: an id or a value is unknown.
        BudgetError: the budget or the allocation is not valid.
    """

    sample: str = "us-households"
    mechanism: str = "pgsr-c-opt"
    epsilon: float | None = None
    delta: float | None = None
    rho: float | None = None
    accounting: str | None = None
    noise: str | None = None
    allocation: tuple[int, ...] | None = None
    seed: int = 0
    options: Mapping[str, str] = field(default_factory=dict)
    quantity: str | None = None

    def __post_init__(self) -> None:
        from hierdp_core import mechanisms, samples
        from hierdp_core.noise import checked_seed
        from hierdp_core.privacy import Allocation
        from hierdp_core.samples.sample import OWN

        if self.epsilon is None and self.delta is None and self.rho is None:
            object.__setattr__(self, "epsilon", 1.0)
        budget = self.budget
        for word in BUDGET:
            parameter = getattr(budget, word)
            object.__setattr__(self, word, None if parameter is None else float(parameter))
        for word, usual in ACCOUNT.items():
            kind = getattr(budget, word)
            object.__setattr__(self, word, None if kind == usual else kind)
        if self.allocation is not None:
            # The number of weights is compared with the levels once the sample is loaded.
            places = [f"level {k + 1}" for k in range(len(self.allocation))]
            object.__setattr__(self, "allocation", Allocation.of(self.allocation, places).weights)
        object.__setattr__(self, "seed", checked_seed(self.seed))
        if self.quantity is not None and not re.fullmatch(r"[a-z0-9-]+", self.quantity):
            raise ChoiceError(
                f'Name the quantity by an id such as "occupied"; got "{self.quantity}".'
            )
        if self.sample != OWN:
            samples.describe(self.sample)
        options = {name: text_of(value) for name, value in sorted(self.options.items())}
        mechanisms.check_words(self.mechanism, options)
        object.__setattr__(self, "options", MappingProxyType(options))

    def plan(self, table: "Table") -> "Plan":
        """Return the plan of a release of `table` under these settings.

        Raises:
            ChoiceError, BudgetError: as in `hierdp_core.plan`.
        """
        from hierdp_core.simulation import plan

        return plan(table, self.configured, budget=self.budget, allocation=self.allocation)

    def shared_levels(self, table: "Table") -> tuple[str, ...]:
        """Return the levels for which `allocation` has a number.

        Only options with fixed choices are used, since no other option affects the levels.
        """
        from hierdp_core import mechanisms

        closed = {o.name for o in mechanisms.describe(self.mechanism).options if o.choices}
        stated_options = {name: word for name, word in self.options.items() if name in closed}
        return mechanisms.parse(self.mechanism, stated_options).shared_levels(table.domain)

    @property
    def configured(self) -> "Mechanism":
        """The mechanism with its options.

        Raises:
            ChoiceError: an option has a value that the mechanism does not take.
        """
        from hierdp_core import mechanisms

        return mechanisms.parse(self.mechanism, self.options)

    @property
    def mechanism_text(self) -> str:
        """The mechanism with the options that are set, in one line: "coc: merge=mean"."""
        from hierdp_core import mechanisms

        return mechanisms.text_of(self.mechanism, self.options)

    @property
    def budget(self) -> "Budget":
        """The privacy-loss budget."""
        from hierdp_core.privacy import Budget

        return Budget.of(
            epsilon=self.epsilon,
            delta=self.delta,
            rho=self.rho,
            accounting=self.accounting,
            noise=self.noise,
        )

    @property
    def words(self) -> dict[str, Any]:
        """The values that are set, by name, in the order of the attributes."""
        values = {f.name: getattr(self, f.name) for f in fields(self)}
        values["options"] = dict(self.options) or None
        return {name: value for name, value in values.items() if value is not None}

    @classmethod
    def of(cls, words: Mapping[str, Any]) -> Self:
        """Return settings from text or values by name: {"epsilon": "1", "allocation": "1,1,2"}.

        Raises:
            ChoiceError, BudgetError: a name is unknown, or a value is not valid.
        """
        names = [f.name for f in fields(cls)]
        words = current_words(words)
        for word in words:
            if word not in names:
                raise ChoiceError(unknown_setting(word, names))
        values = dict(words)
        for word in ("sample", "mechanism", "quantity", *ACCOUNT):
            if word in values and not isinstance(values[word], str):
                raise ChoiceError(f"{word} is not text, but {values[word]}. Put it in quotes.")
        if "allocation" in values:
            values["allocation"] = read_allocation(values["allocation"])
        if "seed" in values:
            values["seed"] = read_seed(values["seed"])
        if not isinstance(values.get("options", {}), Mapping):
            raise ChoiceError(
                f"options are not names with values, but {values['options']}. Write them as in "
                'merge = "mean".'
            )
        return cls(**values)

    def to_toml(self) -> str:
        """Return the settings as a TOML file for `hierdp simulate FILE`.

        For `sample="own-data"`, `OwnFiles.to_toml` adds the data files, which the command needs.
        """
        return codecs.toml_of(self.words)

    @classmethod
    def from_toml(cls, text: str) -> Self:
        """Return settings from a file like that of `to_toml`.

        Raises:
            ChoiceError, BudgetError: the text is not valid TOML, or as in `of`.
        """
        return cls.of(codecs.words_of_toml(text))

    def to_query(self) -> dict[str, str]:
        """Return names and values for the address of a page."""
        return codecs.query_of(self.words)

    @classmethod
    def from_query(cls, query: Mapping[str, str], *, also: Collection[str] = ()) -> Self:
        """Return settings from an address; an empty one gives the defaults.

        Args:
            query: names and values.
            also: names that the page reads itself; they are ignored.

        Raises:
            ChoiceError, BudgetError: as in `of`.
        """
        words = codecs.words_of_query(query, also=also)
        names = [*(f.name for f in fields(cls) if f.name != "options"), "option.NAME", *also]
        for word in current_words(words):
            if word not in {f.name for f in fields(cls)}:
                raise ChoiceError(
                    f'An address has no parameter "{word}". Remove it, or correct its name. All '
                    f"pages know {join_and(names)}. Each page also knows the names in its own link."
                )
        return cls.of(words)

    def to_shell(self) -> str:
        """Return a command for the shell that makes the same simulation.

        For `sample="own-data"`, replace "your-table.csv" in it by the names of the files.
        """
        return codecs.shell_of(self.words)

    @classmethod
    def from_shell(cls, line: str) -> Self:
        """Return settings from a command like that of `to_shell`.

        Raises:
            ChoiceError, BudgetError: the line is not such a command, or as in `of`.
        """
        return cls.of(codecs.words_of_shell(line))

    def to_python(self) -> str:
        """Return lines of Python that make the same simulation.

        For `sample="own-data"`, replace "your-table.csv" in them by the names of the files.
        """
        return codecs.python_of(self.words)

    def plan_call(self, table: str) -> str:
        """Return the call of `hdp.plan` on `table`, a Python expression."""
        return codecs.plan_call(self.words, table)

    @classmethod
    def from_python(cls, text: str) -> Self:
        """Return settings from lines like those of `to_python`. Nothing is executed.

        Raises:
            ChoiceError, BudgetError: the lines cannot be read or contain no settings, or as in
                `of`.
        """
        return cls.of(codecs.words_of_python(text))


def unknown_setting(word: str, names: Sequence[str]) -> str:
    """Return the message about a setting that is none of `names`."""
    from hierdp_core.mechanisms import MECHANISMS

    if any(word == option.name for one in MECHANISMS.values() for option in one.info().options):
        return f"{word} is an option of mechanisms. Put it below the line [options]."
    return f'There is no setting "{word}". Choose {join_or(names)}.'
