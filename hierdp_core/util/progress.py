"""Progress of long computations: a bar for `True`, otherwise the caller's function."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from typing import Any

from hierdp_core.exceptions import ChoiceError
from hierdp_core.util.parallel import NamedProgress, Progress

# What public functions take: True for a bar, a function that is called, or nothing.
ProgressOption = Progress | bool | None
NamedProgressOption = NamedProgress | bool | None


@contextmanager
def reporting(progress: Callable[..., None] | bool | None, unit: str) -> Iterator[Any]:
    """Yield the function to call with (done, total) or (done, total, words), or None.

    A bar is a widget in a notebook and a line on standard error in a terminal. It closes at the
    end of the block, whether the work was completed, was cancelled or failed.

    Args:
        progress: True for a bar. A function is yielded as it is, and False as None.
        unit: what is counted, plural: "simulations".

    Raises:
        ChoiceError: a bar is asked for and tqdm is not installed.
    """
    if not isinstance(progress, bool):
        yield progress
        return
    if not progress:
        yield None
        return
    if find_spec("tqdm") is None:
        raise ChoiceError(
            'A progress bar needs the extra "notebook". Install it in the folder of the '
            'repository: pip install ".[notebook]". Or pass a function as progress.'
        )
    from tqdm.auto import tqdm

    with tqdm(unit=f" {unit}", dynamic_ncols=True) as bar:

        def report(done: int, total: int, words: str = "") -> None:
            # In a search the total is an estimate. In a sequence of steps, each has its own total.
            if total != bar.total:
                bar.total = total
            if words != bar.desc.removesuffix(": "):
                bar.set_description_str(words, refresh=False)
            bar.update(done - bar.n)

        yield report
