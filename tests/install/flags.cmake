# Configures a hardened build without building it: every command has the flags, and cpack refuses
# nothing.
# SPDX-License-Identifier: BSD-3-Clause
cmake_minimum_required(VERSION 3.25)
file(REMOVE_RECURSE ${SCRATCH})
execute_process(
  COMMAND ${CMAKE_COMMAND} -G ${GENERATOR} -S ${SOURCE_DIR} -B ${SCRATCH} -DCMAKE_MAKE_PROGRAM=${MAKE_PROGRAM} -DCMAKE_BUILD_TYPE=Release -DCMAKE_C_COMPILER=${CC}
          -DCMAKE_CXX_COMPILER=${CXX} -DKAURI_HARDENING=ON -DKAURI_BUILD_TESTS=OFF -DKAURI_BUILD_EXAMPLES=OFF -DKAURI_BUILD_BENCH=OFF
          -DKAURI_BUILD_PROGRAM=${PROGRAM} -DKAURI_METIS=${METIS} -DKAURI_CUDA=${CUDA} -DCMAKE_CUDA_ARCHITECTURES=90 -DCMAKE_UNITY_BUILD=ON
          -DCMAKE_EXPORT_COMPILE_COMMANDS=ON
  OUTPUT_VARIABLE said ERROR_VARIABLE said RESULT_VARIABLE status TIMEOUT 1200)
if(NOT status EQUAL 0)
  message(FATAL_ERROR "${said}")
endif()
execute_process(COMMAND ${PYTHON} -B ${CMAKE_CURRENT_LIST_DIR}/check_flags.py ${SCRATCH}/compile_commands.json TIMEOUT 1200 COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND ${CMAKE_COMMAND} "-DCPACK_PACKAGE_CONTACT=Tests of kauri, not to be passed on <tests@example.org>" -P ${SCRATCH}/generated/refusals.cmake
                COMMAND_ERROR_IS_FATAL ANY)
