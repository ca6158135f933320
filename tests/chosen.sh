#!/bin/sh
# chosen.sh PROGRAM FILTER PART PARTS: runs one part, from 1 on, of the chosen tests of a gtest
# program; fails if a pattern of the filter matches no test, which then was renamed.
# SPDX-License-Identifier: BSD-3-Clause
set -eu
program=$1 filter=$2
for pattern in $(printf '%s' "$filter" | tr ':*' ' @'); do # the shell would expand '*' to file names
  pattern=$(printf '%s' "$pattern" | tr @ '*')
  if [ -z "$("$program" --gtest_list_tests --gtest_filter="$pattern" | grep '^  ')" ]; then
    printf '%s: no test is %s\n' "$program" "$pattern" >&2
    exit 1
  fi
done
export GTEST_SHARD_INDEX=$(($3 - 1)) GTEST_TOTAL_SHARDS="$4"
exec "$program" --gtest_filter="$filter"
