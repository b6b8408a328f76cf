"""The glossary has one meaning for each word and explains it without itself."""

import itertools
import json

import pytest

from hierdp_core.cli.entry import main
from hierdp_core.exceptions import ChoiceError
from hierdp_core.explain.glossary import GLOSSARY, look_up

NAMES_OF_GREEK = {"δ (delta)": "delta", "ε (epsilon)": "epsilon", "ρ (rho)": "rho"}


def test_terms_stand_in_alphabetical_order() -> None:
    names = [NAMES_OF_GREEK.get(term.name, term.name).lower() for term in GLOSSARY]
    assert names == sorted(names)


def test_no_word_leads_to_two_terms() -> None:
    for one, other in itertools.combinations(GLOSSARY, 2):
        assert not set(one.words()) & set(other.words())


@pytest.mark.parametrize("term", GLOSSARY, ids=lambda term: term.name)
def test_meanings_are_sentences(term) -> None:
    assert term.meaning.endswith(".")
    assert all(len(s.split()) <= 25 for s in term.meaning.split(". "))
    assert not term.meaning.lower().startswith(f"{term.name.lower()} is")


@pytest.mark.parametrize("word", ["ledger", "certificate", "margin", "margins of error"])
def test_words_of_a_release_are_explained(word: str) -> None:
    assert look_up(word).name in {"ledger", "certificate", "margin of error"}


@pytest.mark.parametrize("word", ["ε", "Epsilon", "Privacy-loss  budget", "budget"])
def test_many_words_lead_to_one_term(word: str) -> None:
    assert look_up(word).name == "ε (epsilon)"


def test_an_unknown_word_gets_similar_ones() -> None:
    with pytest.raises(ChoiceError, match=r"Choose .*privacy unit"):
        look_up("privacy")
    with pytest.raises(ChoiceError, match="lists all terms"):
        look_up("xyz")


def test_the_command_prints_terms(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["glossary", "true", "count"]) == 0
    assert capsys.readouterr().out.startswith("true count\n  The exact number")
    assert main(["glossary", "--json"]) == 0
    assert [term["name"] for term in json.loads(capsys.readouterr().out)] == [
        term.name for term in GLOSSARY
    ]
    assert main(["glossary", "xyz"]) == 2
