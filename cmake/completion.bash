# Completion of kauri for bash, as the kauri that is installed knows it.
# SPDX-License-Identifier: BSD-3-Clause
source <(kauri --completion bash)
