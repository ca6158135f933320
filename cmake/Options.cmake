# Options, warnings and sanitizers. Everything is a target property: nothing leaks into a program that adds kauri as a subdirectory.
# SPDX-License-Identifier: BSD-3-Clause
include(GNUInstallDirs)

option(KAURI_BUILD_PROGRAM "Build the program kauri" ${PROJECT_IS_TOP_LEVEL})
option(KAURI_BUILD_TESTS "Build the tests" ${PROJECT_IS_TOP_LEVEL})
option(KAURI_BUILD_BENCH "Build the benchmarks" OFF)
option(KAURI_BUILD_EXAMPLES "Build the examples" ${PROJECT_IS_TOP_LEVEL})
option(KAURI_METIS "Nested dissection by METIS" ON)
option(KAURI_WERROR "Warnings are errors" ${PROJECT_IS_TOP_LEVEL})
set(KAURI_CUDA AUTO CACHE STRING "CUDA backend: AUTO, ON or OFF")
set_property(CACHE KAURI_CUDA PROPERTY STRINGS AUTO ON OFF)
set(KAURI_SANITIZE "" CACHE STRING "Sanitizers for every target: address,undefined or thread")

if(PROJECT_IS_TOP_LEVEL AND NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Build type" FORCE)
endif()

add_library(kauri_warnings INTERFACE)
target_compile_options(
  kauri_warnings
  INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-Wall;-Wextra;-Wshadow;-Wnon-virtual-dtor;-Wcast-align;-Woverloaded-virtual;-Wno-psabi;$<$<CXX_COMPILER_ID:GNU>:-Wno-restrict>>
            $<$<AND:$<COMPILE_LANGUAGE:CXX>,$<BOOL:${KAURI_WERROR}>>:-Werror>)
if(KAURI_SANITIZE)
  target_compile_options(
    kauri_warnings
    INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-fsanitize=${KAURI_SANITIZE};-fno-omit-frame-pointer;-fno-sanitize-recover=all>)
  target_link_options(kauri_warnings INTERFACE -fsanitize=${KAURI_SANITIZE})
endif()
