#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Format the C files of the repository, or with --check only say which are not formatted. Versions
# of clang-format differ in detail; ours is 14.
set -eu
cd "$(dirname "$0")/.."

tool=clang-format-14
command -v "$tool" >/dev/null 2>&1 || tool=clang-format
"$tool" --version | grep -q 'version 14\.' || {
  echo "clang-format 14 is needed, this is: $("$tool" --version)" >&2
  exit 1
}
if [ "${1:-}" = --check ]; then
  set -- --dry-run -Werror
else
  set -- -i
fi
folders=
for folder in include src cli test bench examples; do
  [ -d "$folder" ] && folders="$folders $folder"
done
# shellcheck disable=SC2086
find $folders -name golden -prune -o -type f \
  \( -name '*.c' -o -name '*.h' \) -exec "$tool" "$@" {} +
