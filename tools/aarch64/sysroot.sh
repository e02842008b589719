#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Makes the folder that Jounce and its tests are linked with, for arm64: sysroot.sh FOLDER
# It gets packages of Debian 12, which are unpacked and not installed, so that dpkg need not know the architecture, and
# LAPACK compiled from source. No root is needed. JOUNCE_MIRROR names another mirror. Nothing is done where FOLDER is
# complete and no script has changed.
set -eu
tools=$(cd "$(dirname "$0")/.." && pwd)
script=$tools/aarch64/$(basename "$0")
mkdir -p "$1"
root=$(cd "$1" && pwd)
apt=$root.apt
recipe() { cat "$script" "$tools/apt_folder.sh" "$tools/lapack.sh" "$tools/lapack_support.c"; }
if recipe | cmp -s - "$root/done"; then exit 0; fi
rm -rf "$root" "$apt"
mkdir -p "$root" "$apt"
quietly() { "$@" > "$apt/log" 2>&1 < /dev/null || { tail -n 40 "$apt/log" >&2; echo "sysroot.sh: failed: $*" >&2; exit 1; }; }

echo "sysroot: downloading"
printf 'deb bookworm\ndeb-src bookworm\n' | sh "$tools/apt_folder.sh" "$apt" arm64
cd "$apt"
export APT_CONFIG="$apt/apt.conf"
quietly apt-get update -qq
quietly apt-get install -qq -y --no-install-recommends --download-only libc6-dev libfyaml-dev zlib1g-dev libexpat1-dev \
  libhdf5-dev libcmocka-dev libgfortran5
# SUNDIALS alone: packages it depends on, MPI and PETSc among them, are for other parts of it
quietly apt-get download libsundials-dev libsundials-cvode6 libsundials-nvecserial6 libsundials-sunlinsol3 libsundials-sunmatrix4
for package in cache/archives/*.deb *.deb; do
  dpkg-deb -x "$package" "$root"
done
# names of libraries, which installing would have made
libraries=$root/usr/lib/aarch64-linux-gnu
for library in "$libraries"/lib*.so.*.*; do
  name=$(aarch64-linux-gnu-readelf -d "$library" | sed -n 's/.*SONAME.*\[\(.*\)\]/\1/p')
  [ -z "$name" ] || [ -e "$libraries/$name" ] || ln -s "$(basename "$library")" "$libraries/$name"
done
# links to /lib/... would leave the folder
find "$root" -type l | while read -r link; do
  case $(readlink "$link") in
    /*) ln -sfr "$root$(readlink "$link")" "$link" ;;
  esac
done
# Debian's LAPACK for arm64 has fused multiply-adds, and its last digits are not those of other processors
echo "sysroot: lapack"
quietly apt-get source --download-only lapack
quietly dpkg-source --no-check -x lapack_*.dsc lapack  # apt has checked it
by_tests="LAPACKE_dgels LAPACKE_dgelsd LAPACKE_dgesv LAPACKE_dgesvd LAPACKE_dpotrf"
mkdir lapack-build
cd lapack-build
quietly sh "$tools/lapack.sh" "$apt/lapack" "$root" aarch64-linux-gnu- "-O2 -fPIC -ffp-contract=off" \
  "LAPACKE_dgeev LAPACKE_dgelsy $by_tests"
rm -rf "$apt"
recipe > "$root/done"
