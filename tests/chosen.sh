#!/bin/sh
# chosen.sh PROGRAM FILTER: those tests of a gtest program; fails where one of the filter's patterns has no test: it was renamed.
# SPDX-License-Identifier: BSD-3-Clause
set -eu
program=$1 filter=$2
for pattern in $(printf '%s' "$filter" | tr ':*' ' @'); do # '*' would name files
  pattern=$(printf '%s' "$pattern" | tr @ '*')
  if [ -z "$("$program" --gtest_list_tests --gtest_filter="$pattern" | grep '^  ')" ]; then
    printf '%s: no test is %s\n' "$program" "$pattern" >&2
    exit 1
  fi
done
exec "$program" --gtest_filter="$filter"
