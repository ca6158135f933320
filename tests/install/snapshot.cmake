# Makes a repository of one commit, ${repository}, with the files of SOURCE_DIR, committed or not,
# and a tag for ${snapshot_version}, which FetchContent clones.
# SPDX-License-Identifier: BSD-3-Clause
find_program(git git)
if(NOT git OR NOT EXISTS ${SOURCE_DIR}/.git)
  message(STATUS "skipped: no git, or no clone")
  return()
endif()
set(repository ${SCRATCH}/repository)
file(MAKE_DIRECTORY ${repository})
execute_process(COMMAND ${git} -c safe.directory=${SOURCE_DIR} -C ${SOURCE_DIR} ls-files --cached --others --exclude-standard
                OUTPUT_VARIABLE names OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
string(REPLACE "\n" ";" names "${names}")
foreach(name ${names})
  if(EXISTS ${SOURCE_DIR}/${name}) # skips deleted files
    get_filename_component(folder ${repository}/${name} DIRECTORY)
    file(COPY ${SOURCE_DIR}/${name} DESTINATION ${folder})
  endif()
endforeach()
run(${git} -C ${repository} init -q -b main)
run(${git} -C ${repository} add --all)
run(${git} -C ${repository} -c user.name=kauri -c user.email=kauri@localhost -c commit.gpgsign=false commit -q -m snapshot)
# No file contains this version: the fetched build takes it from the tag.
set(snapshot_version 7.8.9)
run(${git} -C ${repository} -c tag.gpgsign=false tag v${snapshot_version})
