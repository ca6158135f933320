// The text of a card file, a JSON object without objects inside.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string_view>

#include "symbolic/common/device_units.hpp"

namespace kauri::card {

/// Returns the card that a text describes. name: the file, for errors. Throws Error(input) for a
/// text that to_json() cannot have written: another schema, keys that are missing, unknown or given
/// twice, values of another type or out of range, text behind the object.
DeviceCard parse_card(std::string_view text, std::string_view name);

}  // namespace kauri::card
