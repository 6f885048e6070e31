# SPDX-License-Identifier: GPL-3.0-or-later
# Run by CPack on the staged files: manual pages and changelogs as Debian policy (12.1, 12.7) wants them, compressed without a time stamp.

if(CPACK_GENERATOR STREQUAL "DEB")
    set(usr ${CPACK_TEMPORARY_INSTALL_DIRECTORY}/usr)
    set(doc ${usr}/share/doc/kvscope)
    file(COPY_FILE ${CMAKE_CURRENT_LIST_DIR}/../CHANGELOG.md ${doc}/changelog)
    string(TIMESTAMP date "%a, %d %b %Y %H:%M:%S +0000" UTC)
    file(WRITE ${doc}/changelog.Debian "kvscope (${CPACK_PACKAGE_VERSION}-${CPACK_DEBIAN_PACKAGE_RELEASE}) unstable; urgency=medium

  * Version ${CPACK_PACKAGE_VERSION}; changelog.gz says what is new.

 -- ${CPACK_PACKAGE_CONTACT}  ${date}
")
    file(GLOB texts ${usr}/share/man/man1/*.1 ${doc}/changelog*)
    execute_process(COMMAND gzip -9n ${texts} COMMAND_ERROR_IS_FATAL ANY)
endif()
