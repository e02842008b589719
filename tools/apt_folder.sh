#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Makes a folder with which apt downloads packages without root and without the system's own lists:
# apt_folder.sh FOLDER ARCHITECTURE, with lines "deb SUITE" and "deb-src SUITE" on its input
# FOLDER/apt.conf is what APT_CONFIG has to name. apt checks all signatures. JOUNCE_MIRROR names another mirror.
set -eu
mkdir -p "$1/lists/partial" "$1/cache/archives/partial"
cd "$1"
: > status
while read -r kind suite; do
  echo "$kind [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] ${JOUNCE_MIRROR:-http://deb.debian.org/debian} $suite main"
done > sources.list
cat > apt.conf <<CONF
Dir::State "$PWD";
Dir::State::status "$PWD/status";
Dir::State::lists "$PWD/lists";
Dir::Cache "$PWD/cache";
Dir::Etc::sourcelist "$PWD/sources.list";
Dir::Etc::sourceparts "/dev/null";
Dir::Etc::parts "/dev/null";
APT::Architecture "$2";
APT::Architectures { "$2"; };
Acquire::Languages "none";
APT::Sandbox::User "$(id -un)";
CONF
