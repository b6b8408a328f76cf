"""What `dir` lists: the public names of `hdp` and of its modules, and nothing that they import."""

from types import FunctionType, ModuleType

import numpy as np
import pytest

import hierdp_core as hdp

MODULES = [name for name in hdp.__all__ if isinstance(getattr(hdp, name), ModuleType)]
# Today's names, each with that of the version before.
ATTRIBUTES = {
    "Checks": {"faithful": "keeps_invariants"},
    "Comparison": {"draws": "n_simulations"},
    "Outcome": {"by_draw": "by_simulation", "draws": "n_simulations"},
}


def test_hdp_has_public_modules() -> None:
    assert set(MODULES) == {"decisions", "mechanisms", "privacy", "samples"}


@pytest.mark.parametrize("name", MODULES)
def test_a_public_module_lists_its_public_names_alone(name: str) -> None:
    module = getattr(hdp, name)
    assert dir(module) == sorted(module.__all__)
    foreign = {"Any", "ChoiceError", "Fraction", "Sequence", "dataclass", "np"}
    assert not foreign & set(dir(module))
    for public in module.__all__:
        value = getattr(module, public)
        assert not isinstance(value, ModuleType)
        if isinstance(value, type | FunctionType):
            assert value.__module__.startswith("hierdp_core")


def results() -> dict[str, object]:
    regions = hdp.Regions.from_parents({"n": None, "a": "n", "b": "n"}, levels=["nation", "state"])
    table = hdp.Counts.from_leaves(regions, [40, 60])
    plan = hdp.plan(table, "hay", epsilon=1)
    counts = hdp.released_counts(table, plan, "count", n_simulations=3)
    return {
        "Checks": hdp.simulate(table, plan, seed=0).checks,
        "Comparison": hdp.compare(table, [plan], n_simulations=2),
        "Outcome": hdp.decisions.decide("threshold", counts.of_level("state"), limit=50),
    }


@pytest.mark.parametrize("kind", ATTRIBUTES)
def test_an_attribute_of_the_version_before_gives_the_same_and_states_its_name(kind: str) -> None:
    result = results()[kind]
    for old, new in ATTRIBUTES[kind].items():
        with pytest.warns(DeprecationWarning, match=rf"{kind}\.{old} is now {kind}\.{new}\."):
            before = getattr(result, old)
        assert np.array_equal(before, getattr(result, new))


def test_the_class_for_synthetic_tables_is_found_under_its_earlier_name() -> None:
    with pytest.warns(DeprecationWarning, match="hdp.StandIn is now hdp.SyntheticTable"):
        assert hdp.StandIn is hdp.SyntheticTable
