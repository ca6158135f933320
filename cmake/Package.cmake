# Makes a Debian package of the installation: cpack -G DEB in the build folder. It is one package
# with static or shared library, headers and program.
# SPDX-License-Identifier: BSD-3-Clause
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME kauri)
set(CPACK_PACKAGE_VERSION ${kauri_version_debian})
set(CPACK_PACKAGE_VENDOR "the kauri authors")
# The builder of a package is responsible for it and receives the reports of SECURITY.md: named by
# Debian's variables or by -DCPACK_PACKAGE_CONTACT=. There is no default contact, and no package
# without one.
set(kauri_contact "")
if(DEFINED ENV{DEBEMAIL} AND DEFINED ENV{DEBFULLNAME})
  set(kauri_contact "$ENV{DEBFULLNAME} <$ENV{DEBEMAIL}>")
endif()
set(CPACK_PACKAGE_CONTACT "${kauri_contact}" CACHE STRING "Maintainer of packages: name <address>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "${PROJECT_DESCRIPTION}")
set(CPACK_PACKAGE_DESCRIPTION
    "Sparse Cholesky factorisation: fill-reducing orderings, multifrontal factorisation in
float and double by all cores (the same bits for any number of threads), solves
with iterative refinement. C++20 library with headers, a CMake package and a
pkg-config file, and the program kauri with man page and completion for bash, zsh and fish.")
set(CPACK_RESOURCE_FILE_LICENSE ${PROJECT_SOURCE_DIR}/LICENSE)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
# Debian looks for this name; the file holds kauri's licence and those of compiled-in code.
file(READ LICENSE copyright)
foreach(path ${kauri_licenses})
  file(READ ${path} text)
  string(APPEND copyright "\n----------------------------------------\n\n${text}")
endforeach()
if(KAURI_HAS_CUDA)
  string(APPEND copyright "\n----------------------------------------\n\nThe runtime of NVIDIA's CUDA Toolkit (libcudart_static), in the program kauri, under the toolkit's\n"
                          "End User License Agreement: https://docs.nvidia.com/cuda/eula\n")
endif()
file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/generated/copyright CONTENT "@copyright@" @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/generated/copyright DESTINATION ${CMAKE_INSTALL_DOCDIR})
set(CPACK_PROJECT_CONFIG_FILE ${PROJECT_BINARY_DIR}/generated/refusals.cmake) # cpack reads it when it runs
set(kauri_hardened no)
if(KAURI_HARDENING)
  set(kauri_hardened yes)
endif()
configure_file(cmake/refusals.cmake.in ${CPACK_PROJECT_CONFIG_FILE} @ONLY)
set(CPACK_STRIP_FILES ON)
set(CPACK_VERBATIM_VARIABLES ON)

set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT) # kauri_VERSION_ARCHITECTURE.deb
set(CPACK_DEBIAN_PACKAGE_SECTION math)
set(CPACK_DEBIAN_PACKAGE_PROVIDES "libkauri-dev (= ${CPACK_PACKAGE_VERSION})")
# A program that links kauri needs the packages that the CMake package and the pkg-config file
# require; dpkg-shlibdeps finds the packages that kauri's program needs.
set(CPACK_DEBIAN_PACKAGE_DEPENDS "libtbb-dev, zlib1g-dev")
if(KAURI_SYSTEM_METIS)
  string(APPEND CPACK_DEBIAN_PACKAGE_DEPENDS ", libmetis-dev")
endif()
if(KAURI_HAS_CUDA) # from NVIDIA's repository, not Debian's, and possibly installed without a package
  set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "cuda-toolkit-${CUDAToolkit_VERSION_MAJOR}-${CUDAToolkit_VERSION_MINOR}")
endif()
find_program(KAURI_SHLIBDEPS dpkg-shlibdeps)
mark_as_advanced(KAURI_SHLIBDEPS)
if(KAURI_SHLIBDEPS)
  set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
endif()
include(CPack)
