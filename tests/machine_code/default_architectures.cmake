# Checks the architectures that a build has code for by default, and how code is compressed.
# SPDX-License-Identifier: BSD-3-Clause
include(${CMAKE_CURRENT_LIST_DIR}/../../cmake/CudaArchitectures.cmake)

function(expect version architectures compression)
  kauri_default_architectures(${version} found)
  if(NOT found STREQUAL architectures)
    message(SEND_ERROR "nvcc ${version}: architectures ${found}, expected ${architectures}")
  endif()
  kauri_compression(${version} found)
  if(NOT found STREQUAL compression)
    message(SEND_ERROR "nvcc ${version}: compression '${found}', expected '${compression}'")
  endif()
endfunction()

expect(12.4 "80-real;90" -Xfatbin=-compress-all)
expect(12.6 "80-real;90" -Xfatbin=-compress-all)
expect(12.8 "80-real;90-real;100;120-real" --compress-mode=speed)
expect(12.9 "80-real;90-real;100;120-real" --compress-mode=speed)
expect(13.0 "80-real;90-real;100;120-real" --compress-mode=size)
expect(13.2 "80-real;90-real;100;120-real" --compress-mode=size)
