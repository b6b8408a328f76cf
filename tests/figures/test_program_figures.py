"""The figures of Inside: sums one can see, nothing cut off, nobody left out."""

import numpy as np
import pytest
from support.simulations import simulated

import hierdp_core as hdp
from hierdp_core.explain import stages
from hierdp_core.explain.tree_steps import Family, Problem, paper_chain
from hierdp_core.figures.errors import moves
from hierdp_core.figures.errors import post_processing as stage_figures
from hierdp_core.figures.program import chain_cost, cost
from hierdp_core.figures.program import family as tree
from hierdp_core.figures.program.family import Box

EXAMPLE = hdp.samples.load("running-example").table
US = Family.at(Problem.of_the_paper(EXAMPLE), 0, 1)
NAMES = ["GA", "NY"]


@pytest.fixture(scope="module")
def georgia() -> Family:
    table = hdp.samples.load("us-households").table
    problem = Problem.of(table, simulated(table, "pgsr-h-dp", epsilon=0.2))
    return Family.at(problem, table.regions.node("13", 1), 9)


def test_the_stacked_bars_add_up_to_the_line_and_the_choice_is_ringed() -> None:
    parts, own, line, ring = cost.stacked(US.table, name="US", parts="GA and NY").data
    assert list(parts.y) == [9, 4, 1, 0, 1, 2]
    assert list(own.y) == [4, 1, 0, 1, 4, 9]
    assert (np.array(parts.y) + np.array(own.y)).tolist() == list(line.y)
    assert (ring.x[0], ring.y[0]) == (3, 1)


def test_the_legend_of_the_own_cost_states_its_weight() -> None:
    names = [
        cost.stacked(US.table, name="US", parts="GA and NY", weight=weight).data[1].name
        for weight in (US.table.weight, 4 * US.table.weight)
    ]
    assert names == ["(v − 2)²: US", "(v − 2)² × 0.25: US"]


def test_bars_begin_at_zero_and_the_axis_holds_them(georgia: Family) -> None:
    figure = cost.stacked(georgia.table, name="Georgia", parts="its counties")
    low, high = figure.layout.yaxis.range
    assert low == 0
    assert high > max(figure.data[2].y)
    assert min(figure.data[0].y) == 0
    assert cost.floor_of(georgia.table) > 0


def test_a_noisy_value_below_zero_is_drawn_where_no_count_can_be() -> None:
    table = hdp.samples.load("us-households").table
    problem = Problem.of(table, simulated(table, "pgsr-h-dp", epsilon=1))
    found = problem.below_zero(1)
    assert found is not None
    leaf = Family.at(problem, *found).marked_table
    assert leaf is not None
    figure = cost.stacked(leaf, name="it", parts="")
    assert figure.layout.xaxis.range[0] < -3
    assert any("not possible" in a.text for a in figure.layout.annotations)


def test_every_unit_of_the_merge_is_drawn_once_in_the_colour_of_its_giver(
    georgia: Family,
) -> None:
    for family, names in ((US, NAMES), (georgia, [str(p) for p in georgia.parts])):
        figure = cost.merge(family.table, names)
        drawn = sorted(x for trace in figure.data for x in trace.x)
        assert drawn == family.table.values[1:].tolist()
        assert len({trace.marker.color for trace in figure.data}) == len(figure.data)
        assert all(trace.width < 1 for trace in figure.data) or family.table.step > 1
    # Of the running example GA gives four units and NY the fifth.
    ga, ny = cost.merge(US.table, NAMES).data
    assert (list(ga.x), list(ny.x)) == ([1, 2, 3, 4], [5])
    assert list(ga.marker.opacity) == [1, 1, 1, 0.3]


def test_the_merge_may_be_asked_to_show_a_part_that_gives_nothing(georgia: Family) -> None:
    shown = cost.part_colours(georgia.table, marked=100)
    assert shown[100] == cost.VERMILION
    assert len(shown) <= 5


def test_changes_hold_every_region_and_zero() -> None:
    amounts = np.array([5, -2, 0])
    figure = moves.bars(["a", "b", "c"], amounts, title="moved", marked=[False, True, False])
    assert list(figure.data[0].y) == [5, -2, 0]
    low, high = figure.layout.yaxis.range
    assert low < -2 < 0 < 5 < high
    assert "5" in moves.alt(["a", "b", "c"], amounts, title="Moved")


def test_all_leaves_stand_on_the_curve(georgia: Family) -> None:
    moved, forced = georgia.moved[georgia.parts], georgia.below_zero[georgia.parts]
    names = [str(p) for p in georgia.parts]
    figure = moves.by_cost(moved, names, forced=forced, level="counties")
    for dots in figure.data[1:]:
        assert [y == x**2 for x, y in zip(dots.x, dots.y, strict=True)]
    stated = {step for trace in figure.data[1:] for step in trace.x}
    assert stated == set(moved.tolist())


def test_the_chain_rings_what_it_chose() -> None:
    _, tables = paper_chain(EXAMPLE.regions)
    figure = chain_cost.curves(tables, ["GA", "NY", "US"])
    assert list(figure.data[-1].x) == [3, 3, 3]
    assert list(figure.data[-1].y) == [0, 0, 1]


@pytest.mark.slow
@pytest.mark.parametrize("n", [0, 1, 3, 5, 24, 70, pytest.param(254, marks=pytest.mark.slow)])
def test_a_family_of_any_size_has_every_part_in_the_picture(n: int) -> None:
    parts = [Box(name=f"Place {i}", noisy=i - 3, chosen=max(0, i - 3)) for i in range(n)]
    head = Box(name="Land", noisy=9, chosen=9, lit=True)
    figure = tree.family(Box(name="Above", noisy=None), head, parts)
    rectangles = [s for s in figure.layout.shapes if s.type == "rect"]
    assert len(rectangles) == n + 2
    bottom = figure.layout.yaxis.range[0]
    assert max(s.y1 for s in rectangles) <= bottom
    assert figure.layout.height < 900
    assert len(tree.table(parts, level="county")) == n
    assert "not measured" in tree.alt(Box(name="Above", noisy=None), head, parts)


def test_stages_show_every_level_and_class() -> None:
    table = hdp.samples.load("us-population").table
    walked = stages.walk(table, [simulated(table, "tree-dp", epsilon=0.1)])
    errors = stage_figures.errors(walked.errors, unit="people")
    assert errors.layout.yaxis.title.text == "mean absolute error (people)"
    assert [trace.name for trace in errors.data] == list(table.regions.levels)
    assert errors.layout.yaxis.range[0] == 0
    noisy, whole = stage_figures.bias(walked.bias, unit="people").data
    assert len(noisy.x) == len(whole.x) == len(stage_figures.bias_table(walked.bias))
    assert len(stage_figures.errors_table(walked.errors)) == 4 * 5
