"""The audit laboratory: a mechanism, two tables, and the bound as runs come in."""

from collections.abc import Mapping
from dataclasses import dataclass

import streamlit as st

from hierdp_core import figures, mechanisms
from hierdp_core.audits import Audit, Pair, audit_in_steps, pairs_of, worst_pairs
from hierdp_core.privacy import Budget
from hierdp_core.privacy.rounding import parameter
from hierdp_core.util.parallel import Workers
from pages.ui.privacy import laboratory_words
from pages.ui.shell import charts, choices, frame, jobs, session, widgets
from pages.ui.shell.announcer import announce
from pages.ui.shell.jobs import Job
from pages.ui.shell.session import Key

RUNS = (400, 2_000, 8_000, 20_000, 50_000)
EPSILONS = (0.1, 0.2, 0.5, 1.0, 2.0, 5.0)
CHAIN, CALIBRATION = "pgsr-c-chain", "calibration"
CHAIN_PAIR = "one-of-many"
WORST = "worst-cases"  # all of those that come with the mechanism
CONFIDENCE = 0.95
PAGE = "laboratory"
_STEPS = 20
_TABLES = "View both charts as tables"
_KEPT = 60


@dataclass(frozen=True, kw_only=True)
class Question:
    """The mechanism and tables to audit."""

    mechanism: str
    options: tuple[tuple[str, str], ...]
    pair: str
    epsilon: float
    runs: int
    seed: int

    @property
    def configured(self) -> mechanisms.Mechanism:
        """The mechanism with the options that were chosen."""
        return mechanisms.parse(self.mechanism, dict(self.options))

    @property
    def slow(self) -> bool:
        return mechanisms.describe(self.mechanism).largest_cells is not None

    def found(self) -> Pair | None:
        """The pair that was chosen; None for all worst cases."""
        if self.pair == WORST:
            return None
        budget = Budget.of(epsilon=self.epsilon)
        known = pairs_of(self.configured, budget=budget)
        return next(pair for pair in known if pair.id == self.pair)


def titles_of(mechanism: mechanisms.Mechanism, epsilon: float) -> dict[str, str]:
    """Return the pairs of tables to audit by id; if several are worst cases, also all together."""
    budget = Budget.of(epsilon=epsilon)
    pairs = {pair.id: pair.title for pair in pairs_of(mechanism, budget=budget)}
    if len(worst_pairs(mechanism, budget=budget)) == 1:
        return pairs
    return {WORST: laboratory_words.WORST_CASES} | pairs


def show() -> None:
    """Show the controls, the bound as it rises, and how to read it."""
    st.markdown(laboratory_words.INTRODUCTION)
    question = controls()
    if question.mechanism == CHAIN:
        pair = question.found()
        assert pair is not None  # it has one worst case
        st.markdown(laboratory_words.PROOF.format(regions=pair.before.tree.n_leaves))
    job = _job(question)
    every = jobs.beat() if job.running else None
    frame.part(_watch, every=every)(job, question, every is not None)
    with st.expander("How to read this"):
        st.markdown(laboratory_words.HOW_TO_READ)


def controls() -> Question:
    """Show the controls, and return the question that they ask."""
    left, middle, right = st.columns([5, 6, 4], gap="medium", vertical_alignment="bottom")
    with left:
        mechanism = widgets.selectbox(
            "Mechanism",
            mechanisms.names(),
            key=session.seeded(Key.LAB_MECHANISM, CHAIN),
            format_func=lambda id: f"{mechanisms.describe(id).title} ({id})",
            on_change=_other_mechanism,
            help=mechanisms.describe(session.get(Key.LAB_MECHANISM)).about,
        )
    usual = {CALIBRATION: "published"} if mechanism == CHAIN else {}
    options = _options(mechanism, usual)
    claimed = session.get(Key.LAB_EPSILON) or EPSILONS[3]
    pairs = titles_of(mechanisms.parse(mechanism, options), claimed)
    first = CHAIN_PAIR if mechanism == CHAIN else next(iter(pairs))
    if session.get(Key.LAB_PAIR) not in pairs:
        session.forget(Key.LAB_PAIR)
    with middle:
        pair = widgets.selectbox(
            "Difference between the two tables",
            list(pairs),
            key=session.seeded(Key.LAB_PAIR, first),
            format_func=pairs.__getitem__,
        )
    with right:
        runs = widgets.select_slider(
            "Runs on each table",
            options=RUNS,
            key=session.seeded(Key.LAB_RUNS, _usual_runs(mechanism)),
            format_func=laboratory_words.runs,
            help="More runs can show a larger privacy loss. Half of them are used to select the "
            "event.",
        )
    epsilon, seed = _more()
    return Question(
        mechanism=mechanism,
        options=tuple(sorted(options.items())),
        pair=pair,
        epsilon=epsilon,
        runs=runs,
        seed=seed,
    )


def _options(mechanism: str, usual: Mapping[str, str]) -> dict[str, str]:
    """Show the options with a list of choices, except the calibration, which is always shown."""
    chosen: dict[str, str] = {}
    listed = [o for o in mechanisms.describe(mechanism).options if len(o.choices) > 1]
    if mechanism == CHAIN:
        chosen[CALIBRATION] = choices.one_of(
            "Noise of the chain",
            list(laboratory_words.CALIBRATIONS),
            "published",
            key=Key.LAB_CALIBRATION,
            format_func=laboratory_words.CALIBRATIONS.__getitem__,
        )
        listed = [o for o in listed if o.name != CALIBRATION]
    if not listed:
        return chosen
    with st.expander("Options of the mechanism"):
        for option in listed:
            chosen[option.name] = widgets.selectbox(
                option.title,
                option.choices,
                key=session.seeded(f"{Key.LAB_OPTION}{mechanism}-{option.name}", option.default),
                help=option.about,
            )
    return chosen


def _more() -> tuple[float, int]:
    with st.expander("Advanced: claim, random seed"):
        left, right = st.columns(2, gap="large")
        with left:
            epsilon = widgets.select_slider(
                "Claimed ε",
                options=EPSILONS,
                key=session.seeded(Key.LAB_EPSILON, 1.0),
                format_func=parameter,
            )
        with right:
            seed = widgets.number_input(
                "Random seed", min_value=0, step=1, key=session.seeded(Key.LAB_SEED, 0)
            )
    return epsilon, int(seed)


def _usual_runs(mechanism: str) -> int:
    return RUNS[0] if mechanisms.describe(mechanism).largest_cells is not None else 20_000


def _other_mechanism() -> None:
    session.forget(Key.LAB_PAIR)
    session.put(Key.LAB_RUNS, _usual_runs(session.get(Key.LAB_MECHANISM)))


def _job(question: Question) -> Job[list[Audit]]:
    """Return the audit of the question: complete, running or new."""

    def made() -> Job[list[Audit]]:
        kept = _kept().get(question)
        return Job(
            name=question,
            compute=lambda job: _audited(question, job),
            value=kept or [],
            total=question.runs,
            done=question.runs if kept else 0,
            finished=kept is not None,
        )

    return jobs.of(PAGE, question, made)


def _audited(question: Question, job: Job[list[Audit]]) -> bool:
    """Put the audit into the job, step by step; return whether it is complete."""
    job.value = []
    for result in audit_in_steps(
        question.configured,
        budget=Budget.of(epsilon=question.epsilon),
        pair=question.found(),
        runs=question.runs,
        seed=question.seed,
        confidence=CONFIDENCE,
        workers=Workers(threads=1, cancel=lambda: job.unwanted),
        steps=_STEPS,
        progress=job.report,
    ):
        job.value.append(result)
    return not job.unwanted


def _watch(job: Job[list[Audit]], question: Question, waiting: bool) -> None:
    """Show the results so far, and update them until the audit is complete."""
    running = job.look()
    if waiting and not running:
        st.rerun()
    if job.finished:
        _keep(question, job.value)
    _progress(job, running=running)
    steps = list(job.value)
    if not steps:
        early, yet = laboratory_words.STOPPED_EARLY, laboratory_words.NOTHING_YET
        st.caption(early if job.stopped else yet)
        return
    last = steps[-1]
    say = st.warning if last.leaks else st.info
    icon = ":material/warning:" if last.leaks else ":material/straighten:"
    say(laboratory_words.verdict(last), icon=icon)
    if not running:
        announce(laboratory_words.verdict(last))
    st.caption(laboratory_words.meaning(last))
    bound = figures.audits.bounds_chart(steps, runs=question.runs)
    scores = figures.audits.scores_chart(last.strongest)
    left, right = st.columns(2, gap="large")
    with left:
        charts.show(bound, key="lab-bounds", heading=True, table_in=_TABLES)
        st.caption(laboratory_words.EACH_STEP.format(confidence=f"{100 * CONFIDENCE:g}%"))
    with right:
        charts.show(scores, key="lab-scores", heading=True, table_in=_TABLES)
        st.markdown(laboratory_words.watched(last.strongest))
    with st.expander(_TABLES):
        for place, chart in zip(st.columns(2, gap="large"), (bound, scores), strict=True):
            place.dataframe(chart.table, hide_index=True)


def _progress(job: Job[list[Audit]], *, running: bool) -> None:
    """Show the progress with a button to stop; nothing after the end."""
    if job.stopped and job.value:
        st.caption(laboratory_words.STOPPED)
    if not running:
        return
    bar, button = st.columns([6, 1], vertical_alignment="center")
    bar.progress(job.share, text=f"{job.done:,} of {job.total:,} runs on each table")
    button.button("Stop", on_click=job.stop, width="stretch")


@st.cache_resource(show_spinner=False)
def _kept() -> dict[Question, list[Audit]]:
    return {}


def _keep(question: Question, steps: list[Audit]) -> None:
    # Only tables that come with HierDP are audited, so all visitors may share the results.
    kept = _kept()
    kept[question] = steps
    while len(kept) > _KEPT:
        kept.pop(next(iter(kept)), None)
