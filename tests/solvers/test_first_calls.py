"""Small programs are interpreted until compiling pays, with the same numbers."""

from types import SimpleNamespace

import numpy as np
import pytest
from support.tree_programs import FLOATS, WHOLE, random_program

from hierdp_core.solvers import first_calls, tree_arrays
from hierdp_core.solvers.tree_arrays import Program
from hierdp_core.solvers.tree_program import solve_tree_program


@pytest.mark.slow
def test_interpreted_and_compiled_give_the_same_numbers(monkeypatch):
    for seed in range(150):
        tree, targets, weights, total = random_program(
            seed, WHOLE + FLOATS, most_nodes=40, largest=30
        )
        values = []
        for compiled in (True, False):
            monkeypatch.setattr(tree_arrays, "use_compiled", lambda *_, given=compiled: given)
            values.append(solve_tree_program(tree, targets, weights, total=total))
            if tree.n_levels > 1:
                program = Program.of(tree, targets, weights)
                assert program.compiled == compiled
                values[-1] = values[-1], program.prices(total or None).price.tobytes()
        assert np.array_equal(values[0][0], values[1][0]), seed
        assert tree.n_levels == 1 or values[0][1] == values[1][1], seed


@pytest.fixture
def kernel(tmp_path, monkeypatch):
    monkeypatch.setattr(first_calls, "_spent", [0.0])
    code = SimpleNamespace(co_filename="/somewhere/module.py")
    function = SimpleNamespace(__name__="solve", __code__=code)
    return SimpleNamespace(
        signatures=[], stats=SimpleNamespace(cache_path=str(tmp_path)), py_func=function
    )


def test_large_work_is_compiled_at_once(kernel):
    assert not first_calls.use_compiled(kernel, 0.1)
    assert first_calls.use_compiled(kernel, 10)


def test_much_small_work_is_compiled_in_the_end(kernel):
    for _ in range(100):
        first_calls.count_interpreted(0.1)
    assert first_calls.use_compiled(kernel, 0.1)


def test_what_is_compiled_already_is_used(kernel, tmp_path):
    (tmp_path / "module.solve-12.py311.nbi").touch()
    assert first_calls.use_compiled(kernel, 0.001)


def test_what_this_process_compiled_is_used(kernel):
    kernel.signatures.append("a signature")
    assert first_calls.use_compiled(kernel, 0.001)
    kernel.signatures.clear()
    assert not first_calls.use_compiled(kernel, 0.001)
