# Runs the notebooks of docs/ with their assertions; they are stored without outputs.
# SPDX-License-Identifier: BSD-3-Clause
import json
import pathlib

import pytest
from conftest import LIMIT_SECONDS

FOLDER = pathlib.Path(__file__).resolve().parents[2] / "docs" / "notebooks"
NOTEBOOKS = sorted(FOLDER.glob("*.ipynb"))


def test_there_are_notebooks():
    if not FOLDER.parent.exists():
        pytest.skip("docs/ is not beside these tests")
    assert [path.name for path in NOTEBOOKS] == ["fill.ipynb"]


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.name)
def test_kept_without_outputs(path):
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    code = [cell for cell in cells if cell["cell_type"] == "code"]
    assert code and all(cell["outputs"] == [] and cell["execution_count"] is None for cell in code)


def test_the_story_of_fill_holds():
    path = FOLDER / "fill.ipynb"
    if not path.exists() or not (FOLDER.parents[1] / "data" / "expected.json").exists():
        pytest.skip("docs/notebooks and data/ are not beside these tests")
    nbclient = pytest.importorskip("nbclient", reason="notebooks are executed by nbclient")
    pytest.importorskip("ipykernel", reason="notebooks are executed in IPython's kernel")
    pytest.importorskip("matplotlib", reason="the notebook draws")
    pytest.importorskip("pandas", reason="the notebook ends with a table of pandas")
    import nbformat

    notebook = nbformat.read(path, 4)
    nbformat.validate(notebook)
    nbclient.NotebookClient(notebook, timeout=LIMIT_SECONDS, kernel_name="python3", resources={"metadata": {"path": str(FOLDER)}}).execute()
    pictures = [o for cell in notebook.cells for o in cell.get("outputs", []) if "image/png" in o.get("data", {})]
    kinds = ("plot_spy(", "plot_tree(", "plot_fronts(", "plot_bars(")
    wanted = [cell for cell in notebook.cells if cell.cell_type == "code" and any(kind in cell.source for kind in kinds)]
    assert len(wanted) >= 8 and all(any("image/png" in o.get("data", {}) for o in cell.outputs) for cell in wanted)
    assert len(pictures) >= len(wanted)
