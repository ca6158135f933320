// Compares memory first, then seconds.
// SPDX-License-Identifier: BSD-3-Clause
#include "symbolic/choose/precision_choice.hpp"

#include <string>

#include "base/common/in_digits.hpp"
#include "symbolic/choose/target_choice.hpp"
#include "symbolic/common/device_units.hpp"

namespace kauri::symbolic {
namespace {

std::string figures(const Analysis::Forecast& forecast) {
  return in_seconds(forecast.job_s) + " and " + in_gb(forecast.bytes);
}

/// Returns the choice for a card, and the reason.
bool takes_mixed(const Analysis::Precisions& of, Offset free_bytes, bool slow_double,
                 std::string& reason) {
  if (of.full.bytes > free_bytes && of.mixed.bytes <= free_bytes) {
    reason = "mixed: double needs about " + in_gb(of.full.bytes) + " of the device's memory, " +
             in_gb(free_bytes) + " are free";
    return true;
  }
  if (!slow_double) {
    reason = "full: double is not slow on this device";
    return false;
  }
  const bool mixed = kMixedWeight * of.mixed.job_s < of.full.job_s;
  reason = mixed ? "mixed: predicted " + figures(of.mixed) + " for the job against " +
                       figures(of.full) + " in double"
                 : "full: predicted " + figures(of.full) + " for the job against " +
                       figures(of.mixed) + " in mixed precision, too small a gain";
  return mixed;
}

}  // namespace

Analysis::Precisions choose_precision(const DeviceJob& job,
                                      const AnalyzeOptions::DeviceOffer& offer,
                                      const AnalyzeOptions& options) {
  AnalyzeOptions::DeviceOffer in_double = offer;
  in_double.scalar_bytes = sizeof(double);
  Analysis::Precisions out;
  out.full = device_forecast(job, in_double);
  out.mixed = mixed_forecast(job, offer);
  out.full.job_s = job_seconds(out.full, options);
  out.mixed.job_s = job_seconds(out.mixed, options);
  out.takes_mixed = takes_mixed(out, offer.free_bytes, has_slow_double(offer.card), out.reason);
  out.reason += "; the device does " + in_digits(single_to_double(offer.card)) +
                " operations in float in the time of one in double";
  return out;
}

}  // namespace kauri::symbolic
