"""What How it works says at every step: the family's numbers in, plain sentences out."""

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
    "merge": "3 Merge",
    "own": "4 Own cost",
    "price": "5 Price",
    "choice": "6 Choice",
}
PAPER = "The papers’ example, with the papers’ noise"
_NAMED = 5  # places at most that a sentence names


def title(subject: str) -> str:
    """The title of How it works.

    >>> title("households of 1 person")
    'Inside the optimisation: households of 1 person'
    """
    return f"Inside the optimisation: {subject}"


def sentence(family: Family, step: str) -> str:
    """What happens at this step of this family, with its numbers."""
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
    """What the parts are called together: "GA and NY", "its 67 counties"."""
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
        first = f"{_capital(family, head)} was not measured at all; "
        first += f"{parts_of(family)} were measured as **{whole(together)}** together."
    else:
        first = f"Every count got noise of its own. It says **{_head(family)} {whole(own)}**"
        if len(parts) <= 3:
            said = join_and([f"**{_name(family, int(p))} {whole(noisy[p])}**" for p in parts])
            first += f", but {said}" if together != own else f", and {said}"
            first += f", which make {whole(together)}" if len(parts) > 1 else ""
        else:
            first += f", {'but' if gap else 'and'} {parts_of(family)} make **{whole(together)}**"
        first += (
            ": the parts happen to add up to the whole. "
            if gap == 0
            else f": {whole(abs(gap))} too {'many' if gap > 0 else 'few'}, the parts do not add up "
            "to the whole. "
        )
    return first + _below_zero_words(family) + _marked_noise(family)


def _parts_not_measured(family: Family) -> str:
    noisy = family.noisy_value(family.head)
    start = (
        f"Neither {_head(family)} nor {parts_of(family)} were measured"
        if noisy is None
        else f"**{_head(family)} {whole(noisy)}** was measured; {parts_of(family)} were not"
    )
    return f"{start}: this budget gives their level no share. What they are follows from below."


def _below_zero_words(family: Family) -> str:
    below = [int(p) for p in family.parts if family.below_zero[p]]
    if not below:
        return ""
    if len(below) <= _NAMED:
        said = join_and([f"{_name(family, p)} ({whole(family.noisy[p])})" for p in below])
    else:
        said = f"{len(below)} of the {len(family.parts)} parts"
    were = "was" if len(below) == 1 else "were"
    return f"{capital(said)} {were} measured below zero, which no count can be. "


def _marked_noise(family: Family) -> str:
    if family.marked is None:
        return ""
    noisy, true = int(family.noisy[family.marked]), int(family.true[family.marked])
    noise = noisy - true
    return (
        f"**{_capital(family, family.marked)}** truly has {whole(true)}; the noise was "
        f"{signed(noise)}, so it was measured as **{whole(noisy)}**."
    )


def _leaves(family: Family) -> str:
    w = family.weight
    if family.marked_table is not None and family.marked is not None:
        return _marked_leaf(family, family.marked_table)
    inner = (
        ""
        if family.parts_are_leaves
        else " These tables already hold what lies below each part: they came up the tree the "
        "same way."
    )
    tables = family.part_tables[:2]
    if not tables:
        level = family.problem.regions.levels[-1]
        return (
            f"To move {words.a(level)} away from its noisy number costs the square of the "
            "distance: 1 for one, 4 for two, 9 for three. Many small steps are cheaper than one "
            f"large one. {_below_zero_words(family)}{_lowest(family)}".rstrip()
            + inner
        )
    said = []
    for part in tables:
        name = _name(family, part.node)
        tau = part.tau / w
        best = part.best - int(part.values[0])
        other = best - 2 if best >= 2 else best + 2
        text = f"**{name}** at {whole(part.best)} {_costs(tau[best])}"
        if 0 <= other < len(tau):
            text += f", at {whole(part.values[other])} {_costs(tau[other])}"
        said.append(text)
    return (
        "Another number than the noisy one costs the square of the distance: "
        + "; ".join(said)
        + "."
        + inner
    )


def _lowest(family: Family) -> str:
    below = [int(p) for p in family.parts if family.below_zero[p]]
    return "For them 0 is the cheapest number there is." if below else ""


def _marked_leaf(family: Family, table: CostTable) -> str:
    name, w = _capital(family, table.node), family.weight
    tau = table.tau / w
    start = f"**{name}** was measured as **{whole(table.target)}**. "
    if table.target >= 0:
        return start + (
            "To give it another number costs the square of the distance: 1 for one away, 4 for "
            f"two, 9 for three. Its cheapest number is {whole(table.best)}."
        )
    distance = f"(0 − ({whole(table.target)}))²"
    if table.weight != w:
        distance += f" × {whole(round(table.weight / w, 2))}"
    return start + (
        f"A count cannot be below zero, so the nearest it can come is **0**, at a cost of "
        f"{distance} = **{whole(round(tau[0], 2))}**. Any larger number lies further away: "
        f"1 would cost {whole(round(tau[1], 2))}, so a first one costs "
        f"{whole(round(tau[1] - tau[0], 2))} more."
    )


def _costs(cost: float) -> str:
    return "costs nothing" if cost == 0 else f"costs {whole(round(float(cost), 2))}"


def _merge(family: Family) -> str:
    table = family.table
    unit_cost = table.merged / (family.weight * table.step)
    if not len(unit_cost):
        return "There is nothing to merge here."
    k, giver = table.chosen_at, table.taken_from
    start = (
        "The cheapest way to make any number is to take the cheapest units first, whichever "
        "part they come from. "
    )
    said = []
    if table.step > 1:
        start += f"The window is wide, so a bar stands for {whole(table.step)} units. "
    elif k > 0:
        said.append(
            f"the {ordinal(table.chosen)} comes from **{_name(family, _part(family, giver[k - 1]))}"
            f"** and {cost_words(unit_cost[k - 1])}"
        )
    if k < len(giver) and table.step == 1:
        said.append(
            f"the {ordinal(table.chosen + 1)} would come from "
            f"**{_name(family, _part(family, giver[k]))}** and {cost_words(unit_cost[k])}"
        )
    first = ""
    if table.step == 1 and int(table.values[0]) == 0 and k > 1:
        first = (
            f"The 1st comes from **{_name(family, _part(family, giver[0]))}** and "
            f"{cost_words(unit_cost[0])}; "
        )
    rest = "; ".join(said)
    if not first:
        rest = capital(rest)
    marked = ""
    if family.marked is not None and family.noisy[family.marked] < 0:
        more = family.unit_costs[1][family.marked] / family.weight
        marked = (
            f" {_capital(family, family.marked)} stands at the far end: its first unit costs "
            f"{whole(round(more, 2))}."
        )
    return f"{start}{first}{rest}{'.' if rest else ''}{marked}"


def _part(family: Family, at: int) -> int:
    return int(family.parts[int(at)])


def _own(family: Family) -> str:
    table, head = family.table, _head(family)
    tau = table.tau
    least = tau.min()
    cheapest = [i for i in range(len(tau)) if tau[i] == least]
    if not table.weight:
        return (
            f"{_capital(family, family.head)} was not measured, so it has no cost of its own: "
            f"its parts alone decide, and make {whole(table.best)} if nothing stops them."
        )
    start = (
        f"{capital(head)} was measured as {whole(table.target)}, so making it v costs "
        f"{'another ' if len(family.parts) else ''}(v − {_bracketed(table.target)})². "
    )
    cost = whole(round(float(least) / family.weight, 2))
    if len(cheapest) == 2 and table.split.shape[1] <= 3 and len(family.parts):
        ways = [_way(family, i) for i in cheapest]
        return (
            f"{start}The cheapest way to agree costs **{cost}**: {ways[0]}, or {ways[1]}. Both "
            "cost the same; what decides between them comes from above."
        )
    if len(family.parts) <= 3 and len(cheapest) == 1 and len(family.parts):
        return f"{start}The cheapest way to agree costs **{cost}**: {_way(family, cheapest[0])}."
    between = int(family.noisy[family.parts].sum())
    if not family.parts_measured:
        return f"{start}Both costs in one are least at **{whole(table.best)}**."
    return start + (
        f"The parts were measured as {whole(between)} together. Both costs in one are least at "
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
            f"One level up, {_head(family)} is one of {n:,} parts of {above}, and this table is "
            "one of those merged there. "
        )
        if table.price is None:
            return f"{start}{capital(above)} has 0 to hand out, so {_head(family)} gets 0."
        return start + (
            f"{capital(above)} hands out {whole(family.values[family.above])}: units go to "
            f"whoever takes them at a cost of up to **λ = {_lambda(family, table.price)}**, and at "
            f"that price {_head(family)} takes {chosen}."
        )
    if problem.total is None:
        return (
            "Nobody fixes how many there are in all, so the price is **λ = 0**: a unit is taken "
            f"only if it makes the whole cheaper, and {_head(family)} becomes {chosen}."
        )
    if table.price is None:
        return "There is nothing to hand out: the public total is 0."
    start = (
        f"Each size has a tree of its own, and all of them together must make the public total of "
        f"**{whole(problem.total)}**. One price for all does it: every size takes its units "
        f"up to **λ = {_lambda(family, table.price)}**. "
    )
    if table.step == 1 and table.chosen_at and table.slopes[table.chosen_at - 1] == table.price:
        tie = (
            f"The {ordinal(table.chosen)} unit of this size costs exactly that: the total decides "
            "that it is taken. "
        )
    else:
        tie = ""
    alone = (
        "" if table.chosen == table.best else f" (Alone it would have been {whole(table.best)}.)"
    )
    return f"{start}{tie}Here that makes {chosen}.{alone}"


def _lambda(family: Family, price: float) -> str:
    return whole(round(price / family.weight, 2))


def _choice(family: Family) -> str:
    if family.marked is not None and family.noisy[family.marked] < 0:
        return _why_not_below_zero(family, family.marked)
    values, moved, head = family.values, family.moved, family.head
    given = int(values[head])
    if len(family.parts) <= 3:
        said = join_and([f"**{_name(family, int(p))} {whole(values[p])}**" for p in family.parts])
        if family.marked is not None:
            return f"{_capital(family, head)} holds {whole(given)}: {said}. {_marked_why(family)}"
        if not given:
            return f"{_capital(family, head)} is **0**, so there is nothing to hand out: {said}."
        return (
            f"{_capital(family, head)} is **{whole(given)}**, so its parts hand over the "
            f"{whole(given)} cheapest units: {said}. They add up, and nothing is below zero."
        )
    if not family.parts_measured:
        return (
            f"{_capital(family, head)} may hand out **{whole(given)}**. {_capital_parts(family)} "
            "were not measured; their numbers follow from those below them, and they add up."
        )
    raised = [int(p) for p in family.parts if moved[p] > 0]
    lowered = [int(p) for p in family.parts if moved[p] < 0]
    together = int(family.noisy[family.parts].sum())
    start = (
        f"{_capital(family, head)} may hand out **{whole(given)}**; its parts were measured as "
        f"{whole(together)} together. "
    )
    below = [p for p in raised if family.noisy[p] < 0]
    up, down = int(moved[raised].sum()), -int(moved[lowered].sum())
    text = f"{_how_many(len(raised))} raised by {whole(up)} in all"
    if below:
        text += f" ({len(below)} of them because they stood below zero)"
    text += f", {len(lowered) or 'none'} lowered by {whole(down)}"
    text += ": small steps for many, since a step costs its square." if raised or lowered else "."
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
        return f"**{name}** keeps its {whole(value)}."
    why = f"one more would have cost {whole(round(more, 2))}" if noisy > value else ""
    if noisy < value:
        why = f"its last one {cost_words(last)}, no more than the price"
    return f"**{name}** moved from {whole(noisy)} to **{whole(value)}**: {why}."


def _why_not_below_zero(family: Family, node: int) -> str:
    """Why a place that was measured below zero ended where it did, and who made room."""
    name, head = _capital(family, node), _name(family, family.head)
    noisy, value = int(family.noisy[node]), int(family.values[node])
    given = int(family.values[family.head])
    parts = family.parts
    more = family.unit_costs[1][node] / family.weight
    level = plural(family.problem.regions.levels[family.level + 1])
    lines = [
        (
            f"**Why {name} moved from {whole(noisy)} to {whole(value)}.** "
            f"Its true count is {whole(family.true[node])}; the noise made it {whole(noisy)}. "
            "A count cannot be below zero, so it has to come up, and every step away from "
            "the noisy value costs more than the one before: it goes no further than "
            f"**{whole(value)}**."
        )
    ]
    if value == 0 and family.price is not None:
        lines[0] += (
            f" (A first one would cost {whole(round(more, 2))}; the dearest unit that {head} "
            f"still took {cost_words(family.price / family.weight)}.)"
        )
    below = [int(p) for p in parts if family.noisy[p] < 0]
    lift = -int(family.noisy[below].sum())
    above = [int(p) for p in parts if family.noisy[p] >= 0]
    noisy_above = int(family.noisy[above].sum())
    others = f"{len(below)} {level} were" if len(below) > 1 else f"Only {name} was"
    lines.append(
        f"**What there is to share.** {capital(head)} has **{whole(given)}** to hand out, "
        f"settled one level up. {others} measured below zero, {whole(lift)} in all; lifting "
        f"{'them' if len(below) > 1 else 'it'} to 0 is like adding {whole(lift)}. The other "
        f"{len(above)} were measured as {whole(noisy_above)} together, so they "
        + _must(given - noisy_above)
    )
    moved = family.moved
    losers = sorted((p for p in parts if moved[p] < 0), key=lambda p: int(moved[p]))
    if losers:
        lines.append(f"**Who gave up how many.** {_gave(family, [int(p) for p in losers])}")
    gains = sum(int(moved[p]) for p in above if moved[p] > 0)
    if gains:
        lines[-1] += f" Others rose by {whole(gains)} in all."
    return "\n\n".join(lines)


def _must(room: int) -> str:
    if room < 0:
        return f"had to give up **{whole(-room)}**."
    if room > 0:
        return f"even had to rise by **{whole(room)}**: {whole(room)} more than was measured."
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
        each = each or f"{whole(sum(left))} in all"
        text += f", and {len(rest)} more {each}"
    text += f". That is {whole(sum(amounts.values()))}."
    if stayed and set(amounts.values()) == {1}:
        text += (
            " A step of one costs every place the same, so it does not matter who takes it; the "
            "first in the list are spared."
        )
    return text


def floor_note(floor: float, name: str) -> str:
    """What is left out of the stacked bars; nothing when nothing is."""
    if not floor:
        return ""
    return (
        f"The parts cost at least {whole(round(floor, 2))} whatever {name} is; the bars show what "
        "comes on top. "
    )


def weights_note(weights: Sequence[int], levels: Sequence[str]) -> str:
    """How much a square counts on each level; nothing where all count the same."""
    if len(set(weights)) == 1:
        return ""
    top = max(weights)
    said = ", ".join(
        f"{level} {round(w / top, 3):g}" for level, w in zip(levels, weights, strict=True)
    )
    return f"Less noise weighs more: a square counts {said}. "


def window_note(table: CostTable) -> str:
    """Which values are shown."""
    text = f"Shown: v from {whole(table.values[0])} to {whole(table.values[-1])}"
    return text + (f" in steps of {table.step}. " if table.step > 1 else ". ")


def chain_sentence(chosen: Sequence[int], targets: Sequence[int]) -> str:
    """How the chain of the running example goes: Table 6, in words.

    Args:
        chosen, targets: of GA, NY, US in the order of the chain.
    """
    return (
        f"The chain measures running sums: GA, then GA with NY, then US, which is the same place "
        f"again. Noise says **{targets[0]}**, **{targets[1]}** and **{targets[2]}**. A sum never "
        "falls, so φ(v) is the cheapest τ before it at v *or less*; US must equal the sum before "
        f"it, so there φ is τ at v itself. The last table is least at **{chosen[2]}**; going back, "
        f"NY’s sum is {chosen[1]} and GA’s is {chosen[0]}, so GA has {chosen[0]} and NY has "
        f"{chosen[1] - chosen[0]}."
    )


def chain_warning(level_sizes: Sequence[int]) -> str:
    """Why the noise that the paper gives the chain is too small, on this tree."""
    levels, total = len(level_sizes), int(np.sum(level_sizes))
    factor = total / levels
    return (
        "The published noise of the chain is too small: one person who moves lowers the running "
        "sums of *every* region in between, not one, so the noise must grow with the number of "
        f"regions on a level. On this tree the paper’s ε is in truth "
        f"{upper(factor, GUARANTEE_DIGITS)} times as large; "
        "on nation, states and counties about 1,000 times."
    )


def stages_sentence(
    zero_bias: float | None, low: tuple[str, float] | None, n_simulations: int
) -> str:
    """What mending does to whom.

    Args:
        zero_bias: mean error of released numbers that are truly 0; None without any.
        low: the class that loses most, with its mean error; None when none loses.
        n_simulations: how many the means are over.
    """
    simulations = words.simulations_words(n_simulations, n_simulations)
    text = (
        f"The mean over {simulations}. Noise alone favours nobody: it adds as often as it takes "
        "away. "
    )
    if zero_bias is None or zero_bias <= 0:
        return text + (
            "No number here is truly 0 or near it, so the rule that nothing may be below zero "
            "hardly tilts anything."
        )
    text += (
        "What tilts the numbers is the rule that nothing may be below zero: those that are truly "
        f"0 come out **{signed(round(zero_bias, 2))}** on average. "
    )
    if low is not None:
        text += (
            "The parts must still add up, so what is added there is taken elsewhere, most from "
            f"numbers that are truly {low[0]}: **{signed(round(low[1], 2))}** on average."
        )
    return text.strip()
