# SPDX-License-Identifier: Apache-2.0
# make install: program, man pages, completion, headers, both libraries, models; found by CMake
# (find_package(jounce)) and pkg-config. make uninstall: tools/uninstall.cmake.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)
set(JOUNCE_ZSH_DIR ${CMAKE_INSTALL_DATADIR}/zsh/site-functions CACHE STRING "Where completion of zsh goes")
set(man_dir ${CMAKE_INSTALL_MANDIR}/man1)
set(bash_dir ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
set(fish_dir ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)

# folders that are not there yet, and so have to go again: noted before anything is installed
set(install_folders ${CMAKE_INSTALL_BINDIR} ${CMAKE_INSTALL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_LIBDIR}/cmake
  ${CMAKE_INSTALL_LIBDIR}/jounce ${CMAKE_INSTALL_INCLUDEDIR} ${CMAKE_INSTALL_DATADIR} ${man_dir} ${bash_dir} ${fish_dir} ${JOUNCE_ZSH_DIR})
install(CODE "set(install_folders \"${install_folders}\")
set(noted \"${CMAKE_CURRENT_BINARY_DIR}/install_folders.txt\")")
install(CODE [[
foreach(folder IN LISTS install_folders)
  get_filename_component(folder ${folder} ABSOLUTE BASE_DIR ${CMAKE_INSTALL_PREFIX})
  while(NOT EXISTS $ENV{DESTDIR}${folder} AND NOT folder STREQUAL "/")
    file(APPEND ${noted} "${folder}\n")
    get_filename_component(folder ${folder} DIRECTORY)
  endwhile()
endforeach()
]])

# in the archive's name and in the package it is called what it is, not what the build calls it
set_target_properties(jounce_core PROPERTIES OUTPUT_NAME jounce EXPORT_NAME static)
set_target_properties(jounce_shared PROPERTIES EXPORT_NAME jounce)
install(TARGETS jounce RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
if(TARGET jounce_mpi)
  install(TARGETS jounce_mpi LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/jounce)
endif()
install(TARGETS jounce_shared jounce_core EXPORT jounce
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(DIRECTORY include/jounce DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(DIRECTORY models DESTINATION ${CMAKE_INSTALL_DATADIR}/jounce)

# man pages and completion, from the program itself: commands and options have no second list. Programs with
# sanitizers do not run everywhere
if(NOT JOUNCE_SANITIZE AND (NOT CMAKE_CROSSCOMPILING OR CMAKE_CROSSCOMPILING_EMULATOR))
  set(manual ${CMAKE_CURRENT_BINARY_DIR}/manual)
  add_custom_command(OUTPUT ${manual}/jounce.1
    COMMAND ${CMAKE_COMMAND} -E rm -rf ${manual}
    COMMAND jounce manual -o ${manual}
    DEPENDS jounce VERBATIM COMMENT "Writing man pages and completion")
  add_custom_target(manual ALL DEPENDS ${manual}/jounce.1)
  install(DIRECTORY ${manual}/ DESTINATION ${man_dir} FILES_MATCHING PATTERN *.1)
  install(FILES ${manual}/jounce DESTINATION ${bash_dir})
  install(FILES ${manual}/_jounce DESTINATION ${JOUNCE_ZSH_DIR})
  install(FILES ${manual}/jounce.fish DESTINATION ${fish_dir})
endif()

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
