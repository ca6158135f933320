#!/usr/bin/env python3
# Tests kernel_resources.py on lines as ptxas prints them.
# SPDX-License-Identifier: BSD-3-Clause
import unittest

import kernel_resources as subject

RUN = "_ZN5kauri7numeric3runINS_4LoopIdEEEEvPKi"
TAKE = "_ZN5kauri4takeIfLi8EEEvb"
LOG = f"""ptxas info    : 0 bytes gmem
ptxas info    : Compiling entry function '{RUN}' for 'sm_80'
ptxas info    : Function properties for {RUN}
    1072 bytes stack frame, 572 bytes spill stores, 804 bytes spill loads
ptxas info    : Used 255 registers, used 16 barriers, 1072 bytes cumulative stack size, 504 bytes cmem[0]
ptxas info    : Function properties for called
    0 bytes stack frame, 10 bytes spill stores, 20 bytes spill loads
ptxas info    : Compiling entry function '{TAKE}' for 'sm_80'
ptxas info    : Function properties for {TAKE}
    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 28 registers, used 1 barriers, 8448 bytes smem, 521 bytes cmem[0]
"""


class Resources(unittest.TestCase):
    def test_of_each_kernel_with_what_it_calls(self):
        self.assertEqual(subject.resources(LOG), {RUN: (255, 1406, 0), TAKE: (28, 0, 8448)})

    def test_names_are_short(self):
        kind = "void kauri::numeric::(anonymous namespace)::sweep<kauri::Kernel<float, 8, (kauri::numeric::Products)2> >(kauri::View, int)"
        self.assertEqual(subject.short_name(kind), "sweep<Kernel<float, 8, 2>>")
        self.assertEqual(subject.short_name("kauri::plain(std::pair<int, int>)"), "plain")

    def test_a_row_has_all_architectures(self):
        logs = {("a/b.cu", "80"): LOG, ("a/b.cu", "120"): LOG.replace("Used 28", "Used 30").replace("8448", "16")}
        lines = subject.table(logs)
        self.assertEqual(lines[0], "| source | kernel | 8.0 | 12.0 | shared |")
        self.assertEqual(lines[1], "|---|---|---|---|---|")
        self.assertEqual(lines[2], "| a/b | `run<Loop<double>>` | 255 / 1406 | 255 / 1406 | 0 |")
        self.assertEqual(lines[3], "| a/b | `take<float, 8>` | 28 / 0 | 30 / 0 | 16 or 8448 |")


if __name__ == "__main__":
    unittest.main()
