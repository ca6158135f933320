// kauri._core: errors, cancelling, options, versions, and the parts of the module.
// SPDX-License-Identifier: BSD-3-Clause
#include <nanobind/stl/string.h>

#include "kauri/backend.hpp"
#include "kauri/named_options.hpp"
#include "kauri/ordering.hpp"
#include "kauri/version.hpp"
#include "python/src/support.hpp"

namespace kauri::python {
namespace {

/// Known from the import on: looked up at a first call it could let another thread in, which would wait with the interpreter's lock.
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

/// Raises the exception of that class with these arguments.
template <class... Args>
void raise(const char* name, Args&&... args) {
  const nb::object type = nb::module_::import_("kauri._errors").attr(name);
  const nb::object error = type(std::forward<Args>(args)...);
  PyErr_SetObject(type.ptr(), error.ptr());
}

void translate(const std::exception_ptr& thrown, void* /*unused*/) {
  try {
    std::rethrow_exception(thrown);
  } catch (const Error& error) {
    raise(class_of(error.kind()), error.what());
  } catch (const NotPositiveDefinite& error) {
    raise("NotPositiveDefiniteError", error.breakdown.column, error.breakdown.pivot);
  }
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
  main_thread = nb::cast<unsigned long>(nb::module_::import_("threading").attr("main_thread")().attr("ident"));
  nb::register_exception_translator(translate);
  nb::class_<CancelToken>(module, "CancelToken", "Ends calls that were given it as ``cancel=``, from any thread: they raise Cancelled.")
      .def(nb::init<>())
      .def("cancel", &CancelToken::cancel, "Asks the calls to stop; those that come later too.")
      .def_prop_ro("cancelled", &CancelToken::cancelled, "True once cancel() was called.");
  module.def("options", options);
  module.def("version", [] { return std::string(version()); });
  module.def("commit", [] { return std::string(commit()); });
  module.def("cuda_available", cuda_available);
  module.def("ordering_available", [](const std::string& name) {
    const std::optional<OrderingMethod> method = ordering_from_name(name);
    return method && ordering_available(*method);
  });
}

}  // namespace kauri::python

NB_MODULE(_core, module) {
  using namespace kauri::python;
  bind_support(module);
  bind_matrices(module);
  bind_symbolic(module);
  bind_factors(module);
  bind_mixed(module);
}
