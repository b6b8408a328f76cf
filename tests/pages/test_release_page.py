"""The page Release: for the owner of a ledger on this machine, and with nothing true on it."""

from fractions import Fraction
from unittest import mock

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest
from support.pages import ROOT
from support.releases import new_key

import app
import hierdp_core as hdp
from hierdp_core.exceptions import ReleaseError
from hierdp_core.privacy import GeometricEvent
from hierdp_core.releases import Ledger
from hierdp_core.releases.package.signatures import Signature
from pages.ui.release import access

SETTINGS = """
mechanism = "tree-dp"
epsilon = 0.5
title = "Parishes"

[columns]
kind = "counts"
row = "region"
levels = ["district", "parish"]
count = "people"
"""
COUNTS = (48_611, 17_203, 230_977)
FIELD = "w-release-"
QUESTION = "To release, type the name of the dataset, “pop”."


@pytest.fixture
def desk(tmp_path, monkeypatch):
    """A folder with a table, and the app started with its ledger on this machine."""
    rows = zip(("a,a1", "a,a2", "b,b1"), COUNTS, strict=True)
    table = "\n".join(["district,parish,people", *(f"{place},{n}" for place, n in rows)])
    (tmp_path / "table.csv").write_text(table + "\n")
    (tmp_path / "regions.csv").write_text("district,parish\na,a1\na,a2\nb,b1\n")
    (tmp_path / "settings.toml").write_text(SETTINGS)
    Ledger(tmp_path / "agency.db").add_dataset("pop", epsilon=1)
    monkeypatch.setenv("HIERDP_LEDGER", str(tmp_path / "agency.db"))
    options = {"server.address": "127.0.0.1"}
    real = st.get_option
    monkeypatch.setattr(st, "get_option", lambda name: options.get(name) or real(name))
    return tmp_path


def opened():
    return AppTest.from_file(str(ROOT / app.RELEASE.script), default_timeout=120).run()


def filled(test, desk, **other):
    stated = {
        "settings": desk / "settings.toml",
        "data": desk / "table.csv",
        "regions": desk / "regions.csv",
        "out": desk / "package",
    } | other
    for name, value in stated.items():
        test.text_input(key=f"{FIELD}{name}").set_value(str(value))
    test.selectbox(key=f"{FIELD}basis").set_value("public data")
    return test.button[0].click().run()


def confirmed(test, typed="pop"):
    """The page after the name was typed, and Release was pressed."""
    test.text_input(key=f"{FIELD}confirm").set_value(typed)
    (button,) = [one for one in test.button if one.label == "Release"]
    return button.click().run()


def everything(test):
    parts = [*test.markdown, *test.caption, *test.dataframe, *test.error, *test.success]
    return "\n".join(str(part.value) for part in parts)


@pytest.mark.slow
def test_from_a_file_to_a_package_with_a_confirmation_by_name(desk):
    test = filled(opened(), desk)
    assert not test.exception
    assert not test.error
    assert "Neighbouring datasets differ by adding or removing one person" in everything(test)
    assert Ledger(desk / "agency.db").account("pop").spent == 0
    assert "does not match" in confirmed(test, typed="").error[0].value
    after = confirmed(test)
    assert "The package is in" in after.success[0].value
    assert "ε = 0.5 is spent" in after.success[0].value
    assert hdp.open_release(desk / "package").certificate["dataset"] == "pop"
    assert Ledger(desk / "agency.db").account("pop").spent == 0.5
    # The exact table is gone from the session, and it was never on the screen.
    assert "release-prepared" not in after.session_state
    for page in (test, after):
        assert not any(f"{n:,}" in everything(page) or str(n) in everything(page) for n in COUNTS)


@pytest.mark.slow
def test_a_release_without_a_package_is_completed_when_the_budget_is_spent(desk, monkeypatch):
    (desk / "settings.toml").write_text(SETTINGS.replace("epsilon = 0.5", "epsilon = 1"))

    def full(*_):
        raise OSError(28, "No space left on device")

    def released():
        test = filled(opened(), desk)
        assert not test.error
        assert test.text_input(key=f"{FIELD}confirm").label == QUESTION
        return everything(test), confirmed(test)

    with monkeypatch.context() as disk:
        disk.setattr("hierdp_core.releases.package.writing.write_files", full)
        shown, failed = released()
    assert "Repeat the release to write its package" in failed.error[0].value
    assert "After this release" in shown
    shown, after = released()
    assert "was paid for and has no package yet" in shown
    assert "The package is in" in after.success[0].value
    (entry,) = Ledger(desk / "agency.db").entries()
    assert hdp.open_release(desk / "package").certificate["release"] == entry.release
    again = filled(opened(), desk, out=desk / "again")
    assert "ε = 0 is left" in again.error[0].value


@pytest.mark.slow
def test_a_confirmation_holds_for_the_plan_and_the_cost_that_were_shown(desk):
    test = filled(opened(), desk)
    test = test.text_input(key=f"{FIELD}confirm").set_value("pop").run()
    (desk / "settings.toml").write_text(SETTINGS.replace("epsilon = 0.5", "epsilon = 0.25"))
    test = filled(test, desk)
    assert test.text_input(key=f"{FIELD}confirm").value == ""

    noise = GeometricEvent(level=0, query="q", l1_sensitivity=1, scale=Fraction(8))
    person = "adding or removing one person"
    Ledger(desk / "agency.db").reserve("pop", [noise], plan={}, protects=person)
    after = confirmed(test)
    assert "The ledger has changed since this page was shown" in after.error[0].value
    assert Ledger(desk / "agency.db").account("pop").spent == Fraction(1, 8)
    assert "After this release, ε = 0.375 is spent" in everything(after)
    assert "The package is in" in confirmed(after).success[0].value
    assert Ledger(desk / "agency.db").account("pop").spent == Fraction(3, 8)


@pytest.mark.slow
def test_what_is_prepared_for_release_is_not_offered_to_demonstrations(desk):
    from pages.ui.shell.session import Key

    test = filled(opened(), desk)
    assert "release-prepared" in test.session_state
    assert not any(key in test.session_state for key in (Key.OWN, Key.READING))


def test_what_cannot_be_released_is_reported(desk):
    (desk / "settings.toml").write_text(SETTINGS.replace("epsilon", "seed = 1\nepsilon"))
    assert "have a seed" in filled(opened(), desk).error[0].value
    assert Ledger(desk / "agency.db").account("pop").spent == 0


def test_without_a_ledger_there_is_no_such_page(monkeypatch):
    monkeypatch.delenv("HIERDP_LEDGER", raising=False)
    assert not app._may_release()
    test = opened()
    assert "needs a ledger" in test.error[0].value
    assert not test.text_input


@pytest.mark.parametrize("address", ["0.0.0.0", "", "10.0.0.5"])
def test_an_app_that_others_reach_has_no_such_page(desk, monkeypatch, address):
    monkeypatch.setattr(st, "get_option", lambda _: address)
    assert not access.is_open()


def test_the_ledger_of_another_person_opens_no_page(desk):
    assert access.is_open()
    with mock.patch("os.getuid", return_value=12_345):
        assert not access.is_open()


def test_a_missing_ledger_is_not_said_to_belong_to_somebody(desk, monkeypatch):
    monkeypatch.setenv("HIERDP_LEDGER", str(desk / "none.db"))
    message = opened().error[0].value
    assert "There is no ledger" in message
    assert "add-dataset" in message


def test_the_command_that_creates_a_missing_ledger_can_be_copied(desk, monkeypatch):
    path = desk / "the agency.db"
    monkeypatch.setenv("HIERDP_LEDGER", str(path))
    with pytest.raises(ReleaseError) as here:
        access.ledger()
    with pytest.raises(ReleaseError) as core:
        Ledger(path).datasets()
    assert str(here.value) == str(core.value)
    assert f"hierdp ledger '{path}' add-dataset" in str(here.value)


def test_it_does_not_say_that_it_shows_true_values(desk):
    test = opened()
    assert "true values" not in "\n".join(str(part.value) for part in test.sidebar.markdown)
    assert not test.sidebar.caption


@pytest.mark.slow
def test_a_package_is_signed_with_the_key_that_is_named(desk):
    wrong = filled(opened(), desk, sign=desk / "none.key")
    assert "cannot be read" in wrong.error[0].value
    assert "release-prepared" not in wrong.session_state
    private, public = new_key(desk, "agency.key")
    test = filled(opened(), desk, sign=private)
    test.text_input(key=f"{FIELD}confirm").set_value("pop")
    (button,) = [one for one in test.button if one.label == "Release"]
    button.click().run()
    package = hdp.open_release(desk / "package", public_key=public)
    assert package.signature is Signature.VALID
