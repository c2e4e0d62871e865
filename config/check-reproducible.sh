#!/usr/bin/env bash
#
# Builds the last commit twice, in clones of different names, and compares all archives byte for byte. The arguments, such as -o,
# are passed to Maven.
#
set -euo pipefail

cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.."
work="$(mktemp -d)"
trap 'rm -rf "${work}"' EXIT

# Builds the clone $1; the rest are arguments of Maven.
build()
{
  local clone="$1"
  shift
  (cd "${clone}" && config/mvn -B -q -ntp -Prelease -DskipTests -Dmaven.test.skip -Dcheckstyle.skip "$@" package)
  (cd "${clone}" && find . -path '*/target/aeroshmem-*' \( -name '*.jar' -o -name '*.zip' \) ! -name 'original-*' |
    sort | xargs sha256sum) > "${clone}.sums"
}

# both now, so that a commit during the first build does not matter
git clone -q . "${work}/one"
git clone -q "${work}/one" "${work}/two"
build "${work}/one" "$@"
build "${work}/two" "$@"
[[ -s "${work}/one.sums" ]] || { echo "check-reproducible: no archive was built" >&2; exit 1; }
diff "${work}/one.sums" "${work}/two.sums" || { echo "check-reproducible: archives differ" >&2; exit 1; }
"${work}/one/config/check-distribution.sh" --release
echo "check-reproducible: $(wc -l < "${work}/one.sums") archives are equal in both builds"
