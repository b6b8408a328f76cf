"""Imports go down only, and the core knows no screen."""

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from support.syntax import nodes, parsed

ROOT = Path(__file__).parents[2]

# From the ground up. A module imports from lower floors, and from its own room.
FLOORS = (
    ("exceptions",),
    ("util",),
    ("hierarchy", "privacy"),
    ("maps", "noise", "solvers", "tables"),
    ("mechanisms", "readers", "samples"),
    ("simulation",),
    ("audits", "evaluation", "planning", "scale", "settings"),
    ("decisions", "explain"),
    ("figures", "lessons", "reproduce"),
    ("writers",),
    ("desktop", "display", "releases"),
    ("cli",),
)
FLOOR = {room: floor for floor, rooms in enumerate(FLOORS) for room in rooms}

CORE = sorted((ROOT / "hierdp_core").rglob("*.py"))
PAGES = sorted((ROOT / "pages").rglob("*.py"))
SHELL = [p for p in PAGES if p.parent.name == "shell"]
FOLDERS = [p for p in PAGES if p.parent.parent.name == "ui" and p.parent.name != "shell"]
# Which folder of a page knows which other; each line has its reason.
BESIDE = {
    "budget": {"compare"},  # opens Compare at the budget that was found
    "presentation": {"overview", "impact"},  # tells their findings as one story
}
ENTRANCES = {"__init__.py", "__main__.py"}
MODULES = [p for p in CORE if p.parent.name != "hierdp_core" or p.name not in ENTRANCES]


def imported(path: Path) -> Iterator[str]:
    """Every module that a file imports, wherever in it; type hints included."""
    for node in nodes(path.read_text(encoding="utf-8")):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


# Where a value calls into a room above it, by `util.late`, each with its reason.
LATE = {
    ("tables", "readers.frames"),  # Counts.from_frame and its like read a frame as a file
    ("maps", "readers.frames"),  # Boundaries.from_geodataframe likewise
    ("simulation", "evaluation.frames"),  # to_frame, to_geodataframe, to_parquet
    ("simulation", "display.charts"),  # values have their charts as `.chart`
    ("evaluation", "display.charts"),
    ("decisions", "display.charts"),
    ("util", "display.cards"),  # the text and the card of every value that is `Shown`
}


def late_calls(path: Path) -> Iterator[str]:
    """The rooms that a file names in calls of `late`."""
    for node in nodes(path.read_text(encoding="utf-8")):
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "late":
            yield ast.literal_eval(node.args[0])


def named_for_types(path: Path) -> set[str]:
    """The modules that a file imports for type checkers alone."""
    blocks = [
        node
        for node in nodes(path.read_text(encoding="utf-8"))
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"
    ]
    inner = (node for block in blocks for node in ast.walk(block))
    return {n.module for n in inner if isinstance(n, ast.ImportFrom) and n.module}


def room_of(module: str) -> str | None:
    """The room of hierdp_core that `module` is in; None for the package and the rest."""
    parts = module.split(".")
    return parts[1] if parts[0] == "hierdp_core" and len(parts) > 1 else None


def name_of(path: Path) -> str:
    return ".".join(path.relative_to(ROOT).with_suffix("").parts)


def test_the_walk_sees_imports_inside_functions(tmp_path: Path) -> None:
    source = tmp_path / "module.py"
    source.write_text("def f():\n    from hierdp_core.cli import main\n")
    assert "hierdp_core.cli" in set(imported(source))


def test_every_room_has_a_floor() -> None:
    assert {room_of(name_of(path)) for path in MODULES} <= FLOOR.keys()


def test_imports_go_down() -> None:
    upwards = [
        f"{name_of(path)} imports {module}"
        for path in MODULES
        for module in imported(path)
        if (room := room_of(module)) in FLOOR
        and room != (own := room_of(name_of(path)))
        and FLOOR[room] >= FLOOR[own]
        and not (room == "display" and any(map(module.startswith, named_for_types(path))))
    ]
    assert upwards == []


def test_values_reach_upwards_where_it_is_listed_and_nowhere_else() -> None:
    calls = {(room_of(name_of(path)), room) for path in MODULES for room in late_calls(path)}
    assert calls == LATE


def test_the_core_knows_no_screen() -> None:
    shown = []
    for path in CORE:
        strangers = {"app", "pages"}
        if path.name != "serving.py":  # it starts the app
            strangers |= {"streamlit"}
        if "figures" not in path.parts:
            strangers |= {"plotly"}
        met = strangers & {module.split(".")[0] for module in imported(path)}
        shown += [f"{name_of(path)} imports {module}" for module in sorted(met)]
    assert shown == []


def test_solvers_know_nothing_of_privacy() -> None:
    solvers = [path for path in CORE if "solvers" in path.parts]
    assert solvers
    informed = {
        name_of(path)
        for path in solvers
        if {room_of(module) for module in imported(path)} & {"privacy", "noise"}
    }
    assert informed == set()


# Modules that may ask which kind of table they have, each with its reason.
ASK_FOR_THE_KIND = {
    "hierdp_core.mechanisms.count_of_counts",  # takes group sizes only, and says so to the types
}
KIND_CLASSES = {"Counts", "Flows", "GroupSizes"}
KIND_NAMES = {"counts", "flows", "group-sizes"}


def asks_for_the_kind(tree: ast.AST) -> Iterator[int]:
    """The lines that test the class of a table, or compare its kind with a name."""
    classes = {f"{name}.kind" for name in KIND_CLASSES}
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and ast.unparse(node.func) in ("isinstance", "issubclass"):
            names = {n.id for n in ast.walk(node.args[-1]) if isinstance(n, ast.Name)}
            if names & KIND_CLASSES:
                yield node.lineno
        elif isinstance(node, ast.Compare):
            sides = {ast.unparse(side).replace("'", "") for side in (node.left, *node.comparators)}
            of_a_kind = any(side.endswith("kind") for side in sides)
            if sides & classes or (of_a_kind and sides & KIND_NAMES):
                yield node.lineno


PAGES = sorted((ROOT / "pages").rglob("*.py"))


def test_no_room_asks_which_kind_of_table_it_has() -> None:
    asking = {}
    for path in (*CORE, *PAGES):
        lines = list(asks_for_the_kind(parsed(path.read_text(encoding="utf-8"))))
        if lines and path.parent.name != "tables":
            asking[name_of(path)] = lines
    assert set(asking) == ASK_FOR_THE_KIND, f"ask the table what it is: {asking}"


@pytest.mark.parametrize(
    ("source", "asks"),
    [
        ("isinstance(table, Flows)", True),
        ("isinstance(table, Counts | GroupSizes)", True),
        ('domain.kind != "flows"', True),
        ("sample.kind == Flows.kind", True),
        ("table.kind == domain.kind", False),
        ("isinstance(table, Domain)", False),
    ],
)
def test_the_walk_sees_a_question_for_the_kind(source: str, asks: bool) -> None:
    assert bool(list(asks_for_the_kind(parsed(source)))) == asks


def folder_of(module: str) -> str | None:
    """The folder of `pages/ui` that `module` is in; None for the rest."""
    parts = module.split(".")
    return parts[2] if parts[:2] == ["pages", "ui"] and len(parts) > 2 else None


def test_the_kernel_knows_no_page() -> None:
    known = {folder_of(module) for path in SHELL for module in imported(path)}
    assert SHELL
    assert known <= {None, "shell", "ICON", "SIDEBAR"}


@pytest.mark.parametrize("path", FOLDERS, ids=name_of)
def test_a_page_knows_the_kernel_and_itself(path: Path) -> None:
    own = path.parent.name
    for module in imported(path):
        folder = folder_of(module)
        assert folder in {None, "shell", own, *BESIDE.get(own, ())}, f"{own} imports {module}"


def test_a_script_knows_one_folder_and_the_kernel() -> None:
    for path in PAGES:
        if path.name.endswith("_page.py"):
            own = path.name.removesuffix("_page.py")
            folders = {folder_of(module) for module in imported(path)}
            assert folders <= {None, "shell", own}, path.name


def test_using_the_library_does_not_load_the_app() -> None:
    use = (
        "import sys, hierdp_core as hdp\n"
        "for name in hdp.__all__: getattr(hdp, name)\n"
        "assert 'streamlit' not in sys.modules and 'plotly' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", use], check=True)


def test_checking_a_file_loads_no_mechanisms(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("county,population\nA,12\nB,7\nC,9\n")
    use = (
        "import sys\n"
        "from hierdp_core.cli import main\n"
        f"code = main(['check', {str(tmp_path / 't.csv')!r}])\n"
        "heavy = {'numba', 'pandas', 'hierdp_core.mechanisms.base'} & {*sys.modules}\n"
        "assert (code, heavy) == (0, set()), (code, heavy)"
    )
    subprocess.run([sys.executable, "-c", use], check=True)


def test_no_public_name_is_also_the_name_of_another_room() -> None:
    import hierdp_core as hdp

    rooms = {path.relative_to(ROOT / "hierdp_core").parts[0].removesuffix(".py") for path in CORE}
    assert rooms & {*hdp.__all__} == {"decisions", "mechanisms", "privacy", "samples"}


def test_every_public_name_is_there_and_no_other() -> None:
    import hierdp_core as hdp

    assert dir(hdp) == sorted(hdp.__all__)
    assert all(hasattr(hdp, name) for name in hdp.__all__)
    with pytest.raises(AttributeError, match="no_such_name"):
        _ = hdp.no_such_name


def reported_elsewhere(source: str) -> list[str]:
    """Widgets of Streamlit with a function for changes, whose key the session may replace."""
    return [
        ast.unparse(call.func)
        for call in nodes(source)
        if isinstance(call, ast.Call) and ast.unparse(call.func).startswith("st.")
        for words in [{k.arg: ast.unparse(k.value) for k in call.keywords}]
        if "on_change" in words and not words["on_change"].startswith("'")
        if not words.get("key", "").startswith("session.identity(")
    ]


@pytest.mark.parametrize(
    ("source", "found"),
    [
        ("st.tabs(names, key=Key.TAB, on_change=open_tab)", ["st.tabs"]),
        ("st.tabs(names, key=session.identity(Key.TAB), on_change=open_tab)", []),
        ("st.expander(name, key=Key.TABLES, on_change='rerun')", []),
    ],
)
def test_the_walk_sees_widgets_whose_key_the_session_may_replace(
    source: str, found: list[str]
) -> None:
    assert reported_elsewhere(source) == found


def test_a_changed_widget_is_found_in_the_session() -> None:
    found = {
        str(path.relative_to(ROOT)): calls
        for path in PAGES
        if (calls := reported_elsewhere(path.read_text(encoding="utf-8")))
    }
    assert not found
