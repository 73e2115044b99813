# Debian packages: `cd build && cpack -G DEB`.
#
#   tactus         the program, completions, man pages, documentation, examples
#   libtactus0     the shared library
#   libtactus-dev  headers, the static library, CMake package, pkg-config file
#
# Files are stripped; what debuggers need is in packages of their own (-dbgsym).
set(CPACK_PACKAGE_VENDOR "Tactus")
# Whoever gives packages to others sets a name and an address: -DTACTUS_PACKAGE_CONTACT="NAME <ADDRESS>".
set(TACTUS_PACKAGE_CONTACT "the Tactus authors" CACHE STRING "Maintainer of the packages")
set(CPACK_PACKAGE_CONTACT "${TACTUS_PACKAGE_CONTACT}")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "${PROJECT_DESCRIPTION}")
set(CPACK_RESOURCE_FILE_LICENSE ${PROJECT_SOURCE_DIR}/LICENSE)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_GENERATOR DEB)
set(CPACK_COMPONENTS_ALL tactus libtactus0 libtactus-dev)
set(CPACK_COMPONENTS_GROUPING ONE_PER_GROUP)

set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${PROJECT_BINARY_DIR})
set(CPACK_DEBIAN_DEBUGINFO_PACKAGE ON)
# A program that was linked with a library needs that version or a later one (tests/config/test_abi.c).
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS_POLICY ">=")

set(same_version "(= ${PROJECT_VERSION})")
set(CPACK_DEBIAN_TACTUS_PACKAGE_NAME tactus)
set(CPACK_DEBIAN_TACTUS_PACKAGE_SECTION science)
set(CPACK_DEBIAN_TACTUS_PACKAGE_DEPENDS "libtactus0 ${same_version}")
set(CPACK_DEBIAN_TACTUS_PACKAGE_SUGGESTS "gnuplot-nox | gnuplot")
set(CPACK_COMPONENT_TACTUS_DESCRIPTION
    "Flight software and other discrete components step at exact microseconds;
the plant is integrated between those boundaries. Same inputs, same bits.")
set(CPACK_DEBIAN_LIBTACTUS0_PACKAGE_NAME libtactus0)
set(CPACK_DEBIAN_LIBTACTUS0_PACKAGE_SECTION libs)
set(CPACK_DEBIAN_LIBTACTUS0_PACKAGE_RECOMMENDS liblcm1) # loaded when it is first needed
set(CPACK_COMPONENT_LIBTACTUS0_DESCRIPTION
    "The library, for programs that hold a simulation and for the program tactus.")
set(CPACK_DEBIAN_LIBTACTUS-DEV_PACKAGE_NAME libtactus-dev)
set(CPACK_DEBIAN_LIBTACTUS-DEV_PACKAGE_SECTION libdevel)
# The static library needs these; pkg-config asks for them (Requires.private) for the shared one, too.
set(package_of_yaml-0.1 libyaml-dev)
set(package_of_sleef libsleef-dev)
set(package_of_libzstd libzstd-dev)
set(package_of_liblz4 liblz4-dev)
set(package_of_hdf5-serial libhdf5-dev)
set(package_of_libsodium libsodium-dev)
set(dev_depends "libtactus0 ${same_version}")
foreach(module IN LISTS needs_modules)
    string(REGEX REPLACE ".*=" "" module ${module})
    if(NOT package_of_${module})
        message(FATAL_ERROR "cmake/package.cmake: which package has ${module}?")
    endif()
    string(APPEND dev_depends ", ${package_of_${module}}")
endforeach()
set(CPACK_DEBIAN_LIBTACTUS-DEV_PACKAGE_DEPENDS "${dev_depends}")
set(CPACK_DEBIAN_LIBTACTUS-DEV_DEBUGINFO_PACKAGE OFF)
set(CPACK_COMPONENT_LIBTACTUS-DEV_DESCRIPTION
    "Headers, the static library, a CMake package and a pkg-config file, for plugins
and for programs that hold a simulation.")
include(CPack)
