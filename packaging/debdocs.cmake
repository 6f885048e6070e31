# SPDX-License-Identifier: GPL-3.0-or-later
# Run by CPack on the staged files: man pages and the changelog as Debian policy (12.1, 12.7) wants them, compressed without a time stamp.

if(CPACK_GENERATOR STREQUAL "DEB")
    file(GLOB roots LIST_DIRECTORIES true ${CPACK_TEMPORARY_INSTALL_DIRECTORY}/usr)
    foreach(usr ${roots})
        file(COPY_FILE ${CMAKE_CURRENT_LIST_DIR}/../CHANGELOG.md ${usr}/share/doc/kvscope/changelog)
        file(GLOB pages ${usr}/share/man/man1/*.1)
        execute_process(COMMAND gzip -9n ${usr}/share/doc/kvscope/changelog ${pages} COMMAND_ERROR_IS_FATAL ANY)
    endforeach()
endif()
