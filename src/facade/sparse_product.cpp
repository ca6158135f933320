// SparseProduct: checks its calls before a backend does the work.
// SPDX-License-Identifier: BSD-3-Clause
#include "kauri/device/sparse_product.hpp"

#include <string>
#include <utility>

#include "base/progress/phase_range.hpp"
#include "base/threads/one_call.hpp"
#include "numeric/backend.hpp"
#include "src/checks/dense_shape.hpp"
#include "src/checks/misuse.hpp"

namespace kauri {
namespace {

[[noreturn]] void misuse_of_product(const std::string& what) { misuse("SparseProduct: " + what); }

}  // namespace

template <Scalar T>
SparseProduct<T>::SparseProduct(std::unique_ptr<numeric::ProductImpl<T>> store, const Pattern& a)
    : store_(std::move(store)), n_(a.n), nnz_(a.nnz()) {}
template <Scalar T>
SparseProduct<T>::SparseProduct(SparseProduct&&) noexcept = default;
template <Scalar T>
SparseProduct<T>& SparseProduct<T>::operator=(SparseProduct&&) noexcept = default;
template <Scalar T>
SparseProduct<T>::~SparseProduct() = default;

template <Scalar T>
SparseProduct<T> SparseProduct<T>::create(const Pattern& a, Backend& backend) {
  check(a);
  const PhaseRange range(Phase::prepare);
  return SparseProduct(backend.executor().of<T>().make_product(a), a);
}

template <Scalar T>
SparseProduct<T> SparseProduct<T>::create(const SymmetricView<T>& a, Backend& backend) {
  SparseProduct product = create(a.pattern, backend);
  product.set_values(a.value);
  return product;
}

template <Scalar T>
Offset SparseProduct<T>::bytes() const {
  return store_->bytes();
}

template <Scalar T>
void SparseProduct<T>::require_length(std::size_t values) const {
  if (static_cast<Offset>(values) != nnz_)
    misuse_of_product(std::to_string(values) + " values, the pattern has " + std::to_string(nnz_) +
                      " entries");
}

template <Scalar T>
void SparseProduct<T>::set_values(std::span<const T> value) {
  require_length(value.size());
  const OneCall call(store_->calls, "SparseProduct::set_values", "product");
  store_->set_values(value);
  has_values_ = true;
}

template <Scalar T>
void SparseProduct<T>::set_values(const DeviceValues<T>& value) {
  require_length(value.span().size());
  const OneCall call(store_->calls, "SparseProduct::set_values", "product");
  store_->set_device_values(value.span());
  has_values_ = true;
}

template <Scalar T>
void SparseProduct<T>::enqueue_values(const DeviceValues<T>& value, StreamHandle stream) {
  require_length(value.span().size());
  const OneCall call(store_->calls, "SparseProduct::enqueue_values", "product");
  store_->enqueue_values(value.span(), stream);
  has_values_ = true;
}

template <Scalar T>
void SparseProduct<T>::require_fit(const MatrixView<const T>& x, const MatrixView<T>& y) const {
  if (!has_values_) misuse_of_product("no values were set: call set_values() first");
  require_dense(x, "SparseProduct: x", n_);
  require_dense<T>(y, "SparseProduct: y", n_);
  if (x.cols != y.cols)
    misuse_of_product("x has " + std::to_string(x.cols) + " columns, y has " +
                      std::to_string(y.cols));
  if (overlap(x, y)) misuse_of_product("x overlaps y; give it memory of its own");
}

template <Scalar T>
void SparseProduct<T>::multiply(T alpha, MatrixView<const T> x, T beta, MatrixView<T> y) {
  const OneCall call(store_->calls, "SparseProduct::multiply", "product");
  require_fit(x, y);
  const PhaseRange range("product");
  store_->multiply(alpha, x, beta, y);
}

template <Scalar T>
void SparseProduct<T>::multiply(T alpha, DeviceMatrixView<const T> x, T beta,
                                DeviceMatrixView<T> y) {
  const OneCall call(store_->calls, "SparseProduct::multiply", "product");
  require_fit(x.view(), y.view());
  const PhaseRange range("product");
  store_->multiply_on_device(alpha, x.view(), beta, y.view());
}

template <Scalar T>
void SparseProduct<T>::enqueue_multiply(T alpha, DeviceMatrixView<const T> x, T beta,
                                        DeviceMatrixView<T> y, StreamHandle stream) {
  const OneCall call(store_->calls, "SparseProduct::enqueue_multiply", "product");
  require_fit(x.view(), y.view());
  const PhaseRange range("product");
  store_->enqueue_multiply(alpha, x.view(), beta, y.view(), stream);
}

template class SparseProduct<float>;
template class SparseProduct<double>;

}  // namespace kauri
