# Debian packages: `cd build && cpack -G DEB`.
#
#   tactus         the program, completions, man pages, documentation, examples
#   libtactus0     the shared library
#   libtactus-dev  headers, the static library, CMake package, pkg-config file
#
# Files are stripped; what debuggers need is in packages of their own (-dbgsym).
set(CPACK_PACKAGE_VENDOR "Tactus")
set(CPACK_PACKAGE_CONTACT "The Tactus developers <tactus@localhost>")
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

set(same_version "(= ${PROJECT_VERSION})")
set(CPACK_DEBIAN_TACTUS_PACKAGE_NAME tactus)
set(CPACK_DEBIAN_TACTUS_PACKAGE_SECTION science)
set(CPACK_DEBIAN_TACTUS_PACKAGE_DEPENDS "libtactus0 ${same_version}")
set(CPACK_DEBIAN_TACTUS_PACKAGE_SUGGESTS "gnuplot-nox | gnuplot")
set(CPACK_COMPONENT_TACTUS_DESCRIPTION
    "Deterministic lockstep simulator for vehicles
 Flight software and other discrete components step at exact microseconds;
 the plant is integrated between those boundaries. Same inputs, same bits.")
set(CPACK_DEBIAN_LIBTACTUS0_PACKAGE_NAME libtactus0)
set(CPACK_DEBIAN_LIBTACTUS0_PACKAGE_SECTION libs)
set(CPACK_DEBIAN_LIBTACTUS0_PACKAGE_GENERATE_SHLIBS OFF)
set(CPACK_DEBIAN_LIBTACTUS0_PACKAGE_CONTROL_EXTRA ${PROJECT_BINARY_DIR}/triggers)
file(WRITE ${PROJECT_BINARY_DIR}/triggers "activate-noawait ldconfig\n")
set(CPACK_COMPONENT_LIBTACTUS0_DESCRIPTION
    "Deterministic lockstep simulator for vehicles: the library
 For programs that hold a simulation, and for the program tactus.")
set(CPACK_DEBIAN_LIBTACTUS-DEV_PACKAGE_NAME libtactus-dev)
set(CPACK_DEBIAN_LIBTACTUS-DEV_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_LIBTACTUS-DEV_PACKAGE_DEPENDS "libtactus0 ${same_version}")
set(CPACK_DEBIAN_LIBTACTUS-DEV_PACKAGE_SUGGESTS
    "libyaml-dev, libsleef-dev, libzstd-dev, liblz4-dev, libhdf5-dev")
set(CPACK_DEBIAN_LIBTACTUS-DEV_DEBUGINFO_PACKAGE OFF)
set(CPACK_COMPONENT_LIBTACTUS-DEV_DESCRIPTION
    "Deterministic lockstep simulator for vehicles: for developers
 Headers, the static library, a CMake package and a pkg-config file, for plugins
 and for programs that hold a simulation.")
include(CPack)
