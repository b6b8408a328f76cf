"""The audit laboratory: a mechanism, two tables, and the bound that climbs."""

import threading
from collections.abc import Mapping
from concurrent.futures import Future
from dataclasses import dataclass, field
from time import monotonic

import streamlit as st

from hierdp_core import figures, mechanisms
from hierdp_core.audits import Audit, Pair, audit_in_steps, pairs_of, worst_pairs
from hierdp_core.figures.style import CONFIG
from hierdp_core.privacy import Budget
from hierdp_core.privacy.rounding import parameter
from pages.ui.privacy import laboratory_words
from pages.ui.shell import frame, session, work
from pages.ui.shell.session import Key

RUNS = (400, 2_000, 8_000, 20_000, 50_000)
EPSILONS = (0.1, 0.2, 0.5, 1.0, 2.0, 5.0)
CHAIN, CALIBRATION = "pgsr-c-chain", "calibration"
CHAIN_PAIR = "one-of-many"
WORST = "worst-cases"  # all of those that come with the mechanism
CONFIDENCE = 0.95
_STEPS = 20
_BEAT = 0.7  # seconds between looks
_PATIENCE = 10.0  # seconds without a look after which it stops
_KEPT = 60


@dataclass(frozen=True, kw_only=True)
class Question:
    """What is audited."""

    mechanism: str
    options: tuple[tuple[str, str], ...]
    pair: str
    epsilon: float
    runs: int
    seed: int

    @property
    def slow(self) -> bool:
        return mechanisms.describe(self.mechanism).largest_cells is not None

    def found(self) -> Pair | None:
        """The pair that was chosen; None for all worst cases."""
        if self.pair == WORST:
            return None
        budget = Budget.of(epsilon=self.epsilon)
        known = pairs_of(self.mechanism, dict(self.options), budget=budget)
        return next(pair for pair in known if pair.id == self.pair)


@dataclass(eq=False, kw_only=True)
class Job:
    """An audit on its way. It stops when nobody looks any more."""

    question: Question
    steps: list[Audit] = field(default_factory=list)
    done: int = 0
    over: bool = False
    stop: threading.Event = field(default_factory=threading.Event)
    seen: float = field(default_factory=monotonic)
    future: Future[None] | None = None

    def start(self) -> None:
        self.future = work.executor().submit(self._run)

    @property
    def running(self) -> bool:
        return self.future is not None and not self.future.done()

    def _run(self) -> None:
        asked = self.question
        for found in audit_in_steps(
            mechanisms.parse(asked.mechanism, dict(asked.options)),
            budget=Budget.of(epsilon=asked.epsilon),
            pair=asked.found(),
            runs=asked.runs,
            seed=asked.seed,
            confidence=CONFIDENCE,
            workers=1,
            steps=_STEPS,
            progress=self._progress,
            cancel=self._cancelled,
        ):
            self.steps.append(found)
        self.over = not self._cancelled()

    def _progress(self, done: int, total: int) -> None:
        self.done = done

    def _cancelled(self) -> bool:
        return self.stop.is_set() or monotonic() - self.seen > _PATIENCE


def titles_of(mechanism: str, options: Mapping[str, str], epsilon: float) -> dict[str, str]:
    """What may be audited: all worst cases together, where they are several, or one pair."""
    budget = Budget.of(epsilon=epsilon)
    pairs = {pair.id: pair.title for pair in pairs_of(mechanism, options, budget=budget)}
    if len(worst_pairs(mechanism, options, budget=budget)) == 1:
        return pairs
    return {WORST: laboratory_words.WORST_CASES} | pairs


def show() -> None:
    """The controls, the bound as it climbs, and how to read it."""
    st.markdown(laboratory_words.INTRODUCTION)
    question = controls()
    if question.mechanism == CHAIN:
        pair = question.found()
        assert pair is not None  # it has one worst case
        st.markdown(laboratory_words.PROOF.format(regions=pair.before.tree.n_leaves))
    job = _job(question)
    every = _BEAT if job.running else None
    frame.part(_watch, every=every)(job, every is not None)
    with st.expander("How to read this"):
        st.markdown(laboratory_words.HOW_TO_READ)


def controls() -> Question:
    """Draw the controls; what they ask."""
    left, middle, right = st.columns([5, 6, 4], gap="medium", vertical_alignment="bottom")
    with left:
        mechanism = st.selectbox(
            "Mechanism",
            mechanisms.names(),
            key=session.seeded(Key.LAB_MECHANISM, CHAIN),
            format_func=lambda id: f"{mechanisms.describe(id).title} ({id})",
            on_change=_other_mechanism,
            help=mechanisms.describe(session.get(Key.LAB_MECHANISM)).about,
        )
    usual = {CALIBRATION: "published"} if mechanism == CHAIN else {}
    options = _options(mechanism, usual)
    pairs = titles_of(mechanism, options, session.get(Key.LAB_EPSILON) or EPSILONS[3])
    first = CHAIN_PAIR if mechanism == CHAIN else next(iter(pairs))
    if session.get(Key.LAB_PAIR) not in pairs:
        session.forget(Key.LAB_PAIR)
    with middle:
        pair = st.selectbox(
            "What tells the two tables apart",
            list(pairs),
            key=session.seeded(Key.LAB_PAIR, first),
            format_func=pairs.__getitem__,
        )
    with right:
        runs = st.select_slider(
            "Runs of each table",
            options=RUNS,
            key=session.seeded(Key.LAB_RUNS, _usual_runs(mechanism)),
            format_func=laboratory_words.runs,
            help="More runs can show more. Half of them choose the event.",
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
    """What the mechanism lets one choose from a list; the chain's calibration is in sight."""
    chosen: dict[str, str] = {}
    listed = [o for o in mechanisms.describe(mechanism).options if len(o.choices) > 1]
    if mechanism == CHAIN:
        chosen[CALIBRATION] = st.segmented_control(
            "The chain’s noise",
            list(laboratory_words.CALIBRATIONS),
            format_func=laboratory_words.CALIBRATIONS.__getitem__,
            key=session.seeded(Key.LAB_CALIBRATION, "published"),
            required=True,
        )
        listed = [o for o in listed if o.name != CALIBRATION]
    if not listed:
        return chosen
    with st.expander("Options of the mechanism"):
        for option in listed:
            chosen[option.name] = st.selectbox(
                option.title,
                option.choices,
                key=session.seeded(f"{Key.LAB_OPTION}{mechanism}-{option.name}", option.default),
                help=option.about,
            )
    return chosen


def _more() -> tuple[float, int]:
    with st.expander("More: the claim, the seed"):
        left, right = st.columns(2, gap="large")
        with left:
            epsilon = st.select_slider(
                "Claimed ε",
                options=EPSILONS,
                key=session.seeded(Key.LAB_EPSILON, 1.0),
                format_func=parameter,
            )
        with right:
            seed = st.number_input(
                "Seed of the runs", min_value=0, step=1, key=session.seeded(Key.LAB_SEED, 0)
            )
    return epsilon, int(seed)


def _usual_runs(mechanism: str) -> int:
    return RUNS[0] if mechanisms.describe(mechanism).largest_cells is not None else 20_000


def _other_mechanism() -> None:
    session.forget(Key.LAB_PAIR)
    session.put(Key.LAB_RUNS, _usual_runs(session.get(Key.LAB_MECHANISM)))


def _job(question: Question) -> Job:
    """The audit of the question: one that is finished, the one on its way, or a new one."""
    job: Job | None = session.get(Key.LAB_WORK)
    if job and job.question != question:
        job.stop.set()
        job = None
    kept = _kept()
    if job is None and question in kept:
        job = Job(question=question, steps=kept[question], done=question.runs, over=True)
    given_up = job is not None and not (job.running or job.over or job.stop.is_set())
    if job is None or (given_up and not (job.future and job.future.exception())):
        job = Job(question=question)
        job.start()
    session.put(Key.LAB_WORK, job)
    return job


def _watch(job: Job, waiting: bool) -> None:
    """What is known so far; drawn again while there is more to come."""
    job.seen = monotonic()
    if waiting and not job.running:
        st.rerun()
    if job.future is not None and job.future.done():
        job.future.result()
    if job.over:
        _keep(job)
    _progress(job)
    steps = list(job.steps)
    if not steps:
        st.caption(laboratory_words.STOPPED if job.stop.is_set() else laboratory_words.NOTHING_YET)
        return
    last = steps[-1]
    say = st.warning if last.leaks else st.info
    icon = ":material/warning:" if last.leaks else ":material/straighten:"
    say(laboratory_words.verdict(last), icon=icon)
    st.caption(laboratory_words.meaning(last))
    left, right = st.columns(2, gap="large")
    with left:
        st.markdown("##### The bound as runs come in")
        st.plotly_chart(
            figures.audits.bounds(steps, runs=job.question.runs),
            key="lab-bounds",
            config=CONFIG,
            alt=figures.audits.bounds_alt(steps),
        )
        st.caption(laboratory_words.EACH_STEP.format(confidence=f"{100 * CONFIDENCE:g}%"))
    finding = last.strongest
    with right:
        st.markdown("##### The event’s score on each table")
        st.plotly_chart(
            figures.audits.scores(finding),
            key="lab-scores",
            config=CONFIG,
            alt=figures.audits.scores_alt(finding),
        )
        st.markdown(laboratory_words.watched(finding))
    with st.expander("Both charts as tables"):
        one, two = st.columns(2, gap="large")
        one.dataframe(figures.audits.bounds_table(steps), hide_index=True)
        two.dataframe(figures.audits.scores_table(finding), hide_index=True)


def _progress(job: Job) -> None:
    """How far it is, with a way to stop; nothing once it is over."""
    if job.stop.is_set() and not job.over:
        st.caption(laboratory_words.STOPPED)
    if not job.running:
        return
    bar, button = st.columns([6, 1], vertical_alignment="center")
    total = job.question.runs
    bar.progress(min(1.0, job.done / total), text=f"{job.done:,} of {total:,} runs of each table")
    button.button("Stop", on_click=job.stop.set, width="stretch")


@st.cache_resource(show_spinner=False)
def _kept() -> dict[Question, list[Audit]]:
    return {}


def _keep(job: Job) -> None:
    # Of tables that come with HierDP alone, so all visitors may share it.
    kept = _kept()
    kept[job.question] = job.steps
    while len(kept) > _KEPT:
        kept.pop(next(iter(kept)), None)
