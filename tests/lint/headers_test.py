#!/usr/bin/env python3
# headers_test.py INCLUDE_DIR EIGEN_DIR|"" COMPILER...: tests what a user's compiler reports about
# the public headers.
# SPDX-License-Identifier: BSD-3-Clause
import concurrent.futures
import pathlib
import re
import shutil
import subprocess
import sys
import unittest

LIMIT_SECONDS = 1200  # for each wait
INCLUDE, EIGEN, COMPILERS = pathlib.Path(sys.argv[1]), sys.argv[2], []
for name in sys.argv[3:]:
    if shutil.which(name) and pathlib.Path(shutil.which(name)).resolve() not in [pathlib.Path(shutil.which(c)).resolve() for c in COMPILERS]:
        COMPILERS.append(name)
WARNINGS = ["-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Wsign-conversion", "-Wfloat-conversion", "-Wdouble-promotion", "-Wshadow",
            "-Wold-style-cast", "-Wcast-align", "-Wcast-qual", "-Wnon-virtual-dtor", "-Woverloaded-virtual", "-Wundef", "-Wformat=2",
            "-Wredundant-decls", "-Wextra-semi", "-Wfloat-equal", "-Werror"]  # fmt: skip
OF_GNU = ["-Wuseless-cast", "-Wduplicated-cond", "-Wlogical-op"]
OF_CLANG = ["-Wnewline-eof", "-Wunreachable-code", "-Wimplicit-fallthrough", "-Wshorten-64-to-32"]
CPP = sorted(str(p.relative_to(INCLUDE / "kauri")) for p in (INCLUDE / "kauri").rglob("*.hpp") if EIGEN or "eigen" not in (p.stem, p.parent.name))
C = ["kauri.h"]
STANDARD_ALONE = {"core/message.hpp", "core/roofline.hpp", "core/version.hpp"}  # they need nothing beyond older standards
# Users instantiate these templates, and compilers check most of a template only then.
INSTANCES = """
template class kauri::Factor<double>;
template class kauri::Factor<float>;
template class kauri::Result<void, kauri::Breakdown>;
template class kauri::Result<kauri::Index, kauri::Breakdown>;
template class kauri::SymmetricMatrix<float>;
kauri::Index solved(const kauri::SymmetricMatrix<double>& a, std::vector<double>& x) {
  kauri::Solver<double> solver;
  if (const kauri::Result<void, kauri::Breakdown> result = solver.compute(a.view()); !result) return result.error().column;
  x = solver.solve(x);
  kauri::MatrixView<double> view{x.data(), a.n(), 1, a.n()};
  solver.solve(view);
  return kauri::Result<kauri::Index, kauri::Breakdown>(1).value();
}
void with_options() {
  (void)kauri::load_plan("a", {.max_bytes = 5});
  (void)kauri::read_matrix("a", {.max_bytes = 5});
  kauri::Solver<float> solver({.threads = 1});
  (void)kauri::AnalyzeOptions{.workers = 1};
  (void)kauri::OrderingOptions{.seed = 1};
  (void)kauri::RefineOptions{.max_steps = 1};
  (void)kauri::MixedSolveOptions{.max_steps = 1};
  (void)kauri::MixedOptions{.shifts = 1};
  (void)kauri::CudaOptions{.device = 1};
}
kauri::SymmetricMatrix<float> taken(int n, const std::vector<long>& ptr, const std::vector<int>& index, const std::vector<float>& value) {
  kauri::CompressedView<float, int, long> a;
  a.n = n;
  a.ptr = ptr;
  a.index = index;
  a.value = value;
  return kauri::SymmetricMatrix<float>::from_compressed(a);
}
"""
INSTANCES_OF_EIGEN = """
using Columns = Eigen::SparseMatrix<double>;
using Rows = Eigen::SparseMatrix<float, Eigen::RowMajor, long>;
template class kauri::eigen::LLT<Columns>;
template class kauri::eigen::LLT<Rows>;
template class kauri::eigen::LLT<Rows, Eigen::Upper, Eigen::NaturalOrdering<long>>;
template <class Matrix>
auto solve_by(const Matrix& a) {
  using Scalar = typename Matrix::Scalar;
  using Dense = Eigen::Matrix<Scalar, Eigen::Dynamic, Eigen::Dynamic>;
  kauri::eigen::LLT<Matrix> solver(a);
  solver.setShift(Scalar(1)).setRefinement(true);
  const Dense b = Dense::Ones(a.rows(), 2);
  const Eigen::Matrix<Scalar, Eigen::Dynamic, 2, Eigen::RowMajor> by_rows = solver.solve(b);
  const Matrix sparse = solver.solve(a);
  const auto& l = solver.matrixL().nestedExpression();
  return Scalar(solver.solve(b + by_rows).sum() + sparse.sum() + l.sum() + solver.determinant() + solver.logDeterminant());
}
template auto solve_by(const Columns&);
template auto solve_by(const Rows&);
"""


def run(compiler, language, standard, source, *options, compiled=False):
    how = ["-O2", "-c", "-o", "/dev/null"] if compiled else ["-fsyntax-only"]
    command = [compiler, "-x", language, f"-std={standard}", *how, f"-I{INCLUDE}", *options, "-"]
    if EIGEN:
        command += ["-isystem", EIGEN]
    return subprocess.run(command, input=source, text=True, capture_output=True, timeout=LIMIT_SECONDS)


def is_clang(compiler):
    return "clang" in subprocess.run([compiler, "--version"], text=True, capture_output=True, timeout=LIMIT_SECONDS).stdout


class HeadersTest(unittest.TestCase):
    maxDiff = None

    def test_no_warning_in_a_users_build(self):
        self.assertTrue(COMPILERS)
        for compiler in COMPILERS:
            own = OF_CLANG if is_clang(compiler) else OF_GNU
            for language, standard, names in [("c++", "c++20", CPP), ("c", "c99", C), ("c++", "c++11", C)]:
                with self.subTest(compiler=compiler, language=language, standard=standard):
                    options = WARNINGS if language == "c++" else [w for w in WARNINGS if w not in
                                                                  ("-Wold-style-cast", "-Wnon-virtual-dtor", "-Woverloaded-virtual", "-Wextra-semi")]
                    done = run(compiler, language, standard, "".join(f'#include "kauri/{name}"\n' for name in names), *options,
                               *(own if language == "c++" else []))
                    self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_no_warning_in_a_users_instances(self):
        source = "".join(f'#include "kauri/{name}"\n' for name in CPP) + INSTANCES + (INSTANCES_OF_EIGEN if EIGEN else "")
        for compiler in COMPILERS:
            with self.subTest(compiler=compiler):
                own = OF_CLANG if is_clang(compiler) else OF_GNU
                done = run(compiler, "c++", "c++20", source, *WARNINGS, *own, compiled=True)
                self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_classes_say_what_one_moved_from_is(self):
        """Each class that declares its move constructor describes the moved-from object in the
        comment above it."""
        found = 0
        for path in sorted((INCLUDE / "kauri").rglob("*.hpp")):
            text = path.read_text(encoding="utf-8")
            for name in re.findall(r"^  (\w+)\(\1&&", text, re.MULTILINE):
                found += 1
                about = re.search(rf"((?:^///.*\n)+)(?:template .*\n)?^(?:class|struct) {name} ", text, re.MULTILINE)
                with self.subTest(header=path.name, name=name):
                    self.assertIn("moved from", " ".join(about.group(1).replace("///", "").split()))
        self.assertGreater(found, 10)

    def test_a_warning_is_found(self):
        source = "#include <vector>\ninline int at(const std::vector<int>& v, int i) { return v[i]; }\n"
        for compiler in COMPILERS:
            self.assertIn("sign-conversion", run(compiler, "c++", "c++20", source, *WARNINGS).stderr)

    def test_an_older_standard_is_told_first(self):
        for compiler in COMPILERS:
            for standard in ["c++11", "c++14", "c++17"]:
                every = standard == "c++17" and compiler == COMPILERS[0]
                names = [n for n in CPP if n not in STANDARD_ALONE] if every else ["kauri.hpp", "core/matrix.hpp"]
                stop = "-ferror-limit=1" if is_clang(compiler) else "-fmax-errors=1"
                with concurrent.futures.ThreadPoolExecutor(2) as pool:
                    done_of = pool.map(lambda name: run(compiler, "c++", standard, f'#include "kauri/{name}"\n', stop), names)
                    for name, done in zip(names, done_of):
                        with self.subTest(compiler=compiler, standard=standard, header=name):
                            self.assertNotEqual(done.returncode, 0)
                            first = next(line for line in done.stderr.splitlines() if "error:" in line)
                            self.assertRegex(first, r'types\.hpp:\d+:\d+: error: (#error )?"?kauri needs C\+\+20')


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
