// Self-contained HTML pages.
// SPDX-License-Identifier: BSD-3-Clause
#include "src/picture/page.hpp"

#include <fmt/format.h>

#include "src/picture/svg.hpp"

namespace kauri::picture {
namespace {

constexpr std::string_view kStyle = R"(
:root{color-scheme:light dark;--ground:#fff;--ink:#1c2127;--soft:#5b6570;--line:#d9dee3;--card:#f6f8fa;
--p0:#4a7fb5;--p1:#86b0d3;--p2:#d08a3c;--p3:#8a7bb8;--mark:#eef4e6}
@media(prefers-color-scheme:dark){:root{--ground:#14171a;--ink:#e4e8ec;--soft:#9aa5b0;--line:#343b42;--card:#1c2125;
--p0:#5b93cb;--p1:#35597c;--p2:#d99a52;--p3:#9c8dcb;--mark:#24301d}.ink{filter:invert(1)}}
*{box-sizing:border-box}
body{margin:0 auto;padding:1rem clamp(.75rem,3vw,2.5rem);max-width:90rem;background:var(--ground);color:var(--ink);
font:15px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,sans-serif}
h1{font-size:1.6rem;margin:.5rem 0 0}h2{font-size:1.3rem;margin:2.5rem 0 .25rem;padding-top:1rem;border-top:1px solid var(--line)}
h3{font-size:1.1rem;margin:0 0 .25rem}h1,h2,h3{line-height:1.25;overflow-wrap:anywhere}
p{margin:.25rem 0 .75rem;max-width:75ch;text-wrap:pretty}.soft,figcaption,footer{color:var(--soft)}footer{margin:3rem 0 1rem;font-size:.85rem}
.scroll{overflow-x:auto;margin:.75rem 0;background:linear-gradient(to left,var(--ground) 50%,transparent) right/3rem 100% no-repeat local,
linear-gradient(to left,var(--soft),transparent) right/.9rem 100% no-repeat scroll}table{border-collapse:collapse;font-variant-numeric:tabular-nums;width:100%}
th,td{padding:.3rem .6rem;text-align:right;white-space:nowrap;border-bottom:1px solid var(--line)}
th{color:var(--soft);font-weight:600;font-size:.85rem}th:first-child,td:first-child{text-align:left;position:sticky;left:0;background:var(--ground)}
tr.mark td{background:var(--mark);font-weight:600}
.two{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,24rem),1fr));gap:1rem 2.5rem;margin:1rem 0}
.bars{display:grid;grid-template-columns:max-content 1fr max-content;gap:.3rem .75rem;align-items:center}
.track{display:flex;height:1rem;min-width:3rem}.part{display:block;height:100%}.bars .text{text-align:right;font-variant-numeric:tabular-nums}
.p0{background:var(--p0)}.p1{background:var(--p1)}.p2{background:var(--p2)}.p3{background:var(--p3)}.bar{fill:var(--p0)}
.key{font-size:.85rem;color:var(--soft);margin:.25rem 0 .5rem}
.key span{display:inline-block;margin-right:.9rem}.key i{display:inline-block;width:.8rem;height:.8rem;margin-right:.35rem;vertical-align:-.1rem}
.key .scale{width:9rem;max-width:40%}
article{background:var(--card);border:1px solid var(--line);border-radius:.5rem;padding:1rem;margin:1rem 0}
.figures{display:grid;grid-template-columns:minmax(0,1fr);gap:1rem;margin-top:.5rem}
figure{margin:0;min-width:0}
@media(min-width:40rem){.figures{grid-template-columns:repeat(2,minmax(0,1fr))}figure.wide{grid-column:1/-1}}
@media(min-width:70rem){.figures{grid-template-columns:repeat(2,minmax(0,3fr)) repeat(2,minmax(0,2.5fr));grid-template-rows:auto 1fr}
figure.tall{grid-row:span 2}figure.wide{grid-column:3/-1}}
figure svg{display:block;width:100%;height:auto}
figcaption{font-size:.85rem;margin-top:.35rem}
@media print{article{break-inside:avoid}})";

std::string row_html(const std::vector<std::string>& cells, const char* tag, bool marked) {
  std::string html = marked ? "<tr class=\"mark\">" : "<tr>";
  for (const std::string& cell : cells) html += fmt::format("<{0}>{1}</{0}>", tag, escaped(cell));
  return html + "</tr>\n";
}

}  // namespace

std::string page(std::string_view title, std::string_view body, std::string_view footer) {
  return fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n"
      "<meta name=\"viewport\" content=\"width=device-width, "
      "initial-scale=1\"/>\n<title>{0}</title>\n<style>{1}\n</style>\n</head>\n"
      "<body>\n<h1>{0}</h1>\n{2}<footer>{3}</footer>\n</body>\n</html>\n",
      escaped(title), kStyle, body, footer);
}

std::string figure(std::string_view content, std::string_view caption, FigureSize size) {
  const char* name = size == FigureSize::wide   ? " class=\"wide\""
                     : size == FigureSize::tall ? " class=\"tall\""
                                                : "";
  return fmt::format("<figure{}>\n{}<figcaption>{}</figcaption>\n</figure>\n", name, content,
                     caption);
}

std::string table_html(const std::vector<std::string>& head,
                       const std::vector<std::vector<std::string>>& rows, int marked) {
  std::string html = "<div class=\"scroll\"><table>\n<thead>" + row_html(head, "th", false) +
                     "</thead>\n<tbody>\n";
  for (std::size_t k = 0; k < rows.size(); ++k)
    html += row_html(rows[k], "td", static_cast<int>(k) == marked);
  return html + "</tbody>\n</table></div>\n";
}

}  // namespace kauri::picture
