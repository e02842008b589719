#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Fuzzes everything that is read: fuzz.sh counted | hunt FOLDER [TARGET...]
#   counted  the part of `make check`: fixed seed and number of runs, so that the same sources give the same verdict
#   hunt     $JOUNCE_FUZZ_SECONDS for each target with random seeds; what it finds new stays in FOLDER for the next hunt
# Inputs that fail are kept as FOLDER/fuzz_NAME-*. Needs the targets of the preset fuzz.
set -u
cd "$(dirname "$0")/.."

mode=$1 folder=$2
shift 2
targets=("$@")
[ ${#targets[@]} -gt 0 ] || mapfile -t targets < <(
  find build-fuzz/test/fuzz -maxdepth 1 -name 'fuzz_*' -type f -executable -printf '%f\n' | sed 's/^fuzz_//' | sort)

counted_runs() { # target: about 7 s of a 3 GHz processor each
  case $1 in
    events) echo 80000 ;;
    import) echo 25000 ;;
    journal) echo 20000 ;;
    model) echo 25000 ;;
    names) echo 8000 ;;
    parse) echo 60000 ;;
    road) echo 25000 ;;
    sweep) echo 16000 ;;
    tyre) echo 6000 ;;
    *) return 1 ;;
  esac
}

amount() { # target: options that say when it ends
  local runs
  if [ "$mode" = hunt ]; then
    echo "-max_total_time=${JOUNCE_FUZZ_SECONDS:-300}"
  elif runs=$(counted_runs "$1"); then
    echo "-seed=1 -runs=$runs -reload=0"
  else
    echo "tools/fuzz.sh: say how many runs the target '$1' has in make check" >&2
    return 1
  fi
}

fuzz_one() { # target: new inputs go to a folder of their own, the seeds stay as they are
  local name=$1 grown=$folder/fuzz_$1 words=() options
  options=$(amount "$name") || return 1
  [ -f "test/fuzz/$name.dict" ] && words=(-dict="test/fuzz/$name.dict")
  [ "$mode" = hunt ] || rm -rf "$grown"
  mkdir -p "$grown"
  # an input without end is a fault, a slow or busy machine is none
  # shellcheck disable=SC2086
  $layout "build-fuzz/test/fuzz/fuzz_$name" $options -timeout=60 -rss_limit_mb=2048 -max_len=1024 "${words[@]}" \
    -artifact_prefix="$folder/fuzz_$name-" "$grown" "test/fuzz/corpus_$name"
}

[ ${#targets[@]} -gt 0 ] || { echo "tools/fuzz.sh: no targets in build-fuzz; build the preset fuzz first" >&2; exit 1; }
mkdir -p "$folder"
# the fuzzer's own choices follow addresses, which are the same in every counted run
layout=
[ "$mode" = counted ] && setarch -R true 2>/dev/null && layout="setarch -R"
export -f fuzz_one amount counted_runs
export mode folder layout
# as many targets at once as there are processors
printf '%s\n' "${targets[@]}" | xargs -P "$(nproc)" -n 1 bash -c 'fuzz_one "$1"' _
