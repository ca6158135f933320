# What the scripts of this folder share: strict mode, the root of the clone as working folder, headings, quiet steps, builds by preset.
# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
jobs=$(nproc)
# What was compiled before is not compiled again, in another clone either: paths count from the folder of the build.
if command -v ccache >/dev/null; then
  export CMAKE_CXX_COMPILER_LAUNCHER=ccache CMAKE_CUDA_COMPILER_LAUNCHER=ccache CCACHE_BASEDIR=/ CCACHE_NOHASHDIR=1
fi

# Tools that build packages are of exact versions, with hashes: `pip install "${pinned[@]}"` gets all of them. Package managers that are only tried
# are of exact versions: `pip install "${managers[@]}" NAME`.
pinned=(--require-hashes -r "$PWD/packaging/requirements.txt")
managers=(-c "$PWD/packaging/managers.txt")

# version [numeric | debian]: of these sources.
version() { cmake ${1:+-DFORM=$1} -P cmake/Version.cmake; }

heading() { printf '\n== %s\n' "$*"; }

# quietly LOG command...: output goes to the log; where the command fails, its end is shown.
quietly() {
  local log=$1
  shift
  mkdir -p "$(dirname "$log")"
  if ! "$@" >"$log" 2>&1; then
    tail -n 60 "$log" >&2
    printf 'failed: %s (all of it: %s)\n' "$*" "$log" >&2
    return 1
  fi
}

# tests FOLDER [word of ctest ...]: a build's tests, several at a time. One that has no limit of its own has this one; CTest's is of four months.
tests() { ctest --test-dir "$1" --timeout 1200 --parallel "$jobs" --output-on-failure "${@:2}"; }

# build PRESET [-Dname=value ...]: configures and builds build/PRESET; says what takes time and what was decided.
build() {
  local preset=$1 folder=build/$1 started=$SECONDS
  shift
  quietly "$folder/configure.log" cmake --preset "$preset" "$@"
  grep -E '^-- CUDA' "$folder/configure.log" | sed 's/^-- //'
  quietly "$folder/build.log" cmake --build "$folder" --parallel "$jobs"
  printf 'built %s in %d s\n' "$folder" $((SECONDS - started))
}
