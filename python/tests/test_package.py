# Tests which files a wheel carries beside the package.
# SPDX-License-Identifier: BSD-3-Clause
import importlib.metadata

import pytest


def test_licences_of_what_is_compiled_in():
    try:
        files = importlib.metadata.distribution("kauri").files or ()
    except importlib.metadata.PackageNotFoundError:
        pytest.skip("kauri is not installed here: it was built beside the library")
    names = {path.name for path in files if ".dist-info" in str(path)}
    assert {"LICENSE", "METIS.txt", "nanobind.txt", "oneTBB.txt", "robin-map.txt"} <= names
