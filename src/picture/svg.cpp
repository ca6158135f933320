// Elements of SVG and HTML.
// SPDX-License-Identifier: BSD-3-Clause
#include "src/picture/svg.hpp"

#include <fmt/format.h>

namespace kauri::picture {
namespace {

/// Returns the bytes of the UTF-8 sequence at the beginning of the text; 0 if there is no valid one
/// or it is no character of XML. Overlong forms and surrogates are not valid.
std::size_t sequence_length(std::string_view text) {
  const auto byte = [&](std::size_t k) { return static_cast<unsigned char>(text[k]); };
  const unsigned char lead = byte(0);
  const std::size_t length = lead < 0x80                   ? 1
                             : lead >= 0xc2 && lead < 0xe0 ? 2
                             : lead >= 0xe0 && lead < 0xf0 ? 3
                             : lead >= 0xf0 && lead < 0xf5 ? 4
                                                           : 0;
  if (length == 0 || length > text.size()) return 0;
  for (std::size_t k = 1; k < length; ++k)
    if ((byte(k) & 0xc0) != 0x80) return 0;
  if (length == 1) return lead >= 0x20 || lead == '\t' || lead == '\n' ? 1 : 0;
  const unsigned char second = byte(1);
  if ((lead == 0xe0 && second < 0xa0) || (lead == 0xed && second >= 0xa0) ||
      (lead == 0xf0 && second < 0x90) || (lead == 0xf4 && second >= 0x90))
    return 0;
  if (lead == 0xef && second == 0xbf && byte(2) >= 0xbe) return 0;  // U+FFFE, U+FFFF
  return length;
}

}  // namespace

std::string escaped(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const std::size_t length = sequence_length(text);
    const char c = text[0];
    if (length == 0)
      out += "\xef\xbf\xbd";
    else if (c == '&')
      out += "&amp;";
    else if (c == '<')
      out += "&lt;";
    else if (c == '>')
      out += "&gt;";
    else if (c == '"')
      out += "&quot;";
    else if (c == '\'')
      out += "&#39;";
    else
      out += text.substr(0, length);
    text.remove_prefix(length == 0 ? 1 : length);
  }
  return out;
}

std::string coordinate(double x) {
  std::string text = fmt::format("{:.2f}", x);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.ends_with('.')) text.pop_back();
  return text == "-0" ? "0" : text;
}

std::string hex(Colour colour) {
  return fmt::format("#{:02x}{:02x}{:02x}", colour.red, colour.green, colour.blue);
}

std::string svg_begin(double width, double height, PictureUse use, std::string_view label) {
  const std::string w = coordinate(width), h = coordinate(height);
  const std::string size =
      fmt::format("viewBox=\"0 0 {} {}\" role=\"img\" aria-label=\"{}\"", w, h, escaped(label));
  if (use == PictureUse::page) return fmt::format("<svg {}>\n", size);
  return fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" {2}>\n<rect "
      "width=\"{0}\" height=\"{1}\" fill=\"#fff\"/>\n",
      w, h, size);
}

}  // namespace kauri::picture
