# Colours and sizes that all pictures of a comparison share.
# SPDX-License-Identifier: BSD-3-Clause

# Colours of Okabe & Ito, Color Universal Design: distinct for all kinds of colour vision, and by
# their lightness.
BLUE, SKY, ORANGE, DARK = "#0072B2", "#56B4E9", "#E69F00", "#444444"
TEXT = 8.5  # points
