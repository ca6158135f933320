# Builds and runs the consumer of tests/install against the package.
# SPDX-License-Identifier: BSD-3-Clause
import io
import pathlib

from conan import ConanFile
from conan.errors import ConanException
from conan.tools.build import can_run
from conan.tools.cmake import CMake, CMakeDeps, CMakeToolchain, cmake_layout

ROOT = pathlib.Path(__file__).resolve().parents[3]


class KauriTest(ConanFile):
    settings = "os", "arch", "compiler", "build_type"

    def requirements(self):
        self.requires(self.tested_reference_str, run=True)

    def layout(self):
        cmake_layout(self, build_folder=str(ROOT / "build" / "packages" / "conan-test"))  # git ignores build/

    def generate(self):
        toolchain = CMakeToolchain(self)
        toolchain.user_presets_path = False
        numeric = str(self._kauri.ref.version).split(".dev")[0]
        toolchain.cache_variables |= {"WAY": "find_package", "EXPECTED_VERSION": numeric, "KAURI_SOURCE_DIR": str(ROOT)}
        if self._kauri.options.shared:  # it needs none of the libraries it was linked with
            toolchain.cache_variables |= {f"CMAKE_DISABLE_FIND_PACKAGE_{name}": True for name in ("METIS", "ZLIB")}
        toolchain.generate()
        CMakeDeps(self).generate()

    @property
    def _kauri(self):
        return self.dependencies["kauri"]

    def build(self):
        cmake = CMake(self)
        cmake.configure(build_script_folder=str(ROOT / "tests" / "install" / "consumer"))
        cmake.build(target="consumer")

    def test(self):
        if not can_run(self):
            return
        version, ordering = self._kauri.ref.version, "metis" if self._kauri.options.metis else "amd"
        self._says(f"{self.cpp.build.bindir}/consumer {ROOT}/data/airfoil.mtx.gz", f"kauri {version}: ok with {ordering},")
        if self._kauri.options.program:
            self._says("kauri --version", f"kauri {version} (")

    def _says(self, command, expected):
        said = io.StringIO()
        self.run(command, stdout=said, env="conanrun")
        self.output.info(said.getvalue().strip())
        if not said.getvalue().startswith(expected):
            raise ConanException(f"{command} said: {said.getvalue()}, expected: {expected}")
