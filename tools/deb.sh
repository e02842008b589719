#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The Debian packages, as `make deb` makes them: deb.sh [FOLDER]
# The files that git knows or would add, without git all but build folders, are copied to FOLDER/jounce-VERSION
# and built there; packages, and the source package, are left in FOLDER. The same source gives the same bytes:
# every time is that of debian/changelog.
set -eu
cd "$(dirname "$0")/.."
folder=${1:-build-deb}
version=$(dpkg-parsechangelog -S Version)
SOURCE_DATE_EPOCH=$(dpkg-parsechangelog -S Timestamp)
export SOURCE_DATE_EPOCH
umask 022

rm -rf "$folder/jounce-$version"
rm -f "$folder"/*.deb "$folder"/*.dsc "$folder"/*.tar.xz "$folder"/*.changes "$folder"/*.buildinfo
mkdir -p "$folder/jounce-$version"
list_files() {
  if git rev-parse --is-inside-work-tree > /dev/null 2>&1; then
    # without those that are gone from the folder, but not yet from the index
    git ls-files -z --cached --others --exclude-standard | xargs -0 sh -c 'for f; do [ -e "$f" ] && echo "$f"; done' -
  else
    find . -path './build*' -prune -o -path ./.git -prune -o -name __pycache__ -prune -o -type f -printf '%P\n'
  fi
}
list_files | tar -c --mtime "@$SOURCE_DATE_EPOCH" -T - | tar -x -C "$folder/jounce-$version"
cd "$folder/jounce-$version"
DEB_BUILD_OPTIONS="parallel=$(nproc) ${DEB_BUILD_OPTIONS:-}" dpkg-buildpackage --no-sign
cd ..
sha256sum ./*.deb
