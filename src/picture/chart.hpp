// Histograms and bar charts for HTML pages.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "kauri/core/plan.hpp"

namespace kauri::picture {

/// A bin of a histogram by powers of two: `count` sizes lie between `least`, a power of two, and 2
/// * least - 1.
struct Bin {
  Index least = 1;
  Offset count = 0;
};

/// Return the histogram of the columns of supernodes, and of the rows of fronts: bins from 1 up to
/// the greatest size; empty without supernodes.
std::vector<Bin> pivot_bins(const Supernodes& supernodes);
std::vector<Bin> order_bins(const Supernodes& supernodes);

/// Returns a histogram as an SVG for a page. The height of a bar grows with log(1 + count); the
/// count is printed above the bar, the least size of the bin below.
std::string histogram_svg(const std::vector<Bin>& bins, std::string_view label);

/// A horizontal bar made of parts side by side.
struct Bar {
  struct Part {
    double value = 0;  ///< length of the part, >= 0
    std::string name;  ///< tooltip of the part
  };
  std::string name;
  std::vector<Part> parts;
  std::string text;  ///< text to the right of the bar
};

/// Returns the bars as HTML, one below another, drawn to one scale, in which the longest fills its
/// column; part k of a bar has the classes "part" and "p<k>", as "p0".
std::string bars_html(const std::vector<Bar>& bars, std::string_view label);

}  // namespace kauri::picture
