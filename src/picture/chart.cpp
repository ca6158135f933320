// Histograms and bar charts for HTML pages.
// SPDX-License-Identifier: BSD-3-Clause
#include "src/picture/chart.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>

#include "src/picture/svg.hpp"

namespace kauri::picture {
namespace {

template <class SizeOf>
std::vector<Bin> bins_of(Index count, SizeOf&& size_of) {
  std::vector<Bin> bins;
  for (Index s = 0; s < count; ++s) {
    const auto size = static_cast<std::uint32_t>(std::max<Index>(1, size_of(s)));
    const std::size_t bin = static_cast<std::size_t>(std::bit_width(size)) - 1;
    while (bins.size() <= bin)
      bins.push_back({static_cast<Index>(std::uint32_t{1} << bins.size()), 0});
    ++bins[bin].count;
  }
  return bins;
}

/// Returns a count below 999.5 million in at most four characters: "950", "12k", "3.4M".
std::string brief(Offset count) {
  const auto x = static_cast<double>(count);
  if (count < 1000) return fmt::format("{}", count);
  if (x < 9.95e3) return fmt::format("{:.1f}k", x / 1e3);
  if (x < 999.5e3) return fmt::format("{:.0f}k", x / 1e3);
  return x < 9.95e6 ? fmt::format("{:.1f}M", x / 1e6) : fmt::format("{:.0f}M", x / 1e6);
}

/// Returns a power of two as text: "512", "1Ki", "2Mi".
std::string least_text(Index least) {
  if (least < 1 << 10) return fmt::format("{}", least);
  return least < 1 << 20 ? fmt::format("{}Ki", least >> 10) : fmt::format("{}Mi", least >> 20);
}

}  // namespace

std::vector<Bin> pivot_bins(const Supernodes& supernodes) {
  return bins_of(supernodes.count(), [&](Index s) { return supernodes.pivots(s); });
}

std::vector<Bin> order_bins(const Supernodes& supernodes) {
  return bins_of(supernodes.count(), [&](Index s) { return supernodes.order(s); });
}

std::string histogram_svg(const std::vector<Bin>& bins, std::string_view label) {
  constexpr double kWidth = 360, kHeight = 150, kTop = 16, kBottom = 18;
  Offset most = 1;
  for (const Bin& bin : bins) most = std::max(most, bin.count);
  const double step = kWidth / static_cast<double>(std::max<std::size_t>(8, bins.size())),
               room = kHeight - kTop - kBottom;
  std::string svg = svg_begin(kWidth, kHeight, PictureUse::page, label);
  svg += "<g font-size=\"11\" text-anchor=\"middle\" fill=\"currentColor\">\n";
  for (std::size_t k = 0; k < bins.size(); ++k) {
    const double x = step * static_cast<double>(k), middle = x + step / 2;
    const double height = bins[k].count == 0
                              ? 0
                              : room * std::log(1 + bins[k].count) / std::log(1 + most),
                 y = kTop + room - height;
    if (bins[k].count > 0)
      svg += fmt::format(
          "<rect class=\"bar\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"><title>{} to {}: "
          "{}</title></rect>\n"
          "<text x=\"{}\" y=\"{}\">{}</text>\n",
          coordinate(x + 1.5), coordinate(y), coordinate(step - 3), coordinate(height),
          bins[k].least, 2 * Offset{bins[k].least} - 1, bins[k].count, coordinate(middle),
          coordinate(y - 4), brief(bins[k].count));
    svg += fmt::format("<text x=\"{}\" y=\"{}\" opacity=\"0.7\">{}</text>\n", coordinate(middle),
                       coordinate(kHeight - 5), least_text(bins[k].least));
  }
  return svg + "</g>\n</svg>\n";
}

std::string bars_html(const std::vector<Bar>& bars, std::string_view label) {
  double most = 0;
  for (const Bar& bar : bars) {
    double sum = 0;
    for (const Bar::Part& part : bar.parts) sum += part.value;
    most = std::max(most, sum);
  }
  std::string html =
      fmt::format("<div class=\"bars\" role=\"group\" aria-label=\"{}\">\n", escaped(label));
  for (const Bar& bar : bars) {
    html += fmt::format("<span class=\"name\">{}</span><span class=\"track\">", escaped(bar.name));
    for (std::size_t k = 0; k < bar.parts.size(); ++k)
      html +=
          fmt::format("<i class=\"part p{}\" style=\"width:{:.2f}%\" title=\"{}\"></i>", k,
                      most > 0 ? 100 * bar.parts[k].value / most : 0, escaped(bar.parts[k].name));
    html += fmt::format("</span><span class=\"text\">{}</span>\n", escaped(bar.text));
  }
  return html + "</div>\n";
}

}  // namespace kauri::picture
