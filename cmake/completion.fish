# Completion of kauri for fish, as the kauri that is installed knows it.
# SPDX-License-Identifier: BSD-3-Clause
kauri --completion fish | source
