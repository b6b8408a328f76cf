"""The built documentation needs no network, and says what the package says.

Build it first: `sphinx-build -W -b html docs docs/_build`.
"""

import inspect
import re
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path

import pytest

import hierdp_core
from hierdp_core.exceptions import ReleaseError
from hierdp_core.mechanisms import MECHANISMS

pytestmark = pytest.mark.docs

ROOT = Path(__file__).parents[2]
SITE = ROOT / "docs" / "_build"
NO_RELEASE = "This version of HierDP makes demonstrations only."


class Loads(HTMLParser):
    """The addresses that a browser fetches by itself when it shows a page.

    All attributes count except those of links that a reader follows.
    """

    def __init__(self, html: str) -> None:
        super().__init__()
        self.addresses: list[str] = []
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag != "a":
            self.addresses += [
                value for name, value in attrs if value and not name.startswith("xmlns")
            ]


def elsewhere(text: str) -> bool:
    """Whether an attribute's value leads to another machine."""
    return bool(re.search(r"(^|[\s,(\"'])(https?:)?//\w", text))


def page(name: str) -> str:
    path = SITE / f"{name}.html"
    assert path.exists(), "build the site first: sphinx-build -W -b html docs docs/_build"
    return path.read_text("utf-8")


@pytest.mark.parametrize(
    ("html", "found"),
    [
        ('<script src="https://cdn.example/x.js"></script>', True),
        ('<link href="//fonts.example/css" rel="stylesheet">', True),
        ('<img srcset="a.png 1x, https://example.org/b.png 2x">', True),
        ('<div style="background: url(https://example.org/b.png)">', True),
        ('<script src="_static/x.js?v=1"></script><img src="../a.png">', False),
        ('<a href="https://example.org">a link to follow</a>', False),
    ],
)
def test_the_check_sees_addresses_elsewhere(html: str, found: bool) -> None:
    assert any(map(elsewhere, Loads(html).addresses)) == found


def test_no_page_loads_anything_from_elsewhere() -> None:
    page("index")
    pages = sorted(SITE.rglob("*.html"))
    assert len(pages) >= 6
    for path in pages:
        found = Loads(path.read_text("utf-8")).addresses
        assert not list(filter(elsewhere, found)), path


def test_no_style_loads_anything_from_elsewhere() -> None:
    page("index")
    styles = sorted(SITE.rglob("*.css"))
    assert SITE / "_static" / "hierdp.css" in styles
    for path in styles:
        text = path.read_text("utf-8")
        loads = re.findall(r"@import[^;]*|url\([^)]*\)", text)
        assert not [load for load in loads if elsewhere(load) and "data:" not in load], path


def test_every_file_that_a_page_loads_is_there() -> None:
    page("index")
    for path in SITE.rglob("*.html"):
        if "_static" in path.parts:
            continue
        for address in re.findall(
            r'<(?:script|link|img)\b[^>]*?(?:src|href)="([^"#?]+)', path.read_text("utf-8")
        ):
            assert (path.parent / address).exists(), f"{path}: {address}"


def test_every_mechanism_has_its_row() -> None:
    html = page("mechanisms/index")
    ids = re.findall(r"<td[^>]*><p>(?:<(?!code)[^>]*>)*<code[^>]*>(?:<span[^>]*>)?([\w-]+)", html)
    assert set(ids) == set(MECHANISMS)
    assert len(ids) == sum(len(mechanism.kinds) for mechanism in MECHANISMS.values())


@pytest.mark.parametrize("name", hierdp_core.__all__)
def test_every_public_name_is_in_the_reference(name: str) -> None:
    assert f'id="hierdp_core.{name}"' in page("reference") or (
        f'id="module-hierdp_core.{name}"' in page("reference")
    )


def imported_in_documents() -> set[str]:
    """Return what documents and notebooks import from modules of the package."""
    files = [ROOT / "README.md", *ROOT.glob("docs/**/*.md"), *ROOT.glob("notebooks/*.ipynb")]
    start = r"from (hierdp_core[\w.]*) import (\([^)]*\)|[\w, ]+)"
    return {
        f"{module}.{name}"
        for file in files
        if "_build" not in file.parts
        for module, names in re.findall(start, file.read_text("utf-8"))
        for name in re.findall(r"\w+", names)
    }


def test_every_name_that_documents_import_is_in_the_reference() -> None:
    html = page("reference")
    names = imported_in_documents()
    assert "hierdp_core.scale.simulate_parts" in names
    listed = {f"hierdp_core.{module}.{name}" for module in ("decisions", "mechanisms", "privacy")
              for name in getattr(hierdp_core, module).__all__}  # fmt: skip
    assert {name for name in names - listed if f'id="{name}"' not in html} == set()


def attributes_of(value: object) -> list[str]:
    """Return the names in the section "Attributes" of a docstring."""
    text = inspect.getdoc(value) or ""
    section = text.partition("\nAttributes:\n")[2].split("\n\n")[0]
    starts = re.findall(r"^    (\w[\w, ]*): ", section, re.MULTILINE)
    return [name for start in starts for name in start.split(", ")]


@pytest.mark.parametrize(
    "name", [n for n in hierdp_core.__all__ if inspect.isclass(getattr(hierdp_core, n))]
)
def test_every_attribute_has_its_name_in_the_reference(name: str) -> None:
    """A docstring with several attributes on a line would lose all names but the last."""
    html = page("reference").partition(f'id="hierdp_core.{name}"')[2]
    own = re.split(r'<dt class="[^"]*" id="hierdp_core\.(?!' + name + r"\b)", html)[0]
    listed = re.findall(r"<strong>(\w+)</strong>", own)
    assert set(attributes_of(getattr(hierdp_core, name))) <= set(listed)


def test_no_name_in_the_reference_is_taken_for_a_type() -> None:
    assert attributes_of(hierdp_core.Budget)[:3] == ["epsilon", "delta", "rho"]
    assert not re.findall(r"<strong>\w+</strong> \(<em>[^<]*,</em>", page("reference"))


def test_the_first_simulation_shows_what_it_prints() -> None:
    assert "(pure DP). Neighbouring datasets differ" in page("getting-started")


def test_the_commands_of_the_pages_run() -> None:
    """Those in blocks of `sh`; blocks of `console` hold commands that take long or need a file."""
    pages = "\n".join(path.read_text("utf-8") for path in (ROOT / "docs").rglob("*.md"))
    shown = "\n".join(re.findall(r"```sh\n(.*?)```", pages, re.DOTALL))
    commands = re.findall(r"^hierdp (.*)$", shown, re.MULTILINE)
    assert commands
    for command in commands:
        line = [sys.executable, "-m", "hierdp_core", *command.split()]
        subprocess.run(line, check=True, capture_output=True, cwd=ROOT)


def releases() -> bool:
    """Whether this version can release: `hdp.release` refuses before it looks at anything."""
    try:
        hierdp_core.release()
    except ReleaseError:
        return False
    except TypeError:  # it asks for what it releases
        return True
    return True


def test_the_privacy_page_knows_whether_releases_can_be_made() -> None:
    assert (NO_RELEASE in page("privacy")) != releases(), (
        "docs/privacy.md must say how to make a release, once there is a way without a seed"
    )
