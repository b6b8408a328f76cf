"""Which sentences How it works shows for a step, and the numbers that fill them."""

from collections.abc import Sequence

import numpy as np

from hierdp_core.explain.tree_steps import Family
from hierdp_core.privacy.rounding import GUARANTEE_DIGITS, upper
from hierdp_core.solvers.cost_tables import CostTable
from hierdp_core.util.text import (
    a,
    by_number,
    capital,
    counted,
    join_and,
    paragraph,
    plural,
    signed,
    three_digits,
    whole,
)
from pages.ui.how_it_works import step_sentences as says
from pages.ui.shell import words

TITLES = {
    "noise": "1 Noise",
    "leaves": "2 Leaf costs",
    "merge": "3 Combine",
    "own": "4 Own cost",
    "price": "5 Shadow price",
    "choice": "6 Solution",
}
PAPER = "Worked example of the papers (published noise)"
HOW_TO_READ = (
    (
        "**The optimisation** starts from the noisy counts of all measured areas. It finds "
        "non-negative integers that add up across levels and keep the public total, if there is "
        "one. Among all such tables, it takes one with the lowest total cost."
    ),
    (
        "**Cost**: the squared distance of a value from the noisy count, times the weight of the "
        "level. Levels with less noise have a larger weight."
    ),
    (
        "**v** is a value that an area can take. **φ** is the lowest cost of its sub-areas if they "
        "add up to v. **τ** is φ plus the area’s own cost of the value v."
    ),
    (
        "**Increment**: an increase of a value by 1. Its marginal cost is the change of the cost, "
        "which is negative for a saving. **λ**, the shadow price, is the marginal cost up to which "
        "increments are used."
    ),
)
_NAMED = 5  # areas at most that a sentence names


def title(subject: str) -> str:
    """Return the title of How it works.

    >>> title("households of 1 person")
    'Inside the optimisation: households of 1 person'
    """
    return f"Inside the optimisation: {subject}"


def sentence(family: Family, step: str) -> str:
    """Return what happens at this step of this family, with its numbers."""
    return {
        "noise": _noise,
        "leaves": _leaves,
        "merge": _merge,
        "own": _own,
        "price": _price,
        "choice": _choice,
    }[step](family)


def short(step: str) -> str:
    """Return the title of a step without its number.

    >>> short("own")
    'Own cost'
    >>> short("leaves")
    'Leaf costs'
    """
    return TITLES[step].split(" ", 1)[1]


def parts_of(family: Family) -> str:
    """Return the names of the parts: "GA and NY", "its 67 counties"."""
    names = [_name(family, int(p)) for p in family.parts]
    if len(names) <= 3:
        return join_and(names)
    return f"its {counted(len(names), family.problem.regions.levels[family.level + 1])}"


def ordinal(n: int) -> str:
    """Return a number as an ordinal.

    >>> [ordinal(n) for n in (1, 2, 3, 4, 11, 12, 22, 1013, 1101)]
    ['1st', '2nd', '3rd', '4th', '11th', '12th', '22nd', '1,013th', '1,101st']
    """
    last = n % 10 if n % 100 // 10 != 1 else 0
    return f"{n:,}{ {1: 'st', 2: 'nd', 3: 'rd'}.get(last, 'th') }"


def _name(family: Family, node: int) -> str:
    return words.place(family.problem.names[node])


def _capital(family: Family, node: int) -> str:
    return capital(_name(family, node))


def _head(family: Family) -> str:
    return _name(family, family.head)


def _noise(family: Family) -> str:
    noisy, parts, head = family.noisy, family.parts, family.head
    if not family.parts_measured:
        return _parts_not_measured(family)
    filled = {
        "head": _head(family),
        "Head": _capital(family, head),
        "parts": parts_of(family),
        "own": whole(noisy[head]),
        "sum": whole(noisy[parts].sum()),
    }
    if not family.measured[head]:
        first = says.HEAD_NOT_MEASURED.format_map(filled)
    else:
        amounts = join_and([f"**{_name(family, int(p))} {whole(noisy[p])}**" for p in parts])
        others = says.THOSE_SUM_TO
        if len(parts) <= 3:
            others = by_number(len(parts), says.THE_OTHER_IS, says.THE_OTHERS_ARE)
        first = says.EACH_HAS_NOISE.format_map(filled)
        if len(parts):
            compared = others.format_map({**filled, "named": amounts})
            gap = int(noisy[parts].sum()) - int(noisy[head])
            first = paragraph(first, compared, _consistency(gap))
    return paragraph(first, _below_zero_words(family), _marked_noise(family))


def _consistency(gap: int) -> str:
    if gap == 0:
        return says.ADDS_UP
    return (says.TOO_MANY if gap > 0 else says.TOO_FEW).format(gap=whole(abs(gap)))


def _parts_not_measured(family: Family) -> str:
    noisy, head, parts = family.noisy_value(family.head), _head(family), parts_of(family)
    if noisy is None:
        return says.NOTHING_MEASURED.format(head=head, parts=parts)
    return says.PARTS_NOT_MEASURED.format(head=head, own=whole(noisy), parts=parts)


def _below_zero_words(family: Family) -> str:
    below = _negative(family)
    if not below:
        return ""
    areas = f"{len(below):,} of the {len(family.parts):,} sub-areas"
    if len(below) <= _NAMED:
        areas = join_and([f"{_name(family, p)} ({whole(family.noisy[p])})" for p in below])
    return by_number(len(below), says.ONE_NEGATIVE, says.SOME_NEGATIVE).format(Areas=capital(areas))


def _negative(family: Family) -> list[int]:
    return [int(p) for p in family.parts if family.below_zero[p]]


def _marked_noise(family: Family) -> str:
    if family.marked is None:
        return ""
    noisy, true = int(family.noisy[family.marked]), int(family.true[family.marked])
    return says.MARKED_NOISE.format(
        area=_name(family, family.marked),
        true=whole(true),
        noise=signed(noisy - true),
        noisy=whole(noisy),
    )


def _leaves(family: Family) -> str:
    if family.marked_table is not None and family.marked is not None:
        return _marked_leaf(family, family.marked_table)
    included = "" if family.parts_are_leaves else says.BELOW_INCLUDED
    tables = family.part_tables[:2]
    if tables:
        return paragraph(
            _squared_words(family), *(_part_costs(family, part) for part in tables), included
        )
    weight = family.problem.weights[-1].item()
    moving = says.MOVING_ANY if weight == family.weight else says.MOVING_ANY_WEIGHTED
    return paragraph(
        moving.format(
            a_leaf=a(family.problem.regions.levels[-1]), **_costs_of_moving(family, weight)
        ),
        _below_zero_words(family),
        says.ZERO_IS_CHEAPEST if _negative(family) else "",
        included,
    )


def _squared_words(family: Family) -> str:
    """Return what moving one sub-area costs, in units of the largest weight."""
    weights = family.problem.weights[family.level + 1 :]
    if (weights == family.weight).all():
        return says.SQUARED
    if family.parts_are_leaves:
        return says.SQUARED_TIMES.format(weight=_factor(family, weights[0].item()))
    return says.SQUARED_WEIGHTED


def _costs_of_moving(family: Family, weight: float) -> dict[str, str]:
    """Return what moving a count of a level by 1, 2 and 3 costs, and the weight of the level."""
    factor = weight / family.weight
    return {
        "one": _two_decimals(factor),
        "two": _two_decimals(4 * factor),
        "three": _two_decimals(9 * factor),
        "weight": _factor(family, weight),
    }


def _factor(family: Family, weight: float) -> str:
    """Return a weight as a proportion of the largest one."""
    return three_digits(weight / family.weight)


def _squared_distance(family: Family, value: str, table: CostTable) -> str:
    """Return the cost of a value as a formula: "(v − 3)²", "(0 − (−3))² × 0.25"."""
    squared = f"({value} − {_bracketed(table.target)})²"
    if table.weight == family.weight:
        return squared
    return f"{squared} × {_factor(family, table.weight)}"


def _part_costs(family: Family, part: CostTable) -> str:
    tau = part.tau / family.weight
    best = part.best - int(part.values[0])
    other = best - 2 if best >= 2 else best + 2
    least, filled = tau[best], {"area": _name(family, part.node), "best": whole(part.best)}
    filled["least"] = _two_decimals(least)
    if not 0 <= other < len(tau):
        return (says.COSTS_ONLY_AT if least else says.FREE_ONLY_AT).format_map(filled)
    filled |= {"cost": _two_decimals(tau[other]), "other": whole(part.values[other])}
    return (says.COSTS_AT if least else says.FREE_AT).format_map(filled)


def _marked_leaf(family: Family, table: CostTable) -> str:
    tau = table.tau / family.weight
    filled = {"area": _name(family, table.node), "noisy": whole(table.target)}
    if table.target >= 0:
        case = says.MARKED_LEAF
        if table.weight != family.weight:
            case = says.MARKED_LEAF_WEIGHTED
        costs = _costs_of_moving(family, table.weight)
        return case.format(**filled, **costs, best=whole(table.best))
    return says.MARKED_NEGATIVE_LEAF.format(
        **filled,
        distance=_squared_distance(family, "0", table),
        cost=_two_decimals(tau[0]),
        next_cost=_two_decimals(tau[1]),
        more=_two_decimals(tau[1] - tau[0]),
    )


def _two_decimals(cost: float) -> str:
    """Return a cost with two decimals, or more if it is below 0.01."""
    return three_digits(cost) if 0 < abs(cost) < 0.01 else whole(round(float(cost), 2))


def _merge(family: Family) -> str:
    table = family.table
    unit_cost = table.merged / (family.weight * table.step)
    if not len(unit_cost) or not len(family.parts):
        return says.NOTHING_TO_COMBINE
    far = ""
    if family.marked is not None and family.noisy[family.marked] < 0:
        more = family.unit_costs[1][family.marked] / family.weight
        case = (
            says.NEXT_INCREMENT_UNUSED
            if family.values[family.marked]
            else says.FIRST_INCREMENT_UNUSED
        )
        far = case.format(area=_name(family, family.marked), more=_two_decimals(more))
    if table.step > 1:
        wide = says.WIDE_BARS.format(step=whole(table.step))
        return paragraph(says.CHEAPEST_FIRST, wide, far)

    def unit(k: int, nth: int, cases: tuple[str, str, str]) -> str:
        area = _name(family, int(family.parts[int(table.taken_from[k])]))
        return _for_cost(unit_cost[k], cases, nth=ordinal(nth), area=area)

    k = table.chosen_at
    from_zero = int(table.values[0]) == 0
    comes = (says.INCREMENT_SAVES, says.INCREMENT_COSTS, says.INCREMENT_IS_FREE)
    would_come = (says.NEXT_SAVES, says.NEXT_COSTS, says.NEXT_IS_FREE)
    return paragraph(
        says.CHEAPEST_FIRST,
        unit(0, 1, comes) if from_zero and k > 1 else "",
        unit(k - 1, table.chosen, comes) if k > 0 else "",
        unit(k, table.chosen + 1, would_come) if k < len(table.taken_from) else "",
        far,
    )


def _for_cost(cost: float, cases: tuple[str, str, str], **filled: str) -> str:
    """Fill the case of a saving, of a cost or of neither."""
    saves, costs, free = cases
    case = free if cost == 0 else saves if cost < 0 else costs
    return case.format(**filled, cost=_two_decimals(abs(cost)))


def _own(family: Family) -> str:
    table, head = family.table, _head(family)
    least = table.tau.min()
    cheapest = [i for i in range(len(table.tau)) if table.tau[i] == least]
    if not table.weight:
        return says.NO_OWN_COST.format(Head=_capital(family, family.head), best=whole(table.best))
    start = (says.OWN_COST_ADDED if len(family.parts) else says.OWN_COST_ALONE).format(
        head=head, own=whole(table.target), squared=_squared_distance(family, "v", table)
    )
    cost = _two_decimals(least / family.weight)
    if 0 < len(family.parts) <= 3 and len(cheapest) <= 2 and table.step == 1:
        ways = [_way(family, i) for i in cheapest]
        if len(ways) == 2:
            tied = says.LOWEST_IS_TIED if family.head else says.LOWEST_IS_TIED_AT_ROOT
            if not family.head and family.problem.total is None:
                tied = says.LOWEST_IS_TIED_WITHOUT_TOTAL
            return paragraph(start, tied.format(cost=cost, way=ways[0], other_way=ways[1]))
        return paragraph(start, says.LOWEST_IS.format(cost=cost, way=ways[0]))
    if not family.parts_measured:
        return paragraph(start, says.LOWEST_AT.format(best=whole(table.best)))
    between = whole(family.noisy[family.parts].sum())
    return paragraph(start, says.LOWEST_BETWEEN.format(sum=between, best=whole(table.best)))


def _way(family: Family, at: int) -> str:
    table = family.table
    nodes = [*(int(p) for p in family.parts), family.head]
    values = [*table.split[at], table.values[at]]
    names = family.problem.names
    return ", ".join(f"{names[k]} {whole(x)}" for k, x in zip(nodes, values, strict=True))


def _bracketed(number: int) -> str:
    return f"({whole(number)})" if number < 0 else whole(number)


def _price(family: Family) -> str:
    table, problem = family.table, family.problem
    if family.above is not None:
        return _price_above(family, family.above)
    chosen = whole(table.chosen)
    if problem.total is None:
        return says.NO_TOTAL.format(head=_head(family), chosen=chosen)
    if table.price is None:
        return says.TOTAL_IS_ZERO
    last = table.chosen_at - 1
    at_the_price = table.step == 1 and last >= 0 and table.slopes[last] == table.price
    return paragraph(
        says.ONE_PRICE.format(total=whole(problem.total), price=_lambda(family, table.price)),
        says.INCREMENT_AT_THE_PRICE.format(nth=ordinal(table.chosen)) if at_the_price else "",
        says.PRICE_GIVES.format(chosen=chosen),
        "" if table.chosen == table.best else says.WITHOUT_THE_TOTAL.format(best=whole(table.best)),
    )


def _price_above(family: Family, above: int) -> str:
    table, head, name = family.table, _head(family), _name(family, above)
    siblings = family.problem.regions.tree.children(above)
    up = says.ONE_LEVEL_UP.format(head=head, n=f"{siblings.stop - siblings.start:,}", above=name)
    if table.price is None:
        return paragraph(up, says.NO_INCREMENTS_ABOVE.format(Above=capital(name), head=head))
    received = says.PRICE_ABOVE.format(
        Above=capital(name),
        given=whole(family.values[above]),
        price=_lambda(family, table.price),
        head=head,
        chosen=whole(table.chosen),
    )
    return paragraph(up, received)


def _lambda(family: Family, price: float) -> str:
    return _two_decimals(price / family.weight)


def _choice(family: Family) -> str:
    if family.marked is not None and family.noisy[family.marked] < 0:
        return _why_not_below_zero(family, family.marked)
    given = int(family.values[family.head])
    filled = {"Head": _capital(family, family.head), "given": whole(given)}
    if not len(family.parts):
        return says.NO_SUB_AREAS.format_map(filled)
    if len(family.parts) <= 3:
        choices = join_and(
            [f"**{_name(family, int(p))} {whole(family.values[p])}**" for p in family.parts]
        )
        case = (
            by_number(given, says.FAMILY_IS_ONE, says.FAMILY_IS) if given else says.FAMILY_IS_ZERO
        )
        if family.marked is not None:
            case = says.FAMILY_WITH_MARKED
        return paragraph(case.format(**filled, named=choices), _marked_why(family))
    if not family.parts_measured:
        return says.UNMEASURED_PARTS.format(**filled, parts=parts_of(family))
    return paragraph(
        says.ALLOCATES.format(**filled, sum=whole(family.noisy[family.parts].sum())),
        _raised_words(family),
        _lowered_words(family),
        says.MANY_SMALL_CHANGES if family.moved[family.parts].any() else "",
        _marked_why(family),
    )


def _raised_words(family: Family) -> str:
    raised = [int(p) for p in family.parts if family.moved[p] > 0]
    below = sum(int(family.noisy[p]) < 0 for p in raised)
    one = says.ONE_RAISED_FROM_BELOW if below else says.ONE_RAISED
    some = says.SOME_RAISED
    if below:
        some = by_number(below, says.SOME_RAISED_ONE_FROM_BELOW, says.SOME_RAISED_FROM_BELOW)
        if below == len(raised):
            some = says.ONLY_FROM_BELOW
    case = by_number(len(raised), one, some) if raised else says.NONE_RAISED
    up = whole(family.moved[raised].sum())
    return case.format(n=f"{len(raised):,}", up=up, below=f"{below:,}")


def _lowered_words(family: Family) -> str:
    lowered = [int(p) for p in family.parts if family.moved[p] < 0]
    case = says.NONE_LOWERED
    if lowered:
        case = by_number(len(lowered), says.ONE_LOWERED, says.SOME_LOWERED)
    return case.format(n=f"{len(lowered):,}", down=whole(-family.moved[lowered].sum()))


def _marked_why(family: Family) -> str:
    node = family.marked
    if node is None:
        return ""
    noisy, value = int(family.noisy[node]), int(family.values[node])
    filled = {"Area": _capital(family, node), "noisy": whole(noisy), "value": whole(value)}
    if noisy == value:
        return says.MARKED_STAYS.format_map(filled)
    filled["head"] = _head(family)
    if family.price is None:
        return says.MARKED_FELL_TO_NOTHING.format_map(filled)
    last, more = (float(costs[node]) for costs in family.unit_costs)
    filled |= {"price": _lambda(family, family.price)}
    if noisy < value:
        return says.MARKED_ROSE.format(**filled, last=_lambda(family, last))
    case = says.MARKED_FELL_BY_TIE if more == family.price else says.MARKED_FELL
    return case.format(**filled, more=_lambda(family, more))


def _why_not_below_zero(family: Family, node: int) -> str:
    """Explain the value of an area with a negative noisy count, and which areas were reduced."""
    value, price = int(family.values[node]), ""
    why = (says.WHY_RAISED_ABOVE_ZERO if value else says.WHY_RAISED).format(
        Head=_capital(family, family.head),
        Area=_capital(family, node),
        noisy=whole(family.noisy[node]),
        value=whole(value),
        true=whole(family.true[node]),
    )
    if value == 0 and family.price is not None:
        case = says.STAYS_AT_ZERO_SAVING if family.price < 0 else says.STAYS_AT_ZERO_COST
        price = case.format(
            more=_two_decimals(family.unit_costs[1][node] / family.weight),
            head=_head(family),
            cost=_two_decimals(abs(family.price) / family.weight),
        )
    parts = [paragraph(why, price), _increments_available(family, node), _reduced(family)]
    return "\n\n".join(part for part in parts if part)


def _increments_available(family: Family, node: int) -> str:
    """State how many increments were available, and what that means for the other counts.

    The areas have the same weight, so none of the others falls if one rises.
    """
    given, parts, noisy = int(family.values[family.head]), family.parts, family.noisy
    below, above = parts[noisy[parts] < 0], parts[noisy[parts] >= 0]
    received = int(family.values[below].sum())
    room = given - received - int(noisy[above].sum())
    negative = by_number(len(below), says.ONLY_ONE_NEGATIVE, says.SEVERAL_NEGATIVE).format(
        Area=_capital(family, node),
        n=f"{len(below):,}",
        level=plural(family.problem.regions.levels[family.level + 1]),
        lift=whole(-noisy[below].sum()),
    )
    receive = by_number(len(below), says.IT_RECEIVES, says.THEY_RECEIVE) if received else ""
    others = by_number(len(above), says.OTHER_STAYS, says.OTHERS_STAY)
    if room:
        one, some = (
            (says.OTHER_FALLS, says.OTHERS_FALL)
            if room < 0
            else (says.OTHER_RISES, says.OTHERS_RISE)
        )
        others = by_number(len(above), one, some)
    available = says.INCREMENTS_AVAILABLE if family.head else says.INCREMENTS_AVAILABLE_AT_ROOT
    return paragraph(
        available.format(Head=_capital(family, family.head), given=whole(given)),
        negative,
        receive.format(received=whole(received)),
        others.format(n=f"{len(above):,}", sum=whole(noisy[above].sum()), room=whole(abs(room)))
        if len(above)
        else "",
    )


def _reduced(family: Family) -> str:
    """Name the areas that were reduced, those that lost most first; empty where none was."""
    moved = family.moved
    losers = sorted((int(p) for p in family.parts if moved[p] < 0), key=lambda p: int(moved[p]))
    if not losers:
        return ""
    amounts = [-int(moved[p]) for p in losers]
    rest = amounts[_NAMED:]
    case, by = says.REDUCED, ""
    if len(losers) == 1:
        return says.ONE_REDUCED.format(area=_name(family, losers[0]), sum=whole(amounts[0]))
    if len(rest) == 1:
        case, by = says.REDUCED_AND_ONE_MORE, whole(rest[0])
    elif len(rest) > 1 and len(set(rest)) == 1:
        case, by = says.REDUCED_AND_MORE_EACH, whole(rest[0])
    elif rest:
        case, by = says.REDUCED_AND_MORE, whole(sum(rest))
    reductions = [f"{_name(family, p)} by {whole(n)}" for p, n in zip(losers, amounts, strict=True)]
    text = case.format(
        named=", ".join(reductions[:_NAMED]), n=f"{len(rest):,}", rest=by, sum=whole(sum(amounts))
    )
    stayed = any(moved[p] == 0 and family.noisy[p] > 0 for p in family.parts)
    return paragraph(text, says.TIES_BY_ORDER if stayed and set(amounts) == {1} else "")


def floor_note(floor: float, name: str) -> str:
    """Return what the stacked bars leave out; empty where that is nothing."""
    return says.COST_FLOOR.format(floor=_two_decimals(floor), area=name) if floor else ""


def weights_note(weights: Sequence[int], levels: Sequence[str]) -> str:
    """Return the weight of a squared error at each level; empty where all are equal."""
    if len(set(weights)) == 1:
        return ""
    top = max(weights)
    by_level = [f"{level} {round(w / top, 3):g}" for level, w in zip(levels, weights, strict=True)]
    return says.WEIGHTS.format(weights=", ".join(by_level))


def window_note(table: CostTable) -> str:
    """Return which values are shown."""
    case = says.WINDOW_IN_STEPS if table.step > 1 else says.WINDOW
    first, last = whole(table.values[0]), whole(table.values[-1])
    return case.format(first=first, last=last, step=whole(table.step))


def chain_sentence(chosen: Sequence[int], targets: Sequence[int]) -> str:
    """Return the steps of the chain in the worked example (Table 6) in words.

    Args:
        chosen, targets: the values of GA, NY, US in the order of the chain.
    """
    ga, ny, us = targets
    ga_sum, ny_sum, us_sum = chosen
    return says.CHAIN.format(
        ga=ga, ny=ny, us=us, ga_sum=ga_sum, ny_sum=ny_sum, us_sum=us_sum, ny_count=ny_sum - ga_sum
    )


def chain_warning(level_sizes: Sequence[int]) -> str:
    """Return why the noise of the chain in the paper is too small, on this tree."""
    factor = int(np.sum(level_sizes)) / len(level_sizes)
    return says.CHAIN_WARNING.format(factor=upper(factor, GUARANTEE_DIGITS))


def stages_sentence(
    zero_bias: float | None, low: tuple[str, float] | None, n_simulations: int
) -> str:
    """Return the bias that post-processing causes, in words.

    Args:
        zero_bias: the bias of counts whose true value is 0; None if there are none.
        low: the class with the lowest bias, and that bias; None where none is negative.
        n_simulations: the number of simulations behind the means.
    """
    start = says.NOISE_IS_UNBIASED.format(simulations=counted(n_simulations, "simulation"))
    if zero_bias is None or zero_bias <= 0:
        return paragraph(start, says.NO_ZEROS if zero_bias is None else says.ZEROS_NOT_RAISED)
    elsewhere = ""
    if low is not None:
        elsewhere = says.BIAS_ELSEWHERE.format(counts=low[0], bias=signed(round(low[1], 2)))
    at_zero = says.BIAS_AT_ZERO.format(zero=signed(round(zero_bias, 2)))
    return paragraph(start, at_zero, elsewhere)


def stages_note(*, sizes: int) -> str:
    """Return the line under the charts of the stages."""
    return paragraph(says.ALL_SIZES if sizes > 1 else "", says.STAGES, words.NOT_PRIVATE)
