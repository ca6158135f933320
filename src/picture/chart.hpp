// Histograms and bars for pages.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "kauri/plan.hpp"

namespace kauri::picture {

/// A bin of a histogram by powers of two: sizes from least to 2 least - 1.
struct Bin {
  Index least = 1;
  Offset count = 0;
};

/// Columns of supernodes, or rows of fronts, from 1 up to the greatest; empty where there are none.
std::vector<Bin> pivot_bins(const Supernodes& supernodes);
std::vector<Bin> order_bins(const Supernodes& supernodes);

/// Columns with the logarithm of the counts as height, counts above and least sizes below; as an SVG for a page.
std::string histogram_svg(const std::vector<Bin>& bins, std::string_view label);

/// A bar of several parts, one after another.
struct Bar {
  struct Part {
    double value = 0;  ///< >= 0
    std::string name;  ///< said when pointed at
  };
  std::string name;
  std::vector<Part> parts;
  std::string text;  ///< behind the bar
};

/// Bars below one another as HTML, the longest as wide as there is room; part k has the class "part k".
std::string bars_html(const std::vector<Bar>& bars, std::string_view label);

}  // namespace kauri::picture
