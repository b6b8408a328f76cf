"""A Dask cluster on the command line: the flag that names its scheduler."""

import argparse
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from hierdp_core.settings import Parser


def add_scheduler_flag(parser: Parser) -> None:
    """Add --scheduler, which sends the work to the workers of a cluster."""
    parser.add_argument(
        "--scheduler",
        metavar="ADDRESS",
        help="scheduler of a Dask cluster, such as tcp://127.0.0.1:8786",
    )


@contextmanager
def cluster_of(flags: argparse.Namespace) -> Iterator[Any]:
    """Yield a client of the cluster that the flags name, or None.

    Raises:
        ChoiceError: no scheduler answers at the address, or the workers have another version.
    """
    if flags.scheduler is None:
        yield None
        return
    from hierdp_core.scale.cluster import cluster_client

    with cluster_client(flags.scheduler) as client:
        print(f"hierdp: the cluster's dashboard is {client.dashboard_link}", file=sys.stderr)
        yield client
