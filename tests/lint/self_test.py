#!/usr/bin/env python3
# Tests that each check can fail: plants one fault at a time in a small sound tree and expects exit
# 1 and a line that names the file and the fault.
# SPDX-License-Identifier: BSD-3-Clause
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile

import check_dependencies
import check_python_imports
import check_sizes

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "bench"))
import plot_speed  # noqa: E402

LIMIT_SECONDS = 1200  # for each wait
HERE = pathlib.Path(__file__).resolve().parent
CHAPTER = "docs/design/01-planted.md"
HEAD = "// A planted file.\n// SPDX-License-Identifier: BSD-3-Clause\n"


def body(lines):
    return "".join("  x += 1;\n" for _ in range(lines))


def includes(name):
    return HEAD + f"#include {name}\n"


def measured(system, seconds, solver):
    words = {"system": system, "phase": "job", "seconds": seconds, "solver": solver, "ordering": "own", "machine": "one NVIDIA H200", "commit": "c"}
    return json.dumps(words) + "\n"


SOUND = measured("a", 1, "kauri") + measured("a", 2, "cudss")
MEASUREMENTS = "docs/measurements/planted.jsonl"
CPP, PYTHON, CHART = "```cpp\nint main() {}\n```\n", "```python\n>>> 1\n```\n", "![kauri](docs/pictures/speed.svg)\n"
README = f"""kauri is 2.0 times
as fast as cuDSS.
{CHART}./scripts/demo, pip install ., find_package(kauri CONFIG REQUIRED)
[here](examples/first_solve.cpp)
{CPP}{PYTHON}./scripts/test
"""

FUTURE = "from __future__ import annotations\n"
FILTERS = "bench/device/run"
DEVICE_TESTS = "tests/numeric/cuda/planted_test.cpp"

# Each case is: check, file, text (appended to an existing file; a pair replaces its first by its
# second text), expected text of the report.
PLANTED = (
    ("dependencies", "ordering/planted.cpp", includes('"symbolic/planted.hpp"'), "ordering/ may not see symbolic/"),
    ("dependencies", "base/planted.cpp", includes('"ordering/planted.hpp"'), "base/ may not see ordering/"),
    ("dependencies", "symbolic/planted.cpp", includes('"numeric/planted.hpp"'), "symbolic/ may not see numeric/"),
    ("dependencies", "numeric/cpu/planted.cpp", includes('"numeric/cuda/planted.hpp"'), "numeric/cpu/ may not see numeric/cuda/"),
    ("dependencies", "numeric/cuda/planted.cpp", includes('"numeric/cpu/planted.hpp"'), "numeric/cuda/ may not see numeric/cpu/"),
    ("dependencies", "numeric/planted.cpp", includes('"numeric/cpu/planted.hpp"'), "numeric/ may not see numeric/cpu/"),
    ("dependencies", "src/planted.cpp", includes('"src/cli/planted.hpp"'), "src/ may not see src/cli/"),
    ("dependencies", "src/planted.cpp", includes('"src/picture/planted.hpp"'), "src/ may not see src/picture/"),
    ("dependencies", "src/picture/planted.cpp", includes('"src/cli/planted.hpp"'), "src/picture/ may not see src/cli/"),
    ("dependencies", "src/picture/planted.cpp", HEAD + 'void f() { std::cout << "x"; }\n', "the library never prints"),
    ("dependencies", "numeric/cpu/planted.cpp", includes('"tests/planted.hpp"'), "numeric/cpu/ may not see tests/"),
    ("dependencies", "bench/planted.cpp", includes('"tests/planted.hpp"'), "bench/ may not see tests/"),
    ("dependencies", "include/kauri/planted2.hpp", includes('"base/planted.hpp"'), "include/kauri/ may not see base/"),
    ("dependencies", "include/kauri/planted2.hpp", includes("<Eigen/Core>"), "public header includes <Eigen/Core>"),
    ("dependencies", "include/kauri/planted2.hpp", includes('"kauri/eigen.hpp"'), "may not see include/kauri/eigen.hpp"),
    ("dependencies", "src/planted.cpp", includes('"kauri/eigen.hpp"'), "src/ may not see include/kauri/eigen.hpp"),
    ("dependencies", "include/kauri/planted2.hpp", includes('"kauri/eigen/planted.hpp"'), "may not see include/kauri/eigen/"),
    ("dependencies", "include/kauri/eigen.hpp", includes("<boost/any.hpp>"), "public header includes <boost/any.hpp>"),
    ("dependencies", "include/kauri/kauri.hpp", includes('"kauri/c/planted.h"'), "include/kauri/ may not see include/kauri/*.h"),
    ("dependencies", "src/planted.cpp", includes('"kauri/c/planted.h"'), "src/ may not see include/kauri/*.h"),
    ("dependencies", "src/planted.cpp", includes('"src/c/planted.hpp"'), "src/ may not see src/c/"),
    ("dependencies", "src/c/planted.cpp", includes('"src/cli/planted.hpp"'), "src/c/ may not see src/cli/"),
    ("dependencies", "include/kauri/kauri.h", includes('"kauri/planted.hpp"'), "a header of C includes others of C"),
    ("dependencies", "include/kauri/c/planted2.h", includes("<stdio.h>"), "header of C includes <stdio.h>"),
    ("dependencies", "include/kauri/planted2.hpp", includes("<tbb/task_arena.h>"), "public header includes <tbb/task_arena.h>"),
    ("dependencies", "include/kauri/planted2.hpp", includes('"planted.hpp"'), 'write "kauri/..."'),
    ("dependencies", "src/planted.cpp", includes("<cuda_runtime.h>"), "CUDA header <cuda_runtime.h>"),
    ("dependencies", "tests/numeric/planted.cpp", includes("<cuda_runtime_api.h>"), "CUDA header <cuda_runtime_api.h>"),
    ("dependencies", "numeric/cuda/planted.cpp", includes("<nvtx3/nvToolsExt.h>"), "NVTX header <nvtx3/nvToolsExt.h>"),
    ("dependencies", "numeric/cuda/factor/planted.cpp", HEAD + "bool f(CudaCompute c) { return c == CudaCompute::hopper; }\n",
     "kernels are chosen in numeric/cuda/select_kernels.cpp"),
    ("dependencies", "numeric/cuda/solve/planted.cpp", HEAD + "template <class T>\nbool f() {\n  return std::is_same_v<T, double>;\n}\n",
     "read the KernelSet"),
    ("dependencies", "numeric/cpu/factor/front.cpp", includes("<cblas.h>"), "BLAS or LAPACK header <cblas.h>"),
    ("dependencies", "numeric/cpu/factor/front.cpp", HEAD + "void f() { dpotrf_(); }\n", "BLAS or LAPACK name dpotrf_"),
    ("dependencies", "symbolic/planted.cpp", HEAD + 'void f() { std::cerr << "x"; }\n', "the library never prints"),
    ("dependencies", "ordering/planted.cpp", HEAD + "void f() { std::abort(); }\n", "the library never prints, exits"),
    ("dependencies", "bench/circle/b/planted.cpp", includes('"bench/circle/c/planted.hpp"'),
     "a circle of folders, since bench/circle/c includes bench/circle/b"),
    ("dependencies", "bench/circle/b/planted.cpp", includes('"bench/circle/planted.hpp"'),
     "a circle of folders, since bench/circle includes bench/circle/b"),
    *(("dependencies", f"{door}planted.cpp", includes(f'"{name}"'), "closed to doors") for door in check_dependencies.DOORS
      for name in ("numeric/planted.hpp", "symbolic/plan/internals.hpp")),
    ("sizes", "ordering/planted.cpp", HEAD + "x;\n" * 499, "501 lines, at most 500"),
    ("sizes", "bench/crowd/planted.txt", "x\n", "one of 21 files side by side in bench/crowd, at most 20"),
    ("sizes", "include/kauri/core/plan.hpp", HEAD + "x;\n" * 199, "201 lines, at most 200"),
    ("sizes", "numeric/planted_impl.hpp", HEAD + "x;\n" * 119, "121 lines, at most 120"),
    ("sizes", "include/kauri/planted.hpp", HEAD + "".join(f"struct [[nodiscard]] S{k} {{}};\nclass C{k} : S{k} {{}};\n" for k in range(31)),
     "C30 is one of 62 public structs and classes, at most 61"),
    ("sizes", "ordering/planted.cpp", HEAD + "void f(int x) {\n" + body(59) + "}\n", "function f has 61 lines"),
    ("sizes", "ordering/planted.cpp", HEAD + "namespace a {\nstruct S : B {\n  S() : B(1), y_{2} {\n" + body(60) + "  }\n};\n}\n", "function S has 62 lines"),
    ("sizes", "ordering/planted.cpp", HEAD + "void f(O o = {}, int x = 1) {\n" + body(60) + "}\n", "function f has 62 lines"),
    ("sizes", "ordering/planted.cpp", HEAD + "template <class T>\n  requires(sizeof(T) > 1)\nauto g(T x) -> T {\n" + body(60) + "}\n", "62 lines, at most 60"),
    ("sizes", "numeric/cuda/factor/planted.cu", HEAD + "__global__ void k(int x) {\n" + body(60) + "}\n", "function k has 62 lines, at most 60"),
    ("sizes", "ordering/planted.cpp", HEAD + "//" + "x" * 99 + "\n", "101 columns, at most 100"),
    *(("sizes", path, "#!/bin/bash\n" + ("#" * 141 + "\n") * (check_sizes.LONG_LINES[language] + 1),
       f"lines of {language} above 140 columns")
      for path, language in (("tests/planted.py", "Python"), ("cmake/planted.cmake", "CMake"), ("scripts/planted", "shell"))),
    ("spdx", "ordering/planted.cpp", "// A file.\nint x;\n", "no line 'SPDX"),
    ("spdx", "ordering/planted.cpp", "// A file that does this and that. SPDX-License-Identifier:\n// BSD-3-Clause\nint x;\n", "no line 'SPDX"),
    ("spdx", "ordering/planted.cpp", "// A file that does this. SPDX-License-Identifier: BSD-3-Clause\nint x;\n", "no line 'SPDX"),
    ("spdx", "scripts/planted", "#!/usr/bin/env bash\ntrue\n", "no line 'SPDX"),
    ("spdx", "packaging/spack/planted.yaml", "repo:\n", "no line 'SPDX"),
    ("spdx", "ordering/planted2.hpp", "// SPDX-License-Identifier: BSD-3-Clause\nint x;\n", "the first line is not a comment"),
    ("calls", "tests/planted.py", "import subprocess\nsubprocess.run(['a'], check=True)\n", "subprocess.run() without a timeout"),
    ("calls", "scripts/planted", "#!/usr/bin/env python3\nthread.join()\n", ".join() without a limit"),
    ("calls", "tests/planted.py", "import os\nos.wait4(pid, 0)\n", "os.wait4() has no limit"),
    ("calls", "tests/planted.py", "event.wait()\n", ".wait() without a limit"),
    ("calls", "tests/planted.py", "run('cmake', '-S', here, '-B', build)\n", "cmake without a generator"),
    ("calls", "scripts/planted", "#!/usr/bin/env bash\nquietly x.log cmake -S a \\\n  -B b\n", "cmake without a generator"),
    ("calls", "scripts/planted", "#!/usr/bin/env bash\nquietly x.log ctest --test-dir a --parallel 2\n", "ctest without --timeout"),
    ("calls", "tests/planted.cpp", HEAD + "void f() {\n  while (here < 2) std::this_thread::yield();\n}\n", "without a limit"),
    ("calls", "tests/planted.cpp", HEAD + "void f() {\n  mkfifo(path, 0600);\n}\n", "a named pipe without AtPipe"),
    ("calls", "tests/planted.cpp", HEAD + "void f() {\n  ::waitpid(child, &status, 0);\n}\n", "waitpid() without status_of_child()"),
    ("calls", "tests/planted.cpp", HEAD + "void f() {\n  start.arrive_and_wait();\n}\n", "arrive_and_wait() without a limit"),
    ("calls", "tests/planted.cpp", HEAD + "void f() {\n  alarm(120);\n}\n", "a limit of 120 s"),
    ("calls", "tests/planted.cpp", HEAD + "const auto end = now() + std::chrono::minutes(1);\n", "a limit of 60 s"),
    ("calls", "tests/planted.py", "subprocess.run(['a'], timeout=300)\n", "a limit of 300 s"),
    ("calls", "python/tests/planted.py", "thread.join(60)\n", "a limit of 60 s"),
    ("calls", "tests/planted.py", "LIMIT_SECONDS = 300\n", "a limit of 300 s"),
    ("calls", "tests/planted.py", "os.mkfifo(path)\n", "a named pipe without at_pipe()"),
    ("calls", "scripts/planted", "#!/usr/bin/env bash\nquietly x \"$tools/pip\" install auditwheel wheel\n", "without its version"),
    ("calls", "packaging/requirements.txt", "wheel>=0.40 --hash=sha256:" + 64 * "a" + "\n", "a tool without an exact version"),
    ("calls", "packaging/requirements.txt", "wheel==0.40\n", "a tool without the hashes"),
    ("calls", "packaging/managers.txt", "conan>=2\n", "a tool without an exact version"),
    ("names", "symbolic/planted.cpp", HEAD + "struct Contest {};\n", "Contest: say ordering selection"),
    *(("names", "symbolic/planted.cpp", HEAD + f"int {word} = 0;\n", f"{word}: say")
      for word in ("probe", "start_probe", "ProbeSeen", "bring_sums", "kBringers", "weigh", "weigh_levels", "kLook", "raise_tag", "hoped", "kMostHope",
                   "WideMemory", "enqueue_wide_sweeps", "Sorted")),
    *(("names", f"symbolic/{name}.hpp", HEAD, "in the name of a file: say")
      for name in ("planted_store", "outline", "raise", "planted_probe_kernels", "lodgings")),
    ("names", "symbolic/planted.cpp", HEAD + "namespace {\nclass Twin final : X {\n};\n}\n", "type of base/planted.hpp, ordering/"),
    ("names", "symbolic/planted.cpp", HEAD + "struct Outer<T>::Twin {\n};\n", "Twin is a type of base/planted.hpp"),
    ("names", "symbolic/planted.cpp", HEAD + "void f() {\n  struct alignas(32) Twin {\n  };\n}\n", "Twin is a type of base/planted.hpp"),
    ("names", "symbolic/planted.cpp", HEAD + "class A {\n  enum Twin : int { kA };\n};\n", "Twin is a type of base/planted.hpp"),
    ("names", "symbolic/planted.cpp", HEAD + "using Twin = std::pair<int, int>;\n", "Twin is a type of base/planted.hpp"),
    ("names", "docs/glossary.md", "| a | b | c | `Nothing` |\n", "Nothing is defined nowhere"),
    ("names", "docs/glossary.md", "| a | b | | `src/planted.hpp` |\n", "a row is word, literature, meaning and owner"),
    ("names", "docs/glossary.md", "| a | b | c | `src/planted.hpp` |\n" * 60, "61 rows, at most 60"),
    ("comments", "include/kauri/planted.hpp", HEAD + "/// Returns L, for\n/// tests.\nint x;\n", "a public header says \"for tests\""),
    ("comments", "include/kauri/planted.hpp", HEAD + "int x;  ///< kauri's own\n", "a public header says \"kauri's own\""),
    ("comments", "src/planted.cpp", HEAD + "\n/// Of those of T.\nint x;\n" * 40, "a comment without a subject: Of those"),
    ("comments", "src/planted.cpp", HEAD + "\n/// of those of T.\nint x;\n" * 21, "a comment without a subject: of those"),
    ("comments", "src/planted.cpp", HEAD + "int x;  ///< by vertex\n" * 21, "a comment without a subject: by vertex"),
    ("comments", "src/planted.cpp", HEAD + "int x;  // a number\n/// Of x.\nint y;\n" * 21, "a comment without a subject: Of x."),
    ("comments", "tests/planted.cpp", HEAD + "\n/// The same in T.\nint x;\n" * 101, "a comment without a subject: The same in T."),
    ("comments", "python/tests/planted.py", 'def f():\n    """Who needs it."""\n' * 101, "a comment without a subject: Who needs it."),
    ("comments", "tests/CMakeLists.txt", "# What is left.\nadd_test(x)\n" * 101, "a comment without a subject: What is left."),
    ("comments", "scripts/planted", "#!/bin/sh\n" + "# As it was.\ntrue\n" * 101, "a comment without a subject: As it was."),
    ("comments", "src/planted.cpp", HEAD + "// It returns those that fit.\n", "src/planted.cpp:3: \"those that\""),
    ("comments", "src/planted.cpp", HEAD + "int x;  ///< Set for those\n ///< that fit.\n", "src/planted.cpp:3: \"those that\""),
    ("comments", "scripts/planted", "#!/bin/sh\n# It lists what there\n# is not.\n", "scripts/planted:2: \"what there is not\""),
    ("comments", "python/planted.py", "# The caller is told of it.\n", "python/planted.py:1: \"is told of\""),
    ("comments", "docs/planted.md", "Whoever calls it waits.\n", "docs/planted.md:1: \"Whoever\""),
    ("python_imports", "python/kauri/_errors.py", "from ._factor import Factor\n", "_errors may not import _factor"),
    ("python_imports", "python/kauri/_core.pyi", "from ._errors import KauriError\n", "_core may not import _errors"),
    ("python_imports", "python/kauri/_arrays/planted.py", "def f():\n    from .._factor import other\n", "_arrays may not import _factor"),
    *(("python_types", "python/kauri/_compare/planted.py", FUTURE + text, f"has no annotation of {missing}") for text, missing in (
        ("def f(a: int, b) -> int:\n    return b\n", "b"), ("def _f():\n    pass\n", "its result"),
        ("async def f(*args, **kwargs) -> None:\n    pass\n", "args, kwargs"),
        ("class C:\n    def _f(self, a) -> None:\n        pass\n", "a"),
        ("class C:\n    @staticmethod\n    def f(ctx) -> None:\n        pass\n", "ctx"),
        ("class C:\n    if True:\n        def f(self):\n            pass\n", "its result"),
        ("class C:\n    def f(self) -> None:\n        def g(inner) -> None:\n            pass\n", "inner"))),
    ("python_types", "python/kauri/_compare/planted.py", "def f(a: int) -> None:\n    pass\n", "annotations are evaluated at run time"),
    ("python_imports", "python/kauri/_compare/planted.py", "if TYPE_CHECKING:\n    from .._names import x\n", "_compare may not import _names"),
    ("python_imports", "python/kauri/_factor/planted.py", "import kauri.cholmod\n", "_factor may not import cholmod"),
    ("python_imports", "python/kauri/_factor/planted.py", "import numpy, kauri\n", "imports kauri itself"),
    ("python_imports", "python/kauri/_factor/planted.py", "from .. import compare\n", "imports kauri itself"),
    ("python_imports", "python/kauri/_factor/planted.py", "from . import other\n", "a circle of imports: _factor.other -> _factor.planted -> _factor.other"),
    ("python_imports", "python/kauri/_factor/planted.py", "from .planted import x\n", "a circle of imports: _factor.planted -> _factor.planted"),
    ("python_imports", "python/kauri/_rest/planted.py", "from .. import _errors\n", "ROOMS does not have _rest"),
    ("device_calls", "include/kauri/planted2.hpp", HEAD + "void enqueue_it(int x,\n                StreamHandle stream);\n", "enqueue_it() is not among"),
    ("device_calls", "include/kauri/planted2.hpp", HEAD + "class A {\n public:\n  void f(const Factor<T>& x) const;\n};\n", "A::f() is not among"),
    ("docs", "docs/planted.md", "[here](nowhere.md)\n", "link to nowhere.md"),
    ("docs", "examples/first_solve.cpp", "int planted;\n", "not examples/first_solve.cpp word for word"),
    ("docs", "README.md", (">>> 1", ">>> 2"), "its Python is not on docs/site/index.md"),
    ("docs", "README.md", ("2.0 times\nas fast", "fast"), "no claim 'N times as fast as PEER'"),
    ("docs", "README.md", (CHART, "![kauri](docs/pictures/other.svg)\n"), "no chart docs/pictures/speed.svg"),
    ("docs", "README.md", (CHART, 40 * "\n" + CHART), "no chart docs/pictures/speed.svg"),
    ("docs", "README.md", (CPP, 35 * "\n" + CPP), "no whole C++ example"),
    ("docs", "README.md", ("./scripts/demo, ", ""), "no way to install, ./scripts/demo"),
    ("docs", "README.md", ("pip install", "pip"), "no way to install, pip install"),
    ("docs", "README.md", ("find_package(kauri", "find_package(it"), "no way to install, find_package(kauri"),
    ("docs", "README.md", ("./scripts/test", ""), "it does not name ./scripts/test"),
    ("docs", "README.md", 100 * "\n", "at most 110"),
    ("docs", "README.md", ("int main() {}\n", 13 * "int x;\n"), "an example in cpp of 13 lines, at most 12"),
    ("docs", "README.md", (">>> 1\n", 5 * ">>> 1\n"), "an example in python of 5 lines, at most 4"),
    ("docs", "CHANGELOG.md", ("Added.\n", 25 * "- Added.\n"), "its section 0.2.0 has 26 lines, at most 25"),
    ("docs", "CHANGELOG.md", "\n\n## Names changed before 0.1.0\n\nOld.\n",
     "section 'Names changed before 0.1.0' is not of a version"),
    ("docs", "CHANGELOG.md", 30 * "- Older.\n", "its section 0.1.0 has 32 lines, at most 25"),
    ("docs", "CHANGELOG.md", ("## 0.2.0\nAdded.\n\n## 0.1.0", "0.1.0"), "no section of a version"),
    ("docs", "CONTRIBUTING.md", "`tests/nowhere.py --all`\n", "it names tests/nowhere.py, which is not there"),
    ("chart", MEASUREMENTS, measured("b", 1, "kauri") + measured("b", 3, "cudss"), "docs/pictures/speed.svg:1: it is not what"),
    ("chart", "docs/pictures/speed.svg", "<!-- planted -->\n", "it is not what bench/plot_speed.py draws"),
    ("chart", "README.md", ("2.0 times", "2.1 times"), "its claim does not have '2.0 times'"),
    ("chart", "README.md", ("kauri is", 40 * "\n" + "kauri is"), "its claim does not have '2.0 times'"),
    ("chart", MEASUREMENTS, (', "commit": "c"', ""), "no key 'commit'"),
    ("chart", MEASUREMENTS, ('"seconds": 1', '"seconds": null'), "neither seconds nor a ratio"),
    ("chart", MEASUREMENTS, "no JSON\n", "no JSON"),
    ("device_filters", FILTERS, ("Some/*.IsGood", "Some/*.IsBad"), "no test of cuda_test matches Some/*.IsBad"),
    ("device_filters", FILTERS, ("Params.HaveNo*", "Params.HaveOne*"), "no test of cuda_test matches Each/Params.HaveOne*"),
    ("device_filters", FILTERS, ("cuda_test", "cuda_caller_test"), "no test of cuda_caller_test matches Some/*.IsGood"),
    ("device_filters", FILTERS, ("*Held*", "*Hold*"), "no test of any program matches *Hold*"),
    ("docs", CHAPTER, 200 * (99 * "x" + "\n"), "at most 16000: cut the chapter in two"),
    ("docs", "docs/design/02-planted.md", "# B\n\n## Purpose\n", "docs/design/02-planted.md: no section Picture"),
    ("docs", CHAPTER, "\n## Files\n\n`base/nowhere.hpp`\n", "its Files list base/nowhere.hpp, which is not there"),
    ("docs", CHAPTER, ("| `base/` | x |", "| `base/` | `nowhere.hpp` |"), "its Files list base/nowhere.hpp, which is not there"),
    ("docs", CHAPTER, "| `base/nowhere/` | x |\n", "its Files list base/nowhere/, which is not there"),
    ("docs", "base/room/planted.hpp", HEAD, "base/room/ is in the Files of no chapter"),
    ("docs", "docs/design/02-planted.md", "# B\n\n## Files\n\n| `base/` | twice |\n", "base/ is in the Files of 01-planted.md and 02-planted.md"),
    ("docs", "docs/planted.md", "[M2](measurements/planted.md#m2)\n", "docs/planted.md: cites M2 of measurements/planted.md"),
    ("docs", "docs/planted.md", "[M1](glossary.md#m1)\n", "docs/planted.md: cites M1 of glossary.md"),
    ("docs", "docs/measurements/planted2.md", "## M1\n", "M1 is in planted.md too"),
    ("docs", CHAPTER, 141 * "x" + "\n", "141 columns, at most 140"),
    ("docs", "docs/planted.md", 500 * (141 * "x" + "\n"), "500 lines above 140 columns outside tables"),
    ("docs", "docs/planted.md", "One H200, 3.0 ms.\n", "docs/planted.md:1: a figure of one card"),
    ("docs", "src/planted.cpp", HEAD + "/// A tile. On an H200 it\n/// takes 3.0 ms.\nint x;\n", "src/planted.cpp:1: a figure of one card"),
    ("docs", "numeric/cuda/planted.cu", HEAD + "int x;  ///< 9 tiles\n ///< at once on a GH200\n", "planted.cu:3: a figure of one card"),
    ("docs", "symbolic/planted.hpp", HEAD + "// It is slow (M99).\n", "symbolic/planted.hpp:1: cites M99"),
)

# The checks must accept these cases.
INNOCENT = (
    ("dependencies", "include/kauri/eigen.hpp", includes("<Eigen/SparseCore>") + '#include "kauri/planted.hpp"\n'),
    ("dependencies", "include/kauri/eigen.hpp", includes('"kauri/eigen/planted.hpp"')),
    ("dependencies", "include/kauri/eigen/planted.hpp", includes("<Eigen/SparseCore>") + '#include "kauri/planted.hpp"\n'),
    ("dependencies", "tests/planted.cpp", includes('"kauri/eigen.hpp"')),
    ("dependencies", "include/kauri/kauri.h", includes('"kauri/c/planted.h"') + "#include <stdint.h>\n"),
    ("dependencies", "src/c/planted.cpp", includes('"kauri/c/planted.h"') + '#include "src/planted.hpp"\n#include <stdio.h>\n'),
    ("dependencies", "tests/planted.c", includes("<kauri/kauri.h>") + "#include <stdio.h>\n"),
    ("dependencies", "symbolic/planted.cpp", HEAD + "// std::abort(), dpotrf_\n" + 'const char* s = "printf(";\nint n = snprintf(0, 0, "");\n'),
    ("dependencies", "numeric/cpu/dense/planted.cpp", HEAD + "#include <cblas.h>\nvoid f() { cblas_dgemm(); }\n"),
    ("dependencies", "tests/numeric/cuda/planted.cpp", HEAD + "#include <cuda_runtime_api.h>\n"),
    ("dependencies", "bench/circle/d/planted.cpp", includes('"bench/circle/c/planted.hpp"')),
    ("calls", "tests/planted.py", "run('cmake', '-G', 'Ninja', '-B', b)\n','.join(words)\nos.wait4(p, 0)  # ends: by a timer\nt.join(0.05)\nt.join(1200)\n"),
    ("comments", "src/planted.cpp", HEAD + "\n/// Of those of T.\nint x;\n" * 20),
    ("comments", "src/planted.cpp", HEAD + "int x;  ///< number of rows,\n        ///< of which none is empty\n" * 21),
    ("comments", "src/planted.cpp", HEAD + "int x;  // by vertex\n        // of A\n" * 21),
    ("comments", "tests/planted.cpp", HEAD + "\n/// Of those of T.\nint x;\n" * 100 + "/// Returns x.\n// Of x.\nint y;  // Of y.\n"),
    ("comments", "tests/fuzz/corpus/planted.sh", "# Of those.\n\n" * 200),
    ("comments", "tests/fuzz/corpus/planted.md", "Those that fit.\n"),
    ("comments", "src/planted.cpp", HEAD + "// Of those, that one fits.\n"),
    ("calls", "bench/planted.py", "subprocess.run(['a'], timeout=300)\n"),
    ("calls", "tests/planted.cpp", HEAD + "void f() {\n  sleep_for(std::chrono::seconds(2));\n  alarm(kLimitSeconds);\n}\n"),
    ("calls", "scripts/planted", "#!/usr/bin/env bash\n# cmake -S a -B b\ncmake -G Ninja -S a \\\n  -B b\ncmake --preset demo -B c\nctest --test-dir b --timeout 9\n"),
    ("calls", "scripts/planted2", "#!/usr/bin/env bash\n\"$tools/pip\" install \"${managers[@]}\" conan\n\"$tools/pip\" install pytest build/x.whl\n"),
    ("calls", "packaging/requirements.txt", "wheel==0.40 ; python_version < '3.11' \\\n    --hash=sha256:" + 64 * "a" + "\n"),
    ("calls", "packaging/managers.txt", "conan==2.1\n"),
    ("docs", "README.md", 90 * "\n"),
    ("docs", "CHANGELOG.md", ("Added.\n", 23 * "- Added.\n")),
    ("docs", "CHANGELOG.md", 23 * "- Older.\n"),
    ("docs", "CONTRIBUTING.md", "`src/planted.hpp`, `tests/ --all`, `build/nowhere`, `scripts/*`, `ordering/NAME`\n"),
    ("chart", MEASUREMENTS, measured("alone", 1, "kauri")),
    ("python_types", "python/kauri/_compare/planted.py",
     FUTURE + "class C:\n    def f(self, a: int, *, b: int = 0) -> None:\n        return lambda x: x\n"),
    ("python_types", "python/kauri/_compare/planted.py", FUTURE + "class C:\n    @classmethod\n    def f(cls) -> None:\n        pass\n"),
    ("python_imports", "python/kauri/_compare/planted.py", "import kauri_other\nfrom .._factor import other\nfrom kauri._errors import x\n"),
    ("python_imports", "python/kauri/__init__.py", "from ._factor import other\nfrom . import _errors\n"),
    ("names", "src/planted.cpp", HEAD + "// A contest of outlines.\nbool if_there = true;\nconst char* text = \"contest\";\n"),
    ("names", "symbolic/planted.cpp", HEAD + "// struct Twin {\nstruct Twin;\nenum class Twin : int;\nstruct Twin<double> {\n};\n"),
    ("names", "symbolic/planted.cpp", HEAD + "template <class Twin>\nstruct Other {};\n"),
    ("names", "symbolic/planted.cpp", HEAD + "using Twin = Outer<int>::Twin;\nconst struct Twin& f();\nclass Twins {};\n"),
    ("names", "numeric/planted.cpp", HEAD + "using T = float;\n"),
    ("names", "numeric/restored.cpp", HEAD + "int weight = edge_weight + outweighs + std::raise(signal) + lookup;\n"),
    ("names", "docs/glossary.md", "| a | b | c | `src/planted.hpp`, `planted_thing()` |\n"),
    ("docs", CHAPTER, "| " + 200 * "x" + " |\n" + 140 * "x" + "\n[M1](../measurements/planted.md#m1)\n"),
    ("docs", CHAPTER, ("| `base/` | x |", "| `base/` | `planted.hpp`, `f()`, `kauri::Index` |")),
    ("docs", "docs/planted.md", 141 * "x" + "\n"),
    ("docs", "docs/decisions/planted.md", "One H200, 3.0 ms.\n"),
    ("docs", "src/planted.cpp", HEAD + "// 3 do. An H200 does it. 5 do.\nint x = 3;  // an H100\nint y = 4;  // 5\n"),
    ("docs", "bench/planted.cpp", HEAD + "// On an H200 3.0 ms.\n"),
    ("device_filters", DEVICE_TESTS, "TEST(Held, Apart) {}\n"),
    ("device_calls", "include/kauri/planted2.hpp", HEAD + "class A {\n public:\n  A(Backend&&);\n  int n();\n\n private:\n  void f(Backend& backend);\n};\n"),
    ("calls", "tests/planted.cpp", HEAD + "void f() {\n  while (here < 2 && Clock::now() < end) std::this_thread::yield();\n}\n"),
    ("sizes", "ordering/planted.cpp", HEAD + "void f(int x) {\n" + body(58) + "}\n"),
    ("sizes", "include/kauri/planted.hpp", HEAD + "".join(f"struct S{k};\nstruct S<T{k}> {{\n  struct N {{}};\n}};\n" for k in range(70))),
    ("sizes", "ordering/planted.cpp", HEAD + "const int t[] = {\n" + "  1,\n" * 100 + "};\nnamespace a {\n" + "int f();\n" * 100 + "}\n"),
    ("sizes", "ordering/planted.cpp", HEAD + 'const char* t = R"(\n' + "x" * 120 + ')";\n'),
    ("sizes", "tests/planted.py", ("#" * 140 + "\n") * (check_sizes.LONG_LINES["Python"] + 1)),
    ("sizes", "tests/fuzz/corpus/crowd/planted.txt", "x\n"),
    ("sizes", "bench/crowd/room/planted.txt", "x\n"),
)


def run(check, root):
    done = subprocess.run([sys.executable, HERE / f"check_{check}.py", root], capture_output=True, text=True, check=False, timeout=LIMIT_SECONDS)
    return done.returncode, done.stdout + done.stderr


def replaced(text, old, new):
    if old not in text:
        sys.exit(f"self_test: {old!r} is not in {text!r}")
    return text.replace(old, new, 1)


def plant(root, name, text):
    """Writes the text; returns a function that undoes it."""
    path = root / name
    old = path.read_text(encoding="utf-8") if path.exists() else None
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text((old or "") + text if isinstance(text, str) else replaced(old, *text), encoding="utf-8")
    return path.unlink if old is None else lambda: path.write_text(old, encoding="utf-8")


def small_tree(root):
    """Writes a tree without faults: a header per folder, a readme with its example, a chapter that
    names all folders, a measurement."""
    described = ("src", "base", "ordering", "symbolic", "symbolic/plan", "numeric", "numeric/cpu", "numeric/cuda", "src/c", "src/picture", "src/cli")
    for folder in (*described, "tests", "include/kauri"):
        plant(root, f"{folder}/planted.hpp", HEAD)
    sections = "".join(f"## {section}\n\n" for section in ("Purpose", "Picture", "Data structures", "Steps", "Invariants", "Open", "Files"))
    plant(root, CHAPTER, "# A\n\n" + sections + "".join(f"| `{folder}/` | x |\n" for folder in described))
    plant(root, "docs/measurements/planted.md", "# Measurements\n\n## M1\n")
    plant(root, "include/kauri/c/planted.h", HEAD)
    plant(root, "include/kauri/eigen.hpp", HEAD)
    plant(root, "include/kauri/eigen/planted.hpp", HEAD)
    plant(root, "docs/glossary.md", "# Glossary\n\n| word | in the literature | meaning | owner |\n|---|---|---|---|\n| a | b | c | `src/planted.hpp` |\n")
    plant(root, "numeric/planted.hpp", "void planted_thing();\n")
    plant(root, "symbolic/plan/internals.hpp", HEAD)
    plant(root, "bench/circle/b/planted.hpp", HEAD)
    plant(root, "bench/circle/c/planted.hpp", includes('"bench/circle/planted.hpp"'))
    plant(root, "bench/circle/planted.hpp", includes('"bench/circle/b/planted.hpp"'))
    plant(root, "base/planted.hpp", "struct Twin {\n};\nusing T = double;\n")
    plant(root, "ordering/planted.hpp", "enum class Twin { first };\nusing T = int;\n")
    plant(root, "examples/first_solve.cpp", HEAD + "int main() {}\n")
    plant(root, "README.md", README)
    plant(root, FILTERS, "#!/usr/bin/env bash\n# Planted.\n# SPDX-License-Identifier: BSD-3-Clause\n"
          "sanitize() {\n  sanitize_tests $1 x cuda_test 'Some/*.IsGood' &\n"
          "  sanitize_tests $1 y cuda_test Each/Params.HaveNo*:Of.Held\n}\n"
          "cuda_test --gtest_filter='-*Held*'\n")
    plant(root, "tests/numeric/CMakeLists.txt", "# SPDX-License-Identifier: BSD-3-Clause\nkauri_test(cuda_test cuda/planted_test.cpp)\n")
    plant(root, DEVICE_TESTS, HEAD + "TYPED_TEST(Some, IsGood) {}\nTEST_P(Params, HaveNone) {}\n"
          "TEST_F(Of, Held) {}\nINSTANTIATE_TEST_SUITE_P(Each, Params, 3);\n")
    plant(root, "docs/site/index.md", PYTHON)
    plant(root, "CHANGELOG.md", "# Changes\n\n## 0.2.0\nAdded.\n\n## 0.1.0\nAll.\n")
    plant(root, "CONTRIBUTING.md", "`src/planted.hpp`\n")
    for name, text in (("__init__", ""), ("_errors", ""), ("_factor/__init__", ""),
                       ("_factor/other", FUTURE + "def f() -> None:\n    from .planted import x\n")):
        plant(root, f"python/kauri/{name}.py", "# A planted file.\n# SPDX-License-Identifier: BSD-3-Clause\n" + text)
    plant(root, "python/kauri/_core.pyi", "# A planted file.\n# SPDX-License-Identifier: BSD-3-Clause\n")
    for folder in ("bench/crowd", "tests/fuzz/corpus/crowd"):
        for number in range(check_sizes.FOLDER_FILES):
            plant(root, f"{folder}/{number:02}.txt", "x\n")
    plant(root, MEASUREMENTS, SOUND)
    plant(root, str(plot_speed.PICTURE), plot_speed.drawn(root))


def misjudged(root, check, name, text, expected):
    """Plants the text, runs the check and undoes it; returns the check's output if it is not as
    expected (None: no fault), else None."""
    undo = plant(root, name, text)
    code, report = run(check, root)
    undo()
    right = code == 0 if expected is None else code == 1 and expected in report and (check in ("docs", "chart") or f"{name}:" in report)
    return None if right else f"check_{check} with {str(text)[-60:]!r} planted in {name}: exit {code}, expected {expected!r}:\n{report}"


def misjudged_rooms(root):
    """Plants an include from each room to each other one, and to a file beside the rooms; yields
    each that is wrongly accepted or refused."""
    for folder, rooms in check_dependencies.ROOMS.items():
        for name in (*rooms, "unknown"):
            plant(root, f"{folder}{name}/target.hpp", HEAD)
        plant(root, f"{folder}target.hpp", HEAD)
        for here in (*rooms, None):
            for there in (*rooms, None, "unknown"):
                source, target = (f"{folder}{room}/" if room else folder for room in (here, there))
                path = pathlib.Path(f"{source}planted.cpp")
                undo = plant(root, str(path), includes(f'"{target.removeprefix("include/")}target.hpp"'))
                found = list(check_dependencies.faults_of(path, root))
                undo()
                allowed = there == here or there in (rooms if here is None else rooms[here])
                if bool(found) == allowed:
                    yield f"{path} that includes {target}target.hpp: {found or 'no fault'}"
        for name in (*rooms, "unknown"):
            shutil.rmtree(root / f"{folder}{name}")
        (root / f"{folder}target.hpp").unlink()


def circles():
    """Yields rooms that reach themselves through what ROOMS allows."""
    for folder, rooms in (*check_dependencies.ROOMS.items(), (check_python_imports.PACKAGE, check_python_imports.ROOMS)):
        for start in rooms:
            seen, open_ = set(), list(rooms[start])
            while open_:
                name = open_.pop()
                if name not in seen:
                    seen.add(name)
                    open_.extend(rooms[name])
            if start in seen:
                yield f"{folder}{start} may include itself by way of other rooms"


def main():
    cases = [*PLANTED, *((*case, None) for case in INNOCENT)]
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        small_tree(root)
        wrong = [report for case in cases if (report := misjudged(root, *case))]
        wrong += [*misjudged_rooms(root), *circles()]
    print("\n".join(wrong))
    print(f"self_test: {len(PLANTED)} planted faults and {len(INNOCENT)} innocent pieces, {len(wrong)} judged wrongly")
    sys.exit(1 if wrong else 0)


main()
