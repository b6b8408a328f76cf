"""The pieces of Presentation: the settings, one step in large type, and the files."""

from dataclasses import replace
from importlib.util import find_spec

import streamlit as st

from hierdp_core.samples.sample import OWN
from hierdp_core.settings import Settings
from hierdp_core.util.text import capital, paragraph
from hierdp_core.writers.exploration import truth_mark
from hierdp_core.writers.story import Step, slides_html, slides_pptx
from pages.ui.presentation import presentation_words, story
from pages.ui.presentation.address import STEPS, PresentationAddress
from pages.ui.shell import (
    address,
    charts,
    datasets,
    frame,
    geometry,
    inputs,
    jobs,
    parts,
    words,
    work,
)
from pages.ui.shell.address import View
from pages.ui.shell.work import Drawn

_LARGE = """<style>
[data-testid="stSidebar"], [data-testid="stHeader"], [data-testid="stExpandSidebarButton"]
 {display: none}
[data-testid="stMainBlockContainer"] {max-width: none; padding: 2rem 4rem 1rem}
[data-testid="stMainBlockContainer"] h1 {font-size: 3rem; line-height: 1.15}
[data-testid="stMainBlockContainer"] p {font-size: 1.5rem; line-height: 1.4}
[data-testid="stMainBlockContainer"] [data-testid="stCaptionContainer"] p {font-size: 1rem}
</style>"""


def show() -> None:
    """The page."""
    here = address.view().of(PresentationAddress)
    if here.large:
        st.html(_LARGE)
        view = address.view()
    else:
        view, _ = inputs.view()
        _settings_file()
    address.write(here.full_query(view))
    drawn = work.one_draw(view.settings)
    _, job = work.simulations(view, drawn)
    waiting = job is not None and job.running  # asked first: it may end while the step is shown
    frame.part(_steps)(view, drawn)
    if waiting:
        frame.part(_waiting, every=jobs.BEAT)(view, drawn)
    if not here.large:
        _files(view, drawn)
        st.caption(presentation_words.HELP)


def _steps(view: View, drawn: Drawn) -> None:
    """One step with its buttons; only this part runs anew when one is pressed."""
    here = address.view().of(PresentationAddress)
    explored, _ = work.simulations(view, drawn)
    shown = story.step(
        here.step - 1,
        view,
        drawn,
        explored,
        lambda k: geometry.of(drawn.sample, k),
        charts.theme(),
    )
    _slide(shown, drawn)
    left, middle, right = st.columns([2, 6, 2], vertical_alignment="center")
    with left:
        st.button(
            "Back",
            icon=":material/arrow_back:",
            shortcut="Left",
            on_click=_go,
            args=(-1,),
            disabled=here.step == 1,
            width="stretch",
        )
    with right:
        st.button(
            "Next",
            icon=":material/arrow_forward:",
            shortcut="Right",
            on_click=_go,
            args=(1,),
            disabled=here.step == STEPS,
            width="stretch",
        )
    with middle:
        if st.button(
            "End presentation" if here.large else f"Present, step {here.step} of {STEPS}",
            icon=":material/present_to_all:",
            shortcut="Esc" if here.large else None,
            type="secondary" if here.large else "primary",
            width="stretch",
        ):
            address.keep(address.view().having(replace(here, large=not here.large)))
            st.rerun()
    mark = truth_mark(confidential=datasets.is_confidential(drawn.sample))
    footer = presentation_words.footer(
        parts.source(drawn.sample),
        capital(words.simulations_words(explored.n, view.draws)),
        f"{capital(mark)}.",
    )
    st.caption(f"Step {here.step} of {STEPS}. {footer}")


def _waiting(view: View, drawn: Drawn) -> None:
    """Keep the simulations running; the page runs again once, when all are complete."""
    _, job = work.simulations(view, drawn)
    if job is None or not job.running:
        st.rerun()
    else:
        job.look()
        st.progress(job.share, text=words.simulations_words(job.done, job.total))


def _slide(shown: Step, drawn: Drawn) -> None:
    title = shown.title.replace("$", "\\$")
    st.title(f":red[{title}]" if shown.warning else title, anchor=False)
    for k, sentence in enumerate(shown.sentences):
        text = sentence.replace("$", "\\$")
        if shown.warning and k == 0:
            st.error(text, icon=":material/warning:")
        else:
            st.markdown(text)
    if shown.chart is not None:
        charts.show(
            shown.chart,
            key="step",
            file_name="presentation-contains-true-values",
            beneath=(lambda: parts.legend(drawn)) if shown.classed else None,
        )


def _go(by: int) -> None:
    view = address.view()
    here = view.of(PresentationAddress)
    step = min(STEPS, max(1, here.step + by))
    seen = view.having(replace(here, step=step))
    address.keep(seen)
    address.write(seen.of(PresentationAddress).full_query(seen))


def _settings_file() -> None:
    """Take the settings from a file."""
    with st.expander("Open a settings file (TOML)"):
        file = st.file_uploader("Settings file", type="toml", label_visibility="collapsed")
        if file is not None and st.button("Use these settings"):
            settings = Settings.from_toml(file.getvalue().decode("utf-8", errors="replace"))
            there = View.from_query(settings.to_query())  # held against the data, like a link
            seen = address.view()
            if settings.sample != seen.settings.sample:
                seen = seen.with_sample(settings.sample)
            address.go(replace(seen.at_root(), settings=there.settings))
            st.rerun()


def _files(view: View, drawn: Drawn) -> None:
    """The story as files."""
    explored, _ = work.simulations(view, drawn)
    confidential = datasets.is_confidential(drawn.sample)
    footer = presentation_words.footer(
        parts.source(drawn.sample),
        capital(words.simulations_words(explored.n, explored.n)),
        f"{capital(truth_mark(confidential=confidential))}.",
    )
    name = f"presentation-contains-true-values-{drawn.sample.id}"

    # What is computed from a visitor's own data can be read only while the page is made.
    made = story.every(view, drawn, explored, "light") if drawn.sample.id == OWN else None

    def steps() -> list[Step]:
        return story.every(view, drawn, explored, "light") if made is None else made

    with st.container(horizontal=True):
        st.download_button(
            "Download slides (HTML)",
            lambda: slides_html(steps()[0].title, steps(), footer=footer),
            file_name=f"{name}.html",
            mime="text/html",
            on_click="ignore",
            help="One file that opens without a network, with arrow keys, full screen, and every "
            "chart as PNG or SVG.",
        )
        installed = find_spec("pptx") is not None
        st.download_button(
            "Download slides (PowerPoint)",
            (lambda: slides_pptx(steps(), footer=footer)) if installed else b"",
            file_name=f"{name}.pptx",
            mime="application/vnd.openxmlformats-officedocument.presentationml.presentation",
            on_click="ignore",
            disabled=not installed,
            help=paragraph(
                "Titles, sentences and tables that PowerPoint can edit.",
                "" if installed else 'Needs the extra "slides": pip install "hierdp[slides]".',
            ),
        )
    if confidential:
        st.warning(words.CONFIDENTIAL_FILES, icon=":material/lock:")
