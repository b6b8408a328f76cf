"""The mutation run samples repeatably, hides no survivor and runs nothing twice."""

import dataclasses
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest
from mutation.campaign import Campaign, Configuration, Target, judge, read_configuration
from mutation.code_text import code_lines, code_text
from mutation.coverage_map import CoverageMap, clear_caches, fingerprint
from mutation.evidence import evidence_in
from mutation.forks import Outcome
from mutation.mutants import Mutant, mutants_of, sampled
from mutation.results import (
    REASONS,
    Reason,
    Result,
    Results,
    entry,
    faults,
    read_reasons,
    score_interval,
)

ROOT = Path(__file__).parents[2]


def mutant(number, **changes):
    mutant = Mutant(
        file="core.py",
        where="f",
        lines=(3, 3),
        scope=(1, 5),
        in_function=True,
        before="return a + b",
        after=f"return a - {number}",
        id=f"{number:012x}",
        source="",
    )
    return dataclasses.replace(mutant, **changes)


def reason(mutant):
    return Reason(*mutant.change, reason="The noise is symmetric.")


CATCHER = "tests/test_core.py::test_f"
SURVIVED, KILLED = Result(word="survived"), Result(word="killed", by=CATCHER)


def test_the_sample_depends_on_the_seed_alone():
    mutants = [mutant(k) for k in range(300)]
    sample = sampled(mutants, 50, seed=1)
    assert len(sample) == 50
    assert sample == sampled(mutants[::-1], 50, seed=1)[::-1]
    assert sample != sampled(mutants, 50, seed=2)
    assert sampled(mutants, None, seed=1) == sampled(mutants, 300, seed=1) == mutants


def test_the_sample_hardly_changes_with_the_code():
    mutants = [mutant(k) for k in range(300)]
    before = {m.id for m in sampled(mutants, 50, seed=1)}
    after = {m.id for m in sampled(mutants[10:], 50, seed=1)}
    gone = {m.id for m in mutants[:10]}
    assert before - after <= gone


def test_a_survivor_without_a_reason_is_a_fault():
    first, second = mutant(1), mutant(2)
    found = faults([first, second], [first, second], {first.id: SURVIVED, second.id: KILLED}, [])
    assert len(found) == 1
    assert "return a - 1" in found[0]
    assert not faults([first], [first], {first.id: SURVIVED}, [reason(first)])


def test_the_entry_that_a_survivor_needs_can_be_copied(tmp_path):
    survivor = mutant(1, before='say("ε \\ 2")', after='say("")')
    path = tmp_path / "survivors.toml"
    path.write_text(entry(survivor).replace('reason = ""', 'reason = "It says the same."'))
    assert read_reasons(path)[0].change == survivor.change


def test_a_mutant_that_no_test_executes_counts_as_a_survivor():
    untested = Result(word="untested")
    assert not untested.caught
    assert faults([mutant(1)], [mutant(1)], {mutant(1).id: untested}, [])


def test_a_reason_for_a_mutant_that_is_gone_or_killed_is_a_fault():
    first, second = mutant(1), mutant(2)
    assert "gone" in faults([first], [first], {first.id: KILLED}, [reason(second)])[0]
    assert "killed" in faults([first], [first], {first.id: KILLED}, [reason(first)])[0]


def test_a_reason_outside_the_sample_may_stay():
    first, second = mutant(1), mutant(2)
    assert not faults([first, second], [first], {first.id: KILLED}, [reason(second)])


def test_a_missing_result_is_a_fault():
    assert "1 of 2" in faults([], [mutant(1), mutant(2)], {mutant(1).id: KILLED}, [])[0]


def test_reasons_must_say_something(tmp_path):
    text = '[[survivor]]\nfile = "a"\nwhere = "f"\nbefore = "x"\nafter = "y"\nreason = "{}"\n'
    path = tmp_path / "survivors.toml"
    path.write_text(text.format("It makes no difference."))
    assert read_reasons(path)[0].change == ("a", "f", "x", "y")
    path.write_text(text.format("It makes no difference.").replace('"y"', '["y", "z"]'))
    assert [reason.change[-1] for reason in read_reasons(path)] == ["y", "z"]
    path.write_text(text.format(" "))
    with pytest.raises(ValueError, match="no reason"):
        read_reasons(path)
    path.write_text(text.replace("where", "here"))
    with pytest.raises(ValueError, match="here"):
        read_reasons(path)


def test_the_committed_reasons_and_results_can_be_read():
    read_reasons(ROOT / REASONS)
    for target in read_configuration().targets:
        assert target.files, f"{target.name} has no files"
        for result in Results(ROOT, target.name).by_id.values():
            assert result.word in ("killed", "timeout", "survived", "untested")


TESTED = """
from helper import limit
def test_f(number):
    assert number < limit
def test_g(letter):
    assert letter
"""


@pytest.fixture
def repository(tmp_path):
    tests = tmp_path / "tests"
    tests.mkdir()
    (tests / "conftest.py").write_text("")
    (tests / "helper.py").write_text("limit = 3")
    (tests / "test_core.py").write_text(TESTED)
    (tests / "test_else.py").write_text("")
    return tmp_path


def test_a_survivor_remains_one_whatever_becomes_of_the_tests(repository):
    files = ("tests/test_core.py",)
    results = Results(repository, "core")
    results.by_id["a"] = dataclasses.replace(
        SURVIVED, files=files, key=fingerprint(repository, files)
    )
    assert results.current(repository) == results.valid(repository) == results.by_id
    (repository / "tests/test_else.py").write_text("x = 1")
    assert results.current(repository) == results.by_id
    (repository / "tests/helper.py").write_text("limit = 4")
    assert not results.current(repository)
    assert results.valid(repository) == results.by_id


@pytest.mark.parametrize("explained", [False, True])
def test_a_survivor_without_a_reason_is_run_again_when_tests_change(
    repository, monkeypatch, explained
):
    (repository / "tests/mutation").mkdir()
    if explained:
        text = entry(mutant(1)).replace('reason = ""', 'reason = "It says the same."')
        (repository / REASONS).write_text(text)
    monkeypatch.setattr("mutation.campaign.mutants_of", lambda root, file: [mutant(1)])
    configuration = Configuration((), (), seed=1, most_seconds=60)
    campaign = Campaign(repository, configuration, Target("core", ("core.py",), None))
    files = ("tests/test_core.py",)
    campaign.results.by_id[mutant(1).id] = dataclasses.replace(
        SURVIVED, files=files, key=fingerprint(repository, files)
    )
    assert campaign.pending() == []
    (repository / "tests/helper.py").write_text("limit = 4")
    assert campaign.pending() == ([] if explained else [mutant(1)])


@pytest.mark.parametrize(
    ("file", "code", "holds"),
    [
        ("test_core.py", TESTED.replace("assert letter", "assert not letter"), True),
        ("test_core.py", TESTED.replace("def test_f", "# Numbers.\ndef test_f"), True),
        ("test_core.py", TESTED + "number = 4\n", False),
        ("test_core.py", TESTED.replace("number < limit", "number <= limit"), False),
        ("test_core.py", TESTED.replace("def test_f", "@given(3)\ndef test_f"), False),
        ("test_core.py", TESTED.replace("test_f", "test_h"), False),
        ("test_core.py", TESTED + "pytestmark = slow\n", False),
        ("test_core.py", TESTED + "def setup_module(): ...\n", False),
        ("helper.py", "limit = 3\nother = 4", True),
        ("helper.py", "limit = 4", False),
        ("helper.py", "least = 1\nlimit = least + 2", False),
        ("helper.py", "limit = 3\nprint()", False),
        ("conftest.py", "def letter(): ...", True),
        ("conftest.py", "def number(): ...", False),
        ("conftest.py", "@fixture(autouse=True)\ndef always(): ...", False),
        ("conftest.py", "def pytest_collection_finish(): ...", False),
    ],
)
def test_what_a_test_caught_holds_while_the_code_it_uses_stays_the_same(
    repository, file, code, holds
):
    key = evidence_in(repository).key(CATCHER)
    results = Results(repository, "core")
    results.by_id["a"] = dataclasses.replace(KILLED, key=key)
    assert set(results.valid(repository)) == {"a"}
    (repository / "tests" / file).write_text(code)
    assert set(results.valid(repository)) == ({"a"} if holds else set())


def test_parameters_of_one_test_rest_on_the_same_code(repository):
    key = evidence_in(repository).key
    assert key(f"{CATCHER}[1-2]") == key(CATCHER) != key("tests/test_core.py::test_g")
    assert key("tests/test_gone.py::test_f") is None


@pytest.mark.parametrize(
    "helper",
    ["def f():\n    from helper import limit\n    return limit", "import helper\nf = helper.limit"],
)
def test_imports_inside_functions_and_of_whole_modules_are_followed(repository, helper):
    (repository / "tests/test_core.py").write_text(f"{helper}\ndef test_f():\n    assert f\n")
    before = evidence_in(repository).key(CATCHER)
    (repository / "tests/helper.py").write_text("limit = 4")
    assert evidence_in(repository).key(CATCHER) != before


def test_a_doctest_rests_on_its_own_text(tmp_path):
    def key(name="core.Sum.f", **texts):
        texts = {"first": "1", "second": "2"} | texts
        (tmp_path / "core.py").write_text(
            f'class Sum:\n    def f(self):\n        """{texts["first"]}"""\n'
            f'    def g(self):\n        """{texts["second"]}"""\n'
        )
        return evidence_in(tmp_path).key(f"core.py::{name}")

    assert key() == key(second="3") != key(first="3")
    assert key("core.Sum.h") is None


def test_a_result_outlives_better_comments(repository):
    files = ("tests/test_core.py",)
    before = fingerprint(repository, files)
    (repository / "tests/helper.py").write_text('"""A limit."""\n\nlimit = 3  # for now\n')
    assert fingerprint(repository, files) == before
    (repository / "tests/helper.py").write_text('text = """A limit."""\n\nlimit = 3\n')
    assert fingerprint(repository, files) != before


COMMENTED = '''
"""What this is for."""

# Adds.
def f(a, b):
    """Return the sum.

    Of two numbers.
    """
    # Both are whole.
    total = a + b  # exactly

    return total if total > 1 else 2  # never less
'''
BARE = """
def f(a, b):
    total = a + b
    return total if total > 1 else 2
"""


def test_code_is_what_is_left_without_comments_and_docstrings():
    assert code_text(COMMENTED) == code_text(BARE) == BARE.strip()
    assert len(code_lines(COMMENTED)) == len(COMMENTED.splitlines())


def test_comments_and_docstrings_are_no_part_of_an_id(tmp_path):
    pytest.importorskip("cosmic_ray", reason="needs the extra `mutation`")
    ids = []
    for source in (COMMENTED, BARE, BARE.replace("else 2", "else 3")):
        (tmp_path / "core.py").write_text(source)
        ids.append([mutant.id for mutant in mutants_of(tmp_path, "core.py")])
        assert len(set(ids[-1])) == len(ids[-1]) > 4
    assert set(ids[0]) == set(ids[1])
    assert not set(ids[1]) & set(ids[2])


def test_what_is_finished_is_not_run_again(repository, monkeypatch):
    mutants = [mutant(1), mutant(2), mutant(3)]
    monkeypatch.setattr("mutation.campaign.mutants_of", lambda root, file: mutants)
    monkeypatch.setattr("mutation.campaign.check_clean", lambda *_: None)
    judged = []

    def fake_judge(root, mutant, *_):
        judged.append(mutant.id)
        return dataclasses.replace(KILLED, key=evidence_in(root).key(CATCHER))

    monkeypatch.setattr("mutation.campaign.judge", fake_judge)
    configuration = Configuration((), (), seed=1, most_seconds=60)
    target = Target("core", ("core.py",), None)

    def run(**words):
        return Campaign(repository, configuration, target).run(CoverageMap({}, {}), **words)

    assert run(until=0) == 0
    assert run() == 3
    assert run() == 0
    mutants[1] = mutant(4)
    assert run() == 1
    assert sorted(judged[:3]) == [mutant(1).id, mutant(2).id, mutant(3).id]
    assert judged[3:] == [mutant(4).id]
    assert set(Results(repository, "core").by_id) == {m.id for m in mutants}
    (repository / "tests/test_core.py").write_text(TESTED.replace("<", "<="))
    assert run() == 3


def test_a_result_that_is_out_of_date_names_the_test_to_run_first(repository, monkeypatch):
    mutants = [mutant(1), mutant(2), mutant(3)]
    monkeypatch.setattr("mutation.campaign.mutants_of", lambda root, file: mutants)
    monkeypatch.setattr("mutation.campaign.check_clean", lambda *_: None)
    campaign = Campaign(
        repository,
        Configuration((), (), seed=1, most_seconds=60),
        Target("core", ("core.py",), None),
    )
    caught_by = dict(zip(mutants, ("a.py::slow", "a.py::fast", "a.py::fast"), strict=True))
    for one, test in caught_by.items():
        campaign.results.by_id[one.id] = Result(
            word="killed", by=test, files=("tests/test_core.py",), key="of an earlier version"
        )
    first = {}

    def fake_judge(root, mutant, covered, configuration, kills):
        first[mutant] = covered.tests_for(mutant, 60, kills)[0]
        return Result(word="survived")

    monkeypatch.setattr("mutation.campaign.judge", fake_judge)
    campaign.run(COVERED)
    assert first == caught_by


def test_only_a_survivor_with_a_reason_is_not_judged_again(repository, monkeypatch):
    mutants = [mutant(1), mutant(2), mutant(3), mutant(4)]
    quick = dict(zip(mutants, (SURVIVED, SURVIVED, KILLED, None), strict=True))
    (repository / "tests/mutation").mkdir()
    text = entry(mutant(1)).replace('reason = ""', 'reason = "It says the same."')
    (repository / REASONS).write_text(text)
    monkeypatch.setattr("mutation.campaign.mutants_of", lambda root, file: mutants)
    monkeypatch.setattr("mutation.campaign.check_clean", lambda *_: None)
    monkeypatch.setattr("mutation.campaign.judge_quickly", lambda root, mutant, *_: quick[mutant])
    again = Result(word="killed", by="a.py::slow")
    monkeypatch.setattr("mutation.campaign.judge", lambda *_: again)
    configuration = Configuration((), (), seed=1, most_seconds=60)
    campaign = Campaign(repository, configuration, Target("core", ("core.py",), None))
    campaign.run(COVERED, collected=object())
    expected = (SURVIVED, again, KILLED, again)
    assert [campaign.results.by_id[one.id] for one in mutants] == [*expected]


COVERED = CoverageMap(
    seconds={"a.py::slow": 9.0, "a.py::fast": 0.1, "b.py::other": 0.2, "c.py::far": 0.3},
    lines={
        "a.py::slow": {"core.py": frozenset({3})},
        "a.py::fast": {"core.py": frozenset({3, 8})},
        "b.py::other": {"core.py": frozenset({8})},
        "c.py::far": {"elsewhere.py": frozenset({3})},
    },
    imports={"c.py": frozenset({"core"})},
)


def test_tests_are_those_that_execute_the_line_and_the_fastest_come_first():
    assert COVERED.tests_for(mutant(1), 60, {}) == ["a.py::fast", "a.py::slow"]
    assert COVERED.tests_for(mutant(1), 60, {"a.py::slow": 1}) == ["a.py::fast", "a.py::slow"]
    assert COVERED.tests_for(mutant(1), 60, {"a.py::slow": 90}) == ["a.py::slow", "a.py::fast"]
    assert COVERED.tests_for(mutant(1), 5, {}) == ["a.py::fast"]


def test_what_takes_effect_on_import_concerns_every_test_of_the_folder():
    constant = mutant(1, in_function=False, lines=(1, 1), scope=(1, 1))
    assert COVERED.tests_for(constant, 60, {})[-1] == "c.py::far"
    assert len(COVERED.tests_for(constant, 60, {})) == 4
    assert "c.py::far" in COVERED.tests_for(constant, 9.4, {})  # although the others take 9.3


def test_a_compiled_function_concerns_the_files_that_import_it_first():
    compiled = mutant(1, lines=(5, 5), scope=(5, 6), source="from numba import njit\n")
    assert COVERED.tests_for(compiled, 60, {})[0] == "c.py::far"
    assert len(COVERED.tests_for(compiled, 60, {})) == 4


def test_a_survivor_is_run_again_when_further_tests_execute_its_line(repository, monkeypatch):
    monkeypatch.setattr("mutation.campaign.mutants_of", lambda root, file: [mutant(1)])
    configuration = Configuration((), (), seed=1, most_seconds=60)
    campaign = Campaign(repository, configuration, Target("core", ("core.py",), None))
    for files, settled in (("tests/test_core.py", "a.py"), True), (("tests/test_core.py",), False):
        there = tuple(file for file in files if (repository / file).exists())
        survivor = Result(word="survived", files=files, key=fingerprint(repository, there))
        by_id = {mutant(1).id: survivor}
        monkeypatch.setattr(campaign.results, "by_id", by_id)
        monkeypatch.setattr(campaign.results, "current", lambda _, by_id=by_id: by_id)
        assert campaign.pending() == []
        assert campaign.pending(covered=COVERED) == ([] if settled else [mutant(1)])


def test_a_broken_run_is_no_kill(repository):
    def runner(*_, **__):
        return Outcome(word="broken", log="no such option")

    configuration = Configuration((), (), seed=1, most_seconds=60)
    with pytest.raises(RuntimeError, match="no such option"):
        judge(repository, mutant(1), COVERED, configuration, Counter(), runner)


PLANTED = """
import sys
from pathlib import Path
from mutation.forks import preload, run_tests

preload(["hypothesis", "pytest"])
root, outcomes = Path(sys.argv[1]), []
for source in sys.argv[2:]:
    tests = ["tests/test_core.py::test_sign", "planted.py::planted.size"]
    outcome = run_tests(root, tests, seconds=3, file="planted.py", source=source)
    outcomes.append(f"{outcome.word} {outcome.by}".strip())
print("|".join(outcomes))
"""
COLLECTED = """
import sys
from pathlib import Path
from mutation.collected import CollectedTests
from mutation.coverage_map import CleanRunFailed
from mutation.mutants import Mutant

root, outcomes = Path(sys.argv[1]), []
tests = ["tests/test_core.py::test_sign", "planted.py::planted.size"]
with CollectedTests(root, ["tests/test_core.py", "planted.py"]) as collected:
    for source in sys.argv[2:]:
        mutant = Mutant(
            file="planted.py", where="size", lines=(7, 7), scope=(2, 7), in_function=True,
            before="", after="", id="", source=source,
        )
        try:
            outcome = collected.run(mutant, tests, seconds=3)
            outcomes.append(f"{outcome.word} {outcome.by}".strip())
        except CleanRunFailed as error:
            outcomes.append(str(error).splitlines()[0])
print("|".join(outcomes))
"""
DOCTEST = '''
def size(x):
    """
    >>> size(-2)
    2
    """
'''


COMPILED = '''
from numba import njit

STEP = 3


@njit(cache=True)
def step():
    return STEP


@njit(cache=True)
def size(x):
    """
    >>> size(-2)
    1
    """
    return x + step()
'''


def outcomes_of(repository, sources, program=PLANTED):
    """What becomes of versions of `planted.py`, the first of which stands on disk."""
    (repository / "planted.py").write_text(sources[0])
    (repository / "pyproject.toml").write_text(
        '[tool.pytest.ini_options]\npythonpath = [".", "tests"]\nmarkers = ["browser", "slow", '
        '"nightly", "exhaustive", "mutation"]\nfilterwarnings = ["error"]\n'
    )
    (repository / "tests/test_core.py").write_text(
        "from planted import size\ndef test_sign():\n    assert size(3) > 0\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, str(repository), *sources],
        cwd=ROOT / "tests",
        check=True,
        capture_output=True,
        text=True,
    )
    assert (repository / "planted.py").read_text(encoding="utf-8") == sources[0]
    return done.stdout.strip().split("|")


@pytest.mark.slow
def test_a_planted_survivor_survives_and_a_mistake_does_not(repository):
    right = DOCTEST + "    return abs(x)\n"
    sources = [
        right,
        right.replace("abs(x)", "max(x, -x)"),
        right.replace("abs(x)", "-x"),
        right.replace("abs(x)", "x"),
        right.replace("def", "fed"),
        right.replace("return abs(x)", "while True: x"),
        "import os\nos.abort()\n",
    ]
    assert outcomes_of(repository, sources) == [
        "survived",
        "survived",
        "killed tests/test_core.py::test_sign",
        "killed planted.py::planted.size",
        "killed import",
        "timeout",
        "killed crash",
    ]


@pytest.mark.slow
def test_a_changed_function_is_noticed_where_tests_are_collected(repository):
    right = DOCTEST + "    return abs(x)\n"
    sources = [
        right,
        right.replace("abs(x)", "max(x, -x)"),
        right.replace("abs(x)", "-x"),
        right,
        right.replace("abs(x)", "x"),
        right.replace("return abs(x)", "while True: x"),
        right.replace("return abs(x)", "import os; os.abort()"),
        right.replace("size(x)", "sized(x)"),
        "from numba import njit\n" + right,
    ]
    assert outcomes_of(repository, sources, COLLECTED) == [
        "survived",
        "survived",
        "killed tests/test_core.py::test_sign",
        "survived",
        "killed planted.py::planted.size",
        "timeout",
        "killed crash",
        "broken",
        "broken",
    ]


@pytest.mark.slow
def test_what_fails_without_a_mutant_is_no_kill(repository):
    wrong = DOCTEST + "    return -abs(x)\n"
    outcomes = outcomes_of(repository, [wrong, wrong.replace("-abs(x)", "-x")], COLLECTED)
    assert outcomes == ["tests/test_core.py::test_sign fails without a mutant"] * 2


@pytest.mark.slow
def test_a_changed_constant_of_a_compiled_function_is_noticed(repository):
    sources = [COMPILED, COMPILED, COMPILED.replace("STEP = 3", "STEP = 4"), COMPILED]
    kill = "killed planted.py::planted.size"
    assert outcomes_of(repository, sources) == ["survived", "survived", kill, "survived"]


def test_the_interval_is_clopper_and_pearsons():
    assert score_interval(0, 100) == (0.0, pytest.approx(0.0362167, abs=1e-6))
    assert score_interval(90, 100) == pytest.approx((0.8237774, 0.9509953), abs=1e-6)
    assert score_interval(7, 7)[1] == 1.0


def test_what_functions_keep_is_dropped_so_that_each_test_executes_them() -> None:
    from hierdp_core.noise import seeded

    seeded._key(0)
    assert seeded._key.cache_info().currsize > 0
    clear_caches(["hierdp_core.noise.seeded", "hierdp_core.not_imported"])
    assert seeded._key.cache_info().currsize == 0
