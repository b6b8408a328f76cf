"""How the documentation site is built; see "Documentation" in CONTRIBUTING.md.

The site needs no network: styles, scripts and fonts all come from `docs/_static` and the theme.
Formulas would need a copy of MathJax there too (its `tex-svg-full.js` is one file), named in
`mathjax_path`, since Sphinx otherwise links to a content delivery network.
"""

import sys
from pathlib import Path

import hierdp_core

sys.path.append(str(Path(__file__).parent / "_extensions"))

project = "HierDP"
author = copyright = "The HierDP authors"
version = release = hierdp_core.__version__
language = "en"

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.napoleon",
    "hierdp_site",
]
exclude_patterns = ["_build"]
myst_heading_anchors = 3

default_role = "code"  # our docstrings write `name` for code
add_module_names = False
maximum_signature_line_length = 88
toc_object_entries_show_parents = "hide"
autodoc_member_order = "bysource"
autodoc_preserve_defaults = True
autodoc_typehints_format = "short"
napoleon_numpy_docstring = False
napoleon_use_ivar = True
napoleon_attr_annotations = False  # the signature has them

html_theme = "pydata_sphinx_theme"
html_title = "HierDP"
html_favicon = "_static/icon.svg"
html_static_path = ["_static"]
html_css_files = ["hierdp.css"]
html_copy_source = False
html_show_sphinx = False
html_use_index = False
html_domain_indices = False
html_theme_options = {
    "logo": {"text": "HierDP", "image_light": "_static/icon.svg", "image_dark": "_static/icon.svg"},
    "navbar_align": "left",
    "navbar_end": ["theme-switcher"],
    "navbar_persistent": ["search-button"],
    "navigation_with_keys": False,
    "show_prev_next": False,
    "secondary_sidebar_items": ["page-toc"],
    "footer_start": ["copyright"],
    "footer_end": [],
    "pygments_light_style": "a11y-high-contrast-light",
    "pygments_dark_style": "a11y-high-contrast-dark",
}
html_sidebars = {
    "*": [],
    "mechanisms/index": [],
    "mechanisms/*": ["sidebar-nav-bs"],  # the pages of the mechanisms, beside each other
}
