"""Settings of the site. `scripts/docs` builds it; every warning is an error."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE), str(HERE.parent)]

from _site import links, reference  # noqa: E402

import semildp  # noqa: E402

_BARS = re.compile(r"\|([^|`]+)\|")

project = "semildp"
author = "The semildp developers"
copyright = author
version = release = semildp.__version__

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon", "sphinx_copybutton"]
exclude_patterns = ["_site", "_build"]
nitpicky = False  # types of other packages have no page here; links of our own pages are checked all the same

myst_heading_anchors = 3
myst_enable_extensions = ["colon_fence"]

autodoc_default_options = {"member-order": "bysource"}
autodoc_typehints = "signature"
autodoc_typehints_format = "short"
autodoc_preserve_defaults = True
python_maximum_signature_line_length = 88
python_use_unqualified_type_names = True
napoleon_google_docstring = False
napoleon_use_rtype = False
napoleon_custom_sections = ["Formal guarantee", "Edge cases", "Reference"]
add_module_names = False
default_role = "code"  # `names` in docstrings
copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True

html_theme = "furo"
html_title = f"semildp {version}"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_show_sphinx = False
html_copy_source = False
html_theme_options = {
    "source_repository": links.source_address(),
    "source_branch": "main",
    "source_directory": "docs/",
    "light_css_variables": {"color-brand-primary": "#0b5d7a", "color-brand-content": "#0b5d7a"},
    "dark_css_variables": {"color-brand-primary": "#7cc7e0", "color-brand-content": "#7cc7e0"},
}


def _read(app: Any, name: str, source: list[str]) -> None:
    text = links.outward(source[0], name, links.source_address())
    source[0] = links.with_others(text, app.env.found_docs) if name == "index" else text


def _skip(app: Any, what: str, name: str, obj: Any, skip: bool, options: Any) -> bool | None:
    """Leave out what scikit-learn adds to every estimator: its own pages describe it."""
    foreign = (getattr(obj, "__module__", None) or "").startswith("sklearn")
    return True if foreign or (name.startswith("set_") and name.endswith("_request")) else None


def _plain(app: Any, what: str, name: str, obj: Any, options: Any, lines: list[str]) -> None:
    """Let |x| in a docstring be an absolute value, and nothing of reStructuredText's."""
    for place, line in enumerate(lines):
        if not line.lstrip().startswith((">>>", "...")):
            lines[place] = _BARS.sub(r"\|\1\|", line)


def setup(app: Any) -> None:
    """Write the reference's pages, and connect what reads ours."""
    reference.write(HERE / "api")
    app.connect("source-read", _read)
    app.connect("autodoc-skip-member", _skip)
    app.connect("autodoc-process-docstring", _plain)
