"""Processes that release until they are killed, or at the same time as others.

They come from a fork server that has everything loaded, so that a kill falls into a release and
not into imports.
"""

import multiprocessing
import os
import signal
import warnings
from multiprocessing import forkserver
from pathlib import Path
from unittest import mock

import hierdp_core as hdp
from hierdp_core.exceptions import ReleaseError
from hierdp_core.noise import ExactNoise
from hierdp_core.releases.ledger import Ledger
from support.releases import small_table

COST = "1/1000"


def server():
    """The context whose processes start at once."""
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["support.release_warm"])
    tests = Path(__file__).parents[1]
    found = os.pathsep.join([str(tests), str(tests.parent), os.environ.get("PYTHONPATH", "")])
    with mock.patch.dict(os.environ, PYTHONPATH=found):  # the server looks nowhere else
        forkserver.ensure_running()
    return context


def release_until_killed(path, folder, first, started):
    """Release one title after the other; what was interrupted is finished first."""
    table = small_table()
    plan = hdp.plan(table, "tree-dp", epsilon="0.001")
    ledger = Ledger(path)
    started.set()
    for k in range(first, first + 1000):
        package = folder / f"{k}.zip"
        if not package.exists():
            release_once(ledger, table, plan, title=str(k), package=package)


def release_once(ledger, table, plan, *, title, package):
    try:
        made = hdp.release(table, plan, ledger=ledger, dataset="pop", title=title)
    except ReleaseError as error:
        if "interrupted" not in str(error):
            raise
        made = hdp.release(table, plan, ledger=ledger, dataset="pop", title=title)
    made.write(package, margins=made.margins(n_simulations=10, workers=1), measurements=True)


def die_before_the_noise(path, started):
    """Be killed between the debit and the first draw."""
    ExactNoise.draw = lambda *_: os.kill(os.getpid(), signal.SIGKILL)
    table = small_table()
    plan = hdp.plan(table, "tree-dp", epsilon="0.001")
    started.set()
    hdp.release(table, plan, ledger=Ledger(path), dataset="pop", title="dies")


def spend_until_refused(path, tries, granted):
    """Try to release so often; count what was granted."""
    warnings.simplefilter("ignore")
    table = small_table()
    plan = hdp.plan(table, "tree-dp", epsilon="0.001")
    ledger = Ledger(path, wait=600)
    for k in range(tries):
        try:
            hdp.release(
                table, plan, ledger=ledger, dataset="pop", title=f"{os.getpid()}-{k}", workers=1
            )
        except ReleaseError as error:
            if "is left of the budget" not in str(error):
                raise
        else:
            with granted.get_lock():
                granted.value += 1


def release_parts_until_killed(path, folder, first, started):
    """The same with a table in parts, which lies beside the folder of the packages."""
    from hierdp_core.scale import PartitionedTable, plan_parts

    parts = PartitionedTable.open(folder.parent / "table")
    plan = plan_parts(parts, "tree-dp", budget=hdp.Budget.pure("0.001"))
    ledger = Ledger(path)
    started.set()
    for k in range(first, first + 1000):
        package = folder / str(k)
        if not package.exists():
            made = hdp.release(parts, plan, ledger=ledger, dataset="pop", title=str(k), workers=1)
            made.write(package, n_simulations=10, measurements=True, workers=1)


def die_after_one_part(path, folder):
    """Be killed before the second part of a table in parts is measured."""
    from hierdp_core.releases.parts import making
    from hierdp_core.scale import PartitionedTable, plan_parts

    measure = making.measure_part

    def dying(task, **how):
        if task[0] == 1:
            os.kill(os.getpid(), signal.SIGKILL)
        measure(task, **how)

    making.measure_part = dying
    parts = PartitionedTable.open(folder)
    plan = plan_parts(parts, "tree-dp", budget=hdp.Budget.pure("0.001"))
    hdp.release(parts, plan, ledger=Ledger(path), dataset="pop", workers=1)
