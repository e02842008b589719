#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Make sure the packages of tools/packages.txt are there: setup.sh [GROUP]..., and those of demo
# Installs what is missing where it may (root, or sudo without a password); otherwise says exactly
# what to do. When nothing is missing it is instant and needs no network.
set -eu

groups="demo $*"
here=$(dirname "$0")

is_there() { # package probe
  case $2 in
    -) ;;
    /*) [ -e "$2" ] && return 0 ;;
    *) command -v "$2" >/dev/null 2>&1 && return 0 ;;
  esac
  dpkg-query -W -f '${Status}' "$1" 2>/dev/null | grep -q 'ok installed'
}

missing=
while read -r group package probe; do
  case " $groups " in
    *" $group "*) is_there "$package" "$probe" || missing="$missing $package" ;;
  esac
done <<EOF
$(grep -v '^#' "$here/packages.txt")
EOF
[ -z "$missing" ] && exit 0

echo "missing packages:$missing"
command="apt-get update && apt-get install -y --no-install-recommends$missing"
if ! command -v apt-get >/dev/null 2>&1; then
  echo "this is not Debian: please install what they contain, see tools/packages.txt" >&2
  exit 1
elif [ "$(id -u)" = 0 ]; then
  run=
elif sudo -n true 2>/dev/null; then
  run="sudo -n"
else
  echo "to install them, run as root:  $command" >&2
  exit 1
fi
export DEBIAN_FRONTEND=noninteractive
$run apt-get update -qq
# shellcheck disable=SC2086
$run apt-get install -y -qq --no-install-recommends $missing
