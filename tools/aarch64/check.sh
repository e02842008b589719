#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The program for aarch64, under qemu: check.sh PROGRAM, in the repository
# Builds it in build-aarch64, runs those tests that concern machine code and numbers, and compares results of its machine
# code and of its interpreter with those of PROGRAM, which is built for this machine, byte by byte.
set -eu
here=$(dirname "$0")
folder=$PWD/build-aarch64
native=$1
unset MAKEFLAGS MFLAGS MAKELEVEL
sh "$here/sysroot.sh" "$folder/sysroot"
cmake --preset aarch64 > "$folder/configure.log"
cmake --build --preset aarch64 -j "${JOBS:-$(nproc)}"

# compilers that tests call, and the program as one that this machine runs
mkdir -p "$folder/bin"
for name in cc gcc; do
  printf '#!/bin/sh\nexec aarch64-linux-gnu-gcc --sysroot="%s" "$@"\n' "$folder/sysroot" > "$folder/bin/$name"
done
if command -v clang > /dev/null; then
  printf '#!/bin/sh\nexec %s --target=aarch64-linux-gnu --gcc-toolchain=/usr --sysroot="%s" "$@"\n' "$(command -v clang)" \
    "$folder/sysroot" > "$folder/bin/clang"
fi
printf '#!/bin/sh\nexec qemu-aarch64 -L "%s" "%s" "$@"\n' "$folder/sysroot" "$folder/jounce" > "$folder/bin/jounce"
chmod +x "$folder"/bin/*
PATH=$folder/bin:$PATH
jounce --version
jounce --version | grep -q '^processor aarch64'
ctest --preset aarch64 -j "${JOBS:-$(nproc)}" --no-tests=error
python3 test/bits/main.py "$folder/bin/jounce" --like "$native"
