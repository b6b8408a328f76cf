"""Public functions say which argument is of a wrong type, and what it should be."""

import inspect
import re

import numpy as np
import pandas as pd
import pytest

import hierdp_core as hdp
from hierdp_core.exceptions import HierdpError
from hierdp_core.util.argument_types import _kinds, typed

FUNCTIONS = {
    name: getattr(hdp, name)
    for name in sorted(hdp.__all__)
    if inspect.isfunction(getattr(hdp, name))
}
CHECKED = [
    (name, parameter)
    for name, function in FUNCTIONS.items()
    for parameter in _kinds(inspect.unwrap(function))
]
SENTENCE = re.compile(r"\w+\(\) takes (an?|a list of) [\w ,]+ as \w+, not an? [\w ,]+\.")


@pytest.mark.parametrize("wrong", [object(), 1j, {"a", "b"}], ids=["object", "complex", "set"])
@pytest.mark.parametrize(("name", "parameter"), CHECKED)
def test_one_sentence_names_function_argument_and_type(name, parameter, wrong):
    with pytest.raises(TypeError) as shown:
        FUNCTIONS[name](**{parameter: wrong})
    assert SENTENCE.fullmatch(str(shown.value)), shown.value
    assert str(shown.value).startswith(f"{name}() takes ")
    assert f" as {parameter}, not a" in str(shown.value)
    assert str(shown.value).endswith(f" {type(wrong).__name__}.")


def test_every_function_that_works_on_objects_is_checked():
    assert {name for name, _ in CHECKED} >= {"plan", "simulate", "release", "compare", "evaluate"}
    table = hdp.samples.load("running-example").table
    made = hdp.plan(table, "pgsr-h-dp", epsilon=1)
    for call, shown in {
        lambda: hdp.simulate(5, made): "simulate() takes a Table as table, not an int.",
        lambda: hdp.plan(None, epsilon=1): "plan() takes a Table or a Domain as table",
        lambda: hdp.plan(table, 5, epsilon=1): "plan() takes a Mechanism or a str as mechanism",
        lambda: hdp.compare(table, [made, 1]): "compare() takes a list of Plan as plans, not a li",
        lambda: hdp.compare(table, made): "compare() takes a list of Plan as plans, not a Plan.",
        lambda: hdp.audit("tree-dp", budget=5): "audit() takes a Budget as budget, not an int.",
        lambda: hdp.summarize([1]): "summarize() takes a DataFrame as frame, not a list of int.",
    }.items():
        with pytest.raises(TypeError) as error:
            call()
        assert str(error.value).startswith(shown)


def takes_frames():
    """Yield every public function and class method with a data frame as its argument `frame`."""
    for name in hdp.__all__:
        value = getattr(hdp, name)
        methods = vars(value) if inspect.isclass(value) else {}
        yield from (
            (f"{name}.{method}", getattr(value, method))
            for method in methods
            if method.startswith("from_") and method.endswith("frame")
        )
        if inspect.isfunction(value) and next(iter(inspect.signature(value).parameters)) == "frame":
            yield name, value


TAKES_FRAMES = dict(takes_frames())
NEEDED = {"levels": "state", "origin": "a", "destination": "b", "regions": None}


@pytest.mark.parametrize(
    "frame",
    [
        pd.DataFrame(),
        pd.DataFrame({"x": [1]}),
        pd.DataFrame({"mean_abs": [1.0], "level": ["a"]}),
        pd.DataFrame({0: ["a"], 1: [2]}),
    ],
    ids=["empty", "another", "some columns", "numbered columns"],
)
@pytest.mark.parametrize("name", TAKES_FRAMES)
def test_another_data_frame_is_refused_in_words(name, frame):
    function = TAKES_FRAMES[name]
    names = inspect.signature(function).parameters
    given = {key: value for key, value in NEEDED.items() if key in names}
    if name == "Boundaries.from_geodataframe":
        given["regions"] = hdp.samples.load("running-example").table.regions
    with pytest.raises(HierdpError) as error:
        function(frame, **given)
    assert str(error.value).endswith(".")


def test_all_functions_on_data_frames_are_seen():
    assert {*TAKES_FRAMES} >= {"summarize", "Counts.from_frame", "Boundaries.from_geodataframe"}


def test_what_fits_passes():
    @typed
    def function(table: hdp.Plan | int | None, *more: int, named: "hdp.Budget | float" = 1) -> str:
        return f"{table} {more} {named}"

    assert function(None) == "None () 1"
    assert function(np.int64(3), 4, 5, named=np.float32(2)) == "3 (4, 5) 2.0"
    with pytest.raises(TypeError, match=r"function\(\) takes a Plan or an int as table, not a str"):
        function("three")
    with pytest.raises(TypeError, match=r"takes a Budget or a float as named, not a list"):
        function(1, named=[2.0])
    assert inspect.signature(function).parameters["named"].default == 1


def test_further_arguments_are_not_taken_for_named_ones(tmp_path):
    @typed
    def function(*more: str, named: hdp.Budget | None = None) -> int:
        return len(more)

    assert function("a", "b") == 2
    with pytest.raises(TypeError, match="as named, not a str"):
        function("a", named="b")
    path = tmp_path / "table.csv"
    path.write_text("state,county,people\nA,x,5\nA,y,7\nB,z,9\n", encoding="utf-8")
    assert hdp.read_table(path).table.total == 21
