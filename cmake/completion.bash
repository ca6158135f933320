# Completes kauri commands in bash by asking the installed kauri.
# SPDX-License-Identifier: BSD-3-Clause
source <(kauri --completion bash)
