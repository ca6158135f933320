# Builds a copy of METIS 5.1.0 inside kauri from a folder with its source: kauri_own_metis.o, whose
# only global name is kauri_metis_order. METIS itself takes over SIGTERM and SIGABRT of the whole
# process, prints, and draws from rand(); ordering/own_metis replaces these.
# SPDX-License-Identifier: BSD-3-Clause
set(KAURI_METIS_SOURCE "" CACHE STRING "Folder of METIS 5.1.0's source, to be compiled into kauri; empty: the one that scripts/install-deps fetches, if it is there; system: the library of the system")
set(KAURI_OWN_METIS OFF)
set(kauri_metis_source ${KAURI_METIS_SOURCE})
if(NOT kauri_metis_source)
  set(kauri_metis_source ${PROJECT_SOURCE_DIR}/build/metis/metis-5.1.0)
endif()
if(KAURI_METIS_SOURCE STREQUAL "system")
  message(STATUS "METIS: the system's library, as asked for: docs/limits.md")
  return()
elseif(EXISTS ${kauri_metis_source}/libmetis/ometis.c AND EXISTS ${kauri_metis_source}/GKlib/mcore.c AND CMAKE_LINKER AND CMAKE_OBJCOPY)
  set(KAURI_OWN_METIS ON)
elseif(KAURI_METIS_SOURCE)
  message(FATAL_ERROR "KAURI_METIS_SOURCE is ${KAURI_METIS_SOURCE}, expected the unpacked source of METIS 5.1.0 with libmetis/ometis.c and GKlib/mcore.c, and ld and objcopy")
else()
  message(STATUS "METIS: the system's library, as ${kauri_metis_source} is not there, or ld and objcopy are not (scripts/install-deps fetches it). While it orders, SIGTERM and "
                 "SIGABRT of the process are METIS's, so that comparisons leave it out unless it is named: docs/limits.md")
  return()
endif()
message(STATUS "METIS: compiled into kauri from ${kauri_metis_source}")

enable_language(C)
set(kauri_metis_parts
    auxapi balance bucketsort checkgraph coarsen compress contig debug fm fortran gklib graph initpart kmetis kwayfm kwayrefine mcutil minconn
    mincover mmd ometis options parmetis pmetis refine separator sfm srefine stat timing util wspace)
list(TRANSFORM kauri_metis_parts REPLACE "(.+)" "${kauri_metis_source}/libmetis/\\1.c")
set(kauri_gklib_parts blas mcore memory pqueue random sort timers)
list(TRANSFORM kauri_gklib_parts REPLACE "(.+)" "${kauri_metis_source}/GKlib/\\1.c")
add_library(kauri_own_metis OBJECT ${kauri_metis_parts} ${kauri_gklib_parts} ${PROJECT_SOURCE_DIR}/ordering/own_metis/host.c)
set_target_properties(kauri_own_metis PROPERTIES C_STANDARD 11 C_EXTENSIONS ON POSITION_INDEPENDENT_CODE ON C_VISIBILITY_PRESET hidden UNITY_BUILD OFF
                                                 INTERPROCEDURAL_OPTIMIZATION OFF)
target_include_directories(kauri_own_metis PRIVATE ${PROJECT_SOURCE_DIR} ${kauri_metis_source}/GKlib ${kauri_metis_source}/include
                                                   ${kauri_metis_source}/libmetis)
# The copy is optimised in every build. Without contraction of products, orderings are the same on
# every processor.
target_compile_options(kauri_own_metis PRIVATE -O2 -w -ffp-contract=off -ffunction-sections -fdata-sections -fno-lto -include ordering/own_metis/host.h)
target_compile_definitions(kauri_own_metis PRIVATE NDEBUG NDEBUG2)

# One object holds the code that METIS_NodeND needs. All other names are local, so a program may use
# another METIS.
set(kauri_own_metis_object ${PROJECT_BINARY_DIR}/kauri_own_metis.o)
add_custom_command(
  OUTPUT ${kauri_own_metis_object}
  COMMAND ${CMAKE_LINKER} -r --gc-sections -u kauri_metis_order -o ${kauri_own_metis_object}.all $<TARGET_OBJECTS:kauri_own_metis>
  COMMAND ${CMAKE_OBJCOPY} --keep-global-symbol kauri_metis_order --strip-unneeded ${kauri_own_metis_object}.all ${kauri_own_metis_object}
  DEPENDS kauri_own_metis $<TARGET_OBJECTS:kauri_own_metis>
  COMMAND_EXPAND_LISTS VERBATIM
  COMMENT "METIS, with one global name, kauri's")
add_custom_target(kauri_own_metis_made DEPENDS ${kauri_own_metis_object})
