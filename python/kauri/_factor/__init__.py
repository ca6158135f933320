# Factors: analyses, factorisations, solves, files.
# SPDX-License-Identifier: BSD-3-Clause
from .factor import Factor

__all__ = ["Factor"]  # older pickles name kauri._factor.Factor
