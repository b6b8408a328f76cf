"""The sentences of How it works for each step of an area and its sub-areas."""

from collections.abc import Sequence

import numpy as np

from hierdp_core.explain.tree_steps import Family
from hierdp_core.privacy.rounding import GUARANTEE_DIGITS, upper
from hierdp_core.solvers.cost_tables import CostTable
from hierdp_core.util.text import capital, join_and, plural, signed, whole
from pages.ui.shell import words

TITLES = {
    "noise": "1 Noise",
    "leaves": "2 Leaf costs",
    "merge": "3 Combine",
    "own": "4 Own cost",
    "price": "5 Shadow price",
    "choice": "6 Solution",
}
PAPER = "Worked example from the paper (published noise)"
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
    """
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
    return f"its {words.counted(len(names), family.problem.regions.levels[family.level + 1])}"


def _capital_parts(family: Family) -> str:
    return capital(parts_of(family))


def cost_words(cost: float) -> str:
    """
    >>> cost_words(-5), cost_words(3), cost_words(0)
    ('saves 5', 'costs 3', 'costs nothing')
    """
    if cost == 0:
        return "costs nothing"
    return f"{'saves' if cost < 0 else 'costs'} {whole(round(abs(cost), 2))}"


def ordinal(n: int) -> str:
    """
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
    together, own = int(noisy[parts].sum()), int(noisy[head])
    gap = together - own
    if not family.problem.weights[family.level]:
        first = f"{_capital(family, head)} was not measured. "
        first += f"The noisy counts of {parts_of(family)} sum to **{whole(together)}**."
    else:
        first = "Each count has independent noise. "
        first += f"The noisy count of {_head(family)} is **{whole(own)}**. "
        if len(parts) <= 3:
            named = join_and([f"**{_name(family, int(p))} {whole(noisy[p])}**" for p in parts])
            first += f"The others are {named}" if len(parts) > 1 else f"The other is {named}"
            first += f", which sum to {whole(together)}. " if len(parts) > 1 else ". "
        else:
            first += f"Those of {parts_of(family)} sum to **{whole(together)}**. "
        first += (
            "The counts happen to be consistent. "
            if gap == 0
            else f"That is {whole(abs(gap))} too {'many' if gap > 0 else 'few'}, so the counts are "
            "inconsistent. "
        )
    return first + _below_zero_words(family) + _marked_noise(family)


def _parts_not_measured(family: Family) -> str:
    noisy = family.noisy_value(family.head)
    start = (
        f"Neither {_head(family)} nor {parts_of(family)} were measured"
        if noisy is None
        else f"**{_head(family)} {whole(noisy)}** was measured, but {parts_of(family)} were not"
    )
    return f"{start}, because their level has no budget. Their values follow from the levels below."


def _below_zero_words(family: Family) -> str:
    below = [int(p) for p in family.parts if family.below_zero[p]]
    if not below:
        return ""
    if len(below) <= _NAMED:
        areas = join_and([f"{_name(family, p)} ({whole(family.noisy[p])})" for p in below])
    else:
        areas = f"{len(below)} of the {len(family.parts)} sub-areas"
    have = "has a negative noisy count" if len(below) == 1 else "have negative noisy counts"
    return f"{capital(areas)} {have}, which is impossible for a count. "


def _marked_noise(family: Family) -> str:
    if family.marked is None:
        return ""
    noisy, true = int(family.noisy[family.marked]), int(family.true[family.marked])
    noise = noisy - true
    return (
        f"The true count of **{_name(family, family.marked)}** is {whole(true)}. Noise of "
        f"{signed(noise)} gives a noisy count of **{whole(noisy)}**."
    )


def _leaves(family: Family) -> str:
    w = family.weight
    if family.marked_table is not None and family.marked is not None:
        return _marked_leaf(family, family.marked_table)
    inner = (
        ""
        if family.parts_are_leaves
        else " These tables already include the areas below each one, combined in the same way."
    )
    tables = family.part_tables[:2]
    if not tables:
        level = family.problem.regions.levels[-1]
        return (
            f"Moving {words.a(level)} by 1, 2 or 3 from its noisy count costs 1, 4 or 9 (squared "
            "distance), so many small changes are cheaper than one large change. "
            f"{_below_zero_words(family)}{_lowest(family)}".rstrip()
            + inner
        )
    costs = []
    for part in tables:
        name = _name(family, part.node)
        tau = part.tau / w
        best = part.best - int(part.values[0])
        other = best - 2 if best >= 2 else best + 2
        text = f"**{name}** {_costs(tau[best])} at {whole(part.best)}"
        if 0 <= other < len(tau):
            text += f" and {_costs(tau[other])} at {whole(part.values[other])}"
        costs.append(f"{text}.")
    return (
        f"Moving a count from its noisy value costs the squared distance. {' '.join(costs)}{inner}"
    )


def _lowest(family: Family) -> str:
    below = [int(p) for p in family.parts if family.below_zero[p]]
    return "For them 0 is the cheapest possible value." if below else ""


def _marked_leaf(family: Family, table: CostTable) -> str:
    w = family.weight
    tau = table.tau / w
    start = f"The noisy count of **{_name(family, table.node)}** is **{whole(table.target)}**. "
    if table.target >= 0:
        return start + (
            "Moving it by 1, 2 or 3 costs 1, 4 or 9 (squared distance). Its cheapest value is "
            f"{whole(table.best)}."
        )
    distance = f"(0 − ({whole(table.target)}))²"
    if table.weight != w:
        distance += f" × {whole(round(table.weight / w, 2))}"
    return start + (
        f"A count cannot be negative, so the nearest possible value is **0**, at a cost of "
        f"{distance} = **{whole(round(tau[0], 2))}**. Larger values cost more: 1 would cost "
        f"{whole(round(tau[1], 2))}, which is {whole(round(tau[1] - tau[0], 2))} more."
    )


def _costs(cost: float) -> str:
    return "costs nothing" if cost == 0 else f"costs {whole(round(float(cost), 2))}"


def _merge(family: Family) -> str:
    table = family.table
    unit_cost = table.merged / (family.weight * table.step)
    if not len(unit_cost):
        return "There is nothing to combine here."
    k, giver = table.chosen_at, table.taken_from
    start = (
        "To reach any total at the lowest cost, take the cheapest units first, from any of the "
        "sub-areas. "
    )
    units = []
    if table.step > 1:
        start += f"The range is wide, so a bar stands for {whole(table.step)} units. "
    elif k > 0:
        units.append(
            f"The {ordinal(table.chosen)} comes from **{_name(family, _part(family, giver[k - 1]))}"
            f"** and {cost_words(unit_cost[k - 1])}."
        )
    if k < len(giver) and table.step == 1:
        units.append(
            f"The {ordinal(table.chosen + 1)} would come from "
            f"**{_name(family, _part(family, giver[k]))}** and {cost_words(unit_cost[k])}."
        )
    if table.step == 1 and int(table.values[0]) == 0 and k > 1:
        units.insert(
            0,
            f"The 1st comes from **{_name(family, _part(family, giver[0]))}** and "
            f"{cost_words(unit_cost[0])}.",
        )
    marked = ""
    if family.marked is not None and family.noisy[family.marked] < 0:
        more = family.unit_costs[1][family.marked] / family.weight
        marked = (
            f" {_capital(family, family.marked)} is at the far end, since its first unit costs "
            f"{whole(round(more, 2))}."
        )
    return f"{start}{' '.join(units)}{marked}"


def _part(family: Family, at: int) -> int:
    return int(family.parts[int(at)])


def _own(family: Family) -> str:
    table, head = family.table, _head(family)
    tau = table.tau
    least = tau.min()
    cheapest = [i for i in range(len(tau)) if tau[i] == least]
    if not table.weight:
        return (
            f"{_capital(family, family.head)} was not measured, so it has no cost of its own. The "
            f"cheapest total of its sub-areas is {whole(table.best)}."
        )
    start = (
        f"The noisy count of {head} is {whole(table.target)}, so choosing v "
        f"{'adds' if len(family.parts) else 'costs'} (v − {_bracketed(table.target)})². "
    )
    cost = whole(round(float(least) / family.weight, 2))
    if len(cheapest) == 2 and table.split.shape[1] <= 3 and len(family.parts):
        ways = [_way(family, i) for i in cheapest]
        return (
            f"{start}The lowest total cost is **{cost}**: {ways[0]}, or {ways[1]}. The tie is "
            "resolved one level up."
        )
    if len(family.parts) <= 3 and len(cheapest) == 1 and len(family.parts):
        return f"{start}The lowest total cost is **{cost}**: {_way(family, cheapest[0])}."
    between = int(family.noisy[family.parts].sum())
    if not family.parts_measured:
        return f"{start}The total cost is lowest at **{whole(table.best)}**."
    return start + (
        f"The noisy counts of the sub-areas sum to {whole(between)}. The total cost is lowest at "
        f"**{whole(table.best)}**."
    )


def _way(family: Family, at: int) -> str:
    table = family.table
    parts = [
        f"{_name(family, int(p))} {whole(x)}"
        for p, x in zip(family.parts, table.split[at], strict=True)
    ]
    return ", ".join([*parts, f"{_head(family)} {whole(table.values[at])}"])


def _bracketed(number: int) -> str:
    return f"({whole(number)})" if number < 0 else whole(number)


def _price(family: Family) -> str:
    table, problem = family.table, family.problem
    chosen = f"**{whole(table.chosen)}**"
    if family.above is not None:
        above = _name(family, family.above)
        siblings = problem.regions.tree.children(family.above)
        n = siblings.stop - siblings.start
        start = (
            f"One level up, {_head(family)} is one of {n:,} sub-areas of {above}, where their "
            "tables are combined. "
        )
        if table.price is None:
            return f"{start}{capital(above)} has 0 to allocate, so {_head(family)} receives 0."
        return start + (
            f"{capital(above)} allocates {whole(family.values[family.above])} units to the "
            f"sub-areas with a marginal cost of up to **λ = {_lambda(family, table.price)}**. At "
            f"that price {_head(family)} receives {chosen}."
        )
    if problem.total is None:
        return (
            "The total is not fixed, so the price is **λ = 0**. A unit is used only if it lowers "
            f"the total cost, and {_head(family)} becomes {chosen}."
        )
    if table.price is None:
        return "There is nothing to allocate, since the public total is 0."
    start = (
        f"Each size has its own tree, and together they must match the public total of "
        f"**{whole(problem.total)}**. A single price achieves this: each size uses its units up "
        f"to a marginal cost of **λ = {_lambda(family, table.price)}**. "
    )
    if table.step == 1 and table.chosen_at and table.slopes[table.chosen_at - 1] == table.price:
        tie = (
            f"The {ordinal(table.chosen)} unit of this size costs exactly that and is used "
            "to reach the total. "
        )
    else:
        tie = ""
    alone = (
        ""
        if table.chosen == table.best
        else f" (Without the total it would be {whole(table.best)}.)"
    )
    return f"{start}{tie}This gives {chosen}.{alone}"


def _lambda(family: Family, price: float) -> str:
    return whole(round(price / family.weight, 2))


def _choice(family: Family) -> str:
    if family.marked is not None and family.noisy[family.marked] < 0:
        return _why_not_below_zero(family, family.marked)
    values, moved, head = family.values, family.moved, family.head
    given = int(values[head])
    if len(family.parts) <= 3:
        named = join_and([f"**{_name(family, int(p))} {whole(values[p])}**" for p in family.parts])
        if family.marked is not None:
            return f"{_capital(family, head)} is {whole(given)}: {named}. {_marked_why(family)}"
        if not given:
            return f"{_capital(family, head)} is **0**, so there is nothing to allocate: {named}."
        return (
            f"{_capital(family, head)} is **{whole(given)}**, the sum of the {whole(given)} "
            f"cheapest units: {named}. The result is consistent and non-negative."
        )
    if not family.parts_measured:
        return (
            f"{_capital(family, head)} allocates **{whole(given)}**. {_capital_parts(family)} were "
            "not measured. Their values follow from the levels below and are consistent."
        )
    raised = [int(p) for p in family.parts if moved[p] > 0]
    lowered = [int(p) for p in family.parts if moved[p] < 0]
    together = int(family.noisy[family.parts].sum())
    start = (
        f"{_capital(family, head)} allocates **{whole(given)}**. The noisy counts of its sub-areas "
        f"sum to {whole(together)}. "
    )
    below = [p for p in raised if family.noisy[p] < 0]
    up, down = int(moved[raised].sum()), -int(moved[lowered].sum())
    text = f"{_how_many(len(raised))} raised by {whole(up)} in total"
    if below:
        text += f" ({len(below)} of them because they were negative)"
    text += f", {len(lowered) or 'none'} lowered by {whole(down)}."
    if raised or lowered:
        text += " Many small changes are cheaper than a few large ones, because costs are squared."
    return start + text + (f" {_marked_why(family)}" if family.marked is not None else "")


def _how_many(n: int) -> str:
    return "None is" if n == 0 else "One is" if n == 1 else f"{n} are"


def _marked_why(family: Family) -> str:
    node = family.marked
    if node is None:
        return ""
    noisy, value = int(family.noisy[node]), int(family.values[node])
    last, more = (float(c[node]) / family.weight for c in family.unit_costs)
    name = _capital(family, node)
    if noisy == value:
        return f"**{name}** stays at {whole(value)}."
    why = f"one more unit would have cost {whole(round(more, 2))}" if noisy > value else ""
    if noisy < value:
        why = f"its last unit {cost_words(last)}, no more than the price"
    return f"**{name}** moved from {whole(noisy)} to **{whole(value)}**, because {why}."


def _why_not_below_zero(family: Family, node: int) -> str:
    """Explain the value of an area with a negative noisy count, and which areas were reduced."""
    name, head = _capital(family, node), _name(family, family.head)
    noisy, value = int(family.noisy[node]), int(family.values[node])
    given = int(family.values[family.head])
    parts = family.parts
    more = family.unit_costs[1][node] / family.weight
    level = plural(family.problem.regions.levels[family.level + 1])
    lines = [
        (
            f"**Why {name} moved from {whole(noisy)} to {whole(value)}.** "
            f"Its true count is {whole(family.true[node])}, and its noisy count {whole(noisy)}. "
            "A count cannot be negative, so it has to rise. Each further step from the noisy "
            f"count costs more than the last, so it rises only to **{whole(value)}**."
        )
    ]
    if value == 0 and family.price is not None:
        lines[0] += (
            f" A first unit would cost {whole(round(more, 2))}, while the most expensive unit used "
            f"by {head} {cost_words(family.price / family.weight)}."
        )
    below = [int(p) for p in parts if family.noisy[p] < 0]
    lift = -int(family.noisy[below].sum())
    above = [int(p) for p in parts if family.noisy[p] >= 0]
    noisy_above = int(family.noisy[above].sum())
    negative = (
        f"{len(below)} {level} have negative noisy counts"
        if len(below) > 1
        else f"Only {name} has a negative noisy count"
    )
    lines.append(
        f"**Units available.** {capital(head)} has **{whole(given)}** to allocate, as determined "
        f"one level up. {negative}. Raising {'them' if len(below) > 1 else 'it'} to 0 adds "
        f"{whole(lift)}. The noisy counts of the other {len(above)} sum to {whole(noisy_above)}, "
        "so they " + _must(given - noisy_above)
    )
    moved = family.moved
    losers = sorted((p for p in parts if moved[p] < 0), key=lambda p: int(moved[p]))
    if losers:
        lines.append(f"**Which areas were reduced.** {_gave(family, [int(p) for p in losers])}")
    gains = sum(int(moved[p]) for p in above if moved[p] > 0)
    if gains:
        lines[-1] += f" Others rose by {whole(gains)} in total."
    return "\n\n".join(lines)


def _must(room: int) -> str:
    if room < 0:
        return f"had to fall by **{whole(-room)}**."
    if room > 0:
        return f"even had to rise by **{whole(room)}**."
    return "could stay as they were."


def _gave(family: Family, losers: Sequence[int]) -> str:
    amounts = {p: -int(family.moved[p]) for p in losers}
    named = [f"{_name(family, p)} {whole(amounts[p])}" for p in losers[:_NAMED]]
    rest = losers[_NAMED:]
    text = ", ".join(named)
    stayed = any(family.moved[p] == 0 and family.noisy[p] > 0 for p in family.parts)
    if rest:
        left = [amounts[p] for p in rest]
        each = f"{left[0]} each" if len(set(left)) == 1 and len(left) > 1 else ""
        each = each or f"{whole(sum(left))} in total"
        text += f", and {len(rest)} more {each}"
    text += f". That is {whole(sum(amounts.values()))}."
    if stayed and set(amounts.values()) == {1}:
        text += " A step of one costs the same in every area, so ties are broken by list order."
    return text


def floor_note(floor: float, name: str) -> str:
    """Return what the stacked bars leave out; empty where that is nothing."""
    if not floor:
        return ""
    return (
        f"The sub-areas cost at least {whole(round(floor, 2))} for any value of {name}; the bars "
        "show the additional cost. "
    )


def weights_note(weights: Sequence[int], levels: Sequence[str]) -> str:
    """Return the weight of a squared error at each level; empty where all are equal."""
    if len(set(weights)) == 1:
        return ""
    top = max(weights)
    by_level = ", ".join(
        f"{level} {round(w / top, 3):g}" for level, w in zip(levels, weights, strict=True)
    )
    return f"Levels with less noise have a larger weight: {by_level}. "


def window_note(table: CostTable) -> str:
    """Return which values are shown."""
    text = f"Shown: v from {whole(table.values[0])} to {whole(table.values[-1])}"
    return text + (f" in steps of {table.step}. " if table.step > 1 else ". ")


def chain_sentence(chosen: Sequence[int], targets: Sequence[int]) -> str:
    """Return the steps of the chain in the worked example (Table 6) in words.

    Args:
        chosen, targets: of GA, NY, US in the order of the chain.
    """
    return (
        "The chain program measures cumulative sums: GA, GA + NY, and the US, which equals "
        f"GA + NY. The noisy values are **{targets[0]}**, **{targets[1]}** and **{targets[2]}**. "
        "Cumulative sums cannot decrease, so φ(v) is the lowest earlier τ at v *or less*. The US "
        "must equal the sum before it, so there φ is τ at v itself. The last table is lowest at "
        f"**{chosen[2]}**. Going back, the sums are {chosen[1]} for NY and {chosen[0]} for GA, so "
        f"GA is {chosen[0]} and NY is {chosen[1] - chosen[0]}."
    )


def chain_warning(level_sizes: Sequence[int]) -> str:
    """Return why the noise of the chain in the paper is too small, on this tree."""
    levels, total = len(level_sizes), int(np.sum(level_sizes))
    factor = total / levels
    return (
        "The published noise of the chain is too small. One person changes the cumulative sum of "
        "*every* area in between, not of one, so the sensitivity grows with the number of areas at "
        f"a level. On this tree the actual ε is {upper(factor, GUARANTEE_DIGITS)} times the stated "
        "ε. For the nation, states and counties it is about 1,000 times."
    )


def stages_sentence(
    zero_bias: float | None, low: tuple[str, float] | None, n_simulations: int
) -> str:
    """Return the bias that post-processing causes, in words.

    Args:
        zero_bias: mean error of counts whose true value is 0; None without any.
        low: the class with the lowest bias, and that bias; None where none is negative.
        n_simulations: how many the means are over.
    """
    simulations = words.simulations_words(n_simulations, n_simulations)
    text = f"Means over {simulations}. Noise alone is unbiased. "
    if zero_bias is None or zero_bias <= 0:
        return text + (
            "No true count here is 0 or near it, so the non-negativity constraint causes hardly "
            "any bias."
        )
    text += (
        "Bias comes from the non-negativity constraint. Counts whose true value is 0 change by "
        f"**{signed(round(zero_bias, 2))}** on average. "
    )
    if low is not None:
        text += (
            "Because totals must be preserved, other counts are lowered, most for true counts of "
            f"{low[0]} (**{signed(round(low[1], 2))}** on average)."
        )
    return text.strip()
