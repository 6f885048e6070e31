# SPDX-License-Identifier: GPL-3.0-or-later
# The manual pages are set without a complaint.

file(GLOB pages ${PACKAGING}/*.1)
foreach(page ${pages})
    execute_process(COMMAND ${CMAKE_COMMAND} -E env MANWIDTH=80 LC_ALL=C.UTF-8 man --warnings -l ${page}
        OUTPUT_QUIET ERROR_VARIABLE complaints COMMAND_ERROR_IS_FATAL ANY)
    if(complaints)
        message(FATAL_ERROR "${page}: ${complaints}")
    endif()
endforeach()
