// Properties of AMD's devices, and reasons why one cannot be used. The rates of their units are not
// in kauri's tables (a card's capability is 0.0 there), so no seconds are predicted for them.
// SPDX-License-Identifier: BSD-3-Clause
#include <filesystem>
#include <vector>

#include "numeric/cuda/runtime/architectures.hpp"
#include "numeric/cuda/runtime/availability.hpp"
#include "numeric/cuda/runtime/device.hpp"
#include "symbolic/device/cost.hpp"

namespace kauri::numeric::cuda {
namespace {

/// The device file of AMD's driver.
constexpr const char* kDriver = "/dev/kfd";

/// Returns the architectures of this build: "gfx90a gfx942" as {"gfx90a", "gfx942"}.
std::vector<std::string> all_built() {
  std::vector<std::string> all(1);
  for (const char c : built_for()) {
    if (c == ' ')
      all.emplace_back();
    else
      all.back() += c;
  }
  return all;
}

/// Returns them with `last` before the last one: "gfx90a, gfx942 or gfx1100".
std::string built_in_words(const std::string& last) {
  const std::vector<std::string> all = all_built();
  std::string out;
  for (std::size_t k = 0; k < all.size(); ++k) {
    if (k > 0) out += k + 1 == all.size() ? " " + last + " " : ", ";
    out += all[k];
  }
  return out;
}

bool is_built(const cudaDeviceProp& device) {
  for (const std::string& known : all_built())
    if (known == capability(device)) return true;
  return false;
}

}  // namespace

std::string_view built_for() { return KAURI_HIP_BUILT_FOR; }

const Maker& maker() {
  static constexpr Maker amd{"AMD device", "HIP"};
  return amd;
}

std::string hint_of(cudaError_t status) {
  if (status == hipErrorNoDevice)
    return " (there is none, or HIP_VISIBLE_DEVICES or ROCR_VISIBLE_DEVICES hides all of them)";
  return status == hipErrorNotInitialized
             ? " (a process that was forked from one that has used HIP cannot use it: spawn it)"
             : "";
}

std::string why_none(cudaError_t status) {
  std::error_code ignored;
  const bool driver = std::filesystem::exists(kDriver, ignored);
  const std::string found = driver ? "AMD's driver without a device"
                                   : "no AMD driver (" + std::string(kDriver) + " is missing)";
  return in_words(status) + "; found: " + found + "; expected: a device of " + built_in_words("or");
}

DeviceCard card_of(int device) {
  const cudaDeviceProp& properties = properties_of(device);
  constexpr double kHz = 1e3;
  return {0,
          0,
          properties.multiProcessorCount,
          kHz * properties.clockRate,
          2 * kHz * properties.memoryClockRate * properties.memoryBusWidth / 8,
          0};
}

void require_code(int device) {
  const cudaDeviceProp& found = properties_of(device);
  if (!is_built(found))
    throw Error(ErrorKind::device, "AMD device " + std::to_string(device) + " (" + found.name +
                                       ") cannot run this kauri: " + what_was_built(found));
}

/// The architecture without its features: "gfx90a" of "gfx90a:sramecc+:xnack-".
std::string capability(const cudaDeviceProp& device) {
  const std::string name = device.gcnArchName;
  return name.substr(0, name.find(':'));
}

std::string what_was_built(const cudaDeviceProp& device) {
  return "it was built for " + built_in_words("and") + "; the device is " + capability(device);
}

std::string code_in_words(const cudaDeviceProp& device) {
  return is_built(device) ? "machine code for " + capability(device) : "";
}

std::string target_of(const cudaDeviceProp&) { return std::string(symbolic::device_target(0, 0)); }

}  // namespace kauri::numeric::cuda
