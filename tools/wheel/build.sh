#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Builds the self-contained wheel and the archive of the program: build.sh FOLDER, in the repository
# FOLDER gets jounce-VERSION-py3-none-manylinux_....whl and jounce-VERSION-linux-x86_64.tar.gz. Both hold what was
# linked against FOLDER/sysroot (sysroot.sh). The same source gives the same bytes on the same system.
set -eu
here=$(dirname "$0")
mkdir -p "$1"
folder=$(cd "$1" && pwd)
source=$(cd "$here/../.." && pwd)
sh "$here/sysroot.sh" "$folder/sysroot"
cmake -S "$source" -B "$folder/build" -DCMAKE_TOOLCHAIN_FILE="$folder/sysroot/toolchain.cmake" \
  -DCMAKE_BUILD_TYPE=Release -DJOUNCE_TESTS=OFF -DJOUNCE_EXAMPLES=OFF -DJOUNCE_BENCH=OFF -DJOUNCE_MPI=OFF \
  -DJOUNCE_MODELS_DIR:STRING= -DCMAKE_C_FLAGS="-ffile-prefix-map=$source=." > "$folder/configure.log"
cmake --build "$folder/build" -j "$(nproc)"

# the tree that both are made of
version=$("$folder/build/jounce" --version | awk '{ print $2; exit }')
tree=$folder/jounce-$version
rm -rf "$tree"
cmake --install "$folder/build" --prefix "$tree" --strip > "$folder/install.log"
mkdir -p "$tree/share/doc/jounce/licences"
cp "$folder"/sysroot/licences/*.txt "$tree/share/doc/jounce/licences/"
cp "$source/LICENSE" "$source/README.md" "$tree/share/doc/jounce/"
python3 "$source/python/backend/jounce_build.py" "$folder" --tree "$tree"

# headers and libraries stay out: CMake's files name the folders of this machine
archive=$folder/jounce-$version-linux-x86_64.tar.gz
tar -C "$folder" --sort=name --mtime=@0 --owner=0 --group=0 --numeric-owner --mode=go=rX,u+w -cf - \
  "jounce-$version/bin" "jounce-$version/share" | gzip -9n > "$archive.part"
mv "$archive.part" "$archive"
echo "$archive"
