# Decides whether the CUDA backend is built: KAURI_HAS_CUDA.
# SPDX-License-Identifier: BSD-3-Clause
set(KAURI_HAS_CUDA OFF)
