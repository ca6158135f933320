# Comparisons of orderings: kauri.compare, its result, tables and pictures.
# SPDX-License-Identifier: BSD-3-Clause
