#!/usr/bin/env python3
# version_test.py [--version V --build FOLDER --program KAURI --generator NAME --make-program PATH]:
# tests cmake/Version.cmake in folders and repositories of many kinds, the files that repeat the
# version, and the products of a build that contain it. Projects here are built by the generator.
# SPDX-License-Identifier: BSD-3-Clause
import argparse
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

LIMIT_SECONDS = 1200  # a limit for tests that hang, not for slow ones
ROOT = pathlib.Path(__file__).resolve().parents[2]
WRITTEN = re.search(r"^set\(kauri_version_written (\S+)\)", (ROOT / "cmake/Version.cmake").read_text(encoding="utf-8"), re.MULTILINE)[1]
# The environment is free of the user's settings and of a repository named by a git hook.
CLEAN = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")} | {
    "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull,
    "GIT_AUTHOR_NAME": "a", "GIT_AUTHOR_EMAIL": "a@localhost", "GIT_COMMITTER_NAME": "a", "GIT_COMMITTER_EMAIL": "a@localhost"}


def run(*words, folder=None, environment=CLEAN):
    done = subprocess.run([str(word) for word in words], cwd=folder, env=environment, capture_output=True, text=True,
                          timeout=LIMIT_SECONDS)
    if done.returncode:
        raise AssertionError(f"{words} ended with {done.returncode}:\n{done.stdout}{done.stderr}")
    return done.stdout.strip()


def git(folder, *words):
    return run("git", "-c", "protocol.file.allow=always", *words, folder=folder)


def copy_of_sources(folder):
    """Copies the sources of kauri that know its version."""
    for name in ("cmake/Version.cmake", "python/package_version.py"):
        (folder / name).parent.mkdir(parents=True)
        shutil.copy(ROOT / name, folder / name)
    return folder


def commit(folder, count=1):
    for _ in range(count):
        git(folder, "commit", "-q", "--allow-empty", "-m", "more")


def repository(folder):
    folder.mkdir(parents=True, exist_ok=True)
    git(folder, "init", "-q", "-b", "main")
    git(folder, "add", "--all")
    commit(folder)
    return folder


def version(folder, form=None, environment=CLEAN, override=None):
    options = [f"-DFORM={form}"] if form else []
    options += [f"-DKAURI_VERSION_OVERRIDE={override}"] if override else []
    return run("cmake", *options, "-P", folder / "cmake" / "Version.cmake", environment=environment)


class InFolder(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = pathlib.Path(temporary.name).resolve()
        self.kauri = copy_of_sources(self.folder / "around" / "kauri")

    def hash(self, folder):
        return "g" + git(folder, "rev-parse", "--short=12", "HEAD")


class OwnRepositoryTest(InFolder):
    def setUp(self):
        super().setUp()
        repository(self.kauri)

    def test_no_tag(self):
        self.assertEqual([version(self.kauri, form) for form in (None, "numeric", "debian")], [WRITTEN] * 3)

    def test_tag(self):
        git(self.kauri, "tag", "v9.2.0")
        self.assertEqual([version(self.kauri, form) for form in (None, "numeric", "debian")], ["9.2.0"] * 3)

    def test_annotated_tag(self):
        git(self.kauri, "tag", "-a", "-m", "a release", "v9.2.0")
        self.assertEqual(version(self.kauri), "9.2.0")

    def test_commits_after_a_tag(self):
        git(self.kauri, "tag", "v9.2.9")
        commit(self.kauri, 5)
        said = [version(self.kauri, form) for form in (None, "numeric", "debian")]
        self.assertEqual(said, [f"9.2.10.dev5+{self.hash(self.kauri)}", "9.2.10", f"9.2.10~dev5+{self.hash(self.kauri)}"])

    def test_latest_tag(self):
        git(self.kauri, "tag", "v9.2.0")
        commit(self.kauri)
        git(self.kauri, "tag", "v9.10.0")
        self.assertEqual(version(self.kauri), "9.10.0")

    def test_tags_of_other_kinds(self):
        git(self.kauri, "tag", "v9.2.0")
        commit(self.kauri)
        for name in ("v9.3.0-rc1", "v9.3", "v9", "v9.3.0.1", "9.3.0", "w9.3.0", "vendor-9.3.0", "nightly", "v9.3.x"):
            git(self.kauri, "tag", name)
        self.assertEqual(version(self.kauri), f"9.2.1.dev1+{self.hash(self.kauri)}")

    def test_clones(self):
        git(self.kauri, "tag", "v9.2.0")
        commit(self.kauri)
        origin = f"file://{self.kauri}"
        git(self.folder, "clone", "-q", origin, "whole")
        self.assertEqual(version(self.folder / "whole"), f"9.2.1.dev1+{self.hash(self.kauri)}")
        git(self.folder, "clone", "-q", "--depth", "1", origin, "shallow")
        self.assertEqual(version(self.folder / "shallow"), WRITTEN)
        git(self.folder, "clone", "-q", "--depth", "1", "--branch", "v9.2.0", origin, "of_a_tag")
        self.assertEqual(version(self.folder / "of_a_tag"), "9.2.0")

    def test_work_tree_and_submodule(self):
        git(self.kauri, "tag", "v9.2.0")
        git(self.kauri, "worktree", "add", "-q", self.folder / "tree", "v9.2.0")
        self.assertEqual(version(self.folder / "tree"), "9.2.0")
        mine = repository(self.folder / "mine")
        git(mine, "tag", "v7.7.7")
        git(mine, "submodule", "--quiet", "add", f"file://{self.kauri}", "kauri")
        self.assertEqual(version(mine / "kauri"), "9.2.0")

    def test_without_git(self):
        git(self.kauri, "tag", "v9.2.0")
        (self.folder / "bin").mkdir()
        (self.folder / "bin" / "cmake").symlink_to(shutil.which("cmake"))
        self.assertEqual(version(self.kauri, environment=CLEAN | {"PATH": str(self.folder / "bin")}), WRITTEN)

    def test_python(self):
        git(self.kauri, "tag", "v9.2.0")
        commit(self.kauri)
        said = run(sys.executable, "-B", "-c", "import package_version as v; print(v.dynamic_metadata('version', {}))", folder=self.kauri / "python")
        self.assertEqual(said, version(self.kauri))
        self.assertNotEqual(said, WRITTEN)

    def test_cmake_runs_again(self):
        """A rebuild takes the version from the commit, without running CMake by hand."""
        (self.kauri / "CMakeLists.txt").write_text(
            "cmake_minimum_required(VERSION 3.25)\ninclude(cmake/Version.cmake)\nproject(kauri VERSION ${kauri_version_numeric} LANGUAGES NONE)\n"
            "file(WRITE ${PROJECT_BINARY_DIR}/said ${PROJECT_VERSION}/${kauri_version})\n", encoding="utf-8")
        build = self.folder / "build"
        make_program = [f"-DCMAKE_MAKE_PROGRAM={BUILD.make_program}"] if BUILD.make_program else []
        run("cmake", "-G", BUILD.generator, *make_program, "-S", self.kauri, "-B", build)
        self.assertEqual((build / "said").read_text(encoding="utf-8"), f"{WRITTEN}/{WRITTEN}")
        git(self.kauri, "tag", "v9.2.0")
        run("cmake", "--build", build)
        self.assertEqual((build / "said").read_text(encoding="utf-8"), "9.2.0/9.2.0")
        commit(self.kauri)
        run("cmake", "--build", build)
        self.assertEqual((build / "said").read_text(encoding="utf-8"), f"9.2.1/9.2.1.dev1+{self.hash(self.kauri)}")


class CopyTest(InFolder):
    def test_no_repository(self):
        self.assertEqual(version(self.kauri), WRITTEN)

    def test_inside_of_another_repository(self):
        around = repository(self.folder / "around")
        git(around, "tag", "v7.7.7")
        self.assertEqual(version(self.kauri), WRITTEN)
        # A hook of that repository builds kauri with these variables.
        self.assertEqual(version(self.kauri, environment=CLEAN | {"GIT_DIR": str(around / ".git"), "GIT_WORK_TREE": str(around)}), WRITTEN)
        # git skips this folder on its way up.
        (self.kauri / ".git").mkdir()
        self.assertEqual(version(self.kauri), WRITTEN)

    def test_submodule_torn_out(self):
        (self.kauri / ".git").write_text("gitdir: ../.git/modules/kauri\n", encoding="utf-8")
        self.assertEqual(version(self.kauri), WRITTEN)

    def test_sdist(self):
        text = "Metadata-Version: 2.1\nName: kauri\nVersion: 9.2.1.dev5+gabc\n\nVersion: is a word\nVersion: 1.0.0\n"
        (self.kauri / "PKG-INFO").write_text(text, encoding="utf-8")
        self.assertEqual([version(self.kauri, form) for form in (None, "numeric")], ["9.2.1.dev5+gabc", "9.2.1"])

    def test_override(self):
        self.assertEqual(version(self.kauri, override="9.2.0"), "9.2.0")
        self.assertEqual(version(self.kauri, "debian", override="9.2.1.dev5+gabc"), "9.2.1~dev5+gabc")
        for wrong in ("9.2", "v9.2.0", "9.2.0-rc1", "9.2.0.dev5", "head"):
            with self.assertRaisesRegex(AssertionError, "is no version of kauri"):
                version(self.kauri, override=wrong)
        with self.assertRaisesRegex(AssertionError, "no form"):
            version(self.kauri, "roman")


class OrderTest(unittest.TestCase):
    """The version of a commit after 9.2.0 lies between 9.2.0 and 9.2.1."""

    def test_python(self):
        try:
            from packaging.version import Version
        except ImportError:
            try:
                from pip._vendor.packaging.version import Version
            except ImportError:
                self.skipTest("neither packaging nor pip")
        self.assertTrue(Version("9.2.0") < Version("9.2.1.dev5+gabc") < Version("9.2.1"))

    @unittest.skipUnless(shutil.which("dpkg"), "no dpkg")
    def test_debian(self):
        run("dpkg", "--compare-versions", "9.2.0", "lt", "9.2.1~dev5+gabc")
        run("dpkg", "--compare-versions", "9.2.1~dev5+gabc", "lt", "9.2.1")


class TreeTest(unittest.TestCase):
    """The version written for builds without git is that of the release, in every file."""

    def test_of_this_commit(self):
        if not (ROOT / ".git").exists():
            self.skipTest("no clone")
        tags = run("git", "-c", f"safe.directory={ROOT}", "-C", ROOT, "tag", "--points-at", "HEAD").split()
        self.assertIn([tag for tag in tags if re.fullmatch(r"v\d+\.\d+\.\d+", tag)], ([], [f"v{WRITTEN}"]))

    def test_vcpkg(self):
        self.assertEqual(json.loads((ROOT / "packaging/vcpkg/ports/kauri/vcpkg.json").read_text(encoding="utf-8"))["version"], WRITTEN)

    def test_changelog(self):
        headings = re.findall(r"^## (\d+\.\d+\.\d+)", (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), re.MULTILINE)
        self.assertIn(WRITTEN, headings)


class BuildTest(unittest.TestCase):
    """A build reports what its configuration found."""

    def setUp(self):
        if not BUILD.build:
            self.skipTest("no --build")

    def text(self, name):
        path = pathlib.Path(BUILD.build) / name
        if not path.exists():
            self.skipTest(f"{name} is not made by this build")
        return path.read_text(encoding="utf-8")

    def test_program(self):
        if not BUILD.program:
            self.skipTest("no --program")
        self.assertTrue(run(BUILD.program, "--version").startswith(f"kauri {BUILD.version} ("))
        self.assertEqual(json.loads(run(BUILD.program, "info", "--json"))["build"]["version"], BUILD.version)

    def test_packages(self):
        numeric = BUILD.version.split(".dev")[0]
        self.assertIn(f"\nVersion: {numeric}\n", self.text("generated/kauri.pc"))
        self.assertIn(f'set(PACKAGE_VERSION "{numeric}")', self.text("generated/kauriConfigVersion.cmake"))
        self.assertIn(f'set(CPACK_PACKAGE_VERSION "{BUILD.version.replace(".dev", "~dev")}")', self.text("CPackConfig.cmake"))


parser = argparse.ArgumentParser(description="tests of the version")
for option in ("--version", "--build", "--program", "--make-program"):
    parser.add_argument(option)
parser.add_argument("--generator", default="Ninja")
BUILD, rest = parser.parse_known_args()
if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + rest)
