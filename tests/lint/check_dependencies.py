#!/usr/bin/env python3
# Checks the dependency rule (docs/design/README.md): a file includes only its own folder or folders
# to the left,
#     include/kauri -> base -> ordering -> symbolic -> numeric/ -> numeric/{cpu|cuda} -> src -> {src/c, src/picture} -> src/cli
#     -> {tests, bench, python, examples}
# The doors (src/cli, src/c, python/src) include nothing of numeric/, nor the internals of plans.
# Inside a folder of ROOMS it includes only the rooms that ROOMS allows. No folders include each other
# in a circle. Only some folders may name
# CUDA, BLAS and Eigen, and the library never prints, exits or reads the environment. On the host,
# the kernels of a CUDA device are chosen by select_kernels() and KernelSet alone.
# SPDX-License-Identifier: BSD-3-Clause
import re

import tree

# A file belongs to the first prefix that matches. Folders of equal rank may not include each other.
# Only users include eigen.hpp (with its parts in eigen/) and the C headers, except that src/c implements the latter.
EIGEN_HEADER = "include/kauri/eigen.hpp"
EIGEN_PARTS = "include/kauri/eigen/"
C_HEADERS = ("include/kauri/*.h", 6.5)
LAYERS = ((EIGEN_HEADER, 8.5), (EIGEN_PARTS, 8), ("include/kauri/", 0), ("base/", 1), ("ordering/", 2), ("symbolic/", 3), ("numeric/cpu/", 5), ("numeric/cuda/", 5), ("numeric/", 4),
          ("src/c/", 7), ("src/picture/", 7), ("src/cli/", 8), ("src/", 6), ("tests/", 9), ("bench/", 9), ("python/", 9), ("examples/", 9))
# Lists the rooms of a folder, each with the rooms that it may include beside itself. Files beside
# the rooms may include all of them, and no room includes these files.
ROOMS = {
    "include/kauri/": {
        "core": (),
        "device": ("core",),
        "solve": ("device", "core"),
        "extras": ("solve", "device", "core"),
    },
    "base/": {
        "common": (),
        "host": ("common",),
        "threads": ("host", "common"),
        "matrix": ("threads", "host", "common"),
        "progress": ("threads", "common"),
    },
    "ordering/": {
        "graph": (),
        "rcm": ("graph",),
        "minimum_degree": ("graph",),
        "amd": ("graph",),
        "leaf": ("amd", "graph"),
        "metis": ("graph",),
        "own_metis": (),
        "separation": ("graph",),
        "features": ("separation", "graph"),
        "parallel_amd": ("features", "amd", "graph"),
        "dissection": ("separation", "features", "leaf", "amd", "graph"),
    },
    "ordering/dissection/": {"flow": (), "multilevel": ()},
    "numeric/cpu/": {
        "runtime": (),
        "dense": (),
        "factor": ("dense", "runtime"),
        "solve": ("factor", "dense", "runtime"),
        "matrix": ("runtime",),
        "refine": ("matrix", "factor", "runtime"),
        "inverse": ("factor", "dense", "runtime"),
        "batch": ("factor", "runtime"),
    },
    "numeric/cuda/": {
        "runtime": (),
        "plan": ("runtime",),
        "factor": ("plan", "runtime"),
        "solve": ("factor", "plan", "runtime"),
        "matrix": ("plan", "runtime"),
        "refine": ("matrix", "factor", "plan", "runtime"),
        "inverse": ("factor", "plan", "runtime"),
        "extract": ("inverse", "solve", "factor", "plan", "runtime"),
        "batch": ("plan", "runtime"),
    },
    "symbolic/": {
        "common": (),
        "tree": ("common",),
        "host": ("tree", "common"),
        "device": ("tree", "common"),
        "layout": ("device", "tree", "common"),
        "launch": ("device", "tree", "common"),
        "plan": ("layout", "launch", "host", "device", "tree", "common"),
        "choose": ("plan", "layout", "device", "check", "common"),
        "check": ("plan", "layout", "launch", "device", "common"),
    },
    "src/": {
        "checks": (),
        "report": ("checks",),
        "generate": (),
        "io": ("checks",),
        "save": ("io", "checks"),
        "card": ("io",),
        "engine": ("report", "checks"),
        "facade": ("engine", "report", "checks"),
    },
    "src/io/": {
        "file": (),
        "text": ("file",),
        "packed": ("text", "file"),
        "matrix": ("file",),
        "market": ("matrix", "text", "file"),
        "boeing": ("matrix", "text", "file"),
        "numpy": ("packed", "matrix", "text", "file"),
        "content": ("market", "boeing", "numpy", "packed", "text", "file"),
    },
    "src/cli/": {
        "terminal": (),
        "options": (),
        "job": ("options", "terminal"),
        "report": ("job", "options", "terminal"),
        "commands": ("report", "job", "options", "terminal"),
    },
}
# The doors reach the numbers through the engine and the public classes alone, and facts of a plan through symbolic/plan/plan_facts.hpp.
DOORS = ("src/cli/", "src/c/", "python/src/")
CLOSED_TO_DOORS = ("numeric/", "symbolic/plan/internals.hpp")
INCLUDE_ROOTS = ("", "include/", "tests/")

STANDARD = set("""
algorithm any array atomic barrier bit bitset cassert cctype cerrno cfenv cfloat charconv chrono cinttypes climits clocale cmath codecvt compare
complex concepts condition_variable coroutine csetjmp csignal cstdarg cstddef cstdint cstdio cstdlib cstring ctime cuchar cwchar cwctype deque
exception execution filesystem format forward_list fstream functional future initializer_list iomanip ios iosfwd iostream istream iterator latch
limits list locale map memory memory_resource mutex new numbers numeric optional ostream queue random ranges ratio regex scoped_allocator
semaphore set shared_mutex source_location span sstream stack stdexcept stop_token streambuf string string_view strstream syncstream
system_error thread tuple type_traits typeindex typeinfo unordered_map unordered_set utility valarray variant vector version""".split())

C_STANDARD = {"stddef.h", "stdint.h"}

CUDA_HEADER = re.compile(r"^(cuda|cublas|cusolver|cusparse|cudss|curand|cufft|nvrtc|nccl|driver_types|device_launch|vector_types"
                         r"|cooperative_groups|mma\.h|cub/|thrust/|cuda/|cute/|cutlass/)")
# These headers are for ranges only; few files include NVTX.
NVTX_HEADER = re.compile(r"^(nvtx|nvToolsExt)")
NVTX_FILES = ("base/progress/phase_range.cpp", "tests/base/progress/range_recorder.cpp")
BLAS_HEADER = re.compile(r"^(cblas|lapacke|lapack|mkl|f77blas|openblas|blis|Accelerate)")
BLAS_NAME = re.compile(
    r"\b(cblas_\w+|LAPACKE_\w+|openblas_\w+|mkl_\w+|goto_set_num_threads"
    r"|[sd](gemm|gemv|ger|syrk|syr|symm|symv|trsm|trsv|trmm|trmv|potrf|potri|potrs|potf2|getrf|getrs|axpy|dot|scal|nrm2|copy|swap)_)\b")
NOISE = re.compile(r"(std::(cout|cerr|clog|abort|exit|quick_exit|terminate|getenv)\b|\b(printf|fprintf|puts|putchar|perror|abort|getenv|setenv)\s*\()")

# A choice of kernels reads one of these: an arithmetic, the scalar of a template, the compute capability of a device.
KERNEL_CHOICE = re.compile(r"\b(CudaCompute::\w+|is_same_v<T|cudaDevAttrComputeCapability\w+)")
KERNEL_CHOOSERS = tuple("numeric/cuda/" + name for name in ("select_kernels.cpp", "plan/kernel_set", "plan/launch_limit", "plan/roofline.hpp", "factor/tiled/"))

LIBRARY = ("include/kauri/", "base/", "src/", "ordering/", "symbolic/", "numeric/")


def under(path, *prefixes):
    return str(path).startswith(prefixes)


def is_c_header(path):
    return under(path, "include/kauri/") and path.suffix == ".h"


def layer(path):
    if is_c_header(path):
        return C_HEADERS
    return next(((prefix, rank) for prefix, rank in LAYERS if under(path, prefix)), None)


def resolve(name, path, root):
    """Returns the file of the project that #include "name" means in path, or None."""
    for base in (str(path.parent) + "/", *INCLUDE_ROOTS):
        if (root / (base + name)).is_file():
            return (root / (base + name)).resolve().relative_to(root)
    return None


def room(path, folder):
    """Returns the room of a file below the folder; None for a file beside the rooms."""
    rest = str(path)[len(folder):].split("/")
    return rest[0] if len(rest) > 1 else None


def fault_of_rooms(path, target):
    """Checks includes from room to room of one folder; folders that are a layer, as src/cli below
    src, are not rooms."""
    for folder, rooms in ROOMS.items():
        if not (under(path, folder) and under(target, folder)) or len(layer(path)[0]) > len(folder):
            continue
        here, there = room(path, folder), room(target, folder)
        for name, file in ((here, path), (there, target)):
            if name is not None and name not in rooms:
                return f"{file} is in {folder}{name}, which ROOMS does not have"
        if here is not None and there != here and there not in rooms[here]:
            return f"includes {target}: {folder}{here} may not see {folder}{there or '*'}"
    return None


def fault_of_own(path, target):
    """Checks includes inside the project: own folder, or to the left."""
    here, there = layer(path), layer(target)
    if is_c_header(path) and not is_c_header(target):
        return f"includes {target}: a header of C includes others of C"
    if there is None:
        return f"includes {target}, which belongs to no layer"
    if there[1] > here[1] or (there[1] == here[1] and there[0] != here[0]):
        return f"includes {target}: {here[0]} may not see {there[0]}"
    if under(path, *DOORS) and under(target, *CLOSED_TO_DOORS):
        return f"includes {target}, which is closed to doors; expected src/engine, src/checks, symbolic/plan/plan_facts.hpp or a public header"
    return fault_of_rooms(path, target)


def fault_of_foreign(path, name):
    """Checks includes from outside the project."""
    if CUDA_HEADER.match(name) and not under(path, "numeric/cuda/", "tests/numeric/cuda/", "bench/", "examples/cuda/"):
        return f"CUDA header <{name}> outside numeric/cuda"
    if NVTX_HEADER.match(name) and str(path) not in NVTX_FILES:
        return f"NVTX header <{name}> outside {NVTX_FILES[0]}"
    if BLAS_HEADER.match(name) and not under(path, "numeric/cpu/dense/", "numeric/cuda/", "bench/"):
        return f"BLAS or LAPACK header <{name}> outside numeric/cpu/dense and numeric/cuda"
    if is_c_header(path) and name not in C_STANDARD:
        return f"header of C includes <{name}>: only {', '.join(sorted(C_STANDARD))} and headers of C in kauri/ are allowed"
    if under(path, "include/kauri/") and not is_c_header(path) and name not in STANDARD and not (name.startswith("Eigen/") and under(path, EIGEN_HEADER, EIGEN_PARTS)):
        return f"public header includes <{name}>: only the standard library and kauri/ are allowed"
    return None


def chooses_no_kernels(path):
    """Returns True for the host's sources of numeric/cuda that read a KernelSet."""
    return under(path, "numeric/cuda/") and path.suffix in (".cpp", ".hpp") and not under(path, *KERNEL_CHOOSERS)


def faults_of(path, root):
    raw = (root / path).read_text(encoding="utf-8")
    code = tree.blanked(raw)
    for number, (line, plain) in enumerate(zip(raw.split("\n"), code.split("\n")), 1):
        fault = None
        if include := re.match(r'\s*#\s*include\s*([<"])([^>"]+)[>"]', line):
            target = resolve(include.group(2), path, root) if include.group(1) == '"' or include.group(2).startswith("kauri/") else None
            fault = fault_of_own(path, target) if target else fault_of_foreign(path, include.group(2))
            if not fault and under(path, "include/kauri/") and include.group(1) == '"' and not include.group(2).startswith("kauri/"):
                fault = f'public header includes "{include.group(2)}": write "kauri/..."'
        elif not under(path, "numeric/cpu/dense/", "numeric/cuda/", "bench/") and (name := BLAS_NAME.search(plain)):
            fault = f"BLAS or LAPACK name {name.group()} outside numeric/cpu/dense and numeric/cuda"
        elif under(path, *LIBRARY) and not under(path, "src/cli/") and (name := NOISE.search(plain)):
            fault = f"{name.group()}: the library never prints, exits or reads the environment"
        elif chooses_no_kernels(path) and (name := KERNEL_CHOICE.search(plain)):
            fault = f"{name.group()}: kernels are chosen in numeric/cuda/select_kernels.cpp; read the KernelSet"
        if fault:
            yield f"{path}:{number}: {fault}"


def includes_of(path, root):
    """Yields the line and the file of each include of a file of the project."""
    for number, line in enumerate((root / path).read_text(encoding="utf-8").split("\n"), 1):
        include = re.match(r'\s*#\s*include\s*[<"]([^>"]+)[>"]', line)
        if include and (target := resolve(include.group(1), path, root)):
            yield number, target


def reached(edges, start):
    """Returns the folders that `start` includes, directly or by way of others."""
    seen, open_ = set(), list(edges.get(start, ()))
    while open_:
        folder = open_.pop()
        if folder not in seen:
            seen.add(folder)
            open_.extend(edges.get(folder, ()))
    return seen


def faults_of_circles(sources, root):
    """Yields each include from one folder to another that includes the first, directly or by way of
    others. A folder counts without its subfolders."""
    edges, found = {}, []
    for path in sources:
        for number, target in includes_of(path, root):
            if target.parent != path.parent:
                edges.setdefault(path.parent, set()).add(target.parent)
                found.append((path, number, target))
    reach = {folder: reached(edges, folder) for folder in edges}
    for path, number, target in found:
        if path.parent in reach.get(target.parent, ()):
            yield (f"{path}:{number}: includes {target}: a circle of folders, since {target.parent} includes {path.parent}, "
                   "perhaps by way of others")


def main():
    root = tree.root_from_arguments("dependency rule")
    sources = [p for p in tree.files(root, tree.CPP) if layer(p)]
    faults = [fault for p in sources for fault in faults_of(p, root)]
    tree.finish("check_dependencies", len(sources), [*faults, *faults_of_circles(sources, root)])


if __name__ == "__main__":
    main()
