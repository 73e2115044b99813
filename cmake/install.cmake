# What `cmake --install` leaves: the program, headers, both libraries, a CMake package, a pkg-config
# file, man pages, documentation and examples.
include(CMakePackageConfigHelpers)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/Tactus)

install(TARGETS tactus_shared tactus_static EXPORT Tactus)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/tactus DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY ${PROJECT_SOURCE_DIR}/docs/ DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY ${PROJECT_SOURCE_DIR}/examples DESTINATION ${CMAKE_INSTALL_DOCDIR})
foreach(section 1 5)
    file(GLOB man_pages ${PROJECT_SOURCE_DIR}/man/*.${section})
    install(FILES ${man_pages} DESTINATION ${CMAKE_INSTALL_MANDIR}/man${section})
endforeach()

configure_package_config_file(cmake/TactusConfig.cmake.in ${PROJECT_BINARY_DIR}/TactusConfig.cmake
                              INSTALL_DESTINATION ${package_dir})
# Before 1.0 a minor version may break its users.
write_basic_package_version_file(${PROJECT_BINARY_DIR}/TactusConfigVersion.cmake
                                 COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/TactusConfig.cmake
              ${PROJECT_BINARY_DIR}/TactusConfigVersion.cmake DESTINATION ${package_dir})
install(EXPORT Tactus NAMESPACE Tactus:: FILE TactusTargets.cmake DESTINATION ${package_dir})

# Paths relative to the .pc file, so that the tree may be moved; absolute ones stay as they are.
if(IS_ABSOLUTE ${CMAKE_INSTALL_LIBDIR})
    set(pc_prefix ${CMAKE_INSTALL_PREFIX})
else()
    file(RELATIVE_PATH up /prefix/${CMAKE_INSTALL_LIBDIR}/pkgconfig /prefix)
    string(REGEX REPLACE "/$" "" up "${up}")
    set(pc_prefix "\${pcfiledir}/${up}")
endif()
foreach(dir INCLUDEDIR LIBDIR)
    if(IS_ABSOLUTE ${CMAKE_INSTALL_${dir}})
        set(pc_${dir} ${CMAKE_INSTALL_${dir}})
    else()
        set(pc_${dir} "\${prefix}/${CMAKE_INSTALL_${dir}}")
    endif()
endforeach()
configure_file(cmake/tactus.pc.in ${PROJECT_BINARY_DIR}/tactus.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/tactus.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
