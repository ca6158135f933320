# The Conan package of the checkout that contains this file: conan create packaging/conan
# (docs/packages.md)
# SPDX-License-Identifier: BSD-3-Clause
import pathlib
import subprocess

from conan import ConanFile
from conan.errors import ConanException, ConanInvalidConfiguration
from conan.tools.build import check_min_cppstd, stdcpp_library
from conan.tools.cmake import CMake, CMakeDeps, CMakeToolchain, cmake_layout
from conan.tools.files import copy

required_conan_version = ">=2.4"

# A build reads these and neither data nor documents, so that a change there does not change the
# package.
SOURCES = ("CMakeLists.txt", "LICENSE", "SECURITY.md", "base/*", "cmake/*", "docs/kauri.1", "include/*", "numeric/*", "ordering/*", "packaging/licenses/*", "src/*",
           "symbolic/*")


class KauriConan(ConanFile):
    name = "kauri"
    description = "Sparse symmetric positive definite systems by direct factorisation, on CPUs and CUDA devices"
    license = "BSD-3-Clause"
    topics = ("sparse", "cholesky", "linear-algebra", "cuda")
    package_type = "library"
    settings = "os", "arch", "compiler", "build_type"
    options = {"shared": [True, False], "fPIC": [True, False], "metis": [True, False], "cuda": [True, False], "program": [True, False]}
    # CUDA is the system's. ConanCenter's METIS has 64-bit indices by default, kauri 32-bit ones.
    default_options = {"shared": False, "fPIC": True, "metis": True, "cuda": False, "program": False, "metis/*:with_64bit_types": False}
    implements = ["auto_shared_fpic"]

    @property
    def _root(self):
        return pathlib.Path(self.recipe_folder).resolve().parents[1]

    def set_version(self):
        script = self._root / "cmake" / "Version.cmake"
        if self.version:
            return
        done = subprocess.run(["cmake", "-P", str(script)], capture_output=True, text=True, timeout=300)
        if done.returncode:
            raise ConanException(f"no version: {done.stderr}")
        self.version = done.stdout.strip()

    def export_sources(self):
        for pattern in SOURCES:
            if not copy(self, pattern, src=str(self._root), dst=self.export_sources_folder):
                raise ConanException(f"{self._root} has no {pattern}: this recipe packs the checkout it lies in, and nothing that is downloaded")

    def requirements(self):
        self.requires("onetbb/[>=2021.6 <2023]")
        self.requires("zlib/[>=1.2.11 <2]")
        if self.options.metis:
            self.requires("metis/[>=5.1 <6]")
        if self.options.program:
            self.requires("fmt/[>=9 <13]")
            self.requires("nlohmann_json/[>=3.11 <4]")
            self.requires("cli11/[>=2.1 <3]")

    def validate(self):
        check_min_cppstd(self, 20)
        if self.settings.os != "Linux":
            raise ConanInvalidConfiguration("kauri is built and tested on Linux")

    def layout(self):
        cmake_layout(self)

    def generate(self):
        toolchain = CMakeToolchain(self)
        toolchain.cache_variables |= {
            "KAURI_VERSION_OVERRIDE": str(self.version),  # these sources are no longer a clone
            "KAURI_METIS": bool(self.options.metis),
            "KAURI_CUDA": "ON" if self.options.cuda else "OFF",
            "KAURI_BUILD_PROGRAM": bool(self.options.program),
            "KAURI_BUILD_TESTS": False,
            "KAURI_BUILD_EXAMPLES": False,
            "KAURI_WERROR": False,
        }
        toolchain.generate()
        CMakeDeps(self).generate()

    def build(self):
        cmake = CMake(self)
        cmake.configure()
        cmake.build()

    def package(self):
        CMake(self).install()
        package = pathlib.Path(self.package_folder)
        copy(self, "LICENSE", src=self.source_folder, dst=str(package / "licenses"))
        copy(self, "*", src=str(package / "share" / "doc" / "kauri" / "licenses"), dst=str(package / "licenses"))  # of compiled-in code

    def package_info(self):
        # CMake finds the files that kauri installs, which know CUDA's libraries too; the following
        # lines are for other build systems.
        self.cpp_info.set_property("cmake_find_mode", "none")
        self.cpp_info.builddirs = ["lib/cmake/kauri"]
        self.cpp_info.set_property("pkg_config_name", "kauri")
        self.cpp_info.libs = ["kauri"]
        if not self.options.shared:
            # CUDA's static runtime needs dl and rt; a C compiler needs the C++ library named.
            self.cpp_info.system_libs = ["dl", "m", "pthread", "rt"]
            if library := stdcpp_library(self):
                self.cpp_info.system_libs.append(library)
