// Self-contained HTML pages: no network, no scripts; for light and dark, narrow and wide screens.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace kauri::picture {

/// Returns a whole page. title: plain text; body and footer: HTML.
std::string page(std::string_view title, std::string_view body, std::string_view footer);

/// Size of a figure in a card, which holds two tall figures, two small ones and a wide one below
/// the small ones.
enum class FigureSize { small, tall, wide };

/// Returns a figure with its caption. content: HTML; caption: HTML.
std::string figure(std::string_view content, std::string_view caption,
                   FigureSize size = FigureSize::small);

/// Returns a table of plain texts, `rows` below `head`, the first column flush left. marked: the
/// row that is highlighted, or -1.
std::string table_html(const std::vector<std::string>& head,
                       const std::vector<std::vector<std::string>>& rows, int marked);

}  // namespace kauri::picture
