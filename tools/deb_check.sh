#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The packages in a bare Debian 12: deb_check.sh FOLDER, as root
# Installs the packages of FOLDER with apt, uses them as somebody would who has nothing else, purges them, and
# compares lists of all files before and after. The bare system is made once, in FOLDER/bare; JOUNCE_MIRROR
# names another mirror. Mounts are seen by this script alone and end with it.
set -eu
folder=$(cd "$1" && pwd)
mirror=${JOUNCE_MIRROR:-http://deb.debian.org/debian}
root=$folder/root
if [ "$(id -u)" != 0 ]; then
  echo "deb_check.sh: a folder can be entered as a system by root only" >&2
  exit 1
fi
if [ -z "${JOUNCE_IN_NAMESPACE:-}" ]; then
  exec env JOUNCE_IN_NAMESPACE=1 unshare --mount --propagation private sh "$0" "$folder"
fi

say() { printf '\n== %s\n' "$*"; }
inside() { chroot "$root" /usr/bin/env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C.UTF-8 \
  DEBIAN_FRONTEND=noninteractive "$@"; }
# somebody who may write to /tmp only
as_user() { chroot --userspec=65534:65534 "$root" /usr/bin/env -i PATH=/usr/bin:/bin LC_ALL=C.UTF-8 \
  HOME=/tmp/home "$@"; }
install() { inside apt-get install -y -qq --no-install-recommends "$@" > "$folder/apt.log" 2>&1 ||
  { cat "$folder/apt.log"; exit 1; }; }
# all files but those apt and dpkg keep their books in
list_files() {
  (cd "$root" && find . -xdev \( -path ./proc -o -path ./dev -o -path ./tmp -o -path ./packages -o -path ./var/cache \
    -o -path ./var/log -o -path ./var/lib/apt -o -path './var/lib/dpkg/*-old' -o -path ./var/lib/dpkg/status \
    -o -path ./var/lib/dpkg/lock -o -path ./var/lib/dpkg/triggers \) -prune \
    -o -type d -printf '%y %m %p\n' -o -printf '%y %m %s %p %l\n' | LC_ALL=C sort)
}

if [ ! -e "$folder/bare/.done" ]; then
  say "a bare system"
  rm -rf "$folder/bare"
  debootstrap --variant=minbase bookworm "$folder/bare" "$mirror" > "$folder/debootstrap.log"
  touch "$folder/bare/.done"
fi
rm -rf "$root"
cp -a "$folder/bare" "$root"
cp /etc/resolv.conf "$root/etc/resolv.conf"
mount -t proc proc "$root/proc" || echo "no /proc inside: going on without"
mkdir "$root/packages" "$root/tmp/home"
chown 65534:65534 "$root/tmp/home"
names="jounce libjounce0 libjounce-dev"
ls "$folder"/python3-jounce_*.deb > /dev/null 2>&1 && names="$names python3-jounce"
for name in $names; do
  cp "$folder/${name}"_*.deb "$root/packages/"
done

say "what the packages need, from Debian"
inside apt-get update -qq
needs=$(for p in "$root"/packages/*.deb; do dpkg-deb -f "$p" Depends; echo; done | tr ',' '\n' |
  sed 's/^ *//' | grep -v '^$\|jounce' | sort -u | paste -sd,)
echo "$needs"
inside apt-get satisfy -y -qq --no-install-recommends "$needs" > "$folder/apt.log" 2>&1
install gcc libc6-dev pkgconf
list_files > "$folder/files_before"

say "install: $names"
inside sh -c 'apt-get install -y -qq --no-install-recommends /packages/*.deb' > "$folder/apt.log" 2>&1 ||
  { cat "$folder/apt.log"; exit 1; }
list_files > "$folder/files_installed"
echo "$(diff "$folder/files_before" "$folder/files_installed" | grep -c '^>') files and folders more"
inside dpkg --verify $names

say "the program"
models=/usr/share/jounce/models
as_user jounce --version
as_user jounce run $models/mechanisms/pendulum.yaml -o /tmp/home/out.csv
as_user jounce run $models/mechanisms/pendulum.yaml --compiler -o /tmp/home/compiled.csv
as_user jounce run $models/mechanisms/pendulum.yaml --json --interpreter > /dev/null
as_user jounce sens $models/buggy/step_descent.yaml --wrt k_f > /dev/null
as_user JOUNCE_CC=/none HOME=/tmp/home/other jounce run $models/mechanisms/pendulum.yaml > /dev/null
echo "runs, derivatives, and runs without a compiler: fine"
test -f "$root/usr/share/man/man1/jounce-run.1.gz"
as_user bash -c 'source /usr/share/bash-completion/completions/jounce && complete -p jounce'

say "a program against the library"
as_user sh -c 'cc /usr/share/doc/libjounce-dev/examples/gradient.c -o /tmp/home/gradient \
  $(pkg-config --cflags --libs jounce)'
as_user ldd /tmp/home/gradient | grep jounce
as_user sh -c 'cd /usr/share/jounce && /tmp/home/gradient'

case $names in
  *python3*)
    say "Python"
    as_user python3 -c 'import jounce; print("import of", jounce.__file__, "works")'
    ;;
  *) say "no package of Python" ;;
esac

say "purge"
# shellcheck disable=SC2086
inside apt-get purge -y -qq $names > "$folder/apt.log" 2>&1
list_files > "$folder/files_after"
if inside dpkg-query -W '*jounce*' 2> /dev/null | grep -q .; then
  echo "dpkg still knows:" && inside dpkg-query -W '*jounce*'
  exit 1
fi
diff "$folder/files_before" "$folder/files_after"
umount "$root/proc" 2> /dev/null || true
rm -rf "$root"
echo "nothing left"
