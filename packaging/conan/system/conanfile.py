# The system's libraries under the names of ConanCenter's packages and of their CMake targets:
# scripts/packages tests the recipe with these if ConanCenter is not reachable.
# recipe with these where ConanCenter is not reached.   conan create packaging/conan/system --name onetbb --version 2021.8.0
# SPDX-License-Identifier: BSD-3-Clause
from conan import ConanFile

# package: CMake's package, target, library
TARGETS = {
    "onetbb": ("TBB", "TBB::tbb", "tbb"),
    "zlib": ("ZLIB", "ZLIB::ZLIB", "z"),
    "metis": ("metis", "metis::metis", "metis"),
    "fmt": ("fmt", "fmt::fmt", "fmt"),
    "nlohmann_json": ("nlohmann_json", "nlohmann_json::nlohmann_json", None),
    "cli11": ("CLI11", "CLI11::CLI11", None),
}


class SystemConan(ConanFile):
    package_type = "shared-library"
    options = {"with_64bit_types": [True, False]}
    default_options = {"with_64bit_types": True}

    def config_options(self):
        if self.name != "metis":
            del self.options.with_64bit_types

    def package_info(self):
        package, target, library = TARGETS[self.name]
        self.cpp_info.includedirs = self.cpp_info.libdirs = self.cpp_info.bindirs = []
        self.cpp_info.system_libs = [library] if library else []
        self.cpp_info.set_property("cmake_file_name", package)
        self.cpp_info.set_property("cmake_target_name", target)
        self.cpp_info.set_property("cmake_find_mode", "both")
