# SPDX-License-Identifier: GPL-3.0-or-later
# Every source file is as .clang-format has it.

set(patterns)
foreach(folder app core tests ui)
    list(APPEND patterns ${SOURCE}/${folder}/*.cpp ${SOURCE}/${folder}/*.h)
endforeach()
file(GLOB_RECURSE files ${patterns})
if(NOT files)
    message(FATAL_ERROR "no source file below ${SOURCE}")
endif()
execute_process(COMMAND ${TOOL} --dry-run -Werror ${files} COMMAND_ERROR_IS_FATAL ANY)
