// A minimal XML parser that checks whether a document without declarations, comments and CDATA is
// well-formed.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cctype>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace kauri::test {

class XmlReader {
 public:
  explicit XmlReader(std::string_view text) : text_(text) {}
  /// Returns the first error, or an empty text.
  std::string flaw() {
    while (flaw_.empty() && at_ < text_.size()) text_[at_] == '<' ? tag() : words();
    if (flaw_.empty() && (!open_.empty() || roots_ != 1)) fail("not one element that is closed");
    return flaw_;
  }

 private:
  void fail(const std::string& what) {
    flaw_ = what + " at " + std::to_string(at_) + ": " + std::string(text_.substr(at_, 30));
  }
  bool take(std::string_view word) {
    if (!text_.substr(at_).starts_with(word)) return false;
    at_ += word.size();
    return true;
  }
  bool blanks() {
    const std::size_t begin = at_;
    while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_]))) ++at_;
    return at_ > begin;
  }
  std::string name() {
    const std::size_t begin = at_;
    while (at_ < text_.size() && (std::isalnum(static_cast<unsigned char>(text_[at_])) ||
                                  text_[at_] == '-' || text_[at_] == ':'))
      ++at_;
    return std::string(text_.substr(begin, at_ - begin));
  }
  void reference() {
    const std::size_t end = text_.find(';', at_);
    static const std::set<std::string_view> known = {"&amp",  "&lt",   "&gt",
                                                     "&quot", "&apos", "&#39"};
    if (end == std::string_view::npos || !known.contains(text_.substr(at_, end - at_)))
      return fail("reference");
    at_ = end + 1;
  }
  void words() {
    while (flaw_.empty() && at_ < text_.size() && text_[at_] != '<') {
      const auto c = static_cast<unsigned char>(text_[at_]);
      if (c < 0x20 && !std::isspace(c)) return fail("character");
      if (open_.empty() && !std::isspace(c)) return fail("text outside the element");
      if (c == '&')
        reference();
      else
        ++at_;
    }
  }
  void tag() {
    if (take("</")) {
      const std::string closed = name();
      if (open_.empty() || open_.back() != closed || !take(">")) return fail("end of " + closed);
      open_.pop_back();
      return;
    }
    take("<");
    const std::string opened = name();
    if (opened.empty()) return fail("name");
    if (open_.empty()) ++roots_;
    attributes();
    if (!flaw_.empty() || take("/>")) return;
    if (!take(">")) return fail("tag of " + opened);
    open_.push_back(opened);
  }
  void attributes() {
    std::set<std::string> seen;
    while (blanks() && flaw_.empty()) {
      const std::string attribute = name();
      if (attribute.empty()) return;
      const bool equals = take("=");
      const char quote = at_ < text_.size() ? text_[at_] : ' ';
      if (!equals || (quote != '"' && quote != '\'') || !seen.insert(attribute).second)
        return fail("attribute " + attribute);
      for (++at_; flaw_.empty() && at_ < text_.size() && text_[at_] != quote;) {
        if (text_[at_] == '<') return fail("value");
        if (text_[at_] == '&')
          reference();
        else
          ++at_;
      }
      ++at_;
    }
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::string flaw_;
  std::vector<std::string> open_;
  int roots_ = 0;
};

inline std::string flaw_of_xml(std::string_view text) { return XmlReader(text).flaw(); }

}  // namespace kauri::test
