#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A program of somebody else against the installed library: by pkg-config, shared and static, by CMake, and from
# Python where one with NumPy is given.
#   consumer.sh BUILD SOURCE [PYTHON]
set -eu
build=$1
source=$2
. "$source/test/install/room.sh"
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

# Python finds the installed library as the system does, and has the same numbers
if [ -n "${3:-}" ]; then
  unset JOUNCE_LIBRARY
  LD_LIBRARY_PATH="$library" PYTHONPATH="$source/python" "$3" -B - "$model" > said <<END
import sys, jounce
assert jounce.library_path == "libjounce.so.0", jounce.library_path
r = jounce.load(sys.argv[1]).run()
for name, q in r.objectives.items():
    print("%-12s %16.10g %s" % (name, q, q.unit))
print("%d steps" % r.statistics.steps)
END
  cmp said expected
fi
