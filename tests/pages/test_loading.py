"""What pages import while somebody waits for them."""

import subprocess
import sys

import pytest
from support.pages import ROOT

from hierdp_core.cli.serving import FIRST_PAGE_MODULES, OTHER_PAGES_MODULES

VISIT = """
import sys
from importlib import import_module
from support.pages import open_page
import app
for name in sys.argv[1:]:
    import_module(name)
open_page()
known = set(sys.modules)
for page in app.PAGES:
    open_page(page.script)
ours = "hierdp_core", "pages", "support"
new = {".".join(name.split(".")[:2]) for name in set(sys.modules) - known}
print(*sorted(name for name in new if name.split(".")[0] not in ours), sep="\\n")
"""


@pytest.mark.slow
def test_no_page_loads_a_large_library_after_the_app_has_loaded_the_rest() -> None:
    done = subprocess.run(
        [sys.executable, "-c", VISIT, *FIRST_PAGE_MODULES, *OTHER_PAGES_MODULES],
        cwd=ROOT,
        env={"PYTHONPATH": f"{ROOT}:{ROOT / 'tests'}", "PATH": ""},
        capture_output=True,
        text=True,
        check=True,
    )
    # Plotly loads the classes of a chart when one is made, in a few milliseconds.
    new = [name for name in done.stdout.split() if name != "plotly.graph_objs"]
    assert not [name for name in new if name.startswith(("scipy", "dp_accounting", "geopandas"))]
    assert len(new) < 10, new
