#!/usr/bin/env python3
"""Checks the order of instructions that ptxas of each CUDA release chooses.

The PTX comes from this build's compiler, ptxas from PyPI's packages, and check_stage_order.py reads
the result. Prints a line for each release and kernel. PTX names the release that wrote it, and an
older ptxas refuses it for that number alone, so it is given the number of its own release.

    each_toolkit.py --nvcc NVCC --cuobjdump CUOBJDUMP [--folder FOLDER] [RELEASE ...]      releases as on PyPI; default: all of RELEASES
"""
# SPDX-License-Identifier: BSD-3-Clause
import argparse
import contextlib
import io
import pathlib
import re
import subprocess
import sys
import zipfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import check_stage_order  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parents[2]
SOURCES = {"front_kernels": "hopper/front_kernel.cu", "streamed_kernels": "streamed/kernel.cu"}  # below numeric/cuda/factor/tiled
# Maps a release of the compiler package to the newest PTX version that its ptxas reads.
RELEASES = {"12.4.131": "8.4", "12.5.82": "8.5", "12.6.85": "8.5", "12.8.93": "8.7", "12.9.86": "8.8",
            "13.0.88": "9.0", "13.1.115": "9.1", "13.2.86": "9.2"}  # fmt: skip
LIMIT_SECONDS = 1200


def run(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True, timeout=LIMIT_SECONDS).stdout


def ptx_of(nvcc, folder):
    """Returns the paths of the PTX of each source."""
    out = []
    for name, source in SOURCES.items():
        path = folder / f"{name}.ptx"
        run(nvcc, "-std=c++20", "-O3", "-DNDEBUG", "--expt-relaxed-constexpr", "-arch=compute_90a", "-ptx", "-I", str(ROOT), "-I", str(ROOT / "include"),
            "-o", str(path), str(ROOT / "numeric/cuda/factor/tiled" / source))  # fmt: skip
        out.append(path)
    return out


def ptxas_of(release, folder):
    package = "nvidia-cuda-nvcc-cu12" if release.startswith("12.") else "nvidia-cuda-nvcc"
    place = folder / release
    run(sys.executable, "-m", "pip", "download", "-q", "--no-deps", "-d", str(place), f"{package}=={release}")
    with zipfile.ZipFile(next(place.glob("*.whl"))) as wheel:
        member = next(name for name in wheel.namelist() if name.endswith("bin/ptxas"))
        ptxas = pathlib.Path(wheel.extract(member, place))
    ptxas.chmod(0o755)
    return ptxas


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--nvcc", default="nvcc")
    parser.add_argument("--cuobjdump", default="cuobjdump")
    parser.add_argument("--folder", type=pathlib.Path, default=ROOT / "build/toolkits")
    parser.add_argument("releases", nargs="*", default=list(RELEASES))
    arguments = parser.parse_args()
    arguments.folder.mkdir(parents=True, exist_ok=True)
    sources = ptx_of(arguments.nvcc, arguments.folder)
    wrong = 0
    for release in arguments.releases:
        ptxas = ptxas_of(release, arguments.folder)
        for ptx in sources:
            own = arguments.folder / release / ptx.name
            version = min(RELEASES[release], re.search(r"^\.version (\S+)", ptx.read_text(), re.M).group(1), key=float)
            own.write_text(re.sub(r"^\.version \S+", f".version {version}", ptx.read_text(), count=1, flags=re.M))
            run(str(ptxas), "-arch=sm_90a", "-O3", "-o", str(own.with_suffix(".cubin")), str(own))
            text = io.StringIO()
            with contextlib.redirect_stdout(text):
                kernels, bad = check_stage_order.check(f"ptxas {release}", run(arguments.cuobjdump, "-sass", str(own.with_suffix(".cubin"))))
            print(text.getvalue(), end="", flush=True)
            wrong += bad or not kernels
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
