# SPDX-License-Identifier: GPL-3.0-or-later
# Packages: a .deb on Debian and its kin, a tarball on other Unixes, an installer and an archive on Windows, an image on macOS.

set(CPACK_PACKAGE_NAME kvscope)
set(CPACK_PACKAGE_VENDOR "KVScope")
if(NOT CPACK_PACKAGE_CONTACT) # who builds packages for others gives an address of their own: -D CPACK_PACKAGE_CONTACT="Name <address>"
    set(CPACK_PACKAGE_CONTACT "The KVScope authors <kvscope@localhost>")
endif()
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "see where GPU memory goes before a language model is loaded")
set(CPACK_PACKAGE_DESCRIPTION
"KVScope shows how weights, KV cache and run time share the memory of a GPU,
and where a longer context or one more conversation stops fitting. A window
with sliders and charts (kvscope) and a terminal twin (kvplan) give the same
answers; every figure carries its formula and its source.")
set(CPACK_RESOURCE_FILE_LICENSE ${PROJECT_SOURCE_DIR}/LICENSE)
set(CPACK_PACKAGE_DIRECTORY ${PROJECT_BINARY_DIR}/packages)
set(CPACK_STRIP_FILES ON)
set(CPACK_VERBATIM_VARIABLES ON)

if(WIN32)
    set(CPACK_GENERATOR ZIP NSIS)
    set(CPACK_NSIS_MUI_FINISHPAGE_RUN kvscope)
    set(CPACK_PACKAGE_EXECUTABLES kvscope KVScope)
elseif(APPLE)
    set(CPACK_GENERATOR DragNDrop)
else()
    find_program(dpkg dpkg-shlibdeps)
    set(CPACK_GENERATOR TGZ)
    if(dpkg)
        set(CPACK_GENERATOR DEB)
    endif()
    set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
    set(CPACK_PRE_BUILD_SCRIPTS ${CMAKE_CURRENT_LIST_DIR}/debdocs.cmake)
    set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS
        OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
    set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
    set(CPACK_DEBIAN_PACKAGE_RELEASE 1)
    set(CPACK_DEBIAN_PACKAGE_SECTION science)
    set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
    # Loaded at run time, so no link tells of them: Qt's own Chinese words, the Wayland plugin, glyphs for Chinese.
    set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "qt6-translations-l10n, qt6-wayland, fonts-noto-cjk")
endif()
include(CPack)
