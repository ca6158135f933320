// Tools of all bindings: cancelling, Ctrl-C, the interpreter's lock, and arrays for Python.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <chrono>
#include <cstdint>
#include <exception>
#include <future>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <system_error>
#include <thread>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "kauri/core/backend.hpp"
#include "kauri/core/error.hpp"
#include "kauri/core/matrix.hpp"

namespace kauri::python {

namespace nb = nanobind;

/// Returns (column, pivot) for Python code that raises NotPositiveDefiniteError (Filled._fill). The
/// error is not thrown here: its class has an __init__ in Python, and Python code must not run
/// while C++ handles an exception, since wait_for_exit() could not be called then.
inline nb::object told(const Breakdown& breakdown) {
  return nb::make_tuple(breakdown.column, breakdown.pivot);
}

/// Returns (column, pivot) of a breakdown, or None.
inline nb::object told(const Result<void, Breakdown>& result) {
  return result ? nb::none() : told(result.error());
}

/// Class kauri.CancelToken: a std::stop_source.
class CancelToken {
 public:
  void cancel() { source_.request_stop(); }
  [[nodiscard]] bool cancelled() const { return source_.stop_requested(); }
  [[nodiscard]] std::stop_token token() const { return source_.get_token(); }

 private:
  std::stop_source source_;
};

/// Waits for the end of the process, in a thread that holds no lock.
///
/// A thread that asks for the interpreter's lock while the interpreter is finalised does not get
/// it: Python before 3.14 ends the thread by pthread_exit(). That unwinds the stack through
/// noexcept destructors and functions of nanobind, which calls std::terminate() for the whole
/// process. The code that catches this unwinding calls wait_for_exit(), so the thread waits, as it
/// does in Python 3.14.
[[noreturn]] inline void wait_for_exit() noexcept {
  for (;;) std::this_thread::sleep_for(std::chrono::hours(1));
}

/// Calls call(), which runs Python code with the lock held and may lose the lock in between.
template <class F>
void call_python(F&& call) {
  try {
    call();
  } catch (const std::exception&) {
    throw;
  } catch (...) {
    wait_for_exit();
  }
}

/// Releases the interpreter's lock during its lifetime. The thread must hold the lock when it makes
/// the object.
class Unlocked {
 public:
  Unlocked() : state_(PyEval_SaveThread()) {}
  Unlocked(const Unlocked&) = delete;
  Unlocked& operator=(const Unlocked&) = delete;
  ~Unlocked() {
    try {
      PyEval_RestoreThread(state_);
    } catch (...) {
      wait_for_exit();
    }
  }

 private:
  PyThreadState* state_;
};

/// Holds the interpreter's lock during its lifetime. The thread may hold the lock already.
class Locked {
 public:
  Locked() : state_(taken()) {}
  Locked(const Locked&) = delete;
  Locked& operator=(const Locked&) = delete;
  ~Locked() { PyGILState_Release(state_); }

 private:
  static PyGILState_STATE taken() {
    try {
      return PyGILState_Ensure();
    } catch (...) {
      wait_for_exit();
    }
  }

  PyGILState_STATE state_;
};

/// Returns true on the thread in which Python runs signal handlers.
bool on_main_thread();

/// Selects how released() runs its work.
enum class Weight {
  light,  ///< work runs on the calling thread: Ctrl-C does not interrupt it
  /// If called on the main thread, where Ctrl-C arrives: on a helper thread, while the main thread
  /// checks for signals.
  heavy,
};

/// Number of operations on the CPU, some 50 ms, above which Ctrl-C can interrupt a call.
inline constexpr double kHeavyFlops = 1e8;

/// Interval between two checks for signals.
inline constexpr std::chrono::milliseconds kSignalInterval{20};

/// Starts a thread for the work. Throws Error(memory) if the system refuses it.
template <class F>
std::jthread helper_thread(F&& work) {
  try {
    return std::jthread(std::forward<F>(work));
  } catch (const std::system_error& error) {
    throw Error(
        ErrorKind::memory,
        std::string("the system gives no thread for a call that Ctrl-C may end: ") + error.what());
  }
}

/// Returns work(token), which runs without the interpreter's lock and may use Python objects only
/// while it holds that lock. cancel: may be null. If a signal handler raises an exception, such as
/// KeyboardInterrupt, the work is cancelled, and the exception is thrown once the work has ended.
template <class F>
auto released(const CancelToken* cancel, Weight weight, F&& work)
    -> std::invoke_result_t<F, const std::stop_token&> {
  using R = std::invoke_result_t<F, const std::stop_token&>;
  const std::stop_token outer = cancel ? cancel->token() : std::stop_token{};
  if (weight == Weight::light || !on_main_thread()) {
    const Unlocked unlocked;
    return work(outer);
  }
  std::stop_source inner;
  const std::stop_callback forward(outer, [&inner] { inner.request_stop(); });
  std::packaged_task<R()> task([&] { return work(inner.get_token()); });
  std::future<R> result = task.get_future();
  std::optional<nb::python_error> raised;
  {
    const Unlocked unlocked;
    const std::jthread worker = helper_thread(std::move(task));
    while (result.wait_for(kSignalInterval) != std::future_status::ready) {
      const Locked locked;
      if (raised || PyErr_CheckSignals() == 0) continue;
      raised.emplace();
      inner.request_stop();
    }
  }
  if (raised) throw std::move(*raised);
  return result.get();
}

/// Returns an array of NumPy that owns the vector.
template <class T>
nb::object to_numpy(std::vector<T>&& values) {
  auto held = std::make_unique<std::vector<T>>(std::move(values));
  T* data = held->data();
  const std::size_t shape[1] = {held->size()};
  const nb::capsule owner(held.get(),
                          [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
  held.release();
  return nb::cast(nb::ndarray<nb::numpy, T, nb::ndim<1>>(data, 1, shape, owner));
}

/// Contiguous one-dimensional array in the CPU's memory.
template <class T>
using Vector = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

template <class T>
std::span<const T> span_of(const Vector<T>& array) {
  return {array.data(), array.size()};
}

inline Index as_index(std::size_t count) {
  if (count > static_cast<std::size_t>(std::numeric_limits<Index>::max()))
    throw Error(ErrorKind::usage,
                "an array of " + std::to_string(count) + " rows or columns: at most 2^31 - 1");
  return static_cast<Index>(count);
}

/// Returns a view of an array with one or two dimensions, one dimension being one column. Throws
/// Error(usage) unless its rows, or its columns, are each contiguous and do not overlap.
template <class T, class Array>
MatrixView<T> dense(const Array& a) {
  if (a.ndim() != 1 && a.ndim() != 2)
    throw Error(ErrorKind::usage,
                "an array of " + std::to_string(a.ndim()) + " dimensions, expected 1 or 2");
  const Index rows = as_index(a.shape(0)), cols = a.ndim() == 2 ? as_index(a.shape(1)) : 1;
  const Offset down = rows > 1 ? a.stride(0) : 1,
               right = a.ndim() == 2 && cols > 1 ? a.stride(1) : rows;
  if (down == 1 && (cols <= 1 || right >= rows))
    return {a.data(), rows, cols, cols > 1 ? right : rows, Layout::column_major};
  if ((cols <= 1 || right == 1) && down >= cols)
    return {a.data(), rows, cols, down, Layout::row_major};
  throw Error(ErrorKind::usage,
              "an array whose strides are not those of a dense matrix; pass a contiguous copy");
}

template <class T>
using Const = nb::ndarray<const T, nb::device::cpu>;
template <class T>
using Mutable = nb::ndarray<T, nb::device::cpu>;

/// Returns a pointer that keeps the object alive. Any thread may release it, and then waits for the
/// interpreter's lock. After the interpreter is finalised, the object is not released.
inline std::shared_ptr<const void> kept_alive(nb::object object) {
  auto held = std::make_unique<nb::object>(std::move(object));
  return {held.release(), [](const void* p) {
            if (!Py_IsInitialized()) return;
            const Locked locked;
            call_python([&] { delete static_cast<const nb::object*>(p); });
          }};
}

/// Dense matrix on a device, as Python describes it: address, rows, columns, leading dimension,
/// true if row-major.
using There = std::tuple<std::uintptr_t, std::size_t, std::size_t, Offset, bool>;

/// Returns the handle of a stream that Python gives as a number.
inline std::optional<StreamHandle> handle_of(std::optional<std::uintptr_t> stream) {
  return stream ? std::optional<StreamHandle>(reinterpret_cast<StreamHandle>(*stream))
                : std::nullopt;
}

template <class T>
MatrixView<T> view_of(const There& there) {
  const auto [address, rows, cols, ld, by_rows] = there;
  return {reinterpret_cast<T*>(address), as_index(rows), as_index(cols), ld,
          by_rows ? Layout::row_major : Layout::column_major};
}

/// Functions that add the parts of the module.
void bind_support(nb::module_& module);
void bind_matrices(nb::module_& module);
void bind_symbolic(nb::module_& module);
void bind_factors(nb::module_& module);
void bind_mixed(nb::module_& module);

}  // namespace kauri::python
