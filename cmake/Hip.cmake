# KAURI_HIP: the backend for AMD devices (docs/design/15-amd.md), target kauri_hip: kernels, the
# host's sources, and the program kauri-hip. The library kauri stays without it, since no card has
# run it. The kernels' compiler is hipcc, or Clang, which hipcc calls: the one that knows most of
# KAURI_HIP_ARCHITECTURES. Unknown ones are left out and named.
# SPDX-License-Identifier: BSD-3-Clause
set(KAURI_HIP_ARCHITECTURES gfx90a gfx942 gfx1100 CACHE STRING "AMD devices to compile kernels for")
set(scratch ${CMAKE_CURRENT_BINARY_DIR}/hip)

# LLVM's device libraries have a file for each architecture, which holds its number and no more. Where
# one is missing (Debian 12's libraries have none for gfx942 and gfx1100), kauri_add_numbers() makes it.
file(GLOB libraries /opt/rocm/amdgcn/bitcode /usr/lib/*/amdgcn/bitcode /usr/lib/amdgcn/bitcode)
if(libraries)
  list(GET libraries 0 libraries)
  file(REMOVE_RECURSE ${scratch}/bitcode)
  file(MAKE_DIRECTORY ${scratch}/bitcode)
  file(GLOB files ${libraries}/*.bc)
  foreach(file ${files})
    get_filename_component(name ${file} NAME)
    file(CREATE_LINK ${file} ${scratch}/bitcode/${name} SYMBOLIC)
  endforeach()
endif()

# Makes the missing files by a compiler, which reads only those of its own release or older. The number
# of gfx90a is 9 * 1000 + 0 * 100 + 10.
function(kauri_add_numbers compiler)
  foreach(architecture ${KAURI_HIP_ARCHITECTURES})
    if(libraries AND architecture MATCHES "^gfx([0-9]+)([0-9a-f])([0-9a-f])$")
      set(name oclc_isa_version_${CMAKE_MATCH_1}${CMAKE_MATCH_2}${CMAKE_MATCH_3})
      math(EXPR number "${CMAKE_MATCH_1} * 1000 + 0x${CMAKE_MATCH_2} * 100 + 0x${CMAKE_MATCH_3}")
      if(NOT EXISTS ${libraries}/${name}.bc)
        file(WRITE ${scratch}/${name}.cl "const __constant int __oclc_ISA_version = ${number};\n")
        execute_process(COMMAND ${compiler} -x cl -target amdgcn-amd-amdhsa -nogpulib -O2 -emit-llvm -c ${scratch}/${name}.cl
                                -o ${scratch}/bitcode/${name}.bc
                        OUTPUT_FILE ${scratch}/probe.log ERROR_FILE ${scratch}/probe.log)
      endif()
    endif()
  endforeach()
endfunction()

# -ffp-contract=off: __dmul_rn() and the like are plain operators in HIP, and compensated sums must
# not be fused.
set(flags -x hip -std=c++20 -O3 -ffp-contract=off -fPIC -D__HIP_PLATFORM_AMD__ -DKAURI_HIP --rocm-device-lib-path=${scratch}/bitcode)
file(WRITE ${scratch}/probe.hip "#include <hip/hip_runtime.h>\n__global__ void twice(double* x) { x[threadIdx.x] *= 2; }\n")
# Sets `known` to the architectures that the compiler compiles a kernel for.
function(kauri_try_hip compiler known)
  set(all "")
  kauri_add_numbers(${compiler})
  foreach(architecture ${KAURI_HIP_ARCHITECTURES})
    execute_process(COMMAND ${compiler} ${flags} --offload-arch=${architecture} -c probe.hip -o probe.o WORKING_DIRECTORY ${scratch}
                    OUTPUT_FILE probe.log ERROR_FILE probe.log RESULT_VARIABLE failed TIMEOUT 300)
    if(NOT failed)
      list(APPEND all ${architecture})
    endif()
  endforeach()
  set(${known} "${all}" PARENT_SCOPE)
endfunction()

set(KAURI_HIPCC "" CACHE STRING "Compiler for AMD devices; empty: hipcc or Clang, whichever knows most of KAURI_HIP_ARCHITECTURES")
set(candidates ${KAURI_HIPCC})
if(NOT candidates)
  set(candidates /opt/rocm/bin/hipcc hipcc clang++-22 clang++-21 clang++-20 clang++-19 clang++-18 clang++-17 clang++)
endif()
set(hipcc "")
set(known "")
foreach(candidate ${candidates})
  list(LENGTH known best)
  list(LENGTH KAURI_HIP_ARCHITECTURES all)
  unset(hip_compiler)
  find_program(hip_compiler ${candidate} NO_CACHE)
  if(hip_compiler AND best LESS all)
    kauri_try_hip(${hip_compiler} some)
    list(LENGTH some count)
    if(count GREATER best)
      set(hipcc ${hip_compiler})
      set(known ${some})
    endif()
  endif()
endforeach()
if(NOT hipcc)
  message(FATAL_ERROR "KAURI_HIP=ON, but no compiler for AMD devices works: install hipcc, libamdhip64-dev and rocm-device-libs "
                      "(tried ${candidates}; ${scratch}/probe.log)")
endif()
set(unknown ${KAURI_HIP_ARCHITECTURES})
list(REMOVE_ITEM unknown ${known})
kauri_add_numbers(${hipcc})  # the last one tried may be another
execute_process(COMMAND ${hipcc} --version OUTPUT_VARIABLE version ERROR_QUIET)
string(REGEX MATCH "[^\n]*clang version [^ \n]+" version "${version}")
foreach(list known unknown)
  string(REPLACE ";" ", " in_words "${${list}}")
  set(${list}_in_words ${in_words})
endforeach()
message(STATUS "HIP: ${hipcc} (${version}) compiles for ${known_in_words}")
if(unknown)
  message(WARNING "HIP: no code for ${unknown_in_words}, which this compiler does not know. Clang knows gfx90a and gfx1100 from 15 on, "
                  "gfx942 from 17 on: install clang-19 and lld-19.")
endif()

# Sources whose warps wait for one another: there a warp has a wavefront (numeric/cuda/runtime/kernel/language_amd.cuh).
set(waiting factor/small/portable_gathered factor/tiled/portable/kernel solve/multi/portable_fma solve/single/portable)
set(passing
    batch/factor
    batch/solve
    extract/determinant_kernels
    extract/norm_estimator_kernels
    extract/schur_kernels
    factor/fallback/kernels
    factor/front_views
    factor/tile_inverses
    factor/verdict_kernels
    inverse/kernels
    matrix/residual_kernels
    matrix/spmv/kernels
    matrix/spmv/merge
    refine/mixed_kernels
    refine/refine_kernels
    solve/fallback/kernels
    solve/product_kernels)
set(KAURI_HIP_SOURCES ${waiting} ${passing} CACHE INTERNAL "kernels for AMD devices, all of which the emulated one runs (tests/emulator)")
# -Wno-pass-failed: kernels ask to unroll loops that nvcc unrolls and Clang does not. hipcc gives the
# linker's options to the compiler, too.
list(APPEND flags -Wall -Wextra -Wshadow -Wno-pass-failed -Wno-unused-command-line-argument)
list(APPEND flags -I${CMAKE_CURRENT_SOURCE_DIR}/cuda/runtime/hip -I${PROJECT_SOURCE_DIR} -I${PROJECT_SOURCE_DIR}/include)
if(KAURI_WERROR)
  list(APPEND flags -Werror)
endif()
foreach(architecture ${known})
  list(APPEND flags --offload-arch=${architecture})
endforeach()
set(objects "")
foreach(source ${waiting} ${passing})
  string(REPLACE "/" "_" name ${source})
  set(object ${scratch}/${name}.o)
  set(defined "")
  if(source IN_LIST waiting)
    set(defined -DKAURI_WARPS_WAIT)
  endif()
  add_custom_command(
    OUTPUT ${object}
    COMMAND ${hipcc} ${flags} ${defined} -MD -MF ${object}.d -c ${CMAKE_CURRENT_SOURCE_DIR}/cuda/${source}.cu -o ${object}
    DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/cuda/${source}.cu
    DEPFILE ${object}.d
    COMMENT "Compiling ${source}.cu for ${known_in_words}"
    VERBATIM)
  list(APPEND objects ${object})
endforeach()
add_custom_target(kauri_hip_kernels DEPENDS ${objects})
add_custom_target(kauri_hip)
add_dependencies(kauri_hip kauri_hip_kernels)

# The host's sources, by the host's compiler: they find the headers of names in place of CUDA's.
find_path(KAURI_HIP_INCLUDE hip/hip_runtime_api.h PATHS /opt/rocm/include)
find_library(KAURI_HIP_LIBRARY amdhip64 PATHS /opt/rocm/lib)
mark_as_advanced(KAURI_HIP_INCLUDE KAURI_HIP_LIBRARY)
if(NOT KAURI_HIP_INCLUDE)
  message(STATUS "HIP: no hip/hip_runtime_api.h (libamdhip64-dev): the host's sources are not compiled")
  return()
endif()
add_library(kauri_hip_host OBJECT EXCLUDE_FROM_ALL ${device_host} cuda/absent_kernels.cpp cuda/runtime/hip/driver.cpp
                                                   cuda/runtime/hip/properties.cpp)
set_target_properties(kauri_hip_host PROPERTIES POSITION_INDEPENDENT_CODE ON)
target_compile_features(kauri_hip_host PRIVATE cxx_std_20)
string(REPLACE ";" " " built_for "${known}")
target_compile_definitions(kauri_hip_host PRIVATE __HIP_PLATFORM_AMD__ KAURI_HIP "KAURI_HIP_BUILT_FOR=\"${built_for}\""
                                                  $<TARGET_PROPERTY:kauri,COMPILE_DEFINITIONS>)
target_compile_options(kauri_hip_host PRIVATE $<TARGET_PROPERTY:kauri,COMPILE_OPTIONS>)
target_include_directories(kauri_hip_host BEFORE PRIVATE cuda/runtime/hip $<TARGET_PROPERTY:kauri,INCLUDE_DIRECTORIES>)
target_include_directories(kauri_hip_host SYSTEM PRIVATE ${KAURI_HIP_INCLUDE})
target_link_libraries(kauri_hip_host PRIVATE TBB::tbb ZLIB::ZLIB kauri_warnings)
add_dependencies(kauri_hip kauri_hip_host)

# What a program links: the linker takes these objects first, so it takes none of the library kauri
# that define the same names.
if(KAURI_HIP_LIBRARY)
  add_library(kauri_hip_backend INTERFACE)
  add_dependencies(kauri_hip_backend kauri_hip_kernels)
  target_sources(kauri_hip_backend INTERFACE $<TARGET_OBJECTS:kauri_hip_host>)
  target_link_libraries(kauri_hip_backend INTERFACE ${objects} ${KAURI_HIP_LIBRARY})
else()
  message(STATUS "HIP: no libamdhip64: no program is linked")
endif()
