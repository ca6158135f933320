# The Spack package of a checkout: spack install kauri@main dev_path=$PWD in its root (docs/packages.md)
# SPDX-License-Identifier: BSD-3-Clause
import pathlib

from spack.package import *

try:  # Spack 1.0 and newer
    from spack_repo.builtin.build_systems.cmake import CMakePackage
    from spack_repo.builtin.build_systems.cuda import CudaPackage
except ImportError:  # older versions had them in spack.package
    pass


class Kauri(CMakePackage, CudaPackage):
    """Sparse symmetric positive definite systems by direct factorisation, on CPUs and CUDA devices."""

    # The repository that contains this file, since there is no public address.
    git = pathlib.Path(__file__).resolve().parents[6].as_uri()

    license("BSD-3-Clause")

    version("main", branch="main")

    variant("shared", default=True, description="Build a shared library")
    variant("metis", default=True, description="Nested dissection by METIS")
    variant("program", default=True, description="Build the program kauri")

    depends_on("c", type="build")
    depends_on("cxx", type="build")
    depends_on("cmake@3.25:", type="build")
    depends_on("intel-tbb@2021.6:")
    depends_on("zlib-api")
    depends_on("metis@5: ~int64", when="+metis")
    depends_on("fmt@9:", when="+program")
    depends_on("nlohmann-json@3.11:", when="+program")
    depends_on("cli11@2.1:", when="+program")
    depends_on("cuda@12.4:", when="+cuda")

    conflicts("%gcc@:11", msg="kauri is written in C++20: GCC 12 or newer")
    conflicts("%clang@:13", msg="kauri is written in C++20: Clang 14 or newer")
    conflicts("+cuda cuda_arch=none", msg="name an architecture: cuda_arch=90")

    def cmake_args(self):
        arguments = [
            self.define_from_variant("BUILD_SHARED_LIBS", "shared"),
            self.define_from_variant("KAURI_METIS", "metis"),
            self.define_from_variant("KAURI_BUILD_PROGRAM", "program"),
            self.define_from_variant("KAURI_CUDA", "cuda"),
            self.define("KAURI_BUILD_TESTS", False),
            self.define("KAURI_BUILD_EXAMPLES", False),
            self.define("KAURI_WERROR", False),
        ]
        if self.spec.satisfies("+cuda"):
            arguments.append(self.define("CMAKE_CUDA_ARCHITECTURES", self.spec.variants["cuda_arch"].value))
            arguments.append(self.define("KAURI_NVCC", self.spec["cuda"].prefix.bin.nvcc))
        return arguments
