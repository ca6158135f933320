// kauri spy: a picture of the pattern of A, of P A P^T or of L.
// SPDX-License-Identifier: BSD-3-Clause
#include "src/picture/spy.hpp"

#include <fmt/format.h>

#include <memory>

#include "base/progress/stopwatch.hpp"
#include "kauri/core/error.hpp"
#include "src/cli/commands/commands.hpp"
#include "src/cli/job/job.hpp"
#include "src/cli/job/output_file.hpp"
#include "src/cli/report/picture_file.hpp"
#include "src/cli/terminal/progress.hpp"
#include "src/cli/terminal/text.hpp"
#include "src/picture/png.hpp"

namespace kauri::cli {
namespace {

struct SpyOptions : PictureOptions {
  bool ordered = false;  ///< --ordering was given: draw P A P^T
  bool factor = false;
};

std::string subject(const SpyOptions& options) {
  return options.factor ? "L" : options.ordered ? "P A P^T" : "A";
}

picture::Raster raster(const SpyOptions& options, const System& system, const Plan* plan) {
  if (options.factor) return picture::raster_of(plan->supernodes, options.size);
  return picture::raster_of(system.matrix.pattern(), plan != nullptr ? &plan->perm : nullptr,
                            options.size);
}

std::string drawn(const SpyOptions& options, const picture::Raster& raster,
                  const std::string& label) {
  constexpr auto kFile = picture::PictureUse::file;
  if (!is_png(options.output)) return picture::spy_svg(raster, options.size, kFile, label);
  return picture::to_png(
      picture::spy_image(raster, picture::spy_scale(raster, options.size), kFile));
}

int spy(const SpyOptions& options) {
  check_picture_name(options.output);
  check_apart({{"-o", options.output}}, options);
  Job job = make_job(options.job, options.limits);
  const System system = [&] {
    const Phase phase(options.json, "reading");
    return load_one(options.system, options.limits, threads_of(options.job));
  }();
  std::optional<Analysis> analysis;
  if (options.ordered || options.factor) {
    const Phase phase(options.json, "ordering " + system.name);
    analysis = analyze_system(system, job, options.limits, 1);
  }
  const Plan* plan = analysis ? analysis->plan.get() : nullptr;
  const Stopwatch watch;
  const picture::Raster cells = raster(options, system, plan);
  const std::string ordering =
      plan != nullptr ? ordering_label(ordering_name(*plan), options.job) : "in natural order";
  write_file(
      options.output,
      drawn(options, cells, fmt::format("{} of {}, {}", subject(options), system.name, ordering)));
  const double write_s = watch.seconds();
  if (options.json) {
    Json object = system_header("spy", system, job.backend(), options.job,
                                plan != nullptr ? Json(ordering_name(*plan)) : nullptr);
    object["file"] = options.output;
    object["of"] = subject(options);
    object["cells"] = cells.size;
    object["reorder_s"] = analysis ? Json(analysis->order_s) : nullptr;
    object["symbolic_s"] = analysis ? Json(analysis->symbolic_s) : nullptr;
    object["draw_s"] = write_s;
    print_object(object);
  } else {
    print(fmt::format("{}\n{} ({}) on {} x {} cells, written to {} in {}\n", title(system),
                      subject(options), ordering, cells.size, cells.size, options.output,
                      seconds(write_s)));
  }
  return kOk;
}

}  // namespace

void add_spy(CLI::App& app, int& exit_code) {
  CLI::App* command =
      app.add_subcommand("spy", "draw where the entries of A, of P A P^T or of L are");
  const auto options = std::make_shared<SpyOptions>();
  command->footer(
      "\nWithout --ordering and --factor A is drawn in its natural order. SVGs of up to 200 rows "
      "show the entries themselves. Larger "
      "ones,\n"
      "and PNGs, show cells of a grid: the more entries a cell has, the darker it is, by the "
      "logarithm. L is drawn with the zeros that\n"
      "amalgamation stores. Time and memory are those of the ordering: no value of L is computed.");
  add_picture_options(*command, *options, 512, "width and height, and the most cells to a side");
  add_ordering_options(*command, options->job, ordering_words());
  add_plan_options(*command, options->job);
  command
      ->add_flag("--factor", options->factor,
                 "draw L; the ordering is auto unless --ordering names one")
      ->group("Method");
  command->callback([options, command, &exit_code] {
    options->ordered = command->get_option("--ordering")->count() > 0;
    exit_code = spy(*options);
  });
}

}  // namespace kauri::cli
