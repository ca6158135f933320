# The version of the Python package: that of cmake/Version.cmake. scikit-build-core asks for it (pyproject.toml).
# SPDX-License-Identifier: BSD-3-Clause
import pathlib
import shutil
import subprocess

SCRIPT = pathlib.Path(__file__).resolve().parents[1] / "cmake" / "Version.cmake"


def dynamic_metadata(field, settings):
    if field != "version" or settings:
        raise RuntimeError(f"tells the version alone, and has no settings: {field}, {settings}")
    done = subprocess.run(["cmake", "-P", SCRIPT], capture_output=True, text=True, timeout=300)
    if done.returncode:
        raise RuntimeError(done.stderr)
    return done.stdout.strip()


def get_requires_for_dynamic_metadata(settings):
    """An sdist is made without CMake otherwise."""
    return [] if shutil.which("cmake") else ["cmake>=3.25"]
