# Defines options, warnings and sanitizers. All are target properties, so nothing affects a project
# that adds kauri as a subdirectory.
# SPDX-License-Identifier: BSD-3-Clause
include(GNUInstallDirs)

option(KAURI_BUILD_PROGRAM "Build the program kauri" ${PROJECT_IS_TOP_LEVEL})
option(KAURI_BUILD_TESTS "Build the tests" ${PROJECT_IS_TOP_LEVEL})
option(KAURI_LONG_TESTS "Build programs of long tests" ON)
# Without a device these tests skip themselves, so building them is their only check; OFF skips them
# without building them.
option(KAURI_DEVICE_TESTS "Build tests that need a device" ON)
option(KAURI_BUILD_BENCH "Build the benchmarks" OFF)
option(KAURI_BUILD_EXAMPLES "Build the examples" ${PROJECT_IS_TOP_LEVEL})
option(KAURI_BUILD_PYTHON "Build the Python package's module (as pip install . does)" OFF)
option(KAURI_INSTALL "Install the library (and the program, if it is built)" ${PROJECT_IS_TOP_LEVEL})
option(KAURI_METIS "Nested dissection by METIS" ON)
option(KAURI_NVTX "Ranges of the phases for NVIDIA's profilers, where CUDA is built" ON)
option(KAURI_HARDENING "Hardening flags as dpkg-buildflags has them; on in packages" OFF)
option(KAURI_WATCHDOG "Waits of CUDA kernels give up after 10 s and say what they waited for: to find faults, slower" OFF)
option(KAURI_WERROR "Warnings are errors" ${PROJECT_IS_TOP_LEVEL})
option(KAURI_HIP "The target kauri_hip: the backend for AMD devices, which no card has run (docs/design/15-amd.md)" OFF)
set(KAURI_CUDA AUTO CACHE STRING "CUDA backend: AUTO, ON or OFF")
set_property(CACHE KAURI_CUDA PROPERTY STRINGS AUTO ON OFF)
set(KAURI_SANITIZE "" CACHE STRING "Sanitizers for every target: address,undefined or thread")

if(PROJECT_IS_TOP_LEVEL AND NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Build type" FORCE)
endif()

# The flags apply to this folder and those below it, including nanobind's part of the Python module.
# Ubuntu's compilers predefine _FORTIFY_SOURCE.
if(KAURI_HARDENING)
  if(KAURI_SANITIZE)
    message(FATAL_ERROR "KAURI_HARDENING and KAURI_SANITIZE exclude each other: sanitizers do not see the checked calls of _FORTIFY_SOURCE")
  endif()
  set(hardening -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2 -fstack-protector-strong)
  list(JOIN hardening "," hardening_of_nvcc)
  # No file of a package may contain the path where it was built.
  set(prefix_map -ffile-prefix-map=${PROJECT_BINARY_DIR}=build -ffile-prefix-map=${PROJECT_SOURCE_DIR}=kauri)
  add_compile_options("$<$<COMPILE_LANGUAGE:C,CXX>:${hardening};-Wformat;-Werror=format-security;${prefix_map}>"
                      "$<$<COMPILE_LANGUAGE:CUDA>:-Xcompiler=${hardening_of_nvcc}>")
  add_link_options(-Wl,-z,relro -Wl,-z,now)
endif()

add_library(kauri_warnings INTERFACE)
# GCC 13 reports false dangling references for functions that return views (-Wdangling-reference, no
# longer in -Wall of 14).
target_compile_options(
  kauri_warnings
  INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-Wall;-Wextra;-Wshadow;-Wnon-virtual-dtor;-Wcast-align;-Woverloaded-virtual;-Wno-psabi;$<$<CXX_COMPILER_ID:GNU>:-Wno-restrict;-Wno-dangling-reference>>
            $<$<COMPILE_LANGUAGE:C>:-Wall;-Wextra;-Wshadow;-Wstrict-prototypes;-pedantic>
            $<$<AND:$<COMPILE_LANGUAGE:C,CXX>,$<BOOL:${KAURI_WERROR}>>:-Werror>
            $<$<AND:$<COMPILE_LANGUAGE:CUDA>,$<BOOL:${KAURI_WERROR}>>:-Werror=all-warnings>)
if(CMAKE_UNITY_BUILD) # a header's anonymous namespace is in the unity source
  target_compile_options(kauri_warnings INTERFACE $<$<COMPILE_LANG_AND_ID:CXX,GNU>:-Wno-subobject-linkage>)
endif()
if(KAURI_SANITIZE)
  if(KAURI_SANITIZE MATCHES "address") # checking every dereferenced pointer as well would double the compile time
    set(unchecked -fno-sanitize=null,alignment,object-size,vptr)
  endif()
  target_compile_options(
    kauri_warnings
    INTERFACE
      $<$<COMPILE_LANGUAGE:C,CXX>:-fsanitize=${KAURI_SANITIZE};${unchecked};-fno-omit-frame-pointer;-fno-sanitize-recover=all>)
  target_link_options(kauri_warnings INTERFACE -fsanitize=${KAURI_SANITIZE})
endif()
