#!/usr/bin/env bash
#
# Makes the bundle of a release of the last commit, signed with a key for this purpose only, and checks that it is complete and that
# its signatures and checksums are right. Builds the commit a second time, in a clone of another name, and compares all archives
# byte for byte. The arguments, such as -Djdk.of.foreign=HOME, are passed to Maven; with -o there is no bill of materials.
#
set -euo pipefail

cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.."
work="$(mktemp -d)"
trap 'gpgconf --kill all > /dev/null 2>&1 || true; rm -rf "${work}"' EXIT
export GNUPGHOME="${work}/key"
build=(-DskipTests -Dmaven.test.skip -Dcheckstyle.skip)

fail()
{
  echo "check-release: $*" >&2
  exit 1
}

# Prints the checksums of all archives of the clone $1.
sums()
{
  (cd "$1" && find . -path '*/target/aeroshmem-*' \( -name '*.jar' -o -name '*.zip' \) ! -name 'original-*' \
    ! -name '*-bundle.zip' | sort | xargs sha256sum)
}

# Each file of the bundle is signed by the key; the files and the signatures have checksums.
check_signatures()
{
  local file sum
  while read -r file; do
    gpg --batch --quiet --verify "${file}.asc" "${file}" 2> "${work}/log" || { cat "${work}/log" >&2; fail "${file} has no right signature"; }
    for sum in md5 sha1; do
      [[ "$(< "${file}.${sum}")" == "$("${sum}sum" < "${file}" | cut -d ' ' -f 1)" ]] || fail "${file} has no right ${sum}"
    done
    ((++signed))
  done < <(find "${bundle}" -type f ! -name '*.asc' ! -name '*.md5' ! -name '*.sha1' | sort)
}

# The artifact $1 has the files with the endings of the other arguments, and no others.
check_files()
{
  local folder="${bundle}/io/aeroshmem/$1/${version}" name="$1-${version}"
  shift
  diff <(printf '%s\n' "${@/#/${name}}" | sort) \
    <(cd "${folder}" && find . -type f ! -name '*.asc*' ! -name '*.md5' ! -name '*.sha1' | sed 's|^\./||' | sort) ||
    fail "${folder##*aeroshmem/} lacks files (<), or has others (>)"
}

# A signature that does not belong to its file is seen.
check_wrong_signature()
{
  local file="${bundle}/io/aeroshmem/aeroshmem-core/${version}/aeroshmem-core-${version}"
  ! gpg --batch --quiet --verify "${file}.pom.asc" "${file}.jar" 2> /dev/null || fail "gpg accepts any signature"
}

mkdir -m 700 "${GNUPGHOME}"
gpg --batch --quiet --passphrase '' --quick-generate-key 'check-release <check-release@localhost>' default default never 2> "${work}/log" ||
  { cat "${work}/log" >&2; fail "gpg makes no key"; }

# both clones now, so that a commit during the first build does not matter
git clone -q . "${work}/one"
snapshot="$(sed -n 's|^    <version>\(.*\)</version>|\1|p' pom.xml)"
version="${snapshot%-SNAPSHOT}"
(cd "${work}/one" && git grep -lF "${snapshot}" -- '*pom.xml' | xargs sed -i "s|${snapshot}|${version}|" &&
  git -c user.name=check-release -c user.email=check-release@localhost commit -q --allow-empty -am "${version}")
git clone -q "${work}/one" "${work}/two"

"${work}/one/config/make-bundle.sh" "${build[@]}" "$@"
sums "${work}/one" > "${work}/one.sums"
bundle="${work}/bundle"
mkdir "${bundle}"
(cd "${bundle}" && jar --extract --file "${work}/one/target/aeroshmem-${version}-bundle.zip")
signed=0
check_signatures
check_wrong_signature
bom=()
[[ " $* " == *" -o "* ]] || bom=(-cyclonedx.json)
jars=(.pom .jar -sources.jar -javadoc.jar "${bom[@]}")
for name in codecs transport core simulation foreign gpu samples; do
  check_files "aeroshmem-${name}" "${jars[@]}"
done
check_files aeroshmem-tools "${jars[@]}" -all.jar
check_files aeroshmem-distribution .pom .zip "${bom[@]}"
check_files aeroshmem-bom .pom
check_files aeroshmem-parent .pom "${bom[@]}"
artifacts=("${bundle}"/io/aeroshmem/*)
[[ "${#artifacts[@]}" == 11 && "$(ls -A "${bundle}" "${bundle}/io" | tr '\n' ' ')" == *"io "*"aeroshmem "* ]] ||
  fail "the bundle has other artifacts: ${artifacts[*]##*/}"
"${work}/one/config/check-distribution.sh" --release
echo "check-release: the bundle has ${signed} files with signatures and checksums"

(cd "${work}/two" && config/mvn -B -q -ntp -Prelease "${build[@]}" "$@" package)
sums "${work}/two" > "${work}/two.sums"
diff "${work}/one.sums" "${work}/two.sums" || fail "archives differ"
echo "check-release: $(wc -l < "${work}/one.sums") archives are equal in both builds"
