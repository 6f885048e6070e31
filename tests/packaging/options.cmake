# SPDX-License-Identifier: GPL-3.0-or-later
# PAGE names every option that PROGRAM has, and each of COMMANDS (empty for a program without commands).

file(READ ${PAGE} page)
string(REPLACE "\\-" "-" page "${page}")
if(NOT COMMANDS)
    set(COMMANDS "--")
endif()
foreach(command ${COMMANDS})
    set(words ${command} --help)
    if(command STREQUAL "--")
        set(words --help)
    elseif(NOT page MATCHES "[ \n]\"?${command}[\" \n,]")
        message(SEND_ERROR "the page does not name the command ${command}")
    endif()
    execute_process(COMMAND ${CMAKE_COMMAND} -E env LC_ALL=C.UTF-8 QT_QPA_PLATFORM=offscreen ${PROGRAM} ${words}
        OUTPUT_VARIABLE help COMMAND_ERROR_IS_FATAL ANY)
    string(REGEX MATCHALL "--[a-z][a-z0-9-]*" options "${help}")
    list(REMOVE_ITEM options --help-all) # Qt's own, for Qt's own options
    if(NOT options)
        message(SEND_ERROR "${PROGRAM} ${words} names no option")
    endif()
    list(REMOVE_DUPLICATES options)
    foreach(option ${options})
        if(NOT page MATCHES "${option}([^a-z0-9-]|$)")
            message(SEND_ERROR "the page does not name ${option}, which ${command} has")
        endif()
    endforeach()
endforeach()
