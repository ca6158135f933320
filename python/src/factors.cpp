// Bindings of Factorization: FactorF64 and FactorF32. Each call is one of the engine's.
// SPDX-License-Identifier: BSD-3-Clause
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <cstdint>
#include <functional>
#include <string>

#include "kauri/extras/lower_factor.hpp"
#include "kauri/extras/save.hpp"
#include "kauri/extras/selected_inverse.hpp"
#include "python/src/factorization.hpp"
#include "python/src/support.hpp"

namespace kauri::python {
namespace {

template <Scalar T>
Weight solve_weight(const Factorization<T>& f, double cols) {
  const double entries = static_cast<double>(f.symbolic->analysis.plan->cost.nnz_l);
  return weight_of(*f.symbolic, 4 * entries * cols);
}

System system_of(const std::string& name) {
  if (name == "A") return System::A;
  if (name == "B") return System::B;
  if (name == "L") return System::L;
  if (name == "Lt") return System::Lt;
  if (name == "P") return System::P;
  if (name == "Pt") return System::Pt;
  throw Error(ErrorKind::usage, "system '" + name + "': expected A, B, L, Lt, P or Pt");
}

/// Returns the request of one solve. refine: most corrections, for System::A alone; -1: as the
/// options say. before: see SolveRequest.
template <Scalar T>
SolveRequest request_of(const Factorization<T>& f, System system, int refine, Index before,
                        const std::stop_token& stop) {
  const int most = refine < 0 ? f.symbolic->options.refine.max_steps : refine;
  SolveRequest request{.before = before, .stop = stop};
  if (system == System::A && most > 0) request.corrections = most;
  return request;
}

template <Scalar T>
void solve(Factorization<T>& f, const std::string& system, const Const<T>& b, const Mutable<T>& x,
           int refine, const CancelToken* cancel, Index before) {
  const System which = system_of(system);
  const MatrixView<const T> from = dense<const T>(b);
  const MatrixView<T> to = dense<T>(x);
  released(cancel, solve_weight(f, to.cols), [&](const std::stop_token& stop) {
    static_cast<void>(f.engine.solve(which, from, to, request_of(f, which, refine, before, stop)));
  });
}

template <Scalar T>
void multiply(Factorization<T>& f, const std::string& system, const Const<T>& b,
              const Mutable<T>& x, const CancelToken* cancel) {
  const System which = system_of(system);
  const MatrixView<const T> from = dense<const T>(b);
  const MatrixView<T> to = dense<T>(x);
  released(cancel, solve_weight(f, to.cols), [&](const std::stop_token& stop) {
    f.engine.with_workspace(to.cols, [&](const Factor<T>& factor, Workspace<T>& workspace) {
      factor.multiply(which, from, to, workspace, stop);
    });
  });
}

/// Solves with b and x in memory of the factor's device. b may be x itself, unless x is refined.
/// meanwhile: None, or a function that is called while the device works.
template <Scalar T>
void solve_there(Factorization<T>& f, const std::string& system, const There& b, const There& x,
                 int refine, std::optional<std::uintptr_t> stream, const nb::object& meanwhile,
                 const CancelToken* cancel) {
  const System which = system_of(system);
  const MatrixView<const T> from = view_of<const T>(b);
  const MatrixView<T> to = view_of<T>(x);
  std::function<void()> call;
  if (!meanwhile.is_none())
    call = [&] {
      const Locked locked;
      call_python(meanwhile);
    };
  released(cancel, Weight::light, [&](const std::stop_token& stop) {
    wait_for(*f.symbolic, stream);
    static_cast<void>(
        f.engine.solve_on_device(which, from, to, request_of(f, which, refine, 0, stop), call));
  });
}

template <Scalar T>
nb::object refactorize(Factorization<T>& f, const SymmetricMatrix<T>& a, double beta,
                       const CancelToken* cancel) {
  return told(released(cancel, factor_weight(*f.symbolic), [&](const std::stop_token& stop) {
    return f.refactorize(a, static_cast<T>(beta), stop);
  }));
}

template <Scalar T>
nb::object refactorize_values(Factorization<T>& f, const Vector<T>& values, double beta,
                              const CancelToken* cancel) {
  return told(released(cancel, factor_weight(*f.symbolic), [&](const std::stop_token& stop) {
    return f.engine.factorize(span_of<T>(values), static_cast<T>(beta), stop);
  }));
}

/// Factorises A + beta I from values on the factor's device. values: an object that owns `count`
/// numbers at the address. Only work on the stream may write to them until the factor is filled
/// again.
template <Scalar T>
nb::object refactorize_there(Factorization<T>& f, nb::object values, std::uintptr_t address,
                             std::optional<std::uintptr_t> stream, std::size_t count, double beta,
                             const CancelToken* cancel) {
  BorrowedValues<T> there{.value = {reinterpret_cast<const T*>(address), count},
                          .on_device = true,
                          .owner = kept_alive(std::move(values))};
  return told(released(cancel, Weight::light, [&](const std::stop_token& stop) {
    return f.engine.factorize(std::move(there), static_cast<T>(beta), handle_of(stream), stop);
  }));
}

/// Returns of(factor of f), called without the interpreter's lock and while no call fills the
/// factor.
template <Scalar T, class F>
auto read(const Factorization<T>& f, const F& of) {
  return released(nullptr, Weight::light,
                  [&](const std::stop_token&) { return f.engine.read(of); });
}

/// Returns of(selected inverse), called while no call fills the factor.
template <Scalar T, class F>
auto with_inverse(const Factorization<T>& f, const std::stop_token& stop, const F& of) {
  return f.engine.read([&](const Factor<T>& factor) {
    SelectedInverse<T> inverse = SelectedInverse<T>::create(factor);
    inverse.compute(factor, stop);
    return of(inverse);
  });
}

/// Writes the diagonal of A^-1, or its entries on the pattern that was analysed, to memory of the
/// factor's device. Waits until they are written.
template <Scalar T>
void inverse_there(const Factorization<T>& f, bool diagonal, std::uintptr_t address,
                   std::size_t count, const CancelToken* cancel) {
  const std::span<T> there(reinterpret_cast<T*>(address), count);
  released(cancel, Weight::light, [&](const std::stop_token& stop) {
    with_inverse(f, stop, [&](SelectedInverse<T>& inverse) {
      const StreamHandle stream{};
      if (diagonal)
        inverse.enqueue_diagonal(there, stream);
      else
        inverse.enqueue_on_pattern(there, stream);
      inverse.fetch_verdict(stream);  // waits for the stream
    });
  });
}

/// Returns the diagonal of A^-1, or its entries on the pattern that was analysed, in its order.
template <Scalar T>
nb::object inverse(const Factorization<T>& f, bool diagonal, const CancelToken* cancel) {
  return to_numpy(released(cancel, factor_weight(*f.symbolic), [&](const std::stop_token& stop) {
    return with_inverse(f, stop, [&](const SelectedInverse<T>& inverse) {
      return diagonal ? inverse.diagonal() : inverse.on_pattern_of(f.symbolic->pattern());
    });
  }));
}

template <Scalar T>
nb::tuple lower(const Factorization<T>& f) {
  LowerFactor<T> l = read(f, [](const Factor<T>& factor) { return lower_factor(factor); });
  return nb::make_tuple(to_numpy(std::move(l.col_ptr)), to_numpy(std::move(l.row)),
                        to_numpy(std::move(l.value)));
}

/// Returns (condition, norm of A, norm of A^-1).
template <Scalar T>
nb::tuple condition(Factorization<T>& f, const CancelToken* cancel) {
  const ConditionEstimate c =
      released(cancel, solve_weight(f, 11),
               [&](const std::stop_token& stop) { return f.engine.condition(stop); });
  return nb::make_tuple(c.condition(), c.norm, c.inverse_norm);
}

template <Scalar T>
nb::bytes saved(const Factorization<T>& f) {
  const std::vector<std::byte> bytes =
      read(f, [](const Factor<T>& factor) { return save_factor(factor); });
  return nb::bytes(reinterpret_cast<const char*>(bytes.data()), bytes.size());
}

template <Scalar T>
std::shared_ptr<Factorization<T>> create(std::shared_ptr<Symbolic> symbolic) {
  if (symbolic->scalar_bytes != static_cast<int>(sizeof(T)))
    throw Error(ErrorKind::usage,
                "the analysis is for the other scalar type of float32 and float64; analyse in that "
                "of the factor");
  return released(nullptr, Weight::light, [&](const std::stop_token&) {
    symbolic->prepare();  // for all factors of the analysis
    auto factor = std::make_shared<Factorization<T>>(std::move(symbolic));
    factor->engine.prepare();
    return factor;
  });
}

/// Returns the factor that load(backend) reads, without values of A.
template <Scalar T, class Load>
std::shared_ptr<Factorization<T>> loaded(OptionTexts texts, const Load& load) {
  auto factor = std::make_shared<Factorization<T>>(
      std::make_shared<Symbolic>(std::move(texts), static_cast<int>(sizeof(T))));
  factor->engine.adopt(load(factor->symbolic->backend()));
  return factor;
}

template <Scalar T>
std::shared_ptr<Factorization<T>> restore(OptionTexts texts, const nb::bytes& bytes,
                                          const Vector<T>& values) {
  const std::span<const std::byte> saved_bytes(static_cast<const std::byte*>(bytes.data()),
                                               bytes.size());
  const std::span<const T> numbers = span_of<T>(values);
  return released(nullptr, Weight::light, [&](const std::stop_token&) {
    auto factor = loaded<T>(std::move(texts),
                            [&](Backend& backend) { return load_factor<T>(saved_bytes, backend); });
    factor->engine.set_values(numbers);
    return factor;
  });
}

/// Loads a factor from a file. max_bytes: see LoadOptions; 0: no bound.
template <Scalar T>
std::shared_ptr<Factorization<T>> load(OptionTexts texts, const std::string& path,
                                       std::size_t max_bytes) {
  return released(nullptr, Weight::light, [&](const std::stop_token&) {
    return loaded<T>(std::move(texts), [&](Backend& backend) {
      return load_factor<T>(path, backend, {.max_bytes = max_bytes});
    });
  });
}

template <Scalar T>
void bind_factor(nb::module_& module, const char* name, const std::string& suffix) {
  using F = Factorization<T>;
  nb::class_<F>(module, name)
      .def_prop_ro("symbolic", [](const F& f) { return f.symbolic; })
      .def_prop_ro("valid", [](const F& f) { return f.engine.valid(); })
      .def_prop_ro("fillings", [](const F& f) { return f.engine.fillings(); })
      .def("refactorize", refactorize<T>, nb::arg("a"), nb::arg("beta"), nb::arg("cancel").none())
      .def("refactorize_values", refactorize_values<T>, nb::arg("values").noconvert(),
           nb::arg("beta"), nb::arg("cancel").none())
      .def("solve", solve<T>, nb::arg("system"), nb::arg("b").noconvert(), nb::arg("x").noconvert(),
           nb::arg("refine"), nb::arg("cancel").none(), nb::arg("before") = 0)
      .def("multiply", multiply<T>, nb::arg("system"), nb::arg("b").noconvert(),
           nb::arg("x").noconvert(), nb::arg("cancel").none())
      .def("solve_there", solve_there<T>, nb::arg("system"), nb::arg("b"), nb::arg("x"),
           nb::arg("refine"), nb::arg("stream").none(), nb::arg("meanwhile").none(),
           nb::arg("cancel").none())
      .def("refactorize_there", refactorize_there<T>, nb::arg("values"), nb::arg("address"),
           nb::arg("stream").none(), nb::arg("count"), nb::arg("beta"), nb::arg("cancel").none())
      .def("inverse_there", inverse_there<T>, nb::arg("diagonal"), nb::arg("address"),
           nb::arg("count"), nb::arg("cancel").none())
      .def("lower", lower<T>)
      .def("diagonal",
           [](const F& f) {
             return to_numpy(read(f, [](const Factor<T>& l) { return lower_diagonal(l); }));
           })
      .def("determinant",
           [](const F& f) {
             return read(f, [](const Factor<T>& l) { return kauri::determinant(l); });
           })
      .def("log_determinant",
           [](const F& f) {
             return read(f, [](const Factor<T>& l) { return kauri::log_determinant(l); });
           })
      .def("inverse", inverse<T>, nb::arg("diagonal"), nb::arg("cancel").none())
      .def("condition", condition<T>, nb::arg("cancel").none())
      .def("saved", saved<T>)
      .def("save",
           [](const F& f, const std::string& path) {
             read(f, [&](const Factor<T>& factor) { save_factor(path, factor); });
           })
      .def("report", [](const F& f) { return to_json(f.engine.report()); })
      .def("values", [](const F& f) {
        return to_numpy(released(nullptr, Weight::light,
                                 [&](const std::stop_token&) { return f.engine.values(); }));
      });
  module.def(("factor_" + suffix).c_str(), create<T>);
  module.def(("restore_" + suffix).c_str(), restore<T>);
  module.def(("load_" + suffix).c_str(), load<T>);
}

/// Returns (normwise, componentwise) backward errors, computed on the CPU.
nb::tuple error_of(const SymmetricMatrix<double>& a, const Const<double>& x, const Const<double>& b,
                   const CancelToken* cancel) {
  const MatrixView<const double> solution = dense<const double>(x), right = dense<const double>(b);
  const BackwardError error = released(cancel, Weight::light, [&](const std::stop_token&) {
    Backend backend = cpu_backend();
    return backward_error<double>(a.view(), solution, right, backend);
  });
  return nb::make_tuple(error.normwise, error.componentwise);
}

std::shared_ptr<Symbolic> load_symbolic(OptionTexts texts, int scalar_bytes,
                                        const std::string& path, std::size_t max_bytes) {
  return released(nullptr, Weight::light, [&](const std::stop_token&) {
    auto symbolic = std::make_shared<Symbolic>(std::move(texts), scalar_bytes);
    symbolic->adopt(load_plan(path, {.max_bytes = max_bytes}));
    return symbolic;
  });
}

}  // namespace

void bind_factors(nb::module_& module) {
  bind_factor<double>(module, "FactorF64", "f64");
  bind_factor<float>(module, "FactorF32", "f32");
  module.def("backward_error", error_of, nb::arg("a"), nb::arg("x").noconvert(),
             nb::arg("b").noconvert(), nb::arg("cancel").none());
  module.def("load_symbolic", load_symbolic);
  module.def(
      "save_symbolic",
      [](const Symbolic& s, const std::string& path) { save_plan(path, *s.analysis.plan); },
      nb::call_guard<Unlocked>());
  module.def("saved_kind", [](const std::string& path) {
    const SavedInfo info = saved_info(path);
    return info.kind == SavedKind::plan ? 0 : info.scalar_bytes;
  });
}

}  // namespace kauri::python
