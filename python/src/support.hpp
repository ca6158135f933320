// What every binding needs: cancelling, Ctrl-C, the interpreter's lock, and arrays for Python.
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

#include "kauri/backend.hpp"
#include "kauri/error.hpp"
#include "kauri/matrix.hpp"
#include "numeric/backend.hpp"

namespace kauri::python {

namespace nb = nanobind;

/// (column, pivot), for which Python raises NotPositiveDefiniteError (Filled._fill). Not thrown: that class has an __init__ of Python's,
/// and code of Python's must not run while C++ handles an exception: see wait_for_exit(), which could not be called then.
inline nb::object told(const Breakdown& breakdown) { return nb::make_tuple(breakdown.column, breakdown.pivot); }

/// The same, or None.
inline nb::object told(const Result<void, Breakdown>& result) { return result ? nb::none() : told(result.error()); }

/// kauri.CancelToken: a std::stop_source.
class CancelToken {
 public:
  void cancel() { source_.request_stop(); }
  [[nodiscard]] bool cancelled() const { return source_.stop_requested(); }
  [[nodiscard]] std::stop_token token() const { return source_.get_token(); }

 private:
  std::stop_source source_;
};

/// A thread that asks for the interpreter's lock while the interpreter is finalised does not get it: Python before 3.14 ends the thread by
/// pthread_exit(). That unwinds the stack, through destructors and functions of nanobind's that are noexcept, which is std::terminate() for
/// the whole process. This is called where such an unwinding is caught: the thread holds no lock, and waits for the end of the process, as
/// Python 3.14 lets it.
[[noreturn]] inline void wait_for_exit() noexcept {
  for (;;) std::this_thread::sleep_for(std::chrono::hours(1));
}

/// call(), which runs code of Python's with the lock held, and may lose the lock in between.
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

/// The interpreter's lock is released for the lifetime of this object. The thread holds it when this is made.
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

/// The interpreter's lock is held for the lifetime of this object, in a thread that may hold it already.
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

/// The thread that Python runs handlers of signals in.
bool on_main_thread();

/// What looks after a call that may take long: on the main thread of Python, where Ctrl-C arrives, the work is done by a helper, while this
/// thread looks for signals.
enum class Weight {
  light,  ///< too short to be interrupted
  heavy,  ///< as said above
};

/// Operations on the CPU above which a call may be interrupted by Ctrl-C: some 50 ms.
inline constexpr double kHeavyFlops = 1e8;

/// How often signals are looked for.
inline constexpr std::chrono::milliseconds kSignalInterval{20};

/// Error(memory) where the system refuses it.
template <class F>
std::jthread helper_thread(F&& work) {
  try {
    return std::jthread(std::forward<F>(work));
  } catch (const std::system_error& error) {
    throw Error(ErrorKind::memory, std::string("the system gives no thread for a call that Ctrl-C may end: ") + error.what());
  }
}

/// work(token), without the interpreter's lock: it touches no object of Python but with that lock. cancel may be null. What a handler of
/// signals raises (as KeyboardInterrupt) cancels the work, and comes out once that has ended.
template <class F>
auto released(const CancelToken* cancel, Weight weight, F&& work) -> std::invoke_result_t<F, const std::stop_token&> {
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

inline Index as_index(std::size_t count) {
  if (count > static_cast<std::size_t>(std::numeric_limits<Index>::max()))
    throw Error(ErrorKind::usage, "an array of " + std::to_string(count) + " rows or columns: at most 2^31 - 1");
  return static_cast<Index>(count);
}

/// One or two dimensions; the entries of a row or of a column lie one beside the other.
template <class T, class Array>
MatrixView<T> dense(const Array& a) {
  if (a.ndim() != 1 && a.ndim() != 2) throw Error(ErrorKind::usage, "an array of " + std::to_string(a.ndim()) + " dimensions");
  const Index rows = as_index(a.shape(0)), cols = a.ndim() == 2 ? as_index(a.shape(1)) : 1;
  const Offset down = rows > 1 ? a.stride(0) : 1, right = a.ndim() == 2 && cols > 1 ? a.stride(1) : rows;
  if (down == 1 && (cols <= 1 || right >= rows)) return {a.data(), rows, cols, cols > 1 ? right : rows, Layout::column_major};
  if ((cols <= 1 || right == 1) && down >= cols) return {a.data(), rows, cols, down, Layout::row_major};
  throw Error(ErrorKind::usage, "an array whose strides no dense matrix has");
}

template <class T>
using Const = nb::ndarray<const T, nb::device::cpu>;
template <class T>
using Mutable = nb::ndarray<T, nb::device::cpu>;

/// Keeps the object alive, and may be let go of by any thread, which then waits for the interpreter's lock. Once the interpreter is
/// finalised the object is left to the end of the process.
inline std::shared_ptr<const void> kept_alive(nb::object object) {
  auto held = std::make_unique<nb::object>(std::move(object));
  return {held.release(), [](const void* p) {
            if (!Py_IsInitialized()) return;
            const Locked locked;
            call_python([&] { delete static_cast<const nb::object*>(p); });
          }};
}

/// A dense matrix on a device, as Python knows it: address, rows, columns, leading dimension, rows one after the other.
using There = std::tuple<std::uintptr_t, std::size_t, std::size_t, Offset, bool>;

/// A caller's stream as Python has it.
inline std::optional<StreamHandle> handle_of(std::optional<std::uintptr_t> stream) {
  return stream ? std::optional<StreamHandle>(reinterpret_cast<StreamHandle>(*stream)) : std::nullopt;
}

/// Until what is on a caller's stream by now has ended; None: nothing is waited for.
inline void wait_for(const Backend& backend, std::optional<std::uintptr_t> stream) {
  if (stream) backend.executor().wait(reinterpret_cast<StreamHandle>(*stream));
}

template <class T>
MatrixView<T> view_of(const There& there) {
  const auto [address, rows, cols, ld, by_rows] = there;
  return {reinterpret_cast<T*>(address), as_index(rows), as_index(cols), ld, by_rows ? Layout::row_major : Layout::column_major};
}

/// Where the parts of the module are.
void bind_support(nb::module_& module);
void bind_matrices(nb::module_& module);
void bind_symbolic(nb::module_& module);
void bind_factors(nb::module_& module);
void bind_mixed(nb::module_& module);

}  // namespace kauri::python
