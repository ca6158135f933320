// kauri tree: a picture of the assembly tree.
// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <memory>

#include "base/progress/stopwatch.hpp"
#include "src/cli/commands/commands.hpp"
#include "src/cli/job/job.hpp"
#include "src/cli/job/output_file.hpp"
#include "src/cli/report/picture_file.hpp"
#include "src/cli/terminal/progress.hpp"
#include "src/cli/terminal/text.hpp"
#include "src/picture/png.hpp"
#include "src/picture/tree_picture.hpp"

namespace kauri::cli {
namespace {

picture::TreeLayout layout(const PictureOptions& options, const Plan& plan) {
  picture::TreeSize size;
  size.width = options.size;
  size.height = options.size / 2.0;
  return picture::layout_of(plan.supernodes, size);
}

int tree(const PictureOptions& options) {
  check_picture_name(options.output);
  check_apart({{"-o", options.output}}, options);
  Job job = make_job(options.job, options.limits);
  const System system = [&] {
    const Phase phase(options.json, "reading");
    return load_one(options.system, options.limits, threads_of(options.job));
  }();
  const Analysis analysis = [&] {
    const Phase phase(options.json, "ordering " + system.name);
    return analyze_system(system, job, options.limits, 1);
  }();
  const Plan& plan = *analysis.plan;
  const Stopwatch watch;
  const picture::TreeLayout drawn = layout(options, plan);
  const std::string ordering = ordering_label(ordering_name(plan), options.job);
  write_file(options.output, is_png(options.output)
                                 ? picture::to_png(picture::tree_image(drawn))
                                 : picture::tree_svg(drawn, picture::PictureUse::file,
                                                     fmt::format("assembly tree of {}, {}",
                                                                 system.name, ordering)));
  const double write_s = watch.seconds();
  if (options.json) {
    Json object = system_header("tree", system, job.backend(), options.job, ordering_name(plan));
    object["file"] = options.output;
    object["supernodes"] = plan.supernodes.count();
    object["columns_high"] = drawn.height;
    object["shapes"] = drawn.shapes.size();
    object["reorder_s"] = analysis.order_s;
    object["symbolic_s"] = analysis.symbolic_s;
    object["draw_s"] = write_s;
    print_object(object);
  } else {
    print(fmt::format(
        "{}\n{} supernodes ({}), {} columns high, drawn as {} shapes, written to {} in {}\n",
        title(system), integer(plan.supernodes.count()), ordering, integer(drawn.height),
        integer(static_cast<Offset>(drawn.shapes.size())), options.output, seconds(write_s)));
  }
  return kOk;
}

}  // namespace

void add_tree(CLI::App& app, int& exit_code) {
  CLI::App* command = app.add_subcommand("tree", "draw the assembly tree of an ordering");
  const auto options = std::make_shared<PictureOptions>();
  command->footer(
      "\nRoots are on top. A box is a front: as wide as its subtree has columns, as high as it has "
      "pivots, so that the height of the "
      "picture\n"
      "is the longest chain of columns that wait for one another; its colour is its share of the "
      "operations. Fronts too low to be seen "
      "are\n"
      "drawn with the one below them, subtrees too narrow as one triangle. An SVG shows the "
      "figures of the shape under the pointer.");
  add_picture_options(*command, *options, 960, "width; the height is half of it");
  add_ordering_options(*command, options->job, ordering_words());
  add_plan_options(*command, options->job);
  command->callback([options, &exit_code] { exit_code = tree(*options); });
}

}  // namespace kauri::cli
