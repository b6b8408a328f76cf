"""The flag of an answer states what the answer states, whatever names the file has."""

import shlex

from hypothesis import given
from hypothesis import strategies as st

from hierdp_core.readers.columns.layout_words import value_of_word
from hierdp_core.readers.columns.question import Choice

NAMES = st.text("ab ,*(:", min_size=1, max_size=8).map(str.strip).filter(bool)
PAIRS = st.lists(st.builds("{}={}".format, NAMES, NAMES), min_size=1, max_size=4, unique=True)


@given(PAIRS)
def test_rows_of_columns_with_commas(pairs: list[str]) -> None:
    flags = shlex.split(Choice(words="", stated={"leave_out": tuple(pairs)}).flags)
    name, _, value = flags[1].partition("=")
    assert value_of_word(name, (), value) == tuple(pairs)
