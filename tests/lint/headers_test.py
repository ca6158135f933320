#!/usr/bin/env python3
# headers_test.py INCLUDE_DIR EIGEN_DIR|"" COMPILER...: what a user's compiler says of the public headers.
# SPDX-License-Identifier: BSD-3-Clause
import concurrent.futures
import pathlib
import shutil
import subprocess
import sys
import unittest

LIMIT_SECONDS = 1200  # whatever is waited for
INCLUDE, EIGEN, COMPILERS = pathlib.Path(sys.argv[1]), sys.argv[2], []
for name in sys.argv[3:]:
    if shutil.which(name) and pathlib.Path(shutil.which(name)).resolve() not in [pathlib.Path(shutil.which(c)).resolve() for c in COMPILERS]:
        COMPILERS.append(name)
WARNINGS = ["-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Wsign-conversion", "-Wfloat-conversion", "-Wdouble-promotion", "-Wshadow",
            "-Wold-style-cast", "-Wcast-align", "-Wcast-qual", "-Wnon-virtual-dtor", "-Woverloaded-virtual", "-Wundef", "-Wformat=2",
            "-Wredundant-decls", "-Wextra-semi", "-Werror"]  # fmt: skip
OF_GNU = ["-Wuseless-cast", "-Wduplicated-cond", "-Wlogical-op"]
OF_CLANG = ["-Wnewline-eof", "-Wunreachable-code", "-Wimplicit-fallthrough", "-Wshorten-64-to-32"]
CPP = sorted(p.name for p in (INCLUDE / "kauri").glob("*.hpp") if EIGEN or p.name != "eigen.hpp")
C = ["kauri.h"]
STANDARD_ALONE = {"message.hpp", "roofline.hpp", "version.hpp"}  # nothing in them that an older standard has not


def run(compiler, language, standard, source, *options):
    command = [compiler, "-x", language, f"-std={standard}", "-fsyntax-only", f"-I{INCLUDE}", *options, "-"]
    if EIGEN:
        command += ["-isystem", EIGEN]
    return subprocess.run(command, input=source, text=True, capture_output=True, timeout=LIMIT_SECONDS)


def is_clang(compiler):
    return "clang" in subprocess.run([compiler, "--version"], text=True, capture_output=True, timeout=LIMIT_SECONDS).stdout


class HeadersTest(unittest.TestCase):
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

    def test_a_warning_is_found(self):
        source = "#include <vector>\ninline int at(const std::vector<int>& v, int i) { return v[i]; }\n"
        for compiler in COMPILERS:
            self.assertIn("sign-conversion", run(compiler, "c++", "c++20", source, *WARNINGS).stderr)

    def test_an_older_standard_is_told_first(self):
        for compiler in COMPILERS:
            for standard in ["c++11", "c++14", "c++17"]:
                every = standard == "c++17" and compiler == COMPILERS[0]
                names = [n for n in CPP if n not in STANDARD_ALONE] if every else ["kauri.hpp", "matrix.hpp"]
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
