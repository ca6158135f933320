// The vendor's sparse products: A by full rows with 32-bit indices times one vector or several
// columns; preprocessing happens at construction.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cusparse.h>

#include <cstdio>
#include <cstdlib>
#include <memory>

#include "bench/cuda/device_array.cuh"
#include "numeric/cuda/matrix/spmv/full_rows.hpp"

namespace kauri::bench {

inline void require(cusparseStatus_t status, const char* what) {
  if (status == CUSPARSE_STATUS_SUCCESS) return;
  std::fprintf(stderr, "%s: %s\n", what, cusparseGetErrorString(status));
  std::exit(2);
}

/// cuSPARSE's handle and matrix, on the default stream.
class SparseVendor {
 public:
  SparseVendor(const numeric::cuda::FullRows& rows, const std::vector<double>& value)
      : n_(rows.n()),
        ptr_(std::vector<int>(rows.ptr.begin(), rows.ptr.end())),
        col_(rows.col),
        value_(value) {
    require(cusparseCreate(&handle_), "cusparseCreate");
    require(cusparseCreateCsr(&a_, n_, n_, rows.entries(), ptr_.get(), col_.get(), value_.get(),
                              CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO,
                              CUDA_R_64F),
            "cusparseCreateCsr");
  }
  SparseVendor(const SparseVendor&) = delete;
  SparseVendor& operator=(const SparseVendor&) = delete;
  ~SparseVendor() {
    cusparseDestroySpMat(a_);
    cusparseDestroy(handle_);
  }

  /// Computes y = A x with one algorithm.
  class Vector {
   public:
    Vector(const SparseVendor& vendor, cusparseSpMVAlg_t algorithm, double* x, double* y)
        : vendor_(vendor), algorithm_(algorithm) {
      require(cusparseCreateDnVec(&x_, vendor.n_, x, CUDA_R_64F), "cusparseCreateDnVec");
      require(cusparseCreateDnVec(&y_, vendor.n_, y, CUDA_R_64F), "cusparseCreateDnVec");
      std::size_t bytes = 0;
      require(cusparseSpMV_bufferSize(vendor.handle_, kOperation, &kOne, vendor.a_, x_, &kZero, y_,
                                      CUDA_R_64F, algorithm, &bytes),
              "cusparseSpMV_bufferSize");
      work_ = std::make_unique<DeviceArray<char>>(bytes);
      require(cusparseSpMV_preprocess(vendor.handle_, kOperation, &kOne, vendor.a_, x_, &kZero, y_,
                                      CUDA_R_64F, algorithm, work_->get()),
              "cusparseSpMV_preprocess");
    }
    Vector(const Vector&) = delete;
    Vector& operator=(const Vector&) = delete;
    ~Vector() { cusparseDestroyDnVec(x_), cusparseDestroyDnVec(y_); }
    void run() const {
      require(cusparseSpMV(vendor_.handle_, kOperation, &kOne, vendor_.a_, x_, &kZero, y_,
                           CUDA_R_64F, algorithm_, work_->get()),
              "cusparseSpMV");
    }

   private:
    const SparseVendor& vendor_;
    cusparseSpMVAlg_t algorithm_;
    cusparseDnVecDescr_t x_ = nullptr, y_ = nullptr;
    std::unique_ptr<DeviceArray<char>> work_;
  };

  /// Computes Y = A X; the columns are stored one after another.
  class Columns {
   public:
    Columns(const SparseVendor& vendor, cusparseSpMMAlg_t algorithm, int columns, double* x,
            double* y)
        : vendor_(vendor), algorithm_(algorithm) {
      require(cusparseCreateDnMat(&x_, vendor.n_, columns, vendor.n_, x, CUDA_R_64F,
                                  CUSPARSE_ORDER_COL),
              "cusparseCreateDnMat");
      require(cusparseCreateDnMat(&y_, vendor.n_, columns, vendor.n_, y, CUDA_R_64F,
                                  CUSPARSE_ORDER_COL),
              "cusparseCreateDnMat");
      std::size_t bytes = 0;
      require(cusparseSpMM_bufferSize(vendor.handle_, kOperation, kOperation, &kOne, vendor.a_, x_,
                                      &kZero, y_, CUDA_R_64F, algorithm, &bytes),
              "cusparseSpMM_bufferSize");
      work_ = std::make_unique<DeviceArray<char>>(bytes);
      require(cusparseSpMM_preprocess(vendor.handle_, kOperation, kOperation, &kOne, vendor.a_, x_,
                                      &kZero, y_, CUDA_R_64F, algorithm, work_->get()),
              "cusparseSpMM_preprocess");
    }
    Columns(const Columns&) = delete;
    Columns& operator=(const Columns&) = delete;
    ~Columns() { cusparseDestroyDnMat(x_), cusparseDestroyDnMat(y_); }
    void run() const {
      require(cusparseSpMM(vendor_.handle_, kOperation, kOperation, &kOne, vendor_.a_, x_, &kZero,
                           y_, CUDA_R_64F, algorithm_, work_->get()),
              "cusparseSpMM");
    }

   private:
    const SparseVendor& vendor_;
    cusparseSpMMAlg_t algorithm_;
    cusparseDnMatDescr_t x_ = nullptr, y_ = nullptr;
    std::unique_ptr<DeviceArray<char>> work_;
  };

 private:
  static constexpr cusparseOperation_t kOperation = CUSPARSE_OPERATION_NON_TRANSPOSE;
  static constexpr double kOne = 1, kZero = 0;
  int n_;
  DeviceArray<int> ptr_;
  DeviceArray<Index> col_;
  DeviceArray<double> value_;
  cusparseHandle_t handle_ = nullptr;
  cusparseSpMatDescr_t a_ = nullptr;
};

}  // namespace kauri::bench
