# The architectures that a build has code for unless CMAKE_CUDA_ARCHITECTURES says others, and how
# nvcc compresses it, by the version of nvcc. Read by tests/machine_code/default_architectures.cmake, too.
# SPDX-License-Identifier: BSD-3-Clause

# Sets `out` to a list with machine code for each major version that this nvcc knows, of which all
# later cards of the version run the first one's: 8.6 and 8.9 that of 8.0, 10.3 that of 10.0, 12.1
# that of 12.0. Code of their own would change nothing but the library's size, since no kernel asks
# for it. 8.7 (Orin) runs no machine code but its own: its build needs CMAKE_CUDA_ARCHITECTURES=87.
# Drivers compile the PTX for other cards: that of 10.0, not of 12.0, which 11.0 cannot run.
function(kauri_default_architectures nvcc_version out)
  if(nvcc_version VERSION_LESS 12.8)
    set(${out} 80-real 90 PARENT_SCOPE)
  else()
    set(${out} 80-real 90-real 100 120-real PARENT_SCOPE)
  endif()
endfunction()

# Sets `out` to the option that compresses machine code, which nvcc by itself leaves as it is. From
# 13.0 on it is compressed to a fifth; before, only as far as the oldest driver of CUDA 12 can read.
function(kauri_compression nvcc_version out)
  if(nvcc_version VERSION_LESS 12.8)
    set(${out} -Xfatbin=-compress-all PARENT_SCOPE)
  elseif(nvcc_version VERSION_LESS 13.0)
    set(${out} --compress-mode=speed PARENT_SCOPE)
  else()
    set(${out} --compress-mode=size PARENT_SCOPE)
  endif()
endfunction()
