# Finds SuiteSparse's supernodal Cholesky, a peer in tests and benchmarks: target CHOLMOD::CHOLMOD.
# SPDX-License-Identifier: BSD-3-Clause
find_path(CHOLMOD_INCLUDE_DIR cholmod.h PATH_SUFFIXES suitesparse)
find_library(CHOLMOD_LIBRARY cholmod)
mark_as_advanced(CHOLMOD_INCLUDE_DIR CHOLMOD_LIBRARY)

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(CHOLMOD REQUIRED_VARS CHOLMOD_LIBRARY CHOLMOD_INCLUDE_DIR)
if(CHOLMOD_FOUND AND NOT TARGET CHOLMOD::CHOLMOD)
  add_library(CHOLMOD::CHOLMOD UNKNOWN IMPORTED)
  set_target_properties(CHOLMOD::CHOLMOD PROPERTIES IMPORTED_LOCATION ${CHOLMOD_LIBRARY} INTERFACE_INCLUDE_DIRECTORIES ${CHOLMOD_INCLUDE_DIR})
endif()
