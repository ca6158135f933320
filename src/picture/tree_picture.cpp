// Pictures of assembly trees.
// SPDX-License-Identifier: BSD-3-Clause
#include "src/picture/tree_picture.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace kauri::picture {
namespace {

constexpr double kMargin = 8, kLegend = 44;
constexpr int kSteps = 24;  // colours in the legend

Colour between(Colour a, Colour b, double t) {
  const auto mix = [t](std::uint8_t x, std::uint8_t y) {
    return static_cast<std::uint8_t>(std::lround(x + t * (y - x)));
  };
  return {mix(a.red, b.red), mix(a.green, b.green), mix(a.blue, b.blue), 255};
}

double share_of(const TreeLayout& layout, const TreeShape& shape) {
  return layout.work > 0 ? shape.work / layout.work : 0;
}

std::string title_of(const TreeLayout& layout, const TreeShape& shape) {
  const char* fronts = shape.fronts == 1 ? "front" : "fronts";
  const char* subtree = shape.kind == TreeShape::ShapeKind::subtrees ? "subtree of " : "";
  return fmt::format("{}{} {}, {} columns, {} {} rows; {:.2g} % of the work", subtree, shape.fronts,
                     fronts, shape.columns, shape.fronts == 1 ? "order" : "largest",
                     shape.largest_order, 100 * share_of(layout, shape));
}

std::string drawn(const TreeLayout& layout, const TreeShape& shape) {
  const std::string fill = hex(work_colour(share_of(layout, shape))), x = coordinate(shape.x),
                    y = coordinate(shape.y), w = coordinate(shape.width),
                    h = coordinate(shape.height);
  const std::string title = fmt::format("<title>{}</title>", title_of(layout, shape));
  if (shape.kind == TreeShape::ShapeKind::front)
    return fmt::format("<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"{}\">{}</rect>\n",
                       x, y, w, h, fill, title);
  return fmt::format("<path d=\"M{} {}l{} {}h-{}z\" fill=\"{}\">{}</path>\n",
                     coordinate(shape.x + shape.width / 2), y, coordinate(shape.width / 2), h, w,
                     fill, title);
}

std::string legend(const TreeLayout& layout, double top) {
  constexpr double kStep = 6;
  std::string svg = fmt::format(
      "<g font-family=\"system-ui,sans-serif\" font-size=\"12\" fill=\"#333\" "
      "transform=\"translate({} {})\">\n",
      coordinate(kMargin), coordinate(top));
  for (int k = 0; k < kSteps; ++k)
    svg += fmt::format("<rect x=\"{}\" width=\"{}\" height=\"10\" fill=\"{}\"/>\n",
                       coordinate(kStep * k), coordinate(kStep),
                       hex(work_colour(std::pow(kLeastShare, 1 - k / (kSteps - 1.0)))));
  svg += fmt::format(
      "<text x=\"{}\" y=\"10\">share of the work: a millionth or less to all</text>\n"
      "<text y=\"30\">width: columns in the subtree; height: columns of the front, {} from top to "
      "bottom; triangles: whole "
      "subtrees</text>\n",
      coordinate(kStep * kSteps + 8), layout.height);
  return svg + "</g>\n";
}

}  // namespace

Colour work_colour(double share) {
  constexpr std::array<Colour, 6> kStops = {Colour{212, 221, 232}, {158, 196, 214}, {116, 172, 148},
                                            {226, 188, 82},        {214, 112, 54},  {158, 30, 50}};
  const double level = share > kLeastShare
                           ? 1 - std::log(std::min(share, 1.0)) / std::log(kLeastShare)
                           : 0,
               at = level * (kStops.size() - 1);
  const std::size_t stop = std::min(static_cast<std::size_t>(at), kStops.size() - 2);
  return between(kStops[stop], kStops[stop + 1], at - static_cast<double>(stop));
}

std::string tree_svg(const TreeLayout& layout, PictureUse use, std::string_view label) {
  const double width = layout.size.width + 2 * kMargin, height = layout.size.height + 2 * kMargin;
  std::string svg = svg_begin(width, height + (use == PictureUse::file ? kLegend : 0), use, label);
  svg += fmt::format(
      "<g transform=\"translate({0} {0})\" stroke=\"{1}\" stroke-width=\"0.4\" "
      "stroke-opacity=\"0.6\">\n",
      coordinate(kMargin), use == PictureUse::page ? "currentColor" : "#333");
  for (const TreeShape& shape : layout.shapes) svg += drawn(layout, shape);
  svg += "</g>\n";
  if (use == PictureUse::file) svg += legend(layout, height);
  return svg + "</svg>\n";
}

Image tree_image(const TreeLayout& layout) {
  Image image(static_cast<int>(layout.size.width + 2 * kMargin),
              static_cast<int>(layout.size.height + 2 * kMargin), kWhite);
  const auto with_gap = [](double length) {
    return length >= 4 ? length - 1 : length;
  };  // a pixel between neighbours
  for (const TreeShape& shape : layout.shapes) {
    const Colour colour = work_colour(share_of(layout, shape));
    const double x = kMargin + shape.x, y = kMargin + shape.y, w = with_gap(shape.width),
                 h = with_gap(shape.height);
    if (shape.kind == TreeShape::ShapeKind::front)
      fill_rectangle(image, x, y, w, h, colour);
    else
      fill_triangle(image, x, y, w, h, colour);
  }
  return image;
}

std::string work_gradient() {
  std::string css = "linear-gradient(90deg";
  for (int k = 0; k <= 10; ++k) css += "," + hex(work_colour(std::pow(kLeastShare, 1 - k / 10.0)));
  return css + ")";
}

}  // namespace kauri::picture
