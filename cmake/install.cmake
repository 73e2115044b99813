# What `cmake --install` leaves: the program, headers, both libraries, a CMake package, a pkg-config
# file, man pages, documentation and examples.
include(CMakePackageConfigHelpers)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/Tactus)

install(
    TARGETS tactus_shared tactus_static
    EXPORT Tactus
    LIBRARY COMPONENT libtactus0 NAMELINK_COMPONENT libtactus-dev
    ARCHIVE COMPONENT libtactus-dev)
install(
    DIRECTORY ${PROJECT_SOURCE_DIR}/include/tactus
    DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
    COMPONENT libtactus-dev)
# Licence and notices belong to every package.
foreach(package libtactus0 libtactus-dev tactus)
    cmake_path(REPLACE_FILENAME CMAKE_INSTALL_DOCDIR ${package} OUTPUT_VARIABLE doc_dir)
    install(
        FILES ${PROJECT_SOURCE_DIR}/LICENSE
        DESTINATION ${doc_dir}
        RENAME copyright
        COMPONENT ${package})
    install(FILES ${PROJECT_SOURCE_DIR}/THIRD_PARTIES.md DESTINATION ${doc_dir} COMPONENT ${package})
endforeach()
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE ${PROJECT_SOURCE_DIR}/CHANGELOG.md
        DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT tactus)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/docs/ DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT tactus)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/examples DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT tactus
        PATTERN __pycache__ EXCLUDE)
set(completions ${PROJECT_BINARY_DIR}/completions)
set(data ${CMAKE_INSTALL_DATADIR})
install(
    FILES ${completions}/tactus.bash
    DESTINATION ${data}/bash-completion/completions
    RENAME tactus
    COMPONENT tactus)
install(
    FILES ${completions}/tactus.zsh
    DESTINATION ${data}/zsh/vendor-completions
    RENAME _tactus
    COMPONENT tactus)
install(FILES ${completions}/tactus.fish DESTINATION ${data}/fish/vendor_completions.d
        COMPONENT tactus)
foreach(section 1 5)
    file(GLOB man_pages ${PROJECT_SOURCE_DIR}/man/*.${section})
    install(FILES ${man_pages} DESTINATION ${CMAKE_INSTALL_MANDIR}/man${section} COMPONENT tactus)
endforeach()

configure_package_config_file(cmake/TactusConfig.cmake.in ${PROJECT_BINARY_DIR}/TactusConfig.cmake
                              INSTALL_DESTINATION ${package_dir})
# Before 1.0 a minor version may break its users.
write_basic_package_version_file(${PROJECT_BINARY_DIR}/TactusConfigVersion.cmake
                                 COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/TactusConfig.cmake
              ${PROJECT_BINARY_DIR}/TactusConfigVersion.cmake DESTINATION ${package_dir}
        COMPONENT libtactus-dev)
install(
    EXPORT Tactus
    NAMESPACE Tactus::
    FILE TactusTargets.cmake
    DESTINATION ${package_dir}
    COMPONENT libtactus-dev)

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
install(
    FILES ${PROJECT_BINARY_DIR}/tactus.pc
    DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig
    COMPONENT libtactus-dev)

include(cmake/package.cmake)
