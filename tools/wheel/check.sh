#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The wheel and the archive in bare Debians 11, 12 and 13: check.sh FOLDER, as root
# Each has Python and NumPy, and no compiler. Results must be the same bytes in all of them. The systems lie in a
# temporary folder and are removed at the end; JOUNCE_MIRROR names another mirror, JOUNCE_SUITES other Debians.
set -eu
folder=$(cd "$1" && pwd)
mirror=${JOUNCE_MIRROR:-http://deb.debian.org/debian}
if [ "$(id -u)" != 0 ]; then
  echo "check.sh: a folder can be entered as a system by root only" >&2
  exit 1
fi
if [ -z "${JOUNCE_IN_NAMESPACE:-}" ]; then
  exec env JOUNCE_IN_NAMESPACE=1 unshare --mount --propagation private sh "$0" "$folder"
fi
room=$(mktemp -d)
clean_up() {
  umount "$room"/*/proc 2> /dev/null || true
  rm -rf --one-file-system "$room"
}
trap clean_up EXIT
inside() { chroot "$root" /usr/bin/env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C.UTF-8 \
  DEBIAN_FRONTEND=noninteractive "$@"; }
# somebody who may write to /tmp only
as_user() { chroot --userspec=65534:65534 "$root" /usr/bin/env -i PATH=/tmp/home/python/bin:/usr/bin:/bin \
  LC_ALL=C.UTF-8 HOME=/tmp/home "$@"; }

cat > "$room/use.py" <<'END'
import os
import jounce
models = jounce.models_path
assert models.startswith(os.path.dirname(jounce.__file__)), models
model = jounce.load(os.path.join(models, "buggy/step_descent.yaml"))
result = model.run()
result.save("/tmp/home/python.csv")
result.save("/tmp/home/python.h5")                                        # HDF5, zlib
gradient = model.gradient(["k_f", "c_f"])
print(f"d psi / d k_f = {gradient['psi', 'k_f']:.17g}, d psi / d c_f = {gradient['psi', 'c_f']:.17g}")
END
for suite in ${JOUNCE_SUITES:-bullseye bookworm trixie}; do
  root=$room/$suite
  printf '\n== %s\n' "$suite"
  debootstrap --variant=minbase --include=python3-venv,python3-numpy "$suite" "$root" "$mirror" > "$folder/debootstrap.log" 2>&1 ||
    { tail -n 5 "$folder/debootstrap.log" >&2; exit 1; }
  mount -t proc proc "$root/proc"
  mkdir "$root/tmp/home"
  cp "$folder"/jounce-*.whl "$folder"/jounce-*.tar.gz "$room/use.py" "$root/tmp/home/"
  chown -R 65534:65534 "$root/tmp/home"
  inside sh -c 'getconf GNU_LIBC_VERSION; python3 --version; python3 -c "import numpy; print(\"NumPy\", numpy.__version__)"'
  if inside sh -c 'command -v cc gcc clang'; then
    echo "check.sh: there is a compiler" >&2
    exit 1
  fi

  as_user python3 -m venv --system-site-packages /tmp/home/python
  as_user sh -c 'cd /tmp/home && python/bin/pip install --no-index --quiet --disable-pip-version-check jounce-*.whl'
  as_user python3 /tmp/home/use.py > "$folder/$suite.txt"
  models=/tmp/home/python/share/jounce/models
  as_user jounce --version
  as_user jounce run $models/buggy/step_descent.yaml -o /tmp/home/program.csv > /dev/null
  as_user cmp /tmp/home/program.csv /tmp/home/python.csv
  as_user jounce sens $models/buggy/step_descent.yaml --wrt k_f,c_f >> "$folder/$suite.txt"
  as_user jounce modes $models/buggy/step_descent.yaml --at static >> "$folder/$suite.txt"      # LAPACK
  as_user jounce run $models/mechanisms/pendulum.yaml --method bdf >> "$folder/$suite.txt"     # SUNDIALS
  as_user jounce new > /dev/null                                                               # finds its models
  test -f "$root/tmp/home/python/share/man/man1/jounce-run.1"
  # nothing was compiled
  if [ -e "$root/tmp/home/.cache/jounce" ]; then exit 1; fi

  # the archive, unpacked and moved; without the wheel
  as_user sh -c 'rm -r ~/python && cd ~ && tar xzf jounce-*.tar.gz && rm *.tar.gz && mkdir "else where" && mv jounce-*[0-9] "else where/jounce"'
  moved="/tmp/home/else where/jounce"
  model="$moved/share/jounce/models/buggy/step_descent.yaml"
  as_user "$moved/bin/jounce" new > /dev/null
  as_user "$moved/bin/jounce" run "$model" -o /tmp/home/archive.csv > /dev/null
  as_user "$moved/bin/jounce" sens "$model" --wrt k_f,c_f,k_r,c_r,m_c >> "$folder/$suite.txt"
  as_user "$moved/bin/jounce" report "$model" -o /tmp/home/report.html --wrt k_f,c_f > /dev/null
  as_user grep -q "</html>" /tmp/home/report.html
  as_user "$moved/bin/jounce" benchmark buggy -o /tmp/home > /dev/null                         # finds its models
  as_user cmp /tmp/home/archive.csv /tmp/home/python.csv
  (cd "$root/tmp/home" && sha256sum python.csv python.h5) >> "$folder/$suite.txt"
  umount "$root/proc"
  sed -i '/CPU time/d' "$folder/$suite.txt"  # all else is the same everywhere
  cmp "$folder/$suite.txt" "$folder/${first:=$suite}.txt"
  head -n 1 "$folder/$suite.txt"
  echo "the wheel and the archive run; results are those of $first"
done
