#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The whole check, as `make check` runs it. Every step runs even when an earlier one failed; the
# summary at the end tells which, with ctest's own words.
set -u
cd "$(dirname "$0")/.."

unset MAKEFLAGS MFLAGS MAKELEVEL  # the builds below are not parts of the make that called us
jobs=$(nproc)
logs=build/check
mkdir -p "$logs"
failed=()
summary=()

step() { # name command...
  local name=$1 start=$SECONDS
  shift
  printf '== %s\n' "$name"
  if "$@" >"$logs/$name.log" 2>&1; then
    summary+=("$(printf 'ok      %-12s %4d s' "$name" $((SECONDS - start)))")
  else
    failed+=("$name")
    summary+=("$(printf 'FAILED  %-12s %4d s   %s' "$name" $((SECONDS - start)) "$logs/$name.log")")
    tail -n 60 "$logs/$name.log"
  fi
}

build() { # preset, what to build...
  local preset=$1
  shift
  cmake --preset "$preset" -DJOUNCE_WERROR=ON && cmake --build --preset "$preset" -j "$jobs" "$@"
}

build_and_test() { # preset, what to build of it...
  build "$@" && ctest --preset "$1" -j "$jobs" --no-tests=error
}

fuzz() {
  build fuzz --target fuzz_targets && tools/fuzz.sh counted "$logs/fuzz"
}

threads() { # the tests of the preset are those that have some
  build tsan --target thread_tests && "${fixed_layout[@]}" ctest --preset tsan -j "$jobs" --no-tests=error
}

# old thread sanitizers do not know the address layout of new kernels
fixed_layout=()
setarch -R true 2>/dev/null && fixed_layout=(setarch -R)

step format tools/format.sh --check
step layers python3 tools/check_layers.py
step lists python3 tools/check_lists.py
step calls python3 tools/check_calls.py
step headers python3 tools/check_headers.py
step equations python3 tools/check_equations.py
step release build_and_test release
step clang build clang
step asan build_and_test asan --target quick_tests
step tsan threads
step fuzz fuzz

echo
python3 tools/longest.py
echo
printf '%s\n' "${summary[@]}"
for name in release asan tsan; do
  printf '%s: ' "$name"
  grep -h 'tests passed' "$logs/$name.log" || echo "no test was run"
done
if [ ${#failed[@]} -gt 0 ]; then
  echo "check failed: ${failed[*]}"
  exit 1
fi
echo "check passed"
