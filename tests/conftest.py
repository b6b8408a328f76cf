"""What all tests share."""

import gc
import os
from collections.abc import Iterator

import pytest
from hypothesis import settings
from support.examples import examples

# A slow machine is not a failing one; continuous integration repeats itself exactly.
USUAL = settings(deadline=None, max_examples=examples(100))
settings.register_profile("here", USUAL)
settings.register_profile("ci", USUAL, derandomize=True, print_blob=True)
settings.load_profile("ci" if os.environ.get("CI") else "here")


def pytest_collection_finish() -> None:
    """Leave modules and tests out of garbage collections: Streamlit has one after every run."""
    gc.collect()
    gc.freeze()


@pytest.fixture(scope="session", autouse=True)
def own_cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """What is kept on disk is kept in a folder of this run, and made once in it."""
    folder = tmp_path_factory.getbasetemp()
    if (
        "PYTEST_XDIST_WORKER" in os.environ
    ):  # each worker has a folder of its own in that of the run
        folder = folder.parent
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("HIERDP_CACHE", str(folder / "cache"))
        yield
