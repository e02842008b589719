# SPDX-License-Identifier: Apache-2.0
# For tests that install from the folder $build: a folder $room that goes at the end. What was installed from
# $build before can still be uninstalled after.
room=$(mktemp -d)
mkdir "$room/books"
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
