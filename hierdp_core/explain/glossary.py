"""The terms that HierDP uses, each with one meaning: data for the app, the command line and docs.

>>> look_up("epsilon").name
'ε (epsilon)'
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from hierdp_core.exceptions import ChoiceError
from hierdp_core.util.text import join_or

__all__ = ["GLOSSARY", "Term", "look_up"]


@dataclass(frozen=True, kw_only=True)
class Term:
    """A term with its meaning.

    Attributes:
        name: the term as it is written on screen.
        meaning: one to three sentences, complete without the name.
        code: its name in Python, in files or on the command line, if it has one.
        also: other words under which the term is found.
    """

    name: str
    meaning: str
    code: str = ""
    also: tuple[str, ...] = ()

    def as_dict(self) -> dict[str, str | list[str]]:
        """Return the term in values that JSON can hold."""
        return {
            "name": self.name,
            "meaning": self.meaning,
            "code": self.code,
            "also": list(self.also),
        }

    def words(self) -> Iterator[str]:
        """Yield all words under which this term is found, in lower case."""
        for word in (self.name, self.code, *self.also):
            if word:
                yield word.lower()

    def phrases(self) -> Iterator[str]:
        """Yield the phrases that mean this term in a text, in lower case.

        Those are its name and the other words that are phrases. A single other word, such as
        "split", leads to the term but also has its everyday meaning.
        """
        yield from self.name.lower().removesuffix(")").split(" (")
        yield from (word.lower() for word in self.also if re.search("[ -]", word))


GLOSSARY = (
    Term(
        name="approximate DP",
        meaning="A guarantee with ε and δ.",
        code="approximate",
    ),
    Term(
        name="bias",
        meaning=(
            "The mean difference between released and true counts over many simulations. Counts "
            "near 0 are too high on average, because negative counts are corrected."
        ),
    ),
    Term(
        name="budget allocation",
        meaning=(
            "How the privacy-loss budget is divided among the levels of the hierarchy. A level "
            "with a larger part gets less noise."
        ),
        code="allocation",
        also=("shares", "split"),
    ),
    Term(
        name="certificate",
        meaning=(
            "A file that accompanies released tables. It states their guarantee, what is treated "
            "as public, the mechanism, the noise and the cost."
        ),
        code="certificate",
    ),
    Term(
        name="consistent",
        meaning=(
            "Adds up across levels: the counts of the sub-areas of an area add up to its own count."
        ),
        code="consistent",
    ),
    Term(
        name="corrected automatically",
        meaning=(
            "Changed when a file was read, such as a number written with a thousands "
            "separator. Each correction is reported."
        ),
        also=("corrected", "corrections"),
    ),
    Term(
        name="cumulative count",
        meaning=(
            "The number of groups of at most a given size in an area, such as households of at "
            "most three people."
        ),
    ),
    Term(
        name="δ (delta)",
        meaning=(
            "How far the probability of any set of outcomes may exceed the limit that ε sets. It "
            "should be far smaller than one divided by the number of people."
        ),
        code="delta",
        also=("delta", "δ"),
    ),
    Term(
        name="differential privacy",
        meaning=(
            "A limit on how much the data of any one person can change the probability of any "
            "result, whatever else an attacker knows."
        ),
        also=("dp",),
    ),
    Term(
        name="discrete Gaussian noise",
        meaning=(
            "Whole-number noise whose probabilities follow the bell curve of the normal "
            "distribution."
        ),
        code="gaussian",
        also=("discrete gaussian",),
    ),
    Term(
        name="earth mover's distance",
        meaning=(
            "How many members would have to join or leave the groups of an area to turn its "
            "released sizes into the true ones."
        ),
        code="emd",
    ),
    Term(
        name="ε (epsilon)",
        meaning=(
            "The privacy-loss budget. Without δ, no outcome is more than e to the power of ε "
            "times as likely with one dataset as with a neighbouring one. Smaller values protect "
            "better and need more noise."
        ),
        code="epsilon",
        also=("epsilon", "ε", "privacy-loss budget", "budget"),
    ),
    Term(
        name="false negative",
        meaning=(
            "A number that is released as 0 or below although its true count is above 0, such as "
            "a flow between two areas. For a decision, an area that is eligible by its true count "
            "only."
        ),
        code="false_negatives",
        also=("missed flow",),
    ),
    Term(
        name="false positive",
        meaning=(
            "A number that is released above 0 although its true count is 0, such as a flow "
            "between two areas. For a decision, an area that is eligible by its released count "
            "only."
        ),
        code="false_positives",
        also=("spurious flow",),
    ),
    Term(
        name="group sizes",
        meaning=(
            "How many groups there are of each size in an area, such as households of one, "
            "two or three people. Papers call this a count-of-counts histogram."
        ),
        code="group-sizes",
        also=("household-size distribution", "count-of-counts histogram"),
    ),
    Term(
        name="hierarchy",
        meaning=(
            "A division of a whole into areas and of each area into smaller areas, such as "
            "nation, state and county."
        ),
        code="Hierarchy",
    ),
    Term(
        name="inconsistency",
        meaning=(
            "A difference between the count of an area and the sum of the counts of its "
            "sub-areas. Consistent tables have none."
        ),
        also=("inconsistencies",),
    ),
    Term(
        name="invariants",
        meaning=(
            "Facts that are treated as public. All datasets that the guarantee compares agree "
            "on them, so it does not protect them."
        ),
        code="invariants",
        also=("treated as public", "public facts"),
    ),
    Term(
        name="last level",
        meaning="The lowest level of a hierarchy, such as counties. Its areas have no sub-areas.",
        code="leaves",
        also=("leaf", "lowest level"),
    ),
    Term(
        name="ledger",
        meaning=(
            "A file that records the budget of every dataset and the cost of every release. A "
            "release that would cost more than is left is refused."
        ),
        code="Ledger",
    ),
    Term(
        name="level",
        meaning="All areas at the same depth of the hierarchy, such as all counties.",
        code="level",
    ),
    Term(
        name="margin of error",
        meaning=(
            "The largest distance to expect between a released number and the true count, with a "
            "confidence of 90% unless another is stated. It is estimated by simulation."
        ),
        code="margin",
        also=("margins of error", "moe"),
    ),
    Term(
        name="maximum group size",
        meaning=(
            "The largest size in a table of group sizes. If a table is top-coded, larger groups "
            "are counted as groups of this size. As an option of mechanisms, it is called cap."
        ),
        code="max_size",
        also=("cap", "largest size"),
    ),
    Term(
        name="mean absolute error",
        meaning="The average of the absolute differences between released and true counts.",
        code="mean_abs",
    ),
    Term(
        name="mechanism",
        meaning=(
            "A procedure that adds noise to the data and turns the noisy measurements into a table."
        ),
        code="mechanism",
    ),
    Term(
        name="neighbouring datasets",
        meaning=(
            "Two datasets that differ in one privacy unit, by adding or removing it or by "
            "replacing it with another. The guarantee compares them."
        ),
        code="neighbours",
    ),
    Term(
        name="noisy measurement",
        meaning=(
            "An exact number with noise added. Only measurements use the confidential data, and "
            "only they spend budget."
        ),
        code="noisy",
    ),
    Term(
        name="package",
        meaning=(
            "A folder or ZIP file with the tables of a release, their certificate and its "
            "signature, if any."
        ),
    ),
    Term(
        name="post-processing",
        meaning=(
            "Everything that is computed from noisy measurements and public facts alone, such "
            "as a consistent table. It costs no budget."
        ),
    ),
    Term(
        name="privacy guarantee",
        meaning=(
            "A limit on what a release can reveal. Its statement names the budget, the privacy "
            "unit, how neighbouring datasets differ, and the facts treated as public."
        ),
        code="guarantee",
    ),
    Term(
        name="privacy unit",
        meaning=(
            "What is protected, such as one person or one trip. If the unit is one trip, a person "
            "with k trips is protected at k times ε, or k² times ρ. A δ can grow by more than k "
            "times."
        ),
        code="unit",
    ),
    Term(
        name="pure DP",
        meaning="A guarantee with ε alone, without δ.",
        code="pure",
    ),
    Term(
        name="relative error",
        meaning=(
            "The size of an area's error divided by its true count. Over several simulations, it "
            "is the mean absolute error divided by the true count."
        ),
        code="relative_error",
    ),
    Term(
        name="release",
        meaning=(
            "A table with noise that has no seed, made for publication. It is made once, and its "
            "cost is never refunded."
        ),
        code="release",
    ),
    Term(
        name="ρ (rho)",
        meaning=(
            "The budget of zero-concentrated differential privacy (zCDP). It bounds Rényi "
            "divergences, which are averages of how much one record changes the probabilities of "
            "results. It converts to an ε for every δ above 0."
        ),
        code="rho",
        also=("rho", "ρ", "zcdp"),
    ),
    Term(
        name="root of a hierarchy",
        meaning="The single area at the top of a hierarchy, such as a whole country.",
        code="root",
    ),
    Term(
        name="seed",
        meaning=(
            "A number from which the noise of a simulation is computed. The same seed gives the "
            "same noise, so a release never has one."
        ),
        code="seed",
    ),
    Term(
        name="sensitivity",
        meaning=(
            "The largest change that one privacy unit can make to the measurements, before noise. "
            "For the same budget, the scale of the noise is proportional to it."
        ),
        code="sensitivity",
    ),
    Term(
        name="simulation",
        meaning=(
            "One repetition of a mechanism with seeded noise. It shows what a release would "
            "be like and protects nobody."
        ),
        code="simulate",
        also=("simulated release", "draw", "trial"),
    ),
    Term(
        name="synthetic",
        meaning=(
            "Generated by a stated recipe, not measured. Fitted data are generated so that "
            "they agree with real totals."
        ),
        code="synthetic",
        also=("fitted", "stand-in"),
    ),
    Term(
        name="true count",
        meaning="The exact number in the table, before noise is added.",
        code="exact",
    ),
    Term(
        name="two-sided geometric noise",
        meaning=(
            "Whole-number noise whose probabilities fall by the same factor with each step "
            "away from 0. It is also called discrete Laplace noise."
        ),
        code="geometric",
        also=("discrete laplace",),
    ),
)  # in alphabetical order, Greek letters by their names

_BY_WORD = {word: term for term in GLOSSARY for word in term.words()}


def look_up(word: str) -> Term:
    """Return the term that `word` names, in upper or lower case.

    Raises:
        ChoiceError: there is no such term.
    """
    key = " ".join(word.lower().split())
    if key not in _BY_WORD:
        near = [term.name for term in GLOSSARY if any(key in other for other in term.words())]
        remedy = "See `hierdp glossary`, which lists all terms."
        if near:
            remedy = f"Choose {join_or(near)}."
        raise ChoiceError(f'The glossary has no term "{word}". {remedy}')
    return _BY_WORD[key]
