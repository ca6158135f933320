# Configures Sphinx for the site; scripts/site stages the pages and runs it.
# SPDX-License-Identifier: BSD-3-Clause
import pathlib
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path.insert(0, str(HERE / "_ext"))

project = "kauri"
copyright = "the authors of kauri, BSD-3-Clause"
release = subprocess.run(["cmake", "-P", ROOT / "cmake" / "Version.cmake"], check=True, capture_output=True, text=True, timeout=300).stdout.strip()

extensions = [
    "sphinx.ext.autodoc",
    "sphinx.ext.napoleon",
    "breathe",
    "myst_nb",
    "sphinx_copybutton",
    "sphinx_design",
    "mathjax_local",
    "picture",
]
exclude_patterns = ["files"]  # linked files, such as examples
templates_path = []

myst_enable_extensions = ["colon_fence", "deflist", "dollarmath"]
myst_heading_anchors = 4
# Notebooks are stored without outputs, and building the site runs them. They find data/ above the
# folder in which they are staged.
nb_execution_mode = "auto"
nb_execution_raise_on_error = True
nb_execution_timeout = 300
nb_ipywidgets_js = {}  # otherwise a script from another host
myst_update_mathjax = False

breathe_projects = {"kauri": str(ROOT / "build" / "site" / "xml")}
breathe_default_project = "kauri"
breathe_default_members = ("members",)
breathe_show_include = False  # a page is of one header, and names it first
breathe_domain_by_extension = {"h": "c", "hpp": "cpp"}

# Signatures name these, and no page describes them: other libraries, and forward-declared types of
# kauri's internal folders.
nitpicky = True
nitpick_ignore_regex = [
    (r"c:identifier", r"size_t|u?int\d+_t"),
    (r"cpp:identifier", r"(std|Eigen|numeric|MatrixType|CholMatrixType)(::.*)?"),
    (r"py:class", r"(?!kauri\b).*"),  # docstrings describe types in words: array, sparse matrix
]

# Modules for PyTorch and JAX are documented without these libraries.
autodoc_mock_imports = ["torch", "jax"]
autodoc_member_order = "bysource"
autodoc_typehints = "none"
napoleon_numpy_docstring = True
napoleon_google_docstring = False
napoleon_use_param = False  # otherwise words such as `shape` lead to properties of that name
python_use_unqualified_type_names = True

copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True

html_theme = "furo"
html_title = f"kauri {release}"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_copy_source = False
html_show_sphinx = False
html_theme_options = {"navigation_with_keys": True}
pygments_style = "default"  # its comments have enough contrast
pygments_dark_style = "monokai"
