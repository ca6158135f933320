#compdef kauri
# Completion of kauri for zsh, as the kauri that is installed knows it.
# SPDX-License-Identifier: BSD-3-Clause
source <(kauri --completion zsh) && _kauri "$@"
