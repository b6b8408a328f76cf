"""The sentences of How it works, and that their doctests hold."""

import doctest
import itertools
import re
from collections.abc import Iterator

import numpy as np
import pytest
from support.simulations import simulated
from support.step_problems import NAMES, TREES, problem

import hierdp_core as hdp
from hierdp_core.explain.tree_steps import STEPS, Family, Problem
from hierdp_core.hierarchy import Hierarchy
from pages.ui.how_it_works import step_sentences, step_words


def test_a_tie_at_the_root_without_a_total_goes_to_the_smaller_value() -> None:
    pair = TREES[2]  # a root with two leaves; its values 2 and 3 have the same cost
    free, fixed = problem([2, 3, 0], tree=pair), problem([2, 3, 0], tree=pair, total=2)
    shown = {
        total: step_words.sentence(Family.at(part, 0, 0), "own")
        for total, part in ((None, free), (2, fixed))
    }
    assert free.values[0, 0] == 2
    assert shown[None].endswith("The smaller value is taken.")
    assert shown[2].endswith("The total resolves the tie.")


def test_examples_in_the_docstrings() -> None:
    result = doctest.testmod(step_words)
    assert result.attempted >= 4
    assert result.failed == 0


def test_a_negative_noisy_count_is_raised_and_others_are_reduced() -> None:
    found = problem([12, -3, 6, 6, 3, 0], total=12)
    family = Family.at(found, 1, 0)
    text = step_words.sentence(family, "choice")
    assert "**Why Ash moved from −3 to 0.**" in text
    assert "Land has **12** to allocate." in text  # the root has no level above
    assert "Only Ash has a negative noisy count. Raising it to 0 adds 3." in text
    assert "The noisy counts of the other 4 sum to 15, so they must fall by **3** in total." in text
    assert "**Areas reduced.** Birch by 1, Cedar by 1, Elm by 1. That is 3 in total." in text


@pytest.mark.parametrize(
    ("noisy", "shown"),
    [
        ([5, -3, 6], "**Area reduced.** Birch, by 1."),
        ([102, -20, 20, 20, 20, 20, 20, 20], "and one more by 3. That is 18 in total."),
    ],
)
def test_one_reduced_area_and_one_more_are_singular(noisy: list[int], shown: str) -> None:
    n = len(noisy)
    tree = Hierarchy(parent=np.array([-1] + [0] * (n - 1)), level_start=np.array([0, 1, n]))
    family = Family.at(problem(noisy, total=noisy[0], tree=tree), 1, 0)
    assert shown in step_words.sentence(family, "choice")


def test_the_cost_of_zero_for_a_negative_noisy_count() -> None:
    family = Family.at(problem([12, -3, 6, 6, 3, 0], total=12), 1, 0)
    text = step_words.sentence(family, "leaves")
    assert "nearest possible value is **0**, at a cost of (0 − (−3))² = **9**" in text
    assert "1 would cost 16, which is 7 more" in text


def test_room_may_be_left_or_none_needed() -> None:
    text = step_words.sentence(Family.at(problem([20, -3, 6, 6, 3, 0], total=20), 1, 0), "choice")
    assert "must also rise, by **5** in total" in text
    text = step_words.sentence(Family.at(problem([15, -3, 6, 6, 3, 0], total=15), 1, 0), "choice")
    assert "can stay as they are" in text
    assert "reduced.**" not in text


def test_counts_that_happen_to_be_consistent() -> None:
    text = step_words.sentence(Family.at(problem([15, 0, 6, 6, 3, 0]), 0, 0), "noise")
    assert "happen to be consistent" in text


def test_a_level_without_budget_was_not_measured() -> None:
    family = Family.at(problem([0, 1, 6, 6, 3, 0], weights=(0, 1)), 0, 0)
    assert "Land was not measured" in step_words.sentence(family, "noise")
    assert "no cost of its own" in step_words.sentence(family, "own")
    assert "nation 0, county 1" in step_words.weights_note([0, 1], ("nation", "county"))


def test_one_area_below_a_level_without_budget_is_named_in_the_singular() -> None:
    tree = Hierarchy(parent=np.array([-1, 0, 1, 1]), level_start=np.array([0, 1, 2, 4]))
    family = Family.at(problem([3, 0, 2, 2], weights=(1, 0, 1), tree=tree), 0, 0)
    shown = step_words.sentence(family, "noise")
    assert f"The level of {family.problem.names[1]} has no budget, so they have no noisy" in shown


def test_one_unit_is_taken_in_the_singular() -> None:
    family = Family.at(problem([1, 1, 0], tree=TREES[2], total=1), 0, 0)
    assert "The cheapest increment is taken" in step_words.sentence(family, "choice")


def test_a_binding_total_comes_with_the_value_without_it() -> None:
    text = step_words.sentence(Family.at(problem([15, 0, 6, 6, 3, 0], total=9), 0, 0), "price")
    assert "public total of **9**" in text
    assert "(Without the total it would be 15.)" in text
    free = step_words.sentence(Family.at(problem([15, 0, 6, 6, 3, 0]), 0, 0), "price")
    assert "the price is **λ = 0**" in free


def test_nothing_to_allocate() -> None:
    family = Family.at(problem([-9, -3, -2, -2, -1, -1], total=0), 0, 0)
    assert "public total is 0" in step_words.sentence(family, "price")
    for step in STEPS:
        assert step_words.sentence(family, step)
        assert step_words.sentence(Family.at(problem([-9] * 6), 2, 0), step)


@pytest.mark.parametrize("step", STEPS)
@pytest.mark.parametrize("seed", range(3))
def test_every_step_of_every_area_has_a_sentence(step: str, seed: int) -> None:
    table = hdp.samples.load("us-households").table
    simulation = simulated(table, "pgsr-h-dp", epsilon=0.05, seed=seed, allocation=[1, 2, 3])
    found = Problem.of(table, simulation)
    for node in (0, 5, 60, 1500, 3194):
        for size in (0, 3, 15):
            text = step_words.sentence(Family.at(found, node, size), step)
            assert len(text) > 40
            assert "nan" not in text
            assert not re.search(r"-\d", text), "a minus is not a hyphen"


def texts_of_many_problems() -> Iterator[str]:
    """Yield the sentences of every step on small trees with all kinds of noise."""
    rng = np.random.default_rng(5)
    rise = problem([20, -3, 6, 6, 3, 0], total=20)
    each = problem([1, -1, *[1] * 8], total=1, tree=TREES[3])
    other = problem([9, -3, 2], total=9, tree=TREES[2])
    one_more = problem([102, -20, *[20] * 6, 0, 0], total=102, tree=TREES[3])
    below = problem([40, -3, -2, *[1] * 7], total=40, tree=TREES[3])
    yield step_words.sentence(Family.at(below, 0, 0), "choice")
    yield from (
        step_words.sentence(Family.at(one, 1, 0), "choice") for one in (rise, each, other, one_more)
    )
    yield step_words.chain_sentence([2, 2, 2], [3, 3, 2])
    yield step_words.chain_warning([1, 2])
    yield step_words.stages_sentence(None, None, 10)
    yield step_words.stages_sentence(0.0, None, 10)
    yield step_words.stages_sentence(1.3, ("7–15", -0.8), 10)
    yield step_words.stages_note(sizes=4)
    for tree, spread, _ in itertools.product(TREES, (0, 1, 4, 2_000), range(8)):
        noisy = rng.integers(-spread, 2 * spread + 1, tree.n_nodes).tolist()
        weights = tuple(rng.integers(0, 3, tree.n_levels).tolist())
        weights = weights if weights[-1] else (*weights[:-1], 1)
        total = rng.choice(np.array([None, 0, max(0, 2 * noisy[0]), spread], dtype=object))
        found = problem(noisy, total=total, weights=weights, tree=tree)
        yield step_words.weights_note(weights, found.regions.levels)
        for node in {0, 1, tree.n_nodes - 1}:
            family = Family.at(found, node % tree.n_nodes, 0)
            yield step_words.window_note(family.table)
            yield step_words.floor_note(2.5, NAMES[0])
            yield from (step_words.sentence(family, step) for step in STEPS)


@pytest.mark.slow
def test_every_sentence_is_reached_and_whole() -> None:
    sentences = {k: v for k, v in vars(step_sentences).items() if k.isupper()}
    assert len(sentences) > 60
    text = "\n".join(dict.fromkeys(texts_of_many_problems()))
    for name, sentence in sentences.items():
        assert sentence.endswith((".", ".)", ".**")), name
        pattern = re.sub(r"\\\{\w+\\\}", ".+?", re.escape(sentence))
        assert re.search(pattern, text), f"{name} is never shown"


def test_a_table_of_one_area_has_sentences_without_gaps() -> None:
    family = Family.at(problem([4], weights=(1,), tree=TREES[0]), 0, 0)
    for step in STEPS:
        text = step_words.sentence(family, step)
        assert not re.search(r"are ,|: \.|: ,|\{", text), text


def test_bias_is_only_claimed_where_there_is_some() -> None:
    assert "only if noise makes some" in step_words.stages_sentence(None, None, 10)
    assert "are not raised on average" in step_words.stages_sentence(0.0, None, 10)
    text = step_words.stages_sentence(1.266, ("7–15", -0.776), 10)
    assert "true value is 0 change by **+1.27** on average" in text
    assert "a true count of 7–15 are lowered most (**−0.78**" in text


def test_the_published_noise_of_the_chain_is_called_too_small() -> None:
    assert "1.5 times" in step_words.chain_warning([1, 2])
