# The names of others: the interfaces of scikit-sparse, whose doors are cholmod.py and cholmod05.py.
# SPDX-License-Identifier: BSD-3-Clause
