# Runs the programs of examples/python, which check their own results.
# SPDX-License-Identifier: BSD-3-Clause
import pathlib
import subprocess
import sys

import pytest
from conftest import LIMIT_SECONDS

FOLDER = pathlib.Path(__file__).resolve().parents[2] / "examples" / "python"
EXAMPLES = ["elasticity", "gaussian_process", "heat", "pose_graph", "power_grid", "random_walker"]

pytestmark = pytest.mark.skipif(not FOLDER.exists(), reason="the examples are not beside these tests")


def test_all_are_named_here():
    assert sorted(path.stem for path in FOLDER.glob("*.py")) == EXAMPLES


@pytest.mark.parametrize("name", EXAMPLES)
def test_example(name):
    done = subprocess.run([sys.executable, "-W", "error::FutureWarning", str(FOLDER / f"{name}.py")], capture_output=True, text=True, timeout=LIMIT_SECONDS)
    assert done.returncode == 0 and done.stderr == "", done.stdout + done.stderr
    assert done.stdout.count("\n") >= 1
