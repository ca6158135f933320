# Determines the commit from which the library is built, for kauri::commit(), by git at every build,
# so that it is never the commit of an older configure. Run as a script (-DSOURCE_DIR= -DOUTPUT=),
# this file writes the header; included, it adds the target that does so.
# SPDX-License-Identifier: BSD-3-Clause
if(CMAKE_SCRIPT_MODE_FILE)
  cmake_minimum_required(VERSION 3.25)
  set(commit "")
  find_program(git_program git)
  # A tarball unpacked inside another repository does not have that repository's commit.
  if(git_program AND EXISTS ${SOURCE_DIR}/.git)
    execute_process(
      COMMAND ${git_program} -c safe.directory=${SOURCE_DIR} -C ${SOURCE_DIR} describe --always --dirty --abbrev=12 --match v*
      OUTPUT_VARIABLE commit
      OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  endif()
  if(commit STREQUAL "")
    set(commit unknown)
  endif()
  file(CONFIGURE OUTPUT ${OUTPUT} CONTENT "#define KAURI_COMMIT \"@commit@\"\n" @ONLY)
  return()
endif()

set(kauri_commit_header ${PROJECT_BINARY_DIR}/generated/kauri_commit.h)
add_custom_target(
  kauri_commit
  COMMAND ${CMAKE_COMMAND} -DSOURCE_DIR=${PROJECT_SOURCE_DIR} -DOUTPUT=${kauri_commit_header} -P ${CMAKE_CURRENT_LIST_FILE}
  BYPRODUCTS ${kauri_commit_header}
  COMMENT ""
  VERBATIM)
add_dependencies(kauri kauri_commit)
# Only this file gets the version, so that a new commit compiles nothing else.
set_source_files_properties(${PROJECT_SOURCE_DIR}/base/common/version.cpp PROPERTIES COMPILE_OPTIONS "-include;${kauri_commit_header}"
                            COMPILE_DEFINITIONS "KAURI_VERSION=\"${kauri_version}\"")
