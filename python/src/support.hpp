// What every binding needs: cancelling, Ctrl-C, the interpreter's lock, and arrays for Python.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <chrono>
#include <future>
#include <memory>
#include <optional>
#include <stop_token>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

#include "kauri/error.hpp"

namespace kauri::python {

namespace nb = nanobind;

/// Thrown by bindings, as kauri.NotPositiveDefiniteError in Python.
struct NotPositiveDefinite {
  Breakdown breakdown;
};

/// Throws NotPositiveDefinite where there is a Breakdown.
inline void require_definite(const Result<void, Breakdown>& result) {
  if (!result) throw NotPositiveDefinite{result.error()};
}

/// kauri.CancelToken: a std::stop_source.
class CancelToken {
 public:
  void cancel() { source_.request_stop(); }
  [[nodiscard]] bool cancelled() const { return source_.stop_requested(); }
  [[nodiscard]] std::stop_token token() const { return source_.get_token(); }

 private:
  std::stop_source source_;
};

/// The thread that Python runs handlers of signals in.
bool on_main_thread();

/// What looks after a call that may take long: on the main thread of Python, where Ctrl-C arrives, the work is done by a helper, while this
/// thread looks for signals.
enum class Weight {
  light,  ///< too short to be interrupted
  heavy,  ///< as said above
};

/// How often signals are looked for.
inline constexpr std::chrono::milliseconds kSignalInterval{20};

/// work(token), without the interpreter's lock: it touches no object of Python. cancel may be null. What a handler of signals raises (as
/// KeyboardInterrupt) cancels the work, and comes out once that has ended.
template <class F>
auto released(const CancelToken* cancel, Weight weight, F&& work) -> std::invoke_result_t<F, const std::stop_token&> {
  using R = std::invoke_result_t<F, const std::stop_token&>;
  const std::stop_token outer = cancel ? cancel->token() : std::stop_token{};
  if (weight == Weight::light || !on_main_thread()) {
    const nb::gil_scoped_release unlocked;
    return work(outer);
  }
  std::stop_source inner;
  const std::stop_callback forward(outer, [&inner] { inner.request_stop(); });
  std::packaged_task<R()> task([&] { return work(inner.get_token()); });
  std::future<R> result = task.get_future();
  std::optional<nb::python_error> raised;
  {
    const nb::gil_scoped_release unlocked;
    const std::jthread worker(std::move(task));
    while (result.wait_for(kSignalInterval) != std::future_status::ready) {
      const nb::gil_scoped_acquire locked;
      if (raised || PyErr_CheckSignals() == 0) continue;
      raised.emplace();
      inner.request_stop();
    }
  }
  if (raised) throw std::move(*raised);
  return result.get();
}

/// An array of NumPy that owns the vector.
template <class T>
nb::object to_numpy(std::vector<T>&& values) {
  auto held = std::make_unique<std::vector<T>>(std::move(values));
  T* data = held->data();
  const std::size_t shape[1] = {held->size()};
  const nb::capsule owner(held.get(), [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
  held.release();
  return nb::cast(nb::ndarray<nb::numpy, T, nb::ndim<1>>(data, 1, shape, owner));
}

/// A one-dimensional array of the host, contiguous.
template <class T>
using Vector = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

template <class T>
std::span<const T> span_of(const Vector<T>& array) {
  return {array.data(), array.size()};
}

/// Where the parts of the module are.
void bind_support(nb::module_& module);
void bind_matrices(nb::module_& module);
void bind_symbolic(nb::module_& module);
void bind_factors(nb::module_& module);

}  // namespace kauri::python
