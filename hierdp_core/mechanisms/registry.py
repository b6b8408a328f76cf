"""Every mechanism by its id. Only this module turns ids and option words into mechanisms.

The app, the command line, tests and benchmarks read this list.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from hierdp_core.exceptions import ChoiceError
from hierdp_core.hierarchy import Regions
from hierdp_core.mechanisms.base import Mechanism, MechanismInfo
from hierdp_core.mechanisms.blue_top_down import BlueTopDown, BlueTopDownSizes
from hierdp_core.mechanisms.count_of_counts import (
    CountOfCounts,
    CountOfCountsBottomUp,
    CountOfCountsNaive,
)
from hierdp_core.mechanisms.count_of_counts_joint import CountOfCountsJoint
from hierdp_core.mechanisms.counts import (
    Hay,
    TopDown,
    TreeDp,
)
from hierdp_core.mechanisms.cumulative import (
    PgsrCChain,
    PgsrCDp,
    PgsrCOpt,
    PgsrCRelaxed,
)
from hierdp_core.mechanisms.generic import (
    PgsrC,
    PgsrH,
    PgsrHDpGeneric,
)
from hierdp_core.mechanisms.group_sizes import (
    PgsrHDp,
    PgsrHRelaxed,
    TopDown2018,
)
from hierdp_core.mechanisms.inftda import InfTda, TdaL2, TdaLinf
from hierdp_core.mechanisms.leaf_noise import StabilityHistogram, VanillaGauss
from hierdp_core.mechanisms.options import checked_words, field_names, from_words, words_of
from hierdp_core.mechanisms.texts import read_text
from hierdp_core.noise import SeededNoise
from hierdp_core.privacy import Budget
from hierdp_core.tables import Counts, Flows, GroupSizes, Table
from hierdp_core.util.constraints import USUAL_DELTA
from hierdp_core.util.text import join_or

MECHANISMS: dict[str, type[Mechanism]] = {
    mechanism.id: mechanism
    for mechanism in (
        PgsrCOpt,
        PgsrHDp,
        PgsrCDp,
        PgsrCChain,
        TopDown2018,
        BlueTopDownSizes,
        PgsrHRelaxed,
        PgsrCRelaxed,
        PgsrH,
        PgsrC,
        PgsrHDpGeneric,
        CountOfCounts,
        CountOfCountsJoint,
        CountOfCountsNaive,
        CountOfCountsBottomUp,
        TreeDp,
        Hay,
        TopDown,
        BlueTopDown,
        InfTda,
        TdaL2,
        TdaLinf,
        VanillaGauss,
        StabilityHistogram,
    )
}


# The default for each kind of table. `hierdp reproduce recommendations` compares its errors with
# those of the alternatives.
RECOMMENDED: dict[str, str] = {
    "group-sizes": "pgsr-c-opt",
    "counts": "tree-dp",
    "flows": "inftda",
}


def recommended(kind: str) -> str:
    """Return the id of the default mechanism for tables of `kind`."""
    return RECOMMENDED[kind]


def is_recommended(id: str, kind: str | None = None) -> bool:
    """Return whether a mechanism is the default for tables of `kind`, or of any kind if None."""
    return id in RECOMMENDED.values() if kind is None else id == recommended(kind)


def names(kind: str | None = None) -> list[str]:
    """Return the ids of all mechanisms, or of those for one kind of table, the default first."""
    return [id for id, m in MECHANISMS.items() if kind is None or kind in m.kinds]


def get(id: str) -> type[Mechanism]:
    """Return the class of the mechanism with this id.

    Raises:
        ChoiceError: no mechanism has this id.
    """
    if id not in MECHANISMS:
        raise ChoiceError(f'There is no mechanism "{id}". Choose {join_or(list(MECHANISMS))}.')
    return MECHANISMS[id]


def describe(id: str) -> MechanismInfo:
    """Return a description of the mechanism with this id.

    Raises:
        ChoiceError: no mechanism has this id.
    """
    return get(id).info()


def parse(id: str, options: Mapping[str, Any] | None = None) -> Mechanism:
    """Return the mechanism with this id, with options given as words.

    Args:
        id: the id of the mechanism.
        options: words by the name of the option, such as {"methods": "hg,hc"}. Other options
            have their default values.

    Raises:
        ChoiceError: the mechanism or an option is unknown, or an option does not accept its word.
    """
    mechanism: Mechanism = from_words(id, get(id), options)
    return mechanism


def configured(mechanism: Mechanism | str, options: Mapping[str, Any] | None = None) -> Mechanism:
    """Return `mechanism` itself, or the one that a text names: an id, or "coc: merge=mean".

    Args:
        mechanism: a mechanism, or its text, as in the module `texts`.
        options: words by the name of the option, in addition to those of a text.

    Raises:
        ChoiceError: the mechanism or an option is unknown, or options are given in addition to a
            mechanism that is not a text.
    """
    if isinstance(mechanism, str):
        id, words = read_text(mechanism)
        return parse(id, words | dict(options or {}))
    if options:
        fields = field_names(type(mechanism))
        arguments = ", ".join(f"{fields.get(name, name)}=…" for name in options)
        raise ChoiceError(
            "Options by name need the id of a mechanism. Here a mechanism is given, so set them in "
            f"it: {type(mechanism).__name__}({arguments})."
        )
    return mechanism


def check_words(
    id: str, options: Mapping[str, Any] | None = None, *, kind: str = ""
) -> dict[str, str]:
    """Return the options of the mechanism with this id, each with its word; see `checked_words`.

    Args:
        id: the id of the mechanism.
        options: words by the name of the option.
        kind: the kind of table, if it is known. Messages then offer only what it accepts.

    Raises:
        ChoiceError: the mechanism, an option or a choice is unknown.
    """
    return dict(checked_words(id, get(id), options, kind=kind))


def options_of(mechanism: Mechanism) -> tuple[tuple[str, str], ...]:
    """Return the options of a mechanism, each with the word of its value, in field order."""
    return words_of(mechanism)


def warm_up(mechanism: Mechanism | str) -> None:
    """Compile the code that a mechanism runs, so that timings do not include compilation.

    Raises:
        ChoiceError: no mechanism has this id, or the solver that it needs is not installed.
    """
    one = configured(mechanism)
    table = _small_table(one.kinds[0])
    domain = replace(table.domain_by_region, total=3)
    plan = one.plan(
        domain,
        budget=Budget.of(epsilon=1, delta=USUAL_DELTA, accounting="simple"),
        allocation=one.allocation(None, domain),
    )
    one.estimate(one.measure(table.content, plan, SeededNoise(0)), plan)


def _small_table(kind: str) -> Table:
    levels = ("nation", "state", "county")
    chain: dict[str, str | None] = {"a": None, "b": "a", "c": "b"}
    regions = Regions.from_parents(chain, levels=levels)
    tables: tuple[Table, ...] = (
        GroupSizes.from_leaves(regions, [[1, 1, 1]]),
        Counts.from_leaves(regions, [3]),
        Flows.from_pairs(regions, regions, [0], [0], [3]),
    )
    return next(table for table in tables if table.kind == kind)
