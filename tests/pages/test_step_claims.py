"""The numbers in the sentences of How it works, against the solution of the tree program."""

import re
from collections.abc import Iterator

import numpy as np
import pytest
from support.simulations import simulated
from support.step_problems import TREES, problem

import hierdp_core as hdp
from hierdp_core.explain.tree_steps import Family, Problem
from pages.ui.how_it_works import step_words

_NUMBER = r"(−?[\d,]+(?:\.\d+)?)"
_AMOUNT = rf"\**{_NUMBER}\**"


def numbers(pattern: str, text: str) -> list[float]:
    """Return the numbers of the only match of `pattern` in `text`; empty without a match."""
    matches = list(re.finditer(pattern.replace("N", _AMOUNT), text))
    assert len(matches) <= 1, text
    return [value(g) for g in matches[0].groups() if g is not None] if matches else []


def value(text: str) -> float:
    return float(text.replace("−", "-").replace(",", ""))


def near(exact: float) -> object:
    """Match what two decimals, or three digits of a small cost, show of `exact`."""
    return pytest.approx(exact, rel=0.006, abs=0.0051 if abs(exact) >= 0.0095 else 0)


def random_problems() -> Iterator[Problem]:
    """Yield problems with negative noisy counts that end at 0 and above, and any weights."""
    rng = np.random.default_rng(11)
    for tree in TREES[1:]:
        for spread in (1, 2, 5, 40):
            for _ in range(8):
                noisy = rng.integers(-spread, spread + 1, tree.n_nodes)
                weights = [int(rng.choice([0, 1, 4, 9, 400])) for _ in range(tree.n_levels)]
                weights[-1] = int(rng.choice([1, 1, 3, 16]))
                total = rng.choice(np.array([None, 0, 3, 5 * spread], dtype=object))
                yield problem(noisy.tolist(), total=total, weights=tuple(weights), tree=tree)


def simulated_problems() -> Iterator[Problem]:
    """Yield what the app explains, for several budgets, allocations and seeds."""
    table = hdp.samples.load("running-example").table
    for allocation in ([1, 1], [4, 1], [1, 4], [1, 30]):
        for seed in range(12):
            chosen = {"epsilon": (0.3, 1)[seed % 2], "allocation": allocation, "seed": seed}
            yield Problem.of(table, simulated(table, "pgsr-h-dp", **chosen))


def families(*, marked: bool) -> Iterator[Family]:
    """Yield families with sub-areas, either with a leaf shown in detail or without one."""
    for found in (*random_problems(), *simulated_problems()):
        tree = found.regions.tree
        leaves = tree.leaves
        nodes = range(leaves.start, leaves.stop) if marked else range(leaves.start)
        for node in nodes:
            for column in range(found.noisy.shape[1]):
                yield Family.at(found, node, column)


def below_zero() -> list[Family]:
    return [f for f in families(marked=True) if f.noisy[f.marked] < 0]


def test_the_rise_or_fall_of_the_other_counts_is_theirs() -> None:
    seen = set()
    for family in below_zero():
        text = step_words.sentence(family, "choice")
        negative = family.noisy[family.parts] < 0
        moved = (family.values - family.noisy)[family.parts][~negative]
        received = int(family.values[family.parts][negative].sum())
        fell = numbers("must fall by N", text)
        rose = numbers("must also rise, by N", text)
        stays = "can stay as " in text
        assert bool(fell) + bool(rose) + stays == bool(len(moved))
        assert (sum(rose) or -sum(fell)) == moved.sum(), text
        assert sum(numbers("(?:it receives|they receive) N", text)) == received
        if stays:
            assert not moved.any()
        if received or not fell:
            assert "reduced" not in text
        seen.add((bool(fell), bool(rose), received > 0))
    assert {(True, False, False), (False, True, True)} <= seen


def test_an_area_that_rises_above_zero_is_not_said_to_rise_only_as_far_as_it_must() -> None:
    for family in below_zero():
        text = step_words.sentence(family, "choice")
        above = bool(family.values[family.marked])
        assert ("so it rises only to" in text) != above
        assert ("that it rises above 0, to" in text) == above


def test_the_costs_of_moving_a_leaf_are_those_of_the_cost_table() -> None:
    weighted = set()
    for family in families(marked=True):
        table, text = family.marked_table, step_words.sentence(family, "leaves")
        assert table is not None
        costs = numbers("costs N, N or N ", text)
        assert len(costs) == (3 if table.target >= 0 else 0)
        tau = dict(zip(table.values.tolist(), (table.tau / family.weight).tolist(), strict=True))
        for distance, cost in enumerate(costs, 1):
            for moved in (table.target + distance, table.target - distance):
                if moved in tau:
                    assert cost == near(tau[moved]), text
        if table.target < 0:
            ((factor,), cost) = (
                numbers(r"² × N =", text) or [1.0],
                numbers(r"at a cost of .+ = N\.", text)[0],
            )
            assert cost == near(factor * table.target**2)
            assert cost == near(tau[0])
        weighted.add(table.weight != family.weight)
    assert weighted == {True, False}


def test_the_costs_of_sub_areas_are_the_distance_times_the_stated_weight() -> None:
    weighted = set()
    for family in families(marked=False):
        text = step_words.sentence(family, "leaves")
        weight = family.problem.weights[-1] / family.weight
        costs = numbers("costs N, N or N ", text)
        if costs:
            assert costs == [near(weight), near(4 * weight), near(9 * weight)], text
            continue
        if not family.parts_are_leaves:
            equal = len(set(family.problem.weights[family.level + 1 :].tolist())) == 1
            assert equal or "times the weight of its level." in text
            continue
        factor = (numbers("times the weight of its level, N", text) or [1.0])[0]
        for name, noisy in zip(family.parts, family.noisy[family.parts], strict=True):
            area = re.escape(family.problem.names[name])
            stated = "".join(re.findall(rf"\*\*{area}\*\* ([^*]+)", text))
            for cost, at in re.findall(rf"costs {_NUMBER} at {_NUMBER}", stated):
                assert value(cost) == near(factor * (value(at) - noisy) ** 2), text
        weighted.add(factor != 1)
    assert weighted == {True, False}


def test_the_own_cost_is_the_formula_that_is_shown() -> None:
    weighted = set()
    for family in families(marked=False):
        text, table = step_words.sentence(family, "own"), family.table
        formula = re.search(rf"\(v − \(?{_NUMBER}\)?\)²(?: × {_NUMBER})?", text)
        assert bool(formula) == bool(table.weight)
        if formula:
            factor = value(formula[2] or "1")
            shown = factor * (table.values - value(formula[1])) ** 2
            assert shown == pytest.approx(table.own / family.weight, rel=0.006)
            weighted.add(factor != 1)
    assert weighted == {True, False}


def test_an_unused_unit_is_the_first_only_of_an_area_at_zero() -> None:
    seen = set()
    for family in below_zero():
        text = step_words.sentence(family, "merge")
        if "nothing to combine" in text:
            continue
        now, noisy = int(family.values[family.marked]), int(family.noisy[family.marked])
        ((which, cost),) = re.findall(
            rf"The (first|next) increment of [\w ]+ would cost {_NUMBER} and is not used\.", text
        )
        weight = family.problem.weights[-1] / family.weight
        assert value(cost) == near(weight * ((now + 1 - noisy) ** 2 - (now - noisy) ** 2))
        assert (which == "first") == (now == 0)
        if which == "first":
            name = step_words.words.place(family.problem.names[family.marked])
            assert f"increment comes from **{name}**" not in text
        seen.add(which)
    assert seen == {"first", "next"}
