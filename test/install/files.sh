#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What make install installs beside program and libraries, and what make uninstall leaves.
#   files.sh BUILD SOURCE
set -eu
build=$1
source=$2
. "$source/test/install/room.sh"
share="$room/usr/share"
mkdir -p "$room/usr/lib"
# twice: the second one finds all folders
cmake --install "$build" --prefix "$room/usr" > "$room/log"
cmake --install "$build" --prefix "$room/usr" > "$room/log"
cd "$room"

# a page per command, and completion for every shell
for page in jounce jounce-run jounce-loads-reconstruct; do
  grep -q '^.SH NAME' "$share/man/man1/$page.1"
done
bash -c "source '$share/bash-completion/completions/jounce' && complete -p jounce" > log
grep -q '^#compdef jounce' "$share/zsh/site-functions/_jounce"
grep -q '^complete -c jounce' "$share/fish/vendor_completions.d/jounce.fish"

# nothing is left but what was there, and what somebody else has put beside it
touch "$share/man/man1/other.1"
cmake -P "$source/tools/uninstall.cmake" "$build" 2> log
(cd usr && find . | LC_ALL=C sort) > left
printf '%s\n' . ./lib ./share ./share/man ./share/man/man1 ./share/man/man1/other.1 | cmp - left
if cmake -P "$source/tools/uninstall.cmake" "$build" 2> log; then
  echo "uninstalled twice"
  exit 1
fi
grep -q 'nothing was installed from here' log

# below a DESTDIR that is not there yet
DESTDIR="$room/stage" timeout 60 cmake --install "$build" --prefix /usr > log
test -x stage/usr/bin/jounce
DESTDIR="$room/stage" cmake -P "$source/tools/uninstall.cmake" "$build" 2> log
test -z "$(find stage -mindepth 1)"
