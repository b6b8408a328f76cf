"""One release when this is imported: a fork server does, and its processes are then at once ready.

Nothing else imports it.
"""

from pathlib import Path
from tempfile import TemporaryDirectory

import hierdp_core as hdp
from support.release_workers import release_once
from support.releases import new_ledger, small_table

with TemporaryDirectory() as _folder:
    _table = small_table()
    _plan = hdp.plan(_table, "tree-dp", epsilon="0.001")
    _package = Path(_folder) / "p.zip"
    release_once(new_ledger(Path(_folder)), _table, _plan, title="", package=_package)
