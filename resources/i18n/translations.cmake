# SPDX-License-Identifier: GPL-3.0-or-later
# Translations of all strings in ui and app, embedded under :/i18n into kvscope_text, so that both programs hold them.
# English needs a file for its plurals alone: everything else reads as in the source.
# After a change of strings: cmake --build . --target update_translations, then finish the entries of both files.

add_custom_target(update_translations
    COMMAND ${CMAKE_COMMAND} -D LUPDATE=$<TARGET_FILE:Qt6::lupdate> -D SOURCE=${CMAKE_SOURCE_DIR} -D FOLDER=${CMAKE_SOURCE_DIR}/resources/i18n
        -P ${CMAKE_SOURCE_DIR}/resources/i18n/update.cmake
    VERBATIM)

set(qm_folder ${CMAKE_BINARY_DIR}/i18n)
foreach(language en zh_CN)
    set(ts ${CMAKE_SOURCE_DIR}/resources/i18n/kvscope_${language}.ts)
    set(qm ${qm_folder}/kvscope_${language}.qm)
    add_custom_command(OUTPUT ${qm}
        COMMAND ${CMAKE_COMMAND} -E make_directory ${qm_folder}
        COMMAND Qt6::lrelease -silent -removeidentical ${ts} -qm ${qm}
        DEPENDS ${ts} VERBATIM)
    list(APPEND qm_files ${qm})
endforeach()
qt_add_resources(kvscope_text i18n PREFIX /i18n BASE ${qm_folder} FILES ${qm_files})
