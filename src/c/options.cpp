// C: options by their names, callbacks, and the cancelling of calls.
// SPDX-License-Identifier: BSD-3-Clause
#include "kauri/c/options.h"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/common/digits.hpp"
#include "kauri/solve/named_options.hpp"
#include "src/c/guard.hpp"
#include "src/c/handles.hpp"
#include "src/c/values.hpp"

namespace kauri::c {
namespace {

// The values of C's enumerations never change. If those of C++ do, these assertions fail and a
// conversion is needed.
static_assert(static_cast<int>(MessageLevel::info) == KAURI_MESSAGE_INFO &&
              static_cast<int>(MessageLevel::warning) == KAURI_MESSAGE_WARNING);
static_assert(static_cast<int>(Phase::ordering) == KAURI_PHASE_ORDERING &&
              static_cast<int>(Phase::symbolic) == KAURI_PHASE_SYMBOLIC &&
              static_cast<int>(Phase::prepare) == KAURI_PHASE_PREPARE &&
              static_cast<int>(Phase::factor) == KAURI_PHASE_FACTOR &&
              static_cast<int>(Phase::solve) == KAURI_PHASE_SOLVE &&
              static_cast<int>(Phase::refine) == KAURI_PHASE_REFINE);

std::int32_t kind_of(OptionKind kind) {
  switch (kind) {
    case OptionKind::boolean:
      return KAURI_OPTION_BOOLEAN;
    case OptionKind::integer:
      return KAURI_OPTION_INTEGER;
    case OptionKind::number:
      return KAURI_OPTION_NUMBER;
    case OptionKind::text:
      return KAURI_OPTION_TEXT;
    case OptionKind::word:
      break;
  }
  return KAURI_OPTION_WORD;
}

/// Returns rows of A, which the caller counts from base, counted from 0. Throws Error(input) for a
/// row less than base.
std::vector<Index> rows_of(const std::int32_t* row, std::int64_t count, std::int32_t base,
                           const char* name) {
  const int from = base_of(base);
  const auto given = span_of<const Index>(row, count, name);
  std::vector<Index> rows(given.begin(), given.end());
  for (std::size_t k = 0; k < rows.size(); ++k) {
    if (rows[k] < from)
      throw Error(ErrorKind::input, std::string(name) + "[" + std::to_string(k) + "] is " +
                                        std::to_string(rows[k]) + ", expected " +
                                        std::to_string(from) + " or more");
    rows[k] -= from;
  }
  return rows;
}

}  // namespace

SolverOptions options_of(const kauri_options* options) {
  if (options == nullptr) return {};
  SolverOptions all = options->options;
  all.stop = all.analyze.ordering.stop = all.refine.stop = all.mixed_solve.stop =
      token_of(options->cancel);
  all.analyze.on_message = all.on_message;
  return all;
}

extern "C" {

kauri_status kauri_cancel_create(kauri_cancel** cancel) {
  return guarded([&] {
    kauri_cancel*& place = place_for(cancel, "cancel");  // before an allocation that could leak
    place = new kauri_cancel{std::make_shared<CancelState>()};
  });
}
kauri_status kauri_cancel_request(kauri_cancel* cancel) {
  return guarded([&] { need(cancel, "cancel").state->request(); });
}
kauri_status kauri_cancel_reset(kauri_cancel* cancel) {
  return guarded([&] { need(cancel, "cancel").state->reset(); });
}
kauri_status kauri_cancel_requested(const kauri_cancel* cancel, int32_t* requested) {
  return guarded([&] {
    need(requested, "requested") = need(cancel, "cancel").state->token().stop_requested() ? 1 : 0;
  });
}
void kauri_cancel_destroy(kauri_cancel* cancel) { delete cancel; }

kauri_status kauri_options_create(kauri_options** options) {
  return guarded([&] {
    kauri_options*& place = place_for(options, "options");
    place = new kauri_options{};
  });
}
kauri_status kauri_options_copy(const kauri_options* options, kauri_options** copy) {
  return guarded([&] {
    kauri_options*& place = place_for(copy, "copy");
    place = new kauri_options(need(options, "options"));
  });
}
void kauri_options_destroy(kauri_options* options) { delete options; }

kauri_status kauri_options_set(kauri_options* options, const char* name, const char* value) {
  return guarded([&] {
    set_option(need(options, "options").options, &need(name, "name"), &need(value, "value"));
  });
}
kauri_status kauri_options_set_int(kauri_options* options, const char* name, int64_t value) {
  return guarded([&] {
    set_option(need(options, "options").options, &need(name, "name"), std::to_string(value));
  });
}
kauri_status kauri_options_set_double(kauri_options* options, const char* name, double value) {
  return guarded(
      [&] { set_option(need(options, "options").options, &need(name, "name"), digits(value)); });
}
kauri_status kauri_options_get(const kauri_options* options, const char* name, char* text,
                               size_t capacity, size_t* needed) {
  return guarded([&] {
    put_text(get_option(need(options, "options").options, &need(name, "name")), text, capacity,
             needed);
  });
}

int32_t kauri_options_count(void) {
  try {
    return static_cast<int32_t>(named_options().size());
  } catch (...) {  // no memory for the table
    (void)told_exception();
    return 0;
  }
}
kauri_status kauri_options_info(int32_t index, struct kauri_option_info* info) {
  return guarded([&] {
    kauri_option_info& out = sized(info, "info");
    const std::vector<NamedOption>& all = named_options();
    if (index < 0 || static_cast<std::size_t>(index) >= all.size())
      misuse("option index is " + std::to_string(index) + ", expected 0 to " +
             std::to_string(all.size() - 1));
    const NamedOption& option = all[static_cast<std::size_t>(index)];
    out = {sizeof out,
           option.name.c_str(),
           option.accepts.c_str(),
           option.initial.c_str(),
           option.help.c_str(),
           kind_of(option.kind),
           0};
  });
}

kauri_status kauri_options_set_allocator(kauri_options* options, kauri_allocate allocate,
                                         kauri_release release, void* user) {
  return guarded([&] {
    if ((allocate == nullptr) != (release == nullptr))
      misuse("one function of the allocator is null, the other is not; expected both or none");
    need(options, "options").options.cuda.allocator = {allocate, release, user};
  });
}
kauri_status kauri_options_set_message(kauri_options* options, kauri_message message, void* user) {
  return guarded([&] {
    MessageHandler& handler = need(options, "options").options.on_message;
    if (message == nullptr) {
      handler = {};
      return;
    }
    handler = [message, user](const Message& m) {
      message(user, static_cast<int32_t>(m.level), static_cast<int32_t>(m.phase),
              m.fraction.value_or(-1), m.text.c_str());
    };
  });
}
kauri_status kauri_options_set_cancel(kauri_options* options, const kauri_cancel* cancel) {
  return guarded(
      [&] { need(options, "options").cancel = cancel == nullptr ? nullptr : cancel->state; });
}

kauri_status kauri_options_set_permutation(kauri_options* options, int64_t n, const int32_t* old_of,
                                           int32_t base) {
  return guarded([&] {
    std::optional<Permutation>& permutation = need(options, "options").options.analyze.permutation;
    std::vector<Index> rows = rows_of(old_of, n, base, "old_of");
    if (rows.empty())
      permutation.reset();
    else
      permutation = counting_from(base, [&] { return Permutation::from_old_of(std::move(rows)); });
  });
}
kauri_status kauri_options_set_last(kauri_options* options, int64_t count, const int32_t* row,
                                    int32_t base) {
  return guarded([&] {
    need(options, "options").options.analyze.ordering.last = rows_of(row, count, base, "row");
  });
}

kauri_status kauri_options_set_max_bytes(kauri_options* options, size_t bytes) {
  return guarded([&] { need(options, "options").max_bytes = bytes; });
}

}  // extern "C"

}  // namespace kauri::c
