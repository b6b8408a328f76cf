"""Which texts use a term of the glossary, and that only texts of a page are noted."""

import doctest

import pytest

from hierdp_core.explain.glossary import GLOSSARY, Term
from pages.ui.shell import terms


def names(*texts: str) -> list[str]:
    return [term.name for term in terms.used(texts)]


def test_examples_in_the_docstrings() -> None:
    result = doctest.testmod(terms)
    assert result.attempted
    assert not result.failed


@pytest.mark.parametrize("term", GLOSSARY, ids=lambda term: term.name)
def test_every_term_is_found_by_its_name(term: Term) -> None:
    word = term.name.split(" (")[0]
    assert names(f"A text with {word} in it.") == [term.name]


@pytest.mark.parametrize(
    "text", ["The noise splits the total.", "A released count.", "Draw a line.", "Levelled."]
)
def test_an_everyday_word_is_not_a_term(text: str) -> None:
    assert not names(text)


def test_a_plural_is_a_use() -> None:
    assert names("Several mechanisms.") == ["mechanism"]


def test_texts_are_noted_only_while_a_page_is_made() -> None:
    terms.note("ε")
    assert terms._noted.get() is None
