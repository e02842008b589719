#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Builds what self-contained programs are linked with: sysroot.sh FOLDER
# FOLDER/root gets the C library of Debian 11 (glibc 2.31) and, as archives of position-independent code for any
# x86-64 processor, the libraries Jounce needs. Those are built from the sources of Debian 12, with the compiler of
# this machine. FOLDER/licences gets their licences, FOLDER/toolchain.cmake what CMake needs to know. apt checks the
# signatures of everything that is downloaded; no root is needed. JOUNCE_MIRROR names another mirror.
# Nothing is done where FOLDER is complete and no script has changed.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
script=$here/$(basename "$0")
mkdir -p "$1"
folder=$(cd "$1" && pwd)
root=$folder/root
jobs=$(nproc)
recipe() { cat "$script" "$here/../apt_folder.sh" "$here/../lapack.sh" "$here/../lapack_support.c"; }
if recipe | cmp -s - "$folder/done"; then exit 0; fi
if [ "$(uname -m)" != x86_64 ]; then
  echo "sysroot.sh: wheels are built on x86-64 only" >&2
  exit 1
fi
rm -rf "$folder/done" "$root" "$folder/licences" "$folder/build" "$folder/apt"
mkdir -p "$root" "$folder/licences" "$folder/build"
quietly() { "$@" > "$folder/log" 2>&1 < /dev/null || { tail -n 40 "$folder/log" >&2; echo "sysroot.sh: failed: $*" >&2; exit 1; }; }
say() { echo "sysroot: $*"; }

# ---- apt with books of its own ----------------------------------------------------------------------
printf 'deb bullseye\ndeb-src bookworm\n' | sh "$here/../apt_folder.sh" "$folder/apt" amd64
cd "$folder/apt"
export APT_CONFIG="$PWD/apt.conf"
say "downloading"
quietly apt-get update -qq
quietly apt-get download libc6 libc6-dev linux-libc-dev libcrypt1 libcrypt-dev
for package in *.deb; do
  dpkg-deb -x "$package" "$root"
done
# links to /lib/... would leave the folder
find "$root" -type l | while read -r link; do
  case $(readlink "$link") in
    /*) ln -sfr "$root$(readlink "$link")" "$link" ;;
  esac
done
cd "$folder/build"
quietly apt-get source --download-only zlib expat libfyaml lapack sundials hdf5
for package in zlib expat libfyaml lapack sundials hdf5; do
  quietly dpkg-source --no-check -x "$package"_*.dsc "$package"  # apt has checked it
done
unset APT_CONFIG

# ---- the libraries ----------------------------------------------------------------------------------
# gcc looks into the folders of this machine's libraries even so, but after those that are named
for name in gcc gfortran; do
  cat > "$folder/$name" <<END
#!/bin/sh
exec $name --sysroot=$root -B$root/usr/lib/x86_64-linux-gnu -L$root/usr/lib/x86_64-linux-gnu \\
  -L$root/lib/x86_64-linux-gnu -L$root/usr/lib "\$@"
END
  chmod +x "$folder/$name"
done
cat > "$folder/toolchain.cmake" <<END
set(CMAKE_C_COMPILER $folder/gcc)
set(CMAKE_SYSROOT $root)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
END
# messages of some have __FILE__: the folder must not show
options="-O2 -fPIC -ffile-prefix-map=$folder/build=."
with_cmake() { # name, folder of the source, options
  name=$1 source=$2
  shift 2
  say "$name"
  quietly cmake -S "$source" -B "$name-build" -DCMAKE_TOOLCHAIN_FILE="$folder/toolchain.cmake" \
    -DCMAKE_BUILD_TYPE=None -DCMAKE_C_FLAGS="$options" -DCMAKE_INSTALL_PREFIX=/usr -DCMAKE_INSTALL_LIBDIR=lib \
    -DBUILD_SHARED_LIBS=OFF -DBUILD_TESTING=OFF "$@"
  quietly cmake --build "$name-build" -j "$jobs"
  quietly env DESTDIR="$root" cmake --install "$name-build"
}
with_configure() { # name, options
  name=$1
  shift
  say "$name"
  cd "$name"
  quietly env CC="$folder/gcc" CFLAGS="$options" PKG_CONFIG=false ./configure --prefix=/usr "$@"
}
with_configure zlib --static
quietly make -j "$jobs" libz.a
cp libz.a "$root/usr/lib/"
cp zlib.h zconf.h "$root/usr/include/"
cd ..
# Debian's changes test the value of XML_DTD, which is empty with CMake
sed -i 's/^#cmakedefine XML_DTD.*/#define XML_DTD 1/' expat/expat/expat_config.h.cmake
with_cmake expat expat/expat -DEXPAT_BUILD_TOOLS=OFF -DEXPAT_BUILD_EXAMPLES=OFF -DEXPAT_BUILD_TESTS=OFF \
  -DEXPAT_BUILD_DOCS=OFF
with_configure libfyaml --disable-shared --disable-network
quietly make -j "$jobs" -C src libfyaml.la
cp src/.libs/libfyaml.a "$root/usr/lib/"
cp include/libfyaml.h "$root/usr/include/"
cd ..
with_cmake sundials sundials -DBUILD_STATIC_LIBS=ON -DBUILD_ARKODE=OFF -DBUILD_CVODES=OFF -DBUILD_IDA=OFF \
  -DBUILD_IDAS=OFF -DBUILD_KINSOL=OFF -DEXAMPLES_ENABLE_C=OFF -DEXAMPLES_INSTALL=OFF
with_configure hdf5 --disable-shared --disable-fortran --disable-cxx --without-szlib --disable-embedded-libinfo \
  --enable-build-mode=production
quietly make -j "$jobs" -C src libhdf5.la
quietly make -j "$jobs" -C hl/src libhdf5_hl.la
cp src/.libs/libhdf5.a hl/src/.libs/libhdf5_hl.a "$root/usr/lib/"
cp src/H5*.h src/hdf5.h hl/src/H5*public.h hl/src/hdf5_hl.h "$root/usr/include/"
cd ..

say lapack
mkdir lapack-build
cd lapack-build
quietly sh "$here/../lapack.sh" "$folder/build/lapack" "$root" "$folder/" "$options" "LAPACKE_dgeev LAPACKE_dgelsy"
cd ..

licence() { # name, files: one file with the version first
  name=$1
  shift
  { echo "$name $(sed -n 's/^Version: //p' "${name}"_*.dsc | head -n 1), source package of Debian 12"
    for file in "$@"; do printf '\n'; cat "$file"; done; } > "$folder/licences/$name.txt"
}
licence zlib zlib/LICENSE
licence expat expat/expat/COPYING
licence libfyaml libfyaml/LICENSE libfyaml/debian/copyright
licence lapack lapack/LICENSE
licence sundials sundials/LICENSE sundials/NOTICE
licence hdf5 hdf5/COPYING hdf5/COPYING_LBNL_HDF5
major=$(gcc -dumpversion)
{ echo "libgcc of gcc $(gcc -dumpfullversion)"; echo; cat "/usr/share/doc/gcc-$major-base/copyright"; } \
  > "$folder/licences/libgcc.txt"
# every program and shared library contains start-up code and libc_nonshared.a of the C library
{ echo "start-up code of glibc 2.31, Debian 11; the C library itself is not included"; echo
  cat "$root/usr/share/doc/libc6/copyright"; } > "$folder/licences/glibc.txt"

# everything else is an archive; what the others need comes last
cat >> "$folder/toolchain.cmake" <<END
set(CMAKE_SHARED_LINKER_FLAGS_INIT "-static-libgcc -Wl,--exclude-libs,ALL")
set(CMAKE_EXE_LINKER_FLAGS_INIT "-static-libgcc")
set(CMAKE_C_STANDARD_LIBRARIES "$root/usr/lib/libz.a -ldl -lm")
END
rm -rf "$folder/build" "$folder/apt" "$folder/log"
recipe > "$folder/done"
