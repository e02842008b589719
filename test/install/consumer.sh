#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What make install installs, and make uninstall takes away: the program with man pages and completion; a program of
# somebody else against the library, by pkg-config, shared and static, and by CMake.
#   consumer.sh BUILD SOURCE
set -eu
build=$1
source=$2
room=$(mktemp -d)
mkdir -p "$room/usr/lib" "$room/books"
# what was installed from this folder before is still to be uninstalled after
books="install_manifest.txt install_folders.txt"
for book in $books; do
  [ ! -e "$build/$book" ] || mv "$build/$book" "$room/books/"
done
give_back() {
  (cd "$build" && rm -f $books)
  [ -z "$(ls "$room/books")" ] || mv "$room"/books/* "$build/"
  rm -rf "$room"
}
trap give_back EXIT
# twice: the second one finds all folders
cmake --install "$build" --prefix "$room/usr" > "$room/log"
cmake --install "$build" --prefix "$room/usr" > "$room/log"
export PKG_CONFIG_PATH="$room/usr/lib/pkgconfig:$room/usr/lib/x86_64-linux-gnu/pkgconfig"
library=$(pkg-config --variable=libdir jounce)
cd "$room"

# shared: nothing but the public functions is seen
cc "$source/examples/simulate.c" -o shared $(pkg-config --cflags --libs jounce)
hidden=$(nm -D --defined-only "$library/libjounce.so" | grep -v ' jo_' | grep -v ' A ' || true)
if [ -n "$hidden" ]; then
  echo "not public, but seen: $hidden"
  exit 1
fi
cc -static-libgcc "$source/examples/simulate.c" -o static $(pkg-config --cflags jounce) "$library/libjounce.a" \
  $(pkg-config --static --libs-only-l jounce | sed 's/-ljounce//')

cat > CMakeLists.txt <<END
cmake_minimum_required(VERSION 3.22)
project(consumer LANGUAGES C)
find_package(jounce REQUIRED)
add_executable(found $source/examples/simulate.c)
target_link_libraries(found jounce::jounce)
END
cmake -S . -B cmake -DCMAKE_PREFIX_PATH="$room/usr" > log
cmake --build cmake >> log

model="$source/models/mechanisms/pendulum.yaml"
for program in shared static cmake/found; do
  LD_LIBRARY_PATH="$library" "./$program" "$model" "$room/out.csv" | sed 's/,.*//' > "$room/said"
  cmp -s said expected 2> /dev/null || cp -n said expected
  cmp said expected
done
"$room/usr/bin/jounce" check "$model"

# a page per command, and completion for every shell
share="$room/usr/share"
for page in jounce jounce-run jounce-loads-reconstruct; do
  grep -q '^.SH NAME' "$share/man/man1/$page.1"
done
bash -c "source '$share/bash-completion/completions/jounce' && complete -p jounce" > log
grep -q '^#compdef jounce' "$share/zsh/site-functions/_jounce"
grep -q '^complete -c jounce' "$share/fish/vendor_completions.d/jounce.fish"

# nothing is left but what was there, and what somebody else has put beside it
touch "$share/man/man1/other.1"
cmake -P "$source/tools/uninstall.cmake" "$build" 2> log
(cd "$room/usr" && find . | LC_ALL=C sort) > left
printf '%s\n' . ./lib ./share ./share/man ./share/man/man1 ./share/man/man1/other.1 | cmp - left
