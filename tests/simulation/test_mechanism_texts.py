"""A mechanism is written as its id and its options in one line, wherever an id is taken."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.strategies import regions_of

import hierdp_core as hdp
from hierdp_core import mechanisms
from hierdp_core.evaluation.comparison import grid, with_options
from hierdp_core.exceptions import ChoiceError
from hierdp_core.hierarchy import Hierarchy
from hierdp_core.tables import GroupSizes

TREE = Hierarchy(parent=np.array([-1, 0, 0]), level_start=np.array([0, 1, 3]))
GROUPS = GroupSizes.from_leaves(regions_of(TREE), [[1, 2, 3], [2, 0, 1]])
MEAN = mechanisms.CountOfCounts(methods=("hg", "hc"), merge="mean")
TEXT = "coc: methods=hg,hc; merge=mean"

words = st.text("abcdefghijklmnopqrstuvwxyz0123456789,./-_", min_size=1, max_size=8)


@given(id=words, options=st.dictionaries(words, words, max_size=4))
def test_a_text_is_read_back_as_it_was_written(id, options):
    assert mechanisms.read_text(mechanisms.text_of(id, options)) == (id, options)


@given(id=st.sampled_from(mechanisms.names()), data=st.data())
def test_every_mechanism_is_what_its_text_says(id, data):
    offered = {
        o.name: st.sampled_from(o.choices) for o in mechanisms.describe(id).options if o.choices
    }
    options = data.draw(st.fixed_dictionaries({}, optional=offered))
    text = mechanisms.text_of(id, options)
    assert mechanisms.configured(text) == mechanisms.parse(id, options)


def test_a_plan_takes_a_text_and_spaces_have_no_meaning():
    by_value = repr(hdp.plan(GROUPS, MEAN, epsilon=1))
    for text in (TEXT, "coc:methods=hg,hc;merge=mean", " coc : merge = mean ; methods = hg,hc ;"):
        assert repr(hdp.plan(GROUPS, text, epsilon=1)) == by_value


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("coc: mean", 'written as "ID: NAME=VALUE; NAME=VALUE"; got "mean"'),
        ("coc: =mean", "NAME=VALUE"),
        ("coc: merge=mean; merge=weighted", 'Option "merge" is stated twice'),
        ("coc: shape=round", 'coc has no option "shape"'),
        ("coc: merge=median", "option merge of coc cannot be"),
        ("cocs: merge=mean", 'no mechanism "cocs"'),
        ("hay: merge=mean", "hay is for counts"),
    ],
)
def test_a_text_that_names_no_mechanism_is_refused(text, words):
    with pytest.raises(ChoiceError, match=words):
        hdp.plan(GROUPS, text, epsilon=1)


def test_a_comparison_takes_texts_and_gives_shared_options_to_the_ids_that_have_them():
    ids = ("coc", "pgsr-h-dp", MEAN)
    texts = with_options(ids, {"coc.merge": "mean", "methods": "hg"})
    assert texts == ("coc: methods=hg; merge=mean", "pgsr-h-dp", MEAN)
    budget = [hdp.Budget.pure(1)]
    cases = grid(GROUPS, texts, budget)
    assert [case.id for case in cases] == ["coc", "pgsr-h-dp", "coc"]
    assert dict(cases[0].options).items() >= {"merge": "mean", "methods": "hg"}.items()
    # What a text states itself is kept.
    (own,) = with_options([TEXT], {"merge": "weighted"})
    assert mechanisms.configured(own) == MEAN
    with pytest.raises(ChoiceError, match='pgsr-h-dp has no option "merge"'):
        with_options(["pgsr-h-dp"], {"merge": "mean"})


# --- keywords of the version before


OLD = {
    "plan": lambda: hdp.plan(GROUPS, "coc", epsilon=1, options={"merge": "mean"}),
    "plan of the recommended mechanism": lambda: hdp.plan(GROUPS, epsilon=1, options={}),
    "grid": lambda: grid(GROUPS, ["coc"], [hdp.Budget.pure(1)], options={"merge": "mean"})[0],
}
NEW = {
    "plan": lambda: hdp.plan(GROUPS, "coc: merge=mean", epsilon=1),
    "plan of the recommended mechanism": lambda: hdp.plan(GROUPS, epsilon=1),
    "grid": lambda: grid(GROUPS, ["coc: merge=mean"], [hdp.Budget.pure(1)])[0],
}


@pytest.mark.parametrize("name", OLD)
def test_option_words_beside_an_id_still_work_and_name_the_text(name):
    with pytest.warns(DeprecationWarning, match=r"\(options=…\) is now .*coc: merge=mean") as shown:
        old = OLD[name]()
    assert repr(old) == repr(NEW[name]())
    assert [one.filename for one in shown] == [__file__]


def test_options_beside_a_mechanism_that_has_its_own_are_refused():
    with (
        pytest.warns(DeprecationWarning, match="options="),
        pytest.raises(ChoiceError, match="need the id of a mechanism"),
    ):
        hdp.plan(GROUPS, MEAN, epsilon=1, options={"merge": "mean"})
