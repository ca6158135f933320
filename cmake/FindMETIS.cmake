# Finds METIS 5: METIS_FOUND and the target METIS::METIS. Uses METIS's own CMake package if there is
# one (Conan and vcpkg have it), since its header may need definitions there and a static METIS
# needs GKlib; otherwise looks for header and library.
# SPDX-License-Identifier: BSD-3-Clause
find_package(metis CONFIG QUIET)
foreach(target metis::metis metis)
  if(TARGET ${target} AND NOT TARGET METIS::METIS)
    add_library(METIS::METIS INTERFACE IMPORTED)
    target_link_libraries(METIS::METIS INTERFACE ${target})
  endif()
endforeach()
if(TARGET METIS::METIS)
  set(METIS_FOUND TRUE)
  return()
endif()

find_path(METIS_INCLUDE_DIR metis.h)
find_library(METIS_LIBRARY metis)
if(METIS_INCLUDE_DIR)
  # kauri's indices have 32 bits. If cholespy is among Python's packages, a METIS with 64-bit
  # indices lies beside them; the system's METIS is used instead.
  file(STRINGS ${METIS_INCLUDE_DIR}/metis.h metis_wide REGEX "^[ \t]*#define[ \t]+IDXTYPEWIDTH[ \t]+64")
  if(metis_wide)
    message(STATUS "METIS: ${METIS_INCLUDE_DIR}/metis.h has indices of 64 bits; looking elsewhere")
    unset(METIS_INCLUDE_DIR CACHE)
    unset(METIS_LIBRARY CACHE)
    find_path(METIS_INCLUDE_DIR metis.h NO_PACKAGE_ROOT_PATH NO_CMAKE_PATH NO_CMAKE_ENVIRONMENT_PATH)
    find_library(METIS_LIBRARY metis NO_PACKAGE_ROOT_PATH NO_CMAKE_PATH NO_CMAKE_ENVIRONMENT_PATH)
  endif()
endif()
mark_as_advanced(METIS_INCLUDE_DIR METIS_LIBRARY metis_DIR)

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(METIS REQUIRED_VARS METIS_LIBRARY METIS_INCLUDE_DIR)

if(METIS_FOUND)
  add_library(METIS::METIS UNKNOWN IMPORTED)
  set_target_properties(METIS::METIS PROPERTIES IMPORTED_LOCATION "${METIS_LIBRARY}" INTERFACE_INCLUDE_DIRECTORIES "${METIS_INCLUDE_DIR}")
endif()
