# SPDX-License-Identifier: Apache-2.0
# Toolchain of the preset "aarch64": Debian's cross compiler, arm64 packages in a folder (sysroot.sh), and qemu to run
# what was built.
get_filename_component(sysroot "${CMAKE_CURRENT_LIST_DIR}/../../build-aarch64/sysroot" ABSOLUTE)
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)
set(CMAKE_LIBRARY_ARCHITECTURE aarch64-linux-gnu)
set(CMAKE_CROSSCOMPILING_EMULATOR "qemu-aarch64;-L;${sysroot}")
# libraries and headers of arm64 only: those of this machine lie in folders of the same names
set(CMAKE_SYSROOT "${sysroot}")
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
