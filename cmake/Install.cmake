# Installs the library, headers, program, a CMake package (find_package(kauri CONFIG)) and a
# pkg-config file.
# SPDX-License-Identifier: BSD-3-Clause
include(CMakePackageConfigHelpers)

set(kauri_package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/kauri)
install(TARGETS kauri EXPORT kauri ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
        RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(DIRECTORY include/kauri DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.hpp" PATTERN "*.h")
install(FILES LICENSE SECURITY.md DESTINATION ${CMAKE_INSTALL_DOCDIR})
# These are the licences of compiled-in code; linked libraries come with their own.
set(kauri_licenses packaging/licenses/oneTBB.txt)
if(KAURI_OWN_METIS)
  list(APPEND kauri_licenses packaging/licenses/METIS.txt)
endif()
if(TARGET kauri_program)
  list(APPEND kauri_licenses packaging/licenses/CLI11.txt packaging/licenses/fmt.txt packaging/licenses/nlohmann-json.txt)
endif()
install(FILES ${kauri_licenses} DESTINATION ${CMAKE_INSTALL_DOCDIR}/licenses)
if(TARGET kauri_program)
  if(BUILD_SHARED_LIBS) # the program finds the library after both are moved
    file(RELATIVE_PATH kauri_from_program /${CMAKE_INSTALL_BINDIR} /${CMAKE_INSTALL_LIBDIR})
    set_target_properties(kauri_program PROPERTIES INSTALL_RPATH "$ORIGIN/${kauri_from_program}")
  endif()
  install(TARGETS kauri_program RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
  install(FILES docs/kauri.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
  install(FILES cmake/completion.bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME kauri)
  install(FILES cmake/completion.zsh DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions RENAME _kauri)
  install(FILES cmake/completion.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d RENAME kauri.fish)
endif()

set(KAURI_SYSTEM_METIS OFF)
if(KAURI_METIS AND NOT KAURI_OWN_METIS)
  set(KAURI_SYSTEM_METIS ON)
endif()
get_target_property(kauri_type kauri TYPE)
install(EXPORT kauri NAMESPACE kauri:: FILE kauriTargets.cmake DESTINATION ${kauri_package_dir})
configure_package_config_file(cmake/kauriConfig.cmake.in ${PROJECT_BINARY_DIR}/generated/kauriConfig.cmake
                              INSTALL_DESTINATION ${kauri_package_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/generated/kauriConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/generated/kauriConfig.cmake ${PROJECT_BINARY_DIR}/generated/kauriConfigVersion.cmake
              cmake/FindMETIS.cmake
        DESTINATION ${kauri_package_dir})

# The file finds its own prefix, so a moved installation still works. A static kauri passes its
# libraries on to the program that links it.
file(RELATIVE_PATH kauri_pc_prefix /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
string(REGEX REPLACE "/$" "" kauri_pc_prefix ${kauri_pc_prefix})
set(kauri_pc_requires "") # not even private ones: pkg-config would look for them
set(kauri_pc_static "")
set(kauri_pc_runtime "")
if(kauri_type STREQUAL "STATIC_LIBRARY")
  set(kauri_pc_requires "Requires: tbb zlib\n")
  # A C compiler needs the C++ libraries named.
  foreach(library ${CMAKE_CXX_IMPLICIT_LINK_LIBRARIES})
    if(library MATCHES "^(stdc\\+\\+|c\\+\\+|m)$")
      string(APPEND kauri_pc_runtime " -l${library}")
    endif()
  endforeach()
  if(KAURI_SYSTEM_METIS)
    set(kauri_pc_static " -lmetis")
    if(TARGET GKlib OR TARGET gklib::gklib) # a METIS with a CMake package has it: FindMETIS.cmake
      string(APPEND kauri_pc_static " -lGKlib")
    endif()
  endif()
  if(KAURI_HAS_CUDA)
    string(APPEND kauri_pc_static " -L${CUDAToolkit_LIBRARY_DIR} -lcudart_static -lrt -ldl -lpthread")
  endif()
  string(APPEND kauri_pc_static "${kauri_pc_runtime}")
endif()
configure_file(cmake/kauri.pc.in generated/kauri.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/generated/kauri.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
