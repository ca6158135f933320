# Arrays and matrices of other libraries, their types, and the memory that is available.
# SPDX-License-Identifier: BSD-3-Clause
