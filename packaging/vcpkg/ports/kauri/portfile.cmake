# The vcpkg port of the checkout that contains it: vcpkg install kauri
# --overlay-ports=packaging/vcpkg/ports   (docs/packages.md)
# SPDX-License-Identifier: BSD-3-Clause
get_filename_component(SOURCE_PATH "${CURRENT_PORT_DIR}/../../../.." ABSOLUTE)
if(NOT EXISTS "${SOURCE_PATH}/cmake/Version.cmake")
  message(FATAL_ERROR "this port builds the checkout of kauri that it lies in, and downloads none: ${SOURCE_PATH} is no checkout of kauri")
endif()

vcpkg_check_features(OUT_FEATURE_OPTIONS options FEATURES cuda KAURI_CUDA metis KAURI_METIS tools KAURI_BUILD_PROGRAM)
if("cuda" IN_LIST FEATURES)  # uses the toolkit that vcpkg's port found
  vcpkg_find_cuda(OUT_CUDA_TOOLKIT_ROOT cuda_root)
  list(APPEND options "-DKAURI_NVCC=${cuda_root}/bin/nvcc")
endif()
vcpkg_cmake_configure(SOURCE_PATH "${SOURCE_PATH}" OPTIONS ${options} -DKAURI_BUILD_TESTS=OFF -DKAURI_BUILD_EXAMPLES=OFF -DKAURI_WERROR=OFF)
vcpkg_cmake_install()
vcpkg_cmake_config_fixup(CONFIG_PATH lib/cmake/kauri)
vcpkg_fixup_pkgconfig()
if("tools" IN_LIST FEATURES)
  vcpkg_copy_tools(TOOL_NAMES kauri AUTO_CLEAN)
endif()
vcpkg_install_copyright(FILE_LIST "${CURRENT_PACKAGES_DIR}/share/doc/${PORT}/copyright") # kauri's licence and those of compiled-in code
file(REMOVE_RECURSE "${CURRENT_PACKAGES_DIR}/debug/include" "${CURRENT_PACKAGES_DIR}/debug/share" "${CURRENT_PACKAGES_DIR}/share/doc")
file(INSTALL "${CMAKE_CURRENT_LIST_DIR}/usage" DESTINATION "${CURRENT_PACKAGES_DIR}/share/${PORT}")
