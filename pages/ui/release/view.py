"""The parts of Release: the request, the plan and its cost, the confirmation, the ledger.

Files read here are stored under separate session keys, which no demonstration page reads. The
exact table is discarded as soon as it is released.
"""

from dataclasses import dataclass
from pathlib import Path

import pandas as pd
import streamlit as st

from hierdp_core.exceptions import ReleaseError
from hierdp_core.mechanisms.base import Plan, Tuning
from hierdp_core.readers import Reading
from hierdp_core.releases import Account, Ledger, release
from hierdp_core.releases.ledger.sentences import JOINT_COSTS
from hierdp_core.releases.package.signatures import Signer
from hierdp_core.releases.package.writing import require_new
from hierdp_core.releases.paying import Order
from hierdp_core.releases.preview import expected_margins
from hierdp_core.releases.request import Request
from pages.ui.release import release_words as words
from pages.ui.shell import session, widgets

_PREPARED, _DONE, _SHOWN = "release-prepared", "release-done", "release-shown"
_FIELD = f"{session.WIDGETS}release-"
_CONFIRM = f"{_FIELD}confirm"


@dataclass(frozen=True, eq=False, kw_only=True)
class Prepared:
    """A release that was checked but not made yet.

    Attributes:
        request: the settings and files that were entered.
        reading: the exact table; never shown.
        plan: the plan of that table.
        order: the dataset to debit, the title, and how the plan was chosen.
        out: the path of the package.
        sign: the file of the key that signs the package; "" for none.
    """

    request: Request
    reading: Reading
    plan: Plan
    order: Order
    out: Path
    sign: str = ""


def accounts(ledger: Ledger) -> tuple[Account, ...]:
    """Show the budget of every dataset, and return the accounts."""
    datasets = ledger.datasets()
    if not datasets:
        st.info(words.NONE_YET)
        st.stop()
    rows = [
        {
            "Dataset": one.dataset,
            "Budget": one.budget.words,
            "Spent": one.spent_words,
            "Releases": len(one.costs),
        }
        for one in datasets
    ]
    st.dataframe(pd.DataFrame(rows), hide_index=True)
    if any(one.budget.delta for one in datasets):
        st.caption(JOINT_COSTS)
    return datasets


def ask(ledger: Ledger, datasets: tuple[Account, ...]) -> None:
    """Ask for settings and files, and check them; nothing is spent."""
    with st.form("release-request"):
        dataset = widgets.selectbox(
            "Dataset", [one.dataset for one in datasets], key=f"{_FIELD}dataset"
        )
        settings = widgets.text_input(
            "Settings file", key=f"{_FIELD}settings", help=words.SETTINGS_HELP
        )
        data = widgets.text_input("Table", key=f"{_FIELD}data", help=words.PATH_HELP)
        boundaries = widgets.text_input(
            "Boundaries (optional)", key=f"{_FIELD}boundaries", help=words.PATH_HELP
        )
        regions = widgets.text_input(
            "List of areas (unless in the settings file)",
            key=f"{_FIELD}regions",
            help=words.REGIONS_HELP,
        )
        basis = st.selectbox(
            "The plan was chosen on",
            list(Tuning),
            format_func=lambda basis: words.TUNING[basis],
            index=None,
            key=session.identity(f"{_FIELD}basis"),
        )
        same = st.checkbox(
            "Release although the plan was chosen on the same table",
            key=session.identity(f"{_FIELD}same"),
            help=words.SAME_TABLE,
        )
        out = widgets.text_input("Package (optional)", key=f"{_FIELD}out", help=words.OUT_HELP)
        sign = widgets.text_input(
            "Signing key (optional)", key=f"{_FIELD}sign", help=words.SIGN_HELP
        )
        if not st.form_submit_button("Check the plan", icon=":material/fact_check:"):
            return
    for key in (_PREPARED, _DONE, _SHOWN, _CONFIRM):  # a name that was typed is for one plan only
        session.forget(key)
    request = Request.of(
        _settings_text(settings),
        data=[part for part in (data, boundaries) if part],
        regions=regions or None,
        tuned_on=basis,
        folder=Path(settings).parent,
    )
    with st.spinner("Reading the files"):
        _prepare(ledger, request, dataset=dataset, same=same, out=Path(out or "package"), sign=sign)


def confirm(ledger: Ledger) -> None:
    """Show the plan and its cost, and release after confirmation with the dataset's name."""
    prepared: Prepared | None = session.get(_PREPARED)
    if prepared is None:
        if message := session.get(_DONE):
            st.success(message, icon=":material/verified:")
        return
    settled = prepared.order.settle(prepared.plan)
    _show_plan(settled.account, settled.plan)
    dataset = prepared.order.dataset
    consequence, shown = settled.consequence, session.get(_SHOWN)
    session.put(_SHOWN, consequence)
    st.markdown(consequence)
    typed = widgets.text_input(words.confirm(dataset), key=_CONFIRM)
    clicked = st.button("Release", type="primary", icon=":material/publish:")
    if not clicked:
        return
    if consequence != shown:
        raise ReleaseError(words.CHANGED)
    if typed.strip() != dataset:
        raise ReleaseError(
            "The name does not match, so nothing was released or spent. Type the name of the "
            f"dataset, “{dataset}”, and press Release."
        )
    session.forget(_PREPARED)
    with st.spinner("Releasing"):
        _release(prepared)
    st.rerun()


def _prepare(
    ledger: Ledger, request: Request, *, dataset: str, same: bool, out: Path, sign: str
) -> None:
    require_new(out)
    if sign:
        Signer(sign)  # a key that cannot be used is refused before anything is spent
    reading = request.read()
    assert reading.table is not None
    plan = request.plan(reading.table)
    order = Order(
        ledger=ledger,
        dataset=dataset,
        title=request.title,
        tuned_on=request.tuned_on,
        allow_same_table=same,
    )
    order.settle(plan)
    session.put(
        _PREPARED,
        Prepared(request=request, reading=reading, plan=plan, order=order, out=out, sign=sign),
    )


def _show_plan(account: Account, plan: Plan) -> None:
    st.subheader("The plan and its cost")
    st.markdown(plan.privacy.sentence)
    rows = [
        {"Level": level.level, "Allocation": level.share, "Noise": level.scale}
        for level in plan.privacy.levels
    ]
    st.dataframe(pd.DataFrame(rows), hide_index=True)
    st.markdown(words.budget(account.dataset, account.budget.words, account.balance))
    expected = expected_margins(plan)
    if expected:
        st.caption(words.EXPECTED)
        table = [{"Level": level.level, "Median margin": level.median_up} for level in expected]
        st.dataframe(pd.DataFrame(table), hide_index=True)


def _release(prepared: Prepared) -> None:
    """Release and write the package. No element is added meanwhile, so no click interrupts it."""
    assert prepared.reading.table is not None
    order = prepared.order
    package = release(
        prepared.reading.table,
        prepared.plan,
        ledger=order.ledger,
        dataset=order.dataset,
        title=order.title,
        tuned_on=order.tuned_on,
        allow_same_table=order.allow_same_table,
    )
    boundaries = prepared.reading.boundaries if prepared.request.has_boundaries else None
    package.write(prepared.out, boundaries=boundaries, sign=prepared.sign or None)
    account = order.ledger.account(order.dataset)
    message = words.done(str(prepared.out.absolute()), account.balance)
    session.put(_DONE, " ".join([message, *package.notes]))


def _settings_text(path: str) -> str:
    if not path.strip():
        raise ReleaseError("No settings file is named. Enter the path of a TOML file.")
    try:
        return Path(path).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        raise ReleaseError(
            f"The settings file “{path}” cannot be read. Enter the path of a TOML file on this "
            "machine."
        ) from None
