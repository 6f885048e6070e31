# SPDX-License-Identifier: GPL-3.0-or-later
# What `cmake --install` puts where.

include(GNUInstallDirs)

set(programs kvplan)
if(KVSCOPE_GUI)
    list(APPEND programs kvscope)
endif()
install(TARGETS ${programs} RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} BUNDLE DESTINATION .)

if(UNIX AND NOT APPLE)
    set(id org.kvscope.KVScope)
    install(FILES ${CMAKE_CURRENT_LIST_DIR}/kvplan.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
    install(FILES ${CMAKE_CURRENT_LIST_DIR}/copyright DESTINATION ${CMAKE_INSTALL_DOCDIR})
    if(KVSCOPE_GUI)
        install(FILES ${CMAKE_CURRENT_LIST_DIR}/kvscope.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
        install(FILES ${CMAKE_CURRENT_LIST_DIR}/${id}.desktop DESTINATION ${CMAKE_INSTALL_DATADIR}/applications)
        install(FILES ${CMAKE_CURRENT_LIST_DIR}/${id}.metainfo.xml DESTINATION ${CMAKE_INSTALL_DATADIR}/metainfo)
        install(FILES ${CMAKE_CURRENT_LIST_DIR}/${id}-mime.xml DESTINATION ${CMAKE_INSTALL_DATADIR}/mime/packages RENAME ${id}.xml)
        set(icons ${CMAKE_CURRENT_LIST_DIR}/../resources/icons)
        set(hicolor ${CMAKE_INSTALL_DATADIR}/icons/hicolor)
        install(FILES ${icons}/kvscope.svg DESTINATION ${hicolor}/scalable/apps RENAME ${id}.svg)
        foreach(size 48 128 256)
            install(FILES ${icons}/kvscope-${size}.png DESTINATION ${hicolor}/${size}x${size}/apps RENAME ${id}.png)
        endforeach()
    endif()
elseif(KVSCOPE_GUI)
    # The Qt libraries and plugins go beside the program. Qt 6.4 names the option FILENAME_VARIABLE, 6.5 renamed it.
    set(variable OUTPUT_SCRIPT)
    if(Qt6_VERSION VERSION_LESS 6.5)
        set(variable FILENAME_VARIABLE)
    endif()
    qt_generate_deploy_app_script(TARGET kvscope ${variable} deploy NO_UNSUPPORTED_PLATFORM_ERROR)
    install(SCRIPT ${deploy})
endif()

include(${CMAKE_CURRENT_LIST_DIR}/cpack.cmake)
