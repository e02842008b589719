# SPDX-License-Identifier: Apache-2.0
# make install: program, headers, both libraries, models; found by CMake (find_package(jounce)) and pkg-config.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

# in the archive's name and in the package it is called what it is, not what the build calls it
set_target_properties(jounce_core PROPERTIES OUTPUT_NAME jounce EXPORT_NAME static)
set_target_properties(jounce_shared PROPERTIES EXPORT_NAME jounce)
install(TARGETS jounce RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(TARGETS jounce_shared jounce_core EXPORT jounce
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(DIRECTORY include/jounce DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(DIRECTORY models DESTINATION ${CMAKE_INSTALL_DATADIR}/jounce)
install(EXPORT jounce NAMESPACE jounce:: FILE jounce-targets.cmake
  DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/jounce)

file(CONFIGURE OUTPUT jounce-config.cmake CONTENT [[
include(CMakeFindDependencyMacro)
find_dependency(Threads)
include(${CMAKE_CURRENT_LIST_DIR}/jounce-targets.cmake)
]] @ONLY)
write_basic_package_version_file(${CMAKE_CURRENT_BINARY_DIR}/jounce-config-version.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/jounce-config.cmake
  ${CMAKE_CURRENT_BINARY_DIR}/jounce-config-version.cmake
  DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/jounce)

# what the archive needs, for pkg-config --static
get_target_property(needed jounce_core LINK_LIBRARIES)
set(private "")
foreach(library IN LISTS needed)
  if(library STREQUAL "Threads::Threads")
    string(APPEND private " -pthread")
  elseif(library MATCHES "/lib([^/]+)\\.(so|a)$")
    string(APPEND private " -l${CMAKE_MATCH_1}")
  else()
    string(APPEND private " -l${library}")
  endif()
endforeach()
# the prefix is where the file lies, wherever cmake --install --prefix puts it
file(RELATIVE_PATH up /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
configure_file(tools/jounce.pc.in jounce.pc @ONLY)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/jounce.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
