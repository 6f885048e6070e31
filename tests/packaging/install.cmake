# SPDX-License-Identifier: GPL-3.0-or-later
# cmake --install puts everything where a desktop looks for it, and nothing else.

set(id org.kvscope.KVScope)
set(expected bin/kvplan share/doc/kvscope/copyright share/man/man1/kvplan.1)
if(GUI)
    list(APPEND expected bin/kvscope share/man/man1/kvscope.1 share/applications/${id}.desktop share/metainfo/${id}.metainfo.xml
        share/mime/packages/${id}.xml share/icons/hicolor/scalable/apps/${id}.svg)
    foreach(size 48 128 256)
        list(APPEND expected share/icons/hicolor/${size}x${size}/apps/${id}.png)
    endforeach()
endif()

file(REMOVE_RECURSE ${PREFIX})
execute_process(COMMAND ${CMAKE_COMMAND} --install ${BUILD} --prefix ${PREFIX} OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
file(GLOB_RECURSE found RELATIVE ${PREFIX} ${PREFIX}/*)
list(SORT found)
list(SORT expected)
if(NOT found STREQUAL expected)
    message(FATAL_ERROR "installed: ${found}\nexpected:  ${expected}")
endif()

execute_process(COMMAND ${PREFIX}/bin/kvplan plan --layers 32 --kv-heads 8 --head-dim 128 --context 32768 --gpu-memory 24GB --json
    OUTPUT_VARIABLE answer COMMAND_ERROR_IS_FATAL ANY)
string(JSON total GET "${answer}" kv total_bytes)
if(NOT total EQUAL 4294967296) # 2 x 32 x 8 x 128 x 32768 x 2 B
    message(FATAL_ERROR "the installed kvplan says ${total}")
endif()
