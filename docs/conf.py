"""Settings of the documentation site; `make docs` builds it."""

import sys
from pathlib import Path

from mabench import __version__

sys.path.insert(0, str(Path(__file__).parent / "_ext"))

project = "mabench"
author = "The mabench developers"
project_copyright = author
version = release = __version__

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.napoleon",
    "sphinx_copybutton",
    "mabench_site",
]
exclude_patterns = ["_ext"]
nitpicky = True
# Types of other packages have no pages here, and nothing is fetched while the site is built.
nitpick_ignore_regex = [
    (r"py:.*", r"(?!mabench\b).*"),
    # The pages of fields describe what is stored in a run folder, and a plan.
    (r"py:.*", r"mabench\.(results|comparison\.planning\.plans|uncertainty\.score_intervals)\..*"),
    (r"py:.*", r"mabench\.stressing\.(operations|report)\..*"),
    # What no caller makes or reads.
    (r"py:.*", r"mabench\.(data\.(records|schema|problems)|lookup|json_text)\..*"),
    (r"py:.*", r"mabench\.(models\.(reading_model|request_gate)|specs\.model)\..*"),
    (r"py:.*", r"mabench\.data\.dataset\._?Row(Outline|Maker)"),
]

myst_heading_anchors = 4
myst_enable_extensions = ["colon_fence", "deflist"]
suppress_warnings = ["config.cache"]

autodoc_member_order = "bysource"
autodoc_typehints_format = "short"
autodoc_default_options = {"members": True, "exclude-members": "__new__, model_config"}
python_use_unqualified_type_names = True
python_maximum_signature_line_length = 80
napoleon_numpy_docstring = False
napoleon_use_ivar = False
napoleon_attr_annotations = False
napoleon_use_rtype = False

html_theme = "furo"
html_title = f"mabench {version}"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_search_scorer = str(Path(__file__).parent / "_ext/mabench_site/search.js")
html_copy_source = False
html_show_sphinx = False
copybutton_exclude = ".linenos, .gp, .go"
