"""Bytes that others may have left: caches, and copies of our own values."""

import copy
import os
import pickle
import re
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support.pages import ROOT

import hierdp_core as hdp
from hierdp_core.hierarchy import Regions
from hierdp_core.tables import Counts
from hierdp_core.util import user_cache

COPIES = (lambda value: pickle.loads(pickle.dumps(value)), copy.deepcopy)


def table() -> Counts:
    parents: dict[str, str | None] = {"nation": None, "a": "nation", "b": "nation"}
    return Counts.from_leaves(
        Regions.from_parents(parents, levels=("nation", "state")), np.array([40, 2])
    )


def arrays_of(value: Any, seen: set[int]) -> list[np.ndarray[Any, Any]]:
    """All arrays in a value and in the values that it holds."""
    if id(value) in seen:
        return []
    seen.add(id(value))
    if isinstance(value, np.ndarray):
        return [value]
    if not type(value).__module__.startswith("hierdp_core") or not hasattr(value, "__dict__"):
        return []
    return [array for part in vars(value).values() for array in arrays_of(part, seen)]


@pytest.mark.parametrize("copied", COPIES)
def test_a_copy_cannot_be_written_to_and_gives_the_same_release(
    copied: Callable[[Any], Any],
) -> None:
    data = table()
    plan = hdp.plan(data, "tree-dp", epsilon=1)
    simulation = hdp.simulate(data, plan, seed=3)
    for value in (data, data.regions, data.tree, plan, simulation):
        arrays = arrays_of(copied(value), set())
        assert arrays
        assert not any(array.flags.writeable for array in arrays)
    again = hdp.simulate(*copied((data, plan)), seed=3)
    assert again.table.values.tolist() == simulation.table.values.tolist()


def test_nothing_of_ours_unpickles() -> None:
    code = [*Path(ROOT, "pages").rglob("*.py"), *Path(ROOT, "hierdp_core").rglob("*.py")]
    risky = re.compile(
        r"\b(?:pickle|marshal|shelve|joblib|dill|cloudpickle)\.|allow_pickle=True|read_pickle"
        r"|\byaml\.|(?<![\w.])(?:eval|exec)\(|import (?:pickle|marshal|shelve|joblib|dill)\b"
    )
    assert [p.name for p in code if risky.search(p.read_text(encoding="utf-8"))] == []


@pytest.fixture
def kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HIERDP_CACHE", str(tmp_path))
    user_cache.cached("numbers", "key", lambda: np.array([1, 2]))
    return tmp_path / "numbers.cache"


def read_again() -> list[int]:
    numbers: list[int] = user_cache.cached("numbers", "key", lambda: np.array([3])).tolist()
    return numbers


def test_a_cache_that_is_our_own_is_read(kept: Path) -> None:
    assert read_again() == [1, 2]


@pytest.mark.skipif(not hasattr(os, "getuid"), reason="files have no owner here")
def test_a_cache_of_another_user_is_not_read(kept: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(user_cache, "_ADMINISTRATOR", -1)
    owner = kept.stat().st_uid
    monkeypatch.setattr(os, "getuid", lambda: owner + 1)
    assert read_again() == [3]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes here")
def test_a_pipe_in_place_of_a_cache_holds_nothing_up(kept: Path) -> None:
    kept.unlink()
    os.mkfifo(kept)
    answers: list[list[int]] = []
    reading = threading.Thread(target=lambda: answers.append(read_again()), daemon=True)
    reading.start()
    reading.join(10)
    assert answers == [[3]]


def test_a_link_in_place_of_a_cache_is_replaced(kept: Path, tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    kept.rename(elsewhere)
    before = elsewhere.read_bytes()
    kept.symlink_to(elsewhere)
    assert read_again() == [3]
    assert not kept.is_symlink()
    assert elsewhere.read_bytes() == before
