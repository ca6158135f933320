# Copies the package FROM the sources TO the folder of the extension module, and removes sources there that the package no longer has.
# SPDX-License-Identifier: BSD-3-Clause
file(GLOB_RECURSE there RELATIVE ${TO} ${TO}/*.py ${TO}/*.pyi)
foreach(source ${there})
  if(NOT EXISTS ${FROM}/${source})
    file(REMOVE ${TO}/${source})
  endif()
endforeach()
file(COPY ${FROM}/ DESTINATION ${TO} PATTERN __pycache__ EXCLUDE)
