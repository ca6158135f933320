# Completes kauri commands in fish by asking the installed kauri.
# SPDX-License-Identifier: BSD-3-Clause
kauri --completion fish | source
