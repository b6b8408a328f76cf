"""Flags that a report prints, which people copy into a shell."""

import argparse
import re
import shlex
import subprocess

from hypothesis import given
from hypothesis import strategies as st

from hierdp_core.cli.own_data import stated_columns
from hierdp_core.readers.columns.question import Choice

_SIGNS = "ab12 ;()[]{}'\"$`&|<>*?!#~=%^-\t" + "ąśÓ소계군人口ประαжİ"
_names = st.text(_SIGNS, min_size=1, max_size=12).map(str.strip).filter(bool)
_stated = st.fixed_dictionaries(
    {"count": _names, "levels": st.lists(_names, min_size=1, max_size=3).map(tuple)},
    optional={
        "leave_out": st.tuples(_names.filter(lambda name: "=" not in name), _names).map(
            lambda pair: (f"{pair[0]}={pair[1]}",)
        ),
        "add_up": st.just(True),
    },
)


def _columns(words: list[str]) -> list[str]:
    assert set(words[::2]) == {"--column"}
    return words[1::2]


@given(stated=_stated)
def test_flags_state_the_same_after_the_shell(stated: dict[str, object]) -> None:
    flags = Choice(words="…", stated=stated).flags
    words = _columns(shlex.split(flags))
    assert stated_columns(argparse.Namespace(column=words)) == stated


def test_bash_passes_the_flags_on_unchanged() -> None:
    names = ["ogółem;2022;[osoba]", "행정구역(시군구)별(2)", "it's", '"all" $HOME `id`',
             "a&b|c<d>e", "*?", "!1", "#no", "~", "a  b", "x=y", "\\n"]  # fmt: skip
    choice = Choice(words="…", stated={"levels": tuple(names), "leave_out": ("a (b)=소계;",)})
    done = subprocess.run(
        ["bash", "-c", f"printf '%s\\0' {choice.flags}"], capture_output=True, text=True, check=True
    )
    words = _columns(done.stdout.removesuffix("\0").split("\0"))
    assert stated_columns(argparse.Namespace(column=words)) == choice.stated


def test_plain_flags_stay_plain() -> None:
    assert Choice(words="…", stated={"count": "people"}).flags == "--column count=people"
    assert not re.search("['\"]", Choice(words="…", stated={"levels": ("a", "b")}).flags)
