#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Compiles routines of LAPACK, and what these call, into liblapacke.a:
# lapack.sh SOURCE ROOT PREFIX OPTIONS ROUTINES, in an empty folder
# SOURCE is Debian's source package, unpacked. ROOT/usr gets archive and headers. PREFIXgcc and PREFIXgfortran compile.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
source=$1 root=$2 prefix=$3 options=$4 next=$5
headers=$source/LAPACKE/include

mkdir -p "$root/usr/include" "$root/usr/lib"
cp "$headers/lapacke_mangling_with_flags.h.in" "$headers/lapacke_mangling.h"
cp "$headers"/*.h "$root/usr/include/"
compile() { # file, object
  case $1 in
    *.c) compiler=${prefix}gcc ;;
    *) compiler="${prefix}gfortran -frecursive -J." ;;
  esac
  # shellcheck disable=SC2086
  $compiler $options -I"$headers" -c "$1" -o "$2.o"
}
source_of() { # symbol
  name=$(echo "${1%_}" | tr '[:upper:]' '[:lower:]')
  for file in "LAPACKE/src/$name.c" "LAPACKE/utils/$name.c" "SRC/$name.f" "SRC/$name.f90" "BLAS/SRC/$name.f" \
    "BLAS/SRC/$name.f90" "INSTALL/$name.f"; do
    if [ -e "$source/$file" ]; then
      echo "$source/$file"
      return
    fi
  done
}
compile "$here/lapack_support.c" xerbla_
ln xerbla_.o LAPACKE_xerbla.o
compile "$source/LAPACKE/src/lapacke_nancheck.c" LAPACKE_get_nancheck
compile "$source/SRC/la_constants.f90" la_constants
compile "$source/SRC/la_xisnan.F90" la_xisnan
while [ -n "$next" ]; do
  for symbol in $next; do
    compile "$(source_of "$symbol")" "$symbol"
  done
  next=$(nm -u ./*.o | awk '$1 == "U" { print $2 }' | sort -u | while read -r symbol; do
    if [ ! -e "$symbol.o" ] && [ -n "$(source_of "$symbol")" ]; then echo "$symbol"; fi
  done)
done
rm LAPACKE_xerbla.o
ar rcs "$root/usr/lib/liblapacke.a" ./*.o
