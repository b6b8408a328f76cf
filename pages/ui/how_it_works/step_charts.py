"""The chart of each step, beside the tree."""

from collections.abc import Callable

from hierdp_core import figures
from hierdp_core.figures.chart import Chart
from hierdp_core.figures.program.family import Box
from hierdp_core.util.text import plural
from pages.ui.how_it_works import step_words
from pages.ui.how_it_works.scene import Scene
from pages.ui.shell import words


def tree(scene: Scene) -> Chart:
    """Return the open area with its parent and its children, with the values known at the step."""
    family, step = scene.family, scene.step
    on_the_way_down = step in ("price", "choice")
    above = None
    if family.above is not None:
        above = box(scene, family.above, known=on_the_way_down, lit=step == "price")
    head = box(scene, family.head, known=on_the_way_down, lit=step in ("noise", "own", "price"))
    children = [
        box(
            scene,
            int(p),
            known=step == "choice",
            lit=step in ("noise", "leaves", "merge", "choice"),
        )
        for p in family.parts
    ]
    return Chart(
        title="The tree",
        sentence="Noisy → chosen values" if on_the_way_down else "Noisy values",
        figure=figures.program.family.family(above, head, children),
        alt=figures.program.family.alt(above, head, children),
    )


def box(scene: Scene, node: int, *, known: bool, lit: bool = False) -> Box:
    """Return the content of the box of a node; its chosen value only if that is known."""
    family = scene.family
    return Box(
        name=scene.problem.names[node],
        noisy=family.noisy_value(node),
        chosen=int(family.values[node]) if known else None,
        lit=lit,
        marked=node == family.marked,
    )


def of_step(scene: Scene) -> Chart:
    """Return the chart of the step that is open."""
    charts: dict[str, Callable[[Scene], Chart]] = {
        "noise": _noise,
        "leaves": _leaves,
        "merge": _merge,
        "own": _own,
        "price": _price,
        "choice": _choice,
    }
    return charts[scene.step](scene)


def _noise(scene: Scene) -> Chart:
    family = scene.family
    nodes = [family.head, *(int(p) for p in family.parts)]
    names, noise = [scene.problem.names[n] for n in nodes], family.noise[nodes]
    return Chart(
        title="Noise in each count",
        sentence="Noisy minus true. True values are shown because this is a demonstration.",
        figure=figures.errors.moves.bars(
            names,
            noise,
            title="noisy − true",
            marked=[n == family.marked for n in nodes],
            first_apart=True,
        ),
        alt=figures.errors.moves.alt(names, noise, title="Noise"),
    )


def _leaves(scene: Scene) -> Chart:
    family = scene.family
    if family.marked_table is not None:
        return _one_leaf(scene)
    if family.part_tables:
        return Chart(
            title="Cost of each value, by sub-area",
            sentence="The cost of a value v for each sub-area alone.",
            figure=figures.program.cost.curves(
                family.part_tables, scene.names, weight=family.weight
            ),
            alt=figures.program.cost.curves_alt(family.part_tables, scene.names),
        )
    moved = family.moved[family.parts]
    return Chart(
        title="Cost of each change, and the changes of all sub-areas",
        sentence="The number beside a dot is the number of sub-areas with that change.",
        figure=figures.errors.moves.by_cost(
            moved,
            scene.names,
            forced=family.below_zero[family.parts],
            level=plural(scene.problem.regions.levels[family.level + 1]),
        ),
        alt=figures.errors.moves.alt(scene.names, moved, title="Chosen minus noisy"),
    )


def _one_leaf(scene: Scene) -> Chart:
    table, weight = scene.family.marked_table, scene.family.weight
    assert table is not None
    name = words.place(scene.problem.names[table.node])
    return Chart(
        title=f"Cost of each value for {name}",
        sentence="The squared distance of each value from the noisy count, times the weight.",
        figure=figures.program.cost.stacked(table, name=name, parts="", weight=weight),
        alt=figures.program.cost.stacked_alt(table, name=name, weight=weight),
    )


def _merge(scene: Scene) -> Chart:
    family = scene.family
    marked = None if family.marked is None else family.marked - int(family.parts[0])
    return Chart(
        title="Increments of the sub-areas, cheapest first",
        sentence=(
            f"Solid bars are the increments that {scene.head} will use, faint bars the others."
        ),
        figure=figures.program.cost.merge(
            family.table, scene.names, weight=family.weight, marked=marked
        ),
        alt=figures.program.cost.merge_alt(family.table, scene.names),
    )


def _own(scene: Scene) -> Chart:
    family = scene.family
    return Chart(
        title=f"Cost table of {scene.head}",
        sentence="The cost of each value v for the sub-areas, with the area’s own cost on top.",
        figure=figures.program.cost.stacked(
            family.table,
            name=scene.head,
            parts=step_words.parts_of(family),
            weight=family.weight,
        ),
        alt=_cost_alt(scene),
    )


def _price(scene: Scene) -> Chart:
    family = scene.family
    return Chart(
        title=f"Marginal cost of each increment for {scene.head}",
        sentence="The steps of the cost table, one increment at a time, including all areas below.",
        figure=figures.program.cost.slopes(family.table, name=scene.head, weight=family.weight),
        alt=_cost_alt(scene),
    )


def _cost_alt(scene: Scene) -> str:
    family = scene.family
    return figures.program.cost.stacked_alt(family.table, name=scene.head, weight=family.weight)


def _choice(scene: Scene) -> Chart:
    family = scene.family
    nodes = [family.head, *(int(p) for p in family.parts)]
    names, moved = [scene.problem.names[n] for n in nodes], family.moved[nodes]
    return Chart(
        title="Change of each value",
        sentence=f"Chosen minus noisy. The dark bar is {scene.head}.",
        figure=figures.errors.moves.bars(
            names,
            moved,
            title="chosen − noisy",
            marked=[n == family.marked or (family.noisy_value(n) or 0) < 0 for n in nodes],
            first_apart=True,
        ),
        alt=figures.errors.moves.alt(names, moved, title="Chosen minus noisy"),
    )
