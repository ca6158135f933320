# Tests that cpack makes no package without a maintainer, nor from a build that is not hardened:
# cmake -DCPACK=... -DBUILD_DIR=... -DSCRATCH=... -P refusals.cmake
# SPDX-License-Identifier: BSD-3-Clause
cmake_minimum_required(VERSION 3.25)

# refused(CONTACT TEXT): expects that cpack fails with an error that contains TEXT.
function(refused contact text)
  execute_process(COMMAND ${CPACK} -G DEB --config ${BUILD_DIR}/CPackConfig.cmake -B ${SCRATCH} -D "CPACK_PACKAGE_CONTACT=${contact}"
                  RESULT_VARIABLE status OUTPUT_VARIABLE said ERROR_VARIABLE said TIMEOUT 1200)
  string(REGEX REPLACE "[ \n]+" " " said "${said}")
  string(FIND "${said}" "${text}" found)
  if(status EQUAL 0 OR found EQUAL -1)
    message(FATAL_ERROR "cpack with the contact '${contact}' ended with ${status}, expected '${text}', and said: ${said}")
  endif()
endfunction()

foreach(contact "" "kauri, built from source <nobody@kauri.invalid>" "kauri@example.org" "A name alone")
  refused("${contact}" "A package has a maintainer who can be written to, and its contact is '${contact}'")
endforeach()
file(STRINGS ${BUILD_DIR}/CMakeCache.txt hardened REGEX "^KAURI_HARDENING:BOOL=ON$")
if(NOT hardened)
  refused("Tests of kauri, not to be passed on <tests@example.org>" "cmake --preset package")
endif()
