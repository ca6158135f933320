#compdef kauri
# Completes kauri commands in zsh by asking the installed kauri.
# SPDX-License-Identifier: BSD-3-Clause
source <(kauri --completion zsh) && _kauri "$@"
