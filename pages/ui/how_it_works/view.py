"""The pieces of How it works: what is opened, the steps, the chain, and noise and mending apart."""

from dataclasses import dataclass, replace

import pandas as pd
import plotly.graph_objects as go
import streamlit as st

import hierdp_core as hdp
from hierdp_core import figures
from hierdp_core.explain import stages
from hierdp_core.explain.tree_steps import PAPER_SIZE, STEPS, Family, Problem, paper_chain
from hierdp_core.figures.chart import Chart
from hierdp_core.figures.program.family import Box
from hierdp_core.mechanisms import MECHANISMS
from hierdp_core.samples.sample import OWN, Sample
from hierdp_core.settings import Settings
from hierdp_core.util.text import capital, plural
from pages.ui.how_it_works import step_words
from pages.ui.how_it_works.address import EXAMPLE, TABS, HowItWorksAddress, stepping
from pages.ui.shell import address, charts, datasets, flow_words, inputs, session, words, work
from pages.ui.shell.address import View
from pages.ui.shell.cache import remembered
from pages.ui.shell.session import Key

PAPER = "paper"  # beside the ids of samples
PROGRAM = {one.kinds[0]: id for id, one in MECHANISMS.items() if one.is_tree_program}
TAB_TITLES = {"tree": "The tree", "chain": "The chain", "stages": "Noise and mending apart"}
BELOW_ZERO = "Show me a place whose noisy count is below zero"
_DRAWS = 10
_MANY_CELLS = 1_000_000  # from here on one draw is enough to wait for
_LONG = 10
NUMBERS, TABLE_6 = "The same numbers", "Table 6 of the papers"


@dataclass(frozen=True, eq=False, kw_only=True)
class Scene:
    """What is opened, and where one stands in it."""

    view: View
    sample: Sample
    problem: Problem
    family: Family
    column: int

    @property
    def subject(self) -> str:
        """What is counted."""
        return subject(self.sample, self.column)

    @property
    def step(self) -> str:
        return self.view.of(HowItWorksAddress).step

    @property
    def names(self) -> list[str]:
        """Of the parts."""
        return [self.problem.names[int(p)] for p in self.family.parts]

    @property
    def head(self) -> str:
        return words.place(self.problem.names[self.family.head])


def show(figure: go.Figure, *, key: str, alt: str, table_in: str = NUMBERS) -> None:
    """Draw a figure whose numbers stand in a table of this page."""
    charts.show(Chart(title="", figure=figure, alt=alt), key=key, table_in=table_in)


def subject(sample: Sample, column: int) -> str:
    return sample.table.column_title(column)


def controls() -> Scene:
    """Draw the controls; what they open."""
    view = _fitting(address.view())
    place = st.empty()
    if text := session.notice():
        place.warning(text, icon=":material/link_off:")
    elif _is_flows(view.settings.sample):
        title = datasets.info(view.settings.sample).title
        place.info(flow_words.not_inside(title), icon=":material/info:")
    sample = datasets.get(EXAMPLE if view.of(HowItWorksAddress).paper else view.settings.sample)
    table = sample.table
    widths = [7, 5, 4, 3] if table.has_groups else [7, 5, 3]
    data, *size, region, button = st.columns(widths, gap="small", vertical_alignment="bottom")
    with data:
        st.selectbox(
            "Data",
            [PAPER, *(id for id in datasets.ids() if not _is_flows(id))],
            key=session.seeded(
                Key.INSIDE_DATA, PAPER if view.of(HowItWorksAddress).paper else view.settings.sample
            ),
            format_func=_data_title,
            on_change=_other_data,
        )
    column = _column(view, sample)
    for place in size:
        with place:
            st.selectbox(
                "Group size",
                list(table.sizes),
                key=session.seeded(Key.INSIDE_SIZE, column),
                format_func=lambda s: capital(table.column_title(s)),
                on_change=lambda: address.go(
                    stepping(address.view(), size=session.get(Key.INSIDE_SIZE))
                ),
            )
    node = _node(view, sample)
    with region:
        titles = _place_titles(
            datasets.digest(view.settings) if sample.id == OWN else sample.id,
            view.of(HowItWorksAddress).paper,
            sample,
        )
        st.selectbox(
            "Region",
            list(titles),
            key=session.seeded(Key.INSIDE_PLACE, node),
            format_func=titles.__getitem__,
            on_change=_other_place,
            help="Type a few letters to find a place.",
        )
    button.button("New noise", on_click=_new_noise, help="Another draw.", width="stretch")
    if not view.of(HowItWorksAddress).paper:
        view = _more(view, sample)
    problem = _problem(view)
    return Scene(
        view=view,
        sample=sample,
        problem=problem,
        family=Family.at(problem, node, column),
        column=column,
    )


def _more(view: View, sample: Sample) -> View:
    with st.expander("More: budget, shares by level, seed"):
        left, right = st.columns(2, gap="large")
        with left:
            budget, box = st.columns([3, 1], gap="medium")
            with budget:
                settings = inputs.budget_of(view.settings, box)
            seed = st.number_input(
                "Seed of the draw",
                min_value=0,
                step=1,
                key=session.seeded(Key.SEED, settings.seed),
            )
        with right:
            settings = inputs.shares_of(settings, sample)
    view = replace(view, settings=replace(settings, seed=seed))
    address.keep(view)
    return view


def announcement(scene: Scene) -> str:
    """Where one stands: the step, and what it does here."""
    if scene.view.of(HowItWorksAddress).tab != TABS[0]:
        return TAB_TITLES[scene.view.of(HowItWorksAddress).tab]
    return f"Step {step_words.TITLES[scene.step]}. {step_words.sentence(scene.family, scene.step)}"


def note(scene: Scene) -> None:
    """Which noise this is."""
    if scene.view.of(HowItWorksAddress).paper:
        st.caption(
            "The noise is the papers’ own for households of one person (GA 3, NY 0, US 2), so that "
            "their Table 5 stands here digit for digit; other sizes are left without noise. "
            "“New noise” draws fresh noise on the same data."
        )
        return
    settings = _program(scene.view.settings)
    plan = settings.plan(scene.sample.table)
    title = hdp.mechanisms.describe(settings.mechanism).title
    other = (
        ""
        if settings.mechanism == scene.view.settings.mechanism
        else " The mechanism chosen on Overview is another one; its budget and seed are used."
    )
    st.caption(
        f"One draw, seed {settings.seed}, at {plan.budget.words}, mended by “{title}” "
        f"({settings.mechanism}).{other} {words.NOT_PRIVATE}"
    )


def tabs(scene: Scene) -> None:
    """The tree, the chain, and noise and mending apart; only the open one is computed."""
    opened = st.tabs(
        [TAB_TITLES[t] for t in TABS],
        default=TAB_TITLES[scene.view.of(HowItWorksAddress).tab],
        key=Key.INSIDE_TAB,
        on_change=_other_tab,
    )
    for name, tab, draw in zip(TABS, opened, (steps, chain, mending), strict=True):
        if scene.view.of(HowItWorksAddress).tab == name:
            with tab:
                draw(scene)


def steps(scene: Scene) -> None:
    """The step control, the step's sentence, tree, chart, numbers, and the way on."""
    with st.container(horizontal=True, vertical_alignment="bottom", gap="medium"):
        st.segmented_control(
            "Step",
            STEPS,
            format_func=step_words.TITLES.__getitem__,
            key=session.seeded(Key.INSIDE_STEP, scene.step),
            on_change=lambda: _go_step(session.get(Key.INSIDE_STEP)),
            required=True,
            wrap=True,
        )
        _previous_and_next(scene)
    st.markdown(step_words.sentence(scene.family, scene.step))
    left, right = st.columns([5, 7], gap="large")
    with left:
        _tree(scene)
    with right:
        _chart(scene)
    st.markdown(f"## {NUMBERS}")
    _numbers(scene)
    _ways_on(scene)


def _tree(scene: Scene) -> None:
    family, step = scene.family, scene.step
    done = step == "choice"
    st.markdown("## The tree")
    st.caption("noisy → chosen" if step in ("price", "choice") else "noisy values")

    def box(node: int, *, known: bool, lit: bool) -> Box:
        return Box(
            name=scene.problem.names[node],
            noisy=family.heard(node),
            chosen=int(family.values[node]) if known else None,
            lit=lit,
            marked=node == family.marked,
        )

    above = None
    if family.above is not None:
        above = box(family.above, known=step in ("price", "choice"), lit=step == "price")
    head = box(
        family.head,
        known=step in ("price", "choice"),
        lit=step in ("noise", "own", "price"),
    )
    below = [
        box(int(p), known=done, lit=step in ("noise", "leaves", "merge", "choice"))
        for p in family.parts
    ]
    show(
        figures.program.family.family(above, head, below),
        key="tree",
        alt=figures.program.family.alt(above, head, below),
    )
    if done and len(below) > _LONG:
        st.caption("Red cells were raised, blue ones lowered; hold the pointer over one.")


def _chart(scene: Scene) -> None:
    draw = {
        "noise": _noise_chart,
        "leaves": _leaf_chart,
        "merge": _merge_chart,
        "own": _own_chart,
        "price": _price_chart,
        "choice": _choice_chart,
    }[scene.step]
    draw(scene)


def _noise_chart(scene: Scene) -> None:
    family = scene.family
    nodes = [family.head, *(int(p) for p in family.parts)]
    names = [scene.problem.names[n] for n in nodes]
    noise = family.noise[nodes]
    st.markdown("## What the noise did")
    st.caption("noisy − true; true values show here because this is a demonstration")
    show(
        figures.errors.moves.bars(
            names,
            noise,
            title="noisy − true",
            marked=[n == family.marked for n in nodes],
            first_apart=True,
        ),
        key="chart",
        alt=figures.errors.moves.alt(names, noise, title="Noise"),
    )


def _leaf_chart(scene: Scene) -> None:
    family, weight = scene.family, scene.family.weight
    if family.marked_table is not None:
        name = words.place(scene.problem.names[family.marked_table.node])
        st.markdown(f"## What each number would cost {name}")
        st.caption("the square of the distance from what was heard")
        show(
            figures.program.cost.stacked(family.marked_table, name=name, parts="", weight=weight),
            key="chart",
            alt=figures.program.cost.stacked_alt(family.marked_table, name=name, weight=weight),
        )
    elif family.part_tables:
        st.markdown("## What each number would cost each part")
        st.caption("cost of v, for each part by itself")
        show(
            figures.program.cost.curves(family.part_tables, scene.names, weight=weight),
            key="chart",
            alt=figures.program.cost.curves_alt(family.part_tables, scene.names),
        )
    else:
        level = plural(scene.problem.regions.levels[family.level + 1])
        moved = family.moved[family.parts]
        st.markdown("## The curve of costs, and where all will end on it")
        st.caption("a figure beside a dot says how many stand there")
        show(
            figures.errors.moves.by_cost(
                moved, scene.names, forced=family.below_zero[family.parts], level=level
            ),
            key="chart",
            alt=figures.errors.moves.alt(scene.names, moved, title="Chosen minus noisy"),
        )


def _merge_chart(scene: Scene) -> None:
    family = scene.family
    marked = None if family.marked is None else family.marked - int(family.parts[0])
    st.markdown("## Units of the parts, cheapest first")
    st.caption(f"solid: what {scene.head} will take; faint: what it leaves")
    show(
        figures.program.cost.merge(family.table, scene.names, weight=family.weight, marked=marked),
        key="chart",
        alt=figures.program.cost.merge_alt(family.table, scene.names),
    )


def _own_chart(scene: Scene) -> None:
    family = scene.family
    st.markdown(f"## Cost table of {scene.head}")
    st.caption("what each number v would cost: its parts below, its own move on top")
    show(
        figures.program.cost.stacked(
            family.table,
            name=scene.head,
            parts=step_words.parts_of(family),
            weight=family.weight,
        ),
        key="chart",
        alt=figures.program.cost.stacked_alt(family.table, name=scene.head, weight=family.weight),
    )


def _price_chart(scene: Scene) -> None:
    family = scene.family
    st.markdown(f"## What each unit costs {scene.head} and all below")
    st.caption("the steps of the cost table, one unit at a time")
    show(
        figures.program.cost.slopes(family.table, name=scene.head, weight=family.weight),
        key="chart",
        alt=figures.program.cost.stacked_alt(family.table, name=scene.head, weight=family.weight),
    )


def _choice_chart(scene: Scene) -> None:
    family = scene.family
    nodes = [family.head, *(int(p) for p in family.parts)]
    names = [scene.problem.names[n] for n in nodes]
    moved = family.moved[nodes]
    st.markdown("## Who was moved, and by how much")
    st.caption(f"chosen − noisy; the dark bar is {scene.head}")
    show(
        figures.errors.moves.bars(
            names,
            moved,
            title="chosen − noisy",
            marked=[n == family.marked or (family.heard(n) or 0) < 0 for n in nodes],
            first_apart=True,
        ),
        key="chart",
        alt=figures.errors.moves.alt(names, moved, title="Chosen minus noisy"),
    )


def _numbers(scene: Scene) -> None:
    family, weight = scene.family, scene.family.weight
    levels = scene.problem.regions.levels
    if scene.step in ("noise", "choice") or (
        scene.step == "leaves" and not family.part_tables and family.marked is None
    ):
        boxes = [
            Box(
                name=scene.problem.names[n],
                noisy=family.heard(n),
                chosen=int(family.values[n]) if scene.step != "noise" else None,
            )
            for n in [family.head, *(int(p) for p in family.parts)]
        ]
        frame = figures.program.family.table(boxes, level="Region")
        frame.insert(1, "true", family.true[[family.head, *family.parts]])
        if scene.step == "noise":
            frame = frame.drop(columns=["chosen", "moved"])
        _table(frame)
        return
    table = family.table
    if scene.step == "leaves" and family.marked_table is not None:
        table = family.marked_table
        frame = figures.program.cost.cost_frame(table, names=[], part_tables=[], weight=weight)
    elif scene.step == "merge" or (scene.step == "price" and table.values[0] > 0):
        frame = figures.program.cost.merge_frame(table, scene.names, weight=weight)
    else:
        frame = figures.program.cost.cost_frame(
            table, names=scene.names, part_tables=family.part_tables, weight=weight
        )
    _table(frame)
    floor = figures.program.cost.floor_of(table, weight=weight)
    st.caption(
        step_words.window_note(table)
        + (step_words.floor_note(floor, scene.head) if scene.step == "own" else "")
        + step_words.weights_note(family.problem.weights.tolist(), levels)
    )


def _table(frame: pd.DataFrame) -> None:
    """A table with its numbers to three digits where they are fractions."""
    config = {
        name: st.column_config.NumberColumn(
            capital(name) if name.islower() else None,
            format="localized" if (frame[name].dropna() % 1 == 0).all() else "%.3g",
        )
        for name in frame.select_dtypes("number").columns
    }
    st.dataframe(
        frame,
        hide_index=True,
        column_config=config,
        height=380 if len(frame) > _LONG else "auto",
    )


def _previous_and_next(scene: Scene) -> None:
    at = STEPS.index(scene.step)
    before, after = STEPS[max(at - 1, 0)], STEPS[min(at + 1, len(STEPS) - 1)]
    st.button(
        "Back",
        key="inside-back",
        on_click=_go_step,
        args=(before,),
        shortcut="Left",
        disabled=before == scene.step,
    )
    st.button(
        f"Next: {step_words.short(after)}" if after != scene.step else "The last step",
        key="inside-next",
        on_click=_go_step,
        args=(after,),
        type="primary",
        shortcut="Right",
        disabled=after == scene.step,
    )


def _ways_on(scene: Scene) -> None:
    above = scene.family.above
    with st.container(horizontal=True):
        if above is not None:
            st.button(
                f"Up to {words.place(scene.problem.names[above])}",
                on_click=_go_node,
                args=(above, "merge"),
                icon=":material/arrow_upward:",
            )
        st.button(BELOW_ZERO, on_click=_show_below_zero, icon=":material/search:")


def link(scene: Scene) -> None:
    """The address of this very step."""
    st.markdown("## To see this again")
    st.code(
        address.link(scene.view.of(HowItWorksAddress).full_query(scene.view)),
        language=None,
        wrap_lines=True,
    )


def chain(scene: Scene) -> None:
    """Table 6 of the papers, and why its noise is too small."""
    regions = datasets.get(EXAMPLE).table.regions
    order, tables = paper_chain(regions)
    names = [regions.ids[n] for n in order]
    st.markdown(
        step_words.chain_sentence(tables.chosen.tolist(), tables.targets.tolist()),
    )
    st.warning(
        step_words.chain_warning(regions.tree.level_sizes.tolist()), icon=":material/warning:"
    )
    left, right = st.columns([7, 5], gap="large")
    with left:
        show(
            figures.program.chain_cost.curves(tables, names),
            key="chain",
            table_in=TABLE_6,
            alt=figures.program.chain_cost.alt(tables, names),
        )
    with right:
        st.markdown(f"## {TABLE_6}")
        st.dataframe(figures.program.chain_cost.table(tables, names), hide_index=True)
        st.caption(
            "The running example with the papers’ noise, whatever data are chosen above: their "
            "Table 6. ◯ marks the chosen sums."
        )


def mending(scene: Scene) -> None:
    """What noise does and what mending does, stage by stage, and by size of place."""
    if scene.view.of(HowItWorksAddress).paper:
        st.info(
            "The papers’ noise is one example and has no average. Choose data above, or draw new "
            "noise, to see many draws.",
            icon=":material/info:",
        )
        st.button("New noise on the running example", on_click=_new_noise)
        return
    table = scene.sample.table
    settings = _program(scene.view.settings)
    n = 1 if table.values.size > _MANY_CELLS else _DRAWS
    with st.spinner("Drawing and mending"):
        walked = _walk(datasets.digest(settings), n, settings)
    released = walked.bias[walked.bias["stage"] == "whole"]
    zeros = released.loc[released["most"] == 0, "bias"]
    worst = released.sort_values("bias", kind="stable").iloc[0]
    st.markdown(
        step_words.stages_sentence(
            None if zeros.empty else float(zeros.iloc[0]),
            (worst["true"], float(worst["bias"])) if worst["bias"] < 0 else None,
            walked.draws,
        )
    )
    left, right = st.columns(2, gap="large")
    with left:
        st.markdown("## Error, stage by stage")
        show(
            figures.errors.post_processing.errors(walked.errors),
            key="stage-errors",
            table_in="Error, stage by stage",
            alt=figures.errors.post_processing.errors_alt(walked.errors),
        )
        _table(figures.errors.post_processing.errors_table(walked.errors))
    with right:
        leaf = plural(table.regions.levels[-1])
        bias = f"Bias of {leaf}, by their true number"
        st.markdown(f"## {bias}")
        show(
            figures.errors.post_processing.bias(walked.bias),
            key="stage-bias",
            table_in=bias,
            alt=figures.errors.post_processing.bias_alt(walked.bias),
        )
        _table(figures.errors.post_processing.bias_table(walked.bias))
    st.caption(
        ("All sizes together. " if scene.problem.noisy.shape[1] > 1 else "")
        + "Stages: the noisy numbers; made to add up by least squares; kept from falling below "
        "zero (and to the public total); made whole, exactly. "
        f"Numbers are in tenths by the truth, those truly 0 apart. {words.NOT_PRIVATE}"
    )


@remembered(max_entries=16)
def _walk(digest: str, n: int, _settings: Settings) -> stages.Walk:
    table = datasets.get(_settings.sample).table
    plan = _settings.plan(table)
    draws = [hdp.simulate(table, plan, seed=_settings.seed, index=k) for k in range(n)]
    return stages.walk(table, draws)


def _problem(view: View) -> Problem:
    if view.of(HowItWorksAddress).paper:
        return Problem.of_the_paper(datasets.get(EXAMPLE).table)
    drawn = work.one_draw(_program(view.settings))
    return Problem.of(drawn.sample.table, drawn.simulation)


def _program(settings: Settings) -> Settings:
    """The same settings with the tree program, whose inside this is."""
    kind = datasets.info(settings.sample).kind
    if settings.mechanism in PROGRAM.values():
        return settings
    return replace(settings, mechanism=PROGRAM[kind], options={})


def _column(view: View, sample: Sample) -> int:
    size = view.of(HowItWorksAddress).size
    if size is not None:
        return size
    return PAPER_SIZE if sample.table.has_groups else 0


def _node(view: View, sample: Sample) -> int:
    named = sample.table.regions
    if view.of(HowItWorksAddress).paper:
        return (
            0
            if view.of(HowItWorksAddress).place is None
            else named.ids.index(view.of(HowItWorksAddress).place)
        )
    if view.level is None or view.region is None:
        return 0
    return named.node(view.region, named.level_index(view.level))


@remembered(max_entries=8)
def _place_titles(digest: str, paper: bool, _sample: Sample) -> dict[int, str]:
    named = _sample.table.regions
    if paper:
        return dict(enumerate(named.ids))
    tree, titles = named.tree, {}
    for node in range(tree.n_nodes):
        if named.padded[node]:
            continue
        above = named.names[int(tree.parent[node])] if tree.level_of[node] > 1 else ""
        titles[node] = named.names[node] + (f", {above}" if above else "")
    return titles


def _is_flows(id: str) -> bool:
    return datasets.info(id).between_regions


def _fitting(view: View) -> View:
    """The view, on the papers' example where the data are flows, which this page does not show."""
    if view.of(HowItWorksAddress).paper or not _is_flows(view.settings.sample):
        return view
    view = stepping(view, paper=True, size=None, place=None, tab=TABS[0])
    address.keep(view)
    return view


def _data_title(id: str) -> str:
    return step_words.PAPER if id == PAPER else datasets.info(id).title


def _other_data() -> None:
    id, view = session.get(Key.INSIDE_DATA), address.view()
    if id == PAPER:
        address.go(stepping(view, paper=True, size=None))
        return
    if id != view.settings.sample:
        view = view.with_sample(id)
    address.go(stepping(view, paper=False, size=None))


def _other_place() -> None:
    _go_node(session.get(Key.INSIDE_PLACE), address.view().of(HowItWorksAddress).step)


def _other_tab() -> None:
    title = session.get(Key.INSIDE_TAB)
    tab = next((t for t in TABS if TAB_TITLES[t] == title), TABS[0])
    address.keep(stepping(address.view(), tab=tab))


def _go_step(step: str) -> None:
    address.go(stepping(address.view(), step=step))


def _go_node(node: int, step: str) -> None:
    view = address.view()
    if view.of(HowItWorksAddress).paper:
        place = datasets.get(EXAMPLE).table.regions.ids[node] if node else None
        address.go(stepping(view, place=place, step=step))
        return
    named = datasets.get(view.settings.sample).table.regions
    level = named.levels[int(named.tree.level_of[node])]
    address.go(stepping(view.at(level, named.ids[node]), step=step))


def _new_noise() -> None:
    view = address.view()
    if view.of(HowItWorksAddress).paper:
        if view.settings.sample != EXAMPLE:
            view = view.with_sample(EXAMPLE)
        address.go(stepping(view, paper=False))
        return
    settings = replace(view.settings, seed=view.settings.seed + 1)
    address.go(replace(view, settings=settings))


def _show_below_zero() -> None:
    """Go to a place that was heard below zero; from the papers' example to real households."""
    view = address.view()
    column = view.of(HowItWorksAddress).size
    if view.of(HowItWorksAddress).paper:
        if view.settings.sample == EXAMPLE or _is_flows(view.settings.sample):
            view = view.with_sample(Settings().sample)
        view, column = stepping(view, paper=False), None
    sample = datasets.get(view.settings.sample)
    usual = _column(stepping(view, size=column), sample)
    found = _problem(view).below_zero(usual)
    if found is None:
        session.tell(
            "In this draw no place was heard below zero. Try new noise, or a smaller budget."
        )
        return
    node, size = found
    named = sample.table.regions
    level = named.levels[int(named.tree.level_of[node])]
    sizes = sample.table.has_groups
    address.go(
        stepping(
            view.at(level, named.ids[node]),
            size=size if sizes else None,
            step="choice",
            tab="tree",
        )
    )
