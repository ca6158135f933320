// A page of HTML that needs nothing but itself: no network, no scripts; light and dark, narrow and wide.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace kauri::picture {

/// The whole page round its parts, which are HTML.
std::string page(std::string_view title, std::string_view body, std::string_view footer);

/// How much room a figure takes among others: two tall ones, two small ones and a wide one below these fill a card.
enum class Shape { small, tall, wide };

/// A figure with its caption, both HTML.
std::string figure(std::string_view content, std::string_view caption, Shape shape = Shape::small);

/// Rows of text under a head; the first column is flush left. `marked`: the row that stands out, or -1.
std::string table_html(const std::vector<std::string>& head, const std::vector<std::vector<std::string>>& rows, int marked);

}  // namespace kauri::picture
