// The module kauri._core: errors, cancelling, options, versions, and the calls of other bindings.
// SPDX-License-Identifier: BSD-3-Clause
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <array>

#include "base/common/nearest.hpp"
#include "kauri/core/backend.hpp"
#include "kauri/core/breakdown.hpp"
#include "kauri/core/ordering.hpp"
#include "kauri/core/version.hpp"
#include "kauri/solve/named_options.hpp"
#include "python/src/support.hpp"

namespace kauri::python {
namespace {

/// Identifier of the main thread, set at the import. A lookup at the first use could release the
/// interpreter's lock; another thread would then take that lock and wait for this lookup.
unsigned long main_thread = 0;

const char* class_of(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::usage:
      return "UsageError";
    case ErrorKind::input:
      return "InputError";
    case ErrorKind::overflow:
      return "TooLargeError";
    case ErrorKind::memory:
      return "OutOfMemoryError";
    case ErrorKind::device:
      return "DeviceError";
    case ErrorKind::cancelled:
      return "Cancelled";
  }
  return "KauriError";
}

/// Classes of kauri._errors by kind, with one reference each that is never released; null before
/// set_errors(). None of them has an __init__ in Python: translate() runs while C++ handles an
/// exception, when no Python code may run (wait_for_exit()).
std::array<PyObject*, 6> classes{};

/// Takes the classes by name, once, from kauri/__init__.py. The module does not import kauri: an
/// import from here would be a circle that begins and ends in kauri/__init__.py.
void set_errors(const nb::dict& named) {
  for (std::size_t kind = 0; kind < classes.size(); ++kind)
    classes[kind] = nb::object(named[class_of(static_cast<ErrorKind>(kind))]).release().ptr();
}

void translate(const std::exception_ptr& thrown, void* /*unused*/) {
  try {
    std::rethrow_exception(thrown);
  } catch (const Error& error) {
    PyObject* const found = classes.at(static_cast<std::size_t>(error.kind()));
    PyErr_SetString(found ? found : PyExc_RuntimeError, error.what());
  }
}

/// Throws an ImportError in a sub-interpreter: nanobind's types belong to one interpreter. Python
/// itself refuses sub-interpreters that have their own lock, but not all others.
void require_main_interpreter() {
  if (PyInterpreterState_Get() != PyInterpreterState_Main())
    throw nb::import_error(
        "kauri works in the main interpreter of a process alone, and this is a sub-interpreter");
}

nb::list options() {
  nb::list all;
  for (const NamedOption& option : named_options()) {
    nb::dict entry;
    entry["name"] = option.name;
    entry["kind"] = nb::str(name_of(option.kind).data(), name_of(option.kind).size());
    entry["accepts"] = option.accepts;
    entry["initial"] = option.initial;
    entry["help"] = option.help;
    all.append(entry);
  }
  return all;
}

}  // namespace

bool on_main_thread() { return PyThread_get_thread_ident() == main_thread; }

void bind_support(nb::module_& module) {
  main_thread = nb::cast<unsigned long>(
      nb::module_::import_("threading").attr("main_thread")().attr("ident"));
  nb::register_exception_translator(translate);
  module.def("set_errors", set_errors);
  // Daemon threads and reference cycles of the caller may keep objects to the end of the process.
  nb::set_leak_warnings(false);
  module.def("leak_warnings", [](bool on) { nb::set_leak_warnings(on); });
  nb::class_<CancelToken>(
      module, "CancelToken",
      "Ends calls that were given it as ``cancel=``, from any thread: they raise Cancelled.")
      .def(nb::init<>())
      .def("cancel", &CancelToken::cancel, "Asks the calls to stop, and also later calls.")
      .def_prop_ro("cancelled", &CancelToken::cancelled, "True once cancel() was called.");
  module.def("describe_breakdown", [](Index column, double pivot) {
    return describe(Breakdown{column, pivot}, 0);
  });
  module.def("options", options);
  module.def("nearest", [](const std::string& word, const std::vector<std::string>& names) {
    return nearest(word, names);
  });
  module.def("version", [] { return std::string(version()); });
  module.def("commit", [] { return std::string(commit()); });
  module.def("cuda_available", cuda_available);
  module.def("ordering_compared", [](const std::string& name) {
    const auto method = ordering_from_name(name);
    return method && ordering_compared(*method);
  });
  module.def("ordering_available", [](const std::string& name) {
    const std::optional<OrderingMethod> method = ordering_from_name(name);
    return method && ordering_available(*method);
  });
}

}  // namespace kauri::python

NB_MODULE(_core, module) {
  using namespace kauri::python;
  require_main_interpreter();
  bind_support(module);
  bind_matrices(module);
  bind_symbolic(module);
  bind_factors(module);
  bind_mixed(module);
}
