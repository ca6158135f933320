# Determines the version of CMake's project, the library and its program, the Python package, the
# .deb, the reference and the site. It is the last tag vX.Y.Z if these sources are a clone with tags;
# otherwise the version that a Python sdist states; otherwise the one written here. N commits after a
# tag it is X.Y.(Z+1).devN+gCOMMIT, which sorts before the next version.
#   include(cmake/Version.cmake)      sets kauri_version (as Python writes it, PEP 440), kauri_version_numeric, kauri_version_debian
#   cmake [-DFORM=numeric|debian] [-DSOURCE_DIR=FOLDER] -P cmake/Version.cmake       prints it
# -DKAURI_VERSION_OVERRIDE=X.Y.Z or X.Y.Z.devN+gCOMMIT is for recipes that build a copy of the sources
# and know its version. `git archive` fills in no version, since in a copy inside another repository
# it would be a tag of that repository.
# SPDX-License-Identifier: BSD-3-Clause
cmake_policy(PUSH)
cmake_policy(VERSION 3.16)

# The last release, or the first one before it exists. The tagged commit writes the version of its
# tag here, which tests/version checks.
set(kauri_version_written 0.1.0)

# kauri_version_git(FOLDER RESULT ARGUMENT...): sets RESULT to the output of git for the repository
# whose root is FOLDER, or to "" if it is not a root or git is missing. --git-dir excludes a
# repository around it and one that the environment names (a hook's).
function(kauri_version_git folder result)
  execute_process(COMMAND git --git-dir=${folder}/.git ${ARGN} OUTPUT_VARIABLE said OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  set(${result} "${said}" PARENT_SCOPE)
endfunction()

if(SOURCE_DIR AND CMAKE_SCRIPT_MODE_FILE)
  get_filename_component(kauri_version_folder ${SOURCE_DIR} ABSOLUTE)
else()
  get_filename_component(kauri_version_folder ${CMAKE_CURRENT_LIST_DIR} DIRECTORY)
endif()
kauri_version_git(${kauri_version_folder} kauri_version_tag describe --tags --abbrev=12 "--match=v[0-9]*.[0-9]*.[0-9]*" "--exclude=v*[!0-9.]*"
                  "--exclude=v*.*.*.*")
set(kauri_version ${kauri_version_written})
if(EXISTS ${kauri_version_folder}/PKG-INFO)
  file(STRINGS ${kauri_version_folder}/PKG-INFO kauri_version_lines REGEX "^Version: ")
  string(REGEX REPLACE "^Version: ([^;]*).*" "\\1" kauri_version "${kauri_version_lines}")
endif()
if(KAURI_VERSION_OVERRIDE)
  set(kauri_version ${KAURI_VERSION_OVERRIDE})
elseif(kauri_version_tag MATCHES "^v([0-9.]+)$")
  set(kauri_version ${CMAKE_MATCH_1})
elseif(kauri_version_tag MATCHES "^v([0-9]+\\.[0-9]+)\\.([0-9]+)-([0-9]+)-(g[0-9a-f]+)$")
  math(EXPR kauri_version_patch "${CMAKE_MATCH_2} + 1")
  set(kauri_version ${CMAKE_MATCH_1}.${kauri_version_patch}.dev${CMAKE_MATCH_3}+${CMAKE_MATCH_4})
endif()
if(NOT kauri_version MATCHES "^([0-9]+\\.[0-9]+\\.[0-9]+)(\\.dev[0-9]+\\+g[0-9a-f]+)?$")
  message(FATAL_ERROR "'${kauri_version}' is no version of kauri: X.Y.Z or X.Y.Z.devN+gCOMMIT")
endif()
set(kauri_version_numeric ${CMAKE_MATCH_1})
string(REPLACE ".dev" "~dev" kauri_version_debian ${kauri_version}) # in Debian ~ sorts before the end of a version, as .dev does in Python

if(NOT CMAKE_SCRIPT_MODE_FILE)
  # CMake runs again after a new tag and, once there is a tag, after each commit, since both change
  # the version.
  set(kauri_version_watched refs/tags packed-refs)
  if(kauri_version_tag)
    list(APPEND kauri_version_watched logs/HEAD)
  endif()
  foreach(file ${kauri_version_watched})
    kauri_version_git(${kauri_version_folder} path rev-parse --path-format=absolute --git-path ${file})
    if(path AND EXISTS ${path})
      set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${path})
    endif()
  endforeach()
elseif(CMAKE_SCRIPT_MODE_FILE STREQUAL CMAKE_CURRENT_LIST_FILE)
  set(kauri_version_printed ${kauri_version})
  if(FORM)
    if(NOT FORM MATCHES "^(numeric|debian)$")
      message(FATAL_ERROR "no form '${FORM}': numeric or debian")
    endif()
    set(kauri_version_printed ${kauri_version_${FORM}})
  endif()
  execute_process(COMMAND ${CMAKE_COMMAND} -E echo ${kauri_version_printed}) # message() would write to standard error
endif()
cmake_policy(POP)
