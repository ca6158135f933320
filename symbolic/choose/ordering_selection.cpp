// Runs, judges and chooses orderings. Clocks are read for reports only: no choice depends on them.
// SPDX-License-Identifier: BSD-3-Clause
#include "symbolic/choose/ordering_selection.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "base/matrix/check.hpp"
#include "base/progress/phase_range.hpp"
#include "base/progress/stopwatch.hpp"
#include "base/threads/stopping.hpp"
#include "symbolic/choose/envelope.hpp"
#include "symbolic/choose/forecast.hpp"
#include "symbolic/choose/precision_choice.hpp"
#include "symbolic/choose/target_choice.hpp"
#include "symbolic/device/cost.hpp"
#include "symbolic/device/front_cells.hpp"
#include "symbolic/device/schedule.hpp"
#include "symbolic/plan/internals.hpp"
#include "symbolic/plan/make_plan.hpp"
#include "symbolic/plan/plan_facts.hpp"
#include "symbolic/plan/spill.hpp"

namespace kauri::symbolic {
namespace {

/// Ratio of the seconds of a factorisation of a band to those of one with as many entries and an
/// even width: widths vary, and work grows with their squares. Median of the drafts of 60 bands.
constexpr double kBandSpread = 1.25;

/// Step between the columns that are sampled to find that an envelope is far too large.
constexpr Index kSampledColumn = 4;

/// Throws Error(input) if the caller's permutation does not end with the rows that are to come
/// last.
void check_last(const Permutation& perm, std::span<const Index> last) {
  const auto first = perm.size() - static_cast<Index>(last.size());
  if (first < 0)
    throw Error(ErrorKind::input, "analyze: options.last has " + std::to_string(last.size()) +
                                      " rows, expected at most " + std::to_string(perm.size()));
  for (std::size_t k = 0; k < last.size(); ++k)
    if (const Index row = perm.old_of(first + static_cast<Index>(k)); row != last[k])
      throw Error(ErrorKind::input,
                  "analyze: the permutation has row " + std::to_string(row) + " at place " +
                      std::to_string(first + static_cast<Index>(k)) +
                      ", where options.last requires row " + std::to_string(last[k]));
}

}  // namespace

double job_seconds(const CoreSeconds& core, const AnalyzeOptions& options) {
  return options.factorizations * (core.factor_s + options.solves * core.solve_s);
}

OrderingSelector::OrderingSelector(const Pattern& lower, const AnalyzeOptions& options)
    : lower_(lower),
      options_(options),
      table_(planned_table(options)),
      workers_(planned_workers(options)),
      source_(lower),
      best_table_(&table_) {
  if (lower.nnz() > kMostEntries)
    throw Error(ErrorKind::overflow, "analyze: a matrix with " + std::to_string(lower.nnz()) +
                                         " stored entries; a plan takes at most " +
                                         std::to_string(kMostEntries));
  check_by_all(lower);
  if (options.cores < 1)
    throw Error(ErrorKind::usage,
                "analyze: cores is " + std::to_string(options.cores) + ", expected 1 or more");
  if (options.solves < 0 || options.factorizations < 0)
    throw Error(ErrorKind::usage,
                "analyze: solves is " + std::to_string(options.solves) + " and factorizations is " +
                    std::to_string(options.factorizations) + ", expected 0 or more");
  if (options.permutation && options.permutation->size() != lower.n)
    throw Error(ErrorKind::input, "analyze: a permutation of " +
                                      std::to_string(options.permutation->size()) +
                                      " rows for a matrix of " + std::to_string(lower.n) +
                                      "; give one of all its rows");
  if (options.permutation) check_last(*options.permutation, options.ordering.last);
}

ordering::Orderer& OrderingSelector::orderer() {
  if (!orderer_) orderer_.emplace(source_, options_.ordering);
  return *orderer_;
}

const ordering::CompressedGraph& OrderingSelector::compressed() {
  if (orderer_) return orderer_->compressed();
  if (!plain_) plain_.emplace(source_, false);
  return *plain_;
}

double OrderingSelector::predicted_order_seconds(OrderingMethod method) {
  return order_seconds(method, options_.ordering.effort, orderer().vertices(), orderer().edges());
}

double OrderingSelector::predicted_trial_seconds(OrderingMethod method) {
  return predicted_order_seconds(method) + draft_seconds(lower_.n, lower_.nnz());
}

double OrderingSelector::predicted_first_trial_seconds(OrderingMethod method) const {
  const Index n = lower_.n;
  const Offset entries = lower_.nnz();
  return reduction_seconds(n, entries) +
         order_seconds(method, options_.ordering.effort, n, entries - n) +
         draft_seconds(n, entries);
}

double OrderingSelector::band_seconds(double entries) const {
  if (lower_.n == 0) return 0;
  // Sizes of fronts as amalgamation makes them of a band, with entries / n in a column on average.
  // These sizes are not rounded to whole numbers, so a wider band never takes less.
  const double width = entries / lower_.n, p = std::max(8.0, width / 4), m = width + p / 2,
               fronts = lower_.n / p;
  const auto front = [&](auto seconds) { return fronts * seconds(table_, m, p); };
  const double gather = table_.entry_s * static_cast<double>(lower_.nnz());
  return job_seconds({kBandSpread * front(front_seconds) + gather, 2 * front(front_sweep_seconds)},
                     options_);
}

double OrderingSelector::device_seconds(double flops) const {
  constexpr double kProduct = 2.0 * kTile * kTile * kTile;
  const AnalyzeOptions::DeviceOffer& offer = options_.device;
  const DeviceCost cost = on_device() ? device_cost(table_.target)
                                      : device_cost(offer.target, offer.scalar_bytes, offer.card);
  return options_.factorizations * flops / kProduct * cost.product_s;
}

std::string OrderingSelector::label(const Analysis::Candidate& candidate) const {
  return candidate.given ? "the caller's permutation" : std::string(name_of(candidate.method));
}

Analysis::Candidate OrderingSelector::callers() {
  Analysis::Candidate candidate{};
  candidate.method = OrderingMethod::natural;  // none was run
  candidate.given = true;
  return candidate;
}

void OrderingSelector::tell(Phase phase, const std::string& text, std::optional<double> fraction,
                            MessageLevel level) const {
  if (!options_.on_message) return;
  const StopScope unstoppable(nullptr);
  options_.on_message({level, phase, text, fraction});
}

Permutation OrderingSelector::ordered(OrderingMethod method, Analysis::Candidate& candidate,
                                      Offset most_work, Offset& work) {
  candidate.method = method;
  tell(Phase::ordering, "ordering: " + label(candidate));
  std::optional<Permutation> perm;
  candidate.order_s += seconds_of([&] {
    const PhaseRange range(Phase::ordering);
    if (method == OrderingMethod::natural) {
      perm = ordering::natural_order(lower_.n, options_.ordering.last);
    } else {
      candidate.predicted_order_s =
          reduction_seconds(lower_.n, lower_.nnz()) + predicted_order_seconds(method);
      perm = orderer().run_within(method, most_work, work);
    }
  });
  return perm ? *std::move(perm) : Permutation();
}

Permutation OrderingSelector::ordered(OrderingMethod method, Analysis::Candidate& candidate) {
  Offset work = 0;
  return ordered(method, candidate, std::numeric_limits<Offset>::max(), work);
}

std::size_t OrderingSelector::add(Analysis::Candidate candidate, CandidateFigures known) {
  std::size_t k = 0;
  for (; k < known_.size(); ++k)
    if (const Analysis::Candidate& c = analysis_.candidates[k];
        !c.plan && !c.given && !candidate.given && c.method == candidate.method)
      break;
  if (k == known_.size()) {
    analysis_.candidates.emplace_back();
    known_.emplace_back();
  }
  analysis_.candidates[k] = std::move(candidate);
  known_[k] = known;
  return k;
}

void OrderingSelector::give_up(Analysis::Candidate candidate, const std::string& why) {
  tell(Phase::ordering, label(candidate) + " is given up: " + why);
  if (planned(candidate.method)) return;
  candidate.note = "given up: " + why;
  add(std::move(candidate), {});
}

std::optional<std::size_t> OrderingSelector::planned(OrderingMethod method) const {
  for (std::size_t k = 0; k < analysis_.candidates.size(); ++k)
    if (const Analysis::Candidate& c = analysis_.candidates[k];
        c.plan && !c.given && c.method == method)
      return k;
  return {};
}

bool OrderingSelector::enter(std::size_t k) {
  const double seconds = job_seconds(known_[k].core, options_);
  const bool best = entered_.empty() || seconds < best_seconds_;
  if (best) {
    best_seconds_ = seconds;
    best_candidate_ = k;
  }
  entered_.push_back(k);
  return best;
}

void OrderingSelector::evaluate(Analysis::Candidate candidate, const Permutation& perm) {
  std::optional<PlanDraft> draft;
  candidate.symbolic_s += seconds_of([&] {
    const PhaseRange range(Phase::symbolic);
    draft = draft_plan(lower_, compressed(), perm, table_, draft_options());
  });
  const CandidateFigures known{draft->core, draft->cost.nnz_l, draft->cost.flops, 0};
  candidate.note =
      "judged by its counts alone: nnz(L) = " + in_digits(static_cast<double>(known.nnz_l)) +
      ", predicted " + in_seconds(job_seconds(known.core, options_)) + std::string(where());
  tell(Phase::symbolic, label(candidate) + ": " + candidate.note);
  if (!enter(add(std::move(candidate), known))) return;
  best_ = std::move(draft);
  if (!options_.device.target.empty()) best_perm_ = perm;
}

std::shared_ptr<Plan> OrderingSelector::complete(PlanDraft draft, const CostTable& table) const {
  auto made = complete_plan(lower_, std::move(draft), table);
  const bool mixed = analysis_.precisions && analysis_.precisions->takes_mixed;
  if (options_.device_bytes > 0)
    spill(*made, options_.device_bytes,
          mixed ? static_cast<int>(sizeof(float)) : options_.device.scalar_bytes);
  return made;
}

void OrderingSelector::plan(Analysis::Candidate candidate, const Permutation& perm, Offset work) {
  CandidateFigures known;
  candidate.symbolic_s += seconds_of([&] {
    const PhaseRange range(Phase::symbolic);
    PlanDraft draft = draft_plan(lower_, compressed(), perm, table_, draft_options());
    known = {draft.core, draft.cost.nnz_l, draft.cost.flops, 0};
    const auto made = complete(std::move(draft), table_);
    made->ordering = candidate.method;
    made->given = candidate.given;
    candidate.plan = made;
  });
  known_[add(std::move(candidate), known)].work = work;
}

void OrderingSelector::try_method(OrderingMethod method) {
  if (const auto k = planned(method)) {
    waiting_.reset();
    enter(*k);
    return;
  }
  Analysis::Candidate candidate{};
  Permutation perm;
  if (waiting_ && waiting_->candidate.method == method) {
    candidate = std::move(waiting_->candidate);
    perm = std::move(waiting_->perm);
    waiting_.reset();
  } else {
    perm = ordered(method, candidate);
  }
  evaluate(std::move(candidate), perm);
}

bool OrderingSelector::try_within(OrderingMethod method, const WorkLimit& limit) {
  Offset work = 0;
  if (const auto k = planned(method)) {
    work = known_[*k].work;
    if (work <= limit.most) enter(*k);
    return work <= limit.most;
  }
  Analysis::Candidate candidate{};
  const Permutation perm = ordered(method, candidate, limit.most, work);
  if (work > limit.most) {
    give_up(std::move(candidate), limit.why);
    return false;
  }
  evaluate(std::move(candidate), perm);
  return true;
}

double OrderingSelector::envelope_seconds(OrderingMethod method, double enough,
                                          const WorkLimit& limit) {
  Analysis::Candidate candidate{};
  Offset work = 0;
  Permutation perm = ordered(method, candidate, limit.most, work);
  if (work > limit.most) {
    give_up(std::move(candidate), limit.why);
    return std::numeric_limits<double>::infinity();
  }
  double seconds = 0;
  if (orderer_) {
    seconds = band_seconds(envelope_entries(orderer_->compressed(), perm));
  } else if (options_.ordering.last.empty()) {  // the natural ordering, before there is a graph
    seconds = band_seconds(envelope_entries(lower_, kSampledColumn));
    if (seconds < enough) seconds = band_seconds(envelope_entries(lower_));
  } else {
    seconds = band_seconds(envelope_entries(lower_, perm));
  }
  waiting_.emplace(Waiting{std::move(candidate), std::move(perm)});
  return seconds;
}

void OrderingSelector::try_given() { evaluate(callers(), *options_.permutation); }

void OrderingSelector::plan_method(OrderingMethod method) {
  Analysis::Candidate candidate{};
  Offset work = 0;
  const Permutation perm = ordered(method, candidate, std::numeric_limits<Offset>::max(), work);
  plan(std::move(candidate), perm, work);
}

void OrderingSelector::plan_given() { plan(callers(), *options_.permutation, 0); }

void OrderingSelector::skip(OrderingMethod method, std::string why) {
  const auto same = [&](const Analysis::Candidate& c) { return !c.given && c.method == method; };
  const bool listed = std::any_of(analysis_.candidates.begin(), analysis_.candidates.end(), same);
  Analysis::Candidate candidate{};
  if (waiting_ && waiting_->candidate.method == method) {
    candidate = std::move(waiting_->candidate);
    waiting_.reset();
  }
  if (listed) return;
  candidate.method = method;
  candidate.note = std::move(why);
  add(std::move(candidate), {});
}

std::string OrderingSelector::comparison() const {
  std::string text = label(analysis_.candidates[best_candidate_]) + ": predicted " +
                     in_seconds(best_seconds_) + std::string(where());
  std::optional<std::size_t> second;
  double least = 0;
  for (const std::size_t k : entered_) {
    const double seconds = job_seconds(known_[k].core, options_);
    if (k == best_candidate_ || (second && seconds >= least)) continue;
    second = k;
    least = seconds;
  }
  if (second)
    text += " against " + in_seconds(least) + " with " + label(analysis_.candidates[*second]);
  return text;
}

void OrderingSelector::offer_device() {
  const CostTable& table = cost_table(options_.device.target);
  PlanDraft rival = draft_plan(lower_, compressed(), best_perm_, table, draft_options());
  const DeviceJob job = device_job(rival, lower_);
  Analysis::Forecast host =
      host_forecast(*best_, table_.target, workers_, options_.device.scalar_bytes);
  if (options_.device.mixed)
    analysis_.precisions = choose_precision(job, options_.device, options_);
  const auto& precisions = analysis_.precisions;
  Analysis::Forecast device = !precisions               ? device_forecast(job, options_.device)
                              : precisions->takes_mixed ? precisions->mixed
                                                        : precisions->full;
  TargetChoice choice = choose_target(host, device, options_);
  if (choice.device) {
    best_ = std::move(rival);
    best_table_ = &table;
  }
  analysis_.forecasts = {std::move(host), std::move(device)};
  analysis_.target_reason = std::move(choice.reason);
}

Analysis OrderingSelector::finish(std::string reason) {
  Analysis::Candidate& best = analysis_.candidates[best_candidate_];
  tell(Phase::ordering, reason, 1);
  tell(Phase::symbolic, "the plan of " + label(best));
  if (!best.plan)
    best.symbolic_s += seconds_of([&] {
      const PhaseRange range(Phase::symbolic);
      if (!options_.device.target.empty()) offer_device();
      const auto made = complete(std::move(*best_), *best_table_);
      made->ordering = best.method;
      made->given = best.given;
      best.plan = made;
    });
  if (const std::string text = too_large_block(*best.plan); !text.empty())
    tell(Phase::symbolic, text, {}, MessageLevel::warning);
  best.note.clear();
  best.chosen = true;
  analysis_.plan = best.plan;
  analysis_.reason = std::move(reason);
  for (const Analysis::Candidate& candidate : analysis_.candidates)
    analysis_.symbolic_s += candidate.symbolic_s;
  // Ordering seconds include making the graph and measuring it to decide what is tried, but not
  // making the graph of the rows if only the symbolic phase needs it.
  analysis_.order_s = watch_.seconds() - analysis_.symbolic_s;
  return std::move(analysis_);
}

}  // namespace kauri::symbolic
