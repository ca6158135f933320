# Decides whether CUDA code can be built here: sets KAURI_HAS_CUDA and prints one line with the
# reason. nvcc runs only in a scratch directory, so a broken or old nvcc never breaks the configure
# step (unless KAURI_CUDA=ON asks for it).
# SPDX-License-Identifier: BSD-3-Clause
set(KAURI_HAS_CUDA OFF)

# Sets `reason` to the empty string if nvcc >= 12.4 compiles C++20 with the host compiler, otherwise
# to the obstacle.
function(kauri_try_nvcc nvcc reason version)
  set(${version} "" PARENT_SCOPE)
  execute_process(COMMAND ${nvcc} --version OUTPUT_VARIABLE out ERROR_VARIABLE out RESULT_VARIABLE failed TIMEOUT 60)
  if(failed OR NOT out MATCHES "release ([0-9]+\\.[0-9]+)")
    set(${reason} "${nvcc} does not run" PARENT_SCOPE)
    return()
  endif()
  set(found ${CMAKE_MATCH_1})
  set(${version} ${found} PARENT_SCOPE)
  if(found VERSION_LESS 12.4)
    set(${reason} "nvcc ${found} is older than 12.4" PARENT_SCOPE)
    return()
  endif()
  set(scratch ${PROJECT_BINARY_DIR}/CMakeFiles/kauri_cuda)
  file(WRITE ${scratch}/probe.cu
       "#include <concepts>\n#include <span>\ntemplate <std::floating_point T> __global__ void scale(T* x) { x[threadIdx.x] *= 2; }\n"
       "void run(std::span<double> x) { scale<<<1, 32>>>(x.data()); }\n")
  execute_process(
    COMMAND ${nvcc} -std=c++20 -ccbin ${CMAKE_CXX_COMPILER} -c probe.cu -o probe.o
    WORKING_DIRECTORY ${scratch}
    OUTPUT_FILE ${scratch}/probe.log ERROR_FILE ${scratch}/probe.log
    RESULT_VARIABLE failed TIMEOUT 300)
  if(failed)
    set(${reason} "nvcc ${found} does not compile C++20 with ${CMAKE_CXX_COMPILER} (see ${scratch}/probe.log)" PARENT_SCOPE)
    return()
  endif()
  set(${reason} "" PARENT_SCOPE)
endfunction()

if(KAURI_CUDA STREQUAL "OFF")
  message(STATUS "CUDA: off (KAURI_CUDA=OFF)")
  return()
endif()
find_program(KAURI_NVCC nvcc HINTS $ENV{CUDA_PATH}/bin $ENV{CUDA_HOME}/bin /usr/local/cuda/bin)
mark_as_advanced(KAURI_NVCC)
set(reason "no nvcc found")
set(nvcc_version "")
if(KAURI_NVCC)
  # The probe takes seconds, so its outcome is kept until nvcc or the host compiler changes.
  file(TIMESTAMP ${KAURI_NVCC} nvcc_time)
  file(TIMESTAMP ${CMAKE_CXX_COMPILER} host_time)
  set(key "${KAURI_NVCC} ${nvcc_time} ${CMAKE_CXX_COMPILER} ${host_time}")
  if(NOT key STREQUAL "${KAURI_NVCC_KEY}")
    kauri_try_nvcc(${KAURI_NVCC} reason nvcc_version)
    set(KAURI_NVCC_KEY ${key} CACHE INTERNAL "what the nvcc probe was made with")
    set(KAURI_NVCC_REASON ${reason} CACHE INTERNAL "why nvcc cannot be used, or empty")
    set(KAURI_NVCC_VERSION ${nvcc_version} CACHE INTERNAL "of nvcc")
  endif()
  set(reason "${KAURI_NVCC_REASON}")
  set(nvcc_version "${KAURI_NVCC_VERSION}")
endif()
if(reason STREQUAL "")
  set(KAURI_HAS_CUDA ON)
  message(STATUS "CUDA: nvcc ${nvcc_version} works: the CUDA backend is built")
elseif(KAURI_CUDA STREQUAL "ON")
  message(FATAL_ERROR "KAURI_CUDA=ON, but ${reason}")
else()
  message(STATUS "CUDA: off, ${reason}")
endif()
