# Each named option as a keyword, with the values that the tests of C, C++ and the program set too.
# SPDX-License-Identifier: BSD-3-Clause
import pathlib
import pickle

import numpy as np
import pytest
from conftest import poisson

import kauri
from kauri import _core

ROOT = pathlib.Path(__file__).resolve().parents[3]
FILE = ROOT / "tests" / "support" / "option_values.txt"
DEFAULTS = {option["name"]: option["initial"] for option in _core.options()}
# 0 threads of orderings stand for as many as the option threads, and 0 workers for the threads of the backend.
DERIVED = {"ordering.threads", "analyze.workers"}


def shared_values():
    """Returns (name, value) of the file that the tests of all interfaces share."""
    lines = FILE.read_text(encoding="utf-8").splitlines()
    values = [tuple(line.split()) for line in lines if not line.startswith("#")]
    return [(name, str(ROOT / text) if name == "card" else text) for name, text in values]  # an analysis reads the card


def keyword_value(text):
    """Returns a bool, int or float for a text that is one."""
    if text in ("true", "false"):
        return text == "true"
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            pass
    return text


def set_in(options):
    """Returns the options of an analysis that differ from the defaults of the library, by name."""
    symbolic = kauri.analyze(poisson(3), **options)._symbolic
    return {name: text for name, text in symbolic.options if text != DEFAULTS[name]}


def test_keywords_are_those_of_the_shared_table():
    names = [name for name, _ in shared_values()]
    assert names == list(DEFAULTS)
    assert list(kauri.option_names()) == [name.replace(".", "_") for name in names if name != "precision"]


@pytest.mark.parametrize("name, text", [pair for pair in shared_values() if pair[0] != "precision"])
def test_each_reaches_the_options(name, text):
    untouched = {"refine.max_steps": "0"}  # Python refines on request
    for value in (text, keyword_value(text)):
        found = set_in({name.replace(".", "_"): value})
        assert found.pop(name) == text
        assert {other: text for other, text in found.items() if other not in DERIVED} == (untouched if name != "refine.max_steps" else {})


def test_precision_is_a_function():
    with pytest.raises(kauri.UsageError, match="cholesky_mixed"):
        kauri.cholesky(poisson(3), precision="mixed")


def test_refusals_name_the_nearest():
    with pytest.raises(kauri.UsageError, match="option 'refine_maxsteps' is unknown; did you mean refine_max_steps?"):
        kauri.analyze(poisson(3), refine_maxsteps=1)
    with pytest.raises(kauri.UsageError, match="'bestt' was given, expected fast, standard or best; did you mean best?"):
        kauri.analyze(poisson(3), ordering_effort="bestt")


def test_a_factor_in_a_file(tmp_path):
    a, b = poisson(27), np.arange(729.0)
    folder = tmp_path / "disk"
    folder.mkdir()
    try:
        file = kauri.cholesky(a, backend="cpu", cpu_factor_file=str(folder))
    except kauri.InputError as error:
        if "tmpfs" in str(error):
            pytest.skip(str(error))
        raise
    memory = kauri.cholesky(a, backend="cpu")
    assert np.array_equal(file(b), memory(b))
    assert list(folder.iterdir()) == []
    saved = pickle.dumps(file)
    assert np.array_equal(pickle.loads(saved)(b), memory(b))
    folder.rmdir()
    assert np.array_equal(pickle.loads(saved)(b), memory(b))  # on a machine without that folder
    with pytest.raises(kauri.InputError, match="disk: No such file"):
        kauri.cholesky(a, backend="cpu", cpu_factor_file=str(folder))
