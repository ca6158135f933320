# Shared by the scripts of this folder: strict mode, the root of the clone as working folder,
# usage, headings, quiet steps, builds by preset.
# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
jobs=$(nproc)
# ccache reuses compiled objects, also in another clone, since paths are relative to the build
# folder.
if command -v ccache >/dev/null; then
  export CMAKE_CXX_COMPILER_LAUNCHER=ccache CMAKE_CUDA_COMPILER_LAUNCHER=ccache CCACHE_BASEDIR=/ CCACHE_NOHASHDIR=1
fi

# Tools that build packages have exact versions and hashes: `pip install "${pinned[@]}"` installs
# all of them. Package managers that are only tried have exact versions: `pip install
# "${managers[@]}" NAME`.
pinned=(--require-hashes -r "$PWD/packaging/requirements.txt")
managers=(-c "$PWD/packaging/managers.txt")

# version [numeric | debian]: prints the version of these sources.
version() { cmake ${1:+-DFORM=$1} -P cmake/Version.cmake; }

# usage: prints the comment at the head of the running script, without the licence.
usage() { sed -n '1d; /^# SPDX/q; /^#/!q; s/^# \{0,1\}//; p' "scripts/${0##*/}"; }

heading() { printf '\n== %s\n' "$*"; }

# quietly LOG command...: writes output to the log; if the command fails, prints the end of the log.
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

# tests FOLDER [word of ctest ...]: runs tests of a build in parallel. --timeout limits tests that
# have no limit; CTest's default is four months.
tests() { ctest --test-dir "$1" --timeout 1200 --parallel "$jobs" --output-on-failure "${@:2}"; }

# busy: prints the seconds that all processors together have worked since the machine started.
busy() { awk -v hz="$(getconf CLK_TCK)" '/^cpu / { print ($2 + $3 + $4 + $7 + $8) / hz }' /proc/stat; }

# timed_tests FOLDER [ARGUMENT ...]: runs tests, and sets `others` to the number of processors that
# other work kept busy meanwhile, on average.
timed_tests() {
  local before TIMEFORMAT='%R %U %S'
  before=$(busy)
  { time tests "$@" 2>&3; } 3>&2 2>"$1/tests.time"
  others=$(awk -v all="$(busy)" -v before="$before" '{ print (all - before - $2 - $3) / $1 }' "$1/tests.time")
}

# build PRESET [-Dname=value ...]: configures and builds build/PRESET; prints what takes time and
# what was decided.
build() {
  local preset=$1 folder=build/$1 started=$SECONDS
  shift
  quietly "$folder/configure.log" cmake --preset "$preset" "$@"
  grep -E '^-- CUDA' "$folder/configure.log" | sed 's/^-- //'
  quietly "$folder/build.log" cmake --build "$folder" --parallel "$jobs"
  printf 'built %s in %d s\n' "$folder" $((SECONDS - started))
}
