// Rates of a CUDA device as the kernels of kauri reach them: measured, and kept in a file from
// which later jobs are predicted.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <string_view>

#include "kauri/core/analysis.hpp"
#include "kauri/core/backend.hpp"

namespace kauri {

/// Measures a device for predictions, by factorisations and solves of made systems: operations per
/// second in large fronts, the rate at which solves read L, latencies of a launch and of a level of
/// fronts, each in double and in float, and copies from the host. Takes less than a second on the
/// device, and some 4.5 MB of its memory for each of twice its multiprocessors. The device should
/// do nothing else. Results of other calls do not depend on it, unless the caller passes the card
/// to an analysis or its file to a Solver. Throws Error: as cuda_backend(); usage (options take a
/// part of the device, or other kernels than by default: multiprocessors, compute, portable,
/// fast_solve); memory.
AnalyzeOptions::DeviceOffer::Card measure_card(const CudaOptions& options = {});

/// Returns a measured card as JSON, the content of a file for read_card(). device: the name of the
/// device, for people. Numbers are written so that they read back unchanged.
std::string to_json(const AnalyzeOptions::DeviceOffer::Card& card, std::string_view device);

/// Reads a file that `kauri tune` or to_json() has written. Throws Error: input (the file cannot be
/// read, is longer than 64 KB, or is no card: the message names file and line, what was found and
/// what was expected), memory.
AnalyzeOptions::DeviceOffer::Card read_card(const std::string& path);

}  // namespace kauri
