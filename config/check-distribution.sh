#!/usr/bin/env bash
#
# Checks the artifacts of a build (mvn verify): the distribution runs in a folder of its own without the sources, and the jars
# look like those of a library. With the profile release, those with sources and Javadoc too.
#
set -euo pipefail

cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.."
root="${PWD}"
work="$(mktemp -d)"
trap 'rm -rf "${work}"' EXIT
libraries=(codecs transport shmem-core simulation gpu samples tools)

fail()
{
  echo "check-distribution: $*" >&2
  exit 1
}

# Unpacks the archive $1 into the folder $2, which it makes.
unpack()
{
  mkdir -p -- "$2"
  if command -v unzip > /dev/null; then
    unzip -q -d "$2" -- "$1"
  else
    (cd -- "$2" && "${JAVA_HOME:+${JAVA_HOME}/bin/}jar" xf "$1")
    chmod -f +x "$2"/*/bin/aeroshmem || true
  fi
}

# Prints the only file that matches, or fails.
only()
{
  [[ $# == 1 && -f "$1" ]] || fail "there must be one $1; build it by mvn verify"
  printf '%s\n' "$1"
}

check_jar()
{
  local jar="$1" folder="$2"
  unpack "${jar}" "${folder}"
  grep -q '^Automatic-Module-Name: io\.aeroshmem\.' "${folder}/META-INF/MANIFEST.MF" ||
    fail "${jar} has no Automatic-Module-Name"
  cmp -s LICENSE "${folder}/META-INF/LICENSE" || fail "${jar} lacks LICENSE"
  cmp -s NOTICE "${folder}/META-INF/NOTICE" || fail "${jar} lacks NOTICE"
}

check_libraries()
{
  local module jar
  for module in "${libraries[@]}"; do
    jar="$(only "${root}/${module}"/target/aeroshmem-*[0-9T].jar)"
    check_jar "${jar}" "${work}/${module}"
    if [[ "${with_release}" == 1 ]]; then
      [[ -f "${jar%.jar}-sources.jar" ]] || fail "${jar} has no jar with its sources"
      [[ -f "${jar%.jar}-javadoc.jar" ]] || fail "${jar} has no jar with its Javadoc"
    fi
  done
}

# Every library in the runnable jar is named in NOTICE.
check_notice()
{
  local package
  local -A name_of=([io/aeron]=Aeron [org/agrona]=Agrona [org/HdrHistogram]=HdrHistogram [picocli]=picocli [jcuda]=JCuda)
  unpack "$1" "${work}/all"
  while read -r package; do
    case "${package}" in
      io/aeroshmem | META-INF*) ;;
      *)
        package="${package#./}"
        [[ -n "${name_of[${package}]:-${name_of[${package%%/*}]:-}}" ]] || fail "NOTICE does not name the library with ${package}"
        grep -q "^${name_of[${package}]:-${name_of[${package%%/*}]}} " NOTICE || fail "NOTICE does not name ${package}"
        ;;
    esac
  done < <(cd "${work}/all" && find . -name '*.class' | sed -E 's|^\./||; s|^([^/]+)/([^/]+)/.*|\1/\2|; s|^([^/]+)/[^/]+\.class$|\1|' | sort -u)
}

# While the mark of the module simulation is on the class path, accesses to symmetric memory are slower.
check_no_simulation()
{
  [[ ! -e "${work}/all/META-INF/aeroshmem-simulation" && ! -e "${work}/all/io/aeroshmem/simulation" ]] ||
    fail "the runnable jar contains the module simulation"
  [[ -e "${work}/simulation/META-INF/aeroshmem-simulation" ]] || fail "the jar of the module simulation lacks its mark"
}

# So do the list of licences and the bill of materials, which has no others.
check_third_parties()
{
  local artifact libraries components
  for artifact in aeron-client aeron-driver agrona HdrHistogram picocli jcuda jcuda-natives; do
    grep -q "^ *(.*(.*:${artifact}:" "$1/licenses/THIRD-PARTY.txt" || fail "THIRD-PARTY.txt does not name ${artifact}"
  done
  libraries="$(sed -nE 's| .*\(([^(): ]+):([^: ]+):([^: ]+) - .*|\1/\2@\3|p' "$1/licenses/THIRD-PARTY.txt" | sort)"
  components="$(sed -nE 's|^ *"purl" : "pkg:maven/([^?]*)?.*|\1|p' "$1/sbom.cdx.json" | grep -v '^io.aeroshmem/' | sort)"
  diff <(printf '%s\n' "${libraries}") <(printf '%s\n' "${components}") ||
    fail "the libraries of THIRD-PARTY.txt (<) are not those of sbom.cdx.json (>)"
}

# The command, with nothing but a JDK on its path and an empty home.
run()
{
  (cd -- "${work}/empty" &&
    env -i PATH="${java_path}:/usr/bin:/bin" HOME="${work}/empty" "${command}" "$@")
}

check_zip()
{
  local output status version
  version="$(basename -- "$1" .zip)"
  mkdir "${work}/empty"
  unpack "$1" "${work}/a folder"
  local home="${work}/a folder/${version}"
  command="${home}/bin/aeroshmem"
  for file in README.md LICENSE NOTICE CHANGELOG.md docs/index.md sbom.cdx.json licenses/jcuda.txt lib/aeroshmem.jar samples/fills.csv deploy/Dockerfile; do
    [[ -f "${home}/${file}" ]] || fail "the distribution lacks ${file}"
  done
  check_third_parties "${home}"
  [[ -x "${root}/distribution/target/staging/${version}/bin/aeroshmem" ]] ||
    fail "an image of the staging folder could not run its command"
  output="$(run info --versions 2>&1)" || fail "info failed: ${output}"
  grep -q "AeroSHMEM ${version#aeroshmem-}" <<< "${output}" || fail "info printed: ${output}"
  output="$(run run -n 2 io.aeroshmem.samples.HelloPe 2>&1)" || fail "HelloPe failed: ${output}"
  grep -qx 'sum of all PE numbers: 1' <<< "${output}" || fail "HelloPe printed: ${output}"
  status=0
  output="$(run jump 2>&1)" || status=$?
  [[ "${status}" == 2 && "$(wc -l <<< "${output}")" == 1 ]] || fail "an unknown command printed: ${output}"
  [[ -z "$(ls -A "${work}/empty")" ]] || fail "the command left files behind"
}

with_release=0
[[ "${1:-}" != --release ]] || with_release=1
java_path="$(dirname -- "$(readlink -f -- "${JAVA_HOME:+${JAVA_HOME}/bin/java}" 2> /dev/null || readlink -f -- "$(command -v java)")")"
command=""

check_libraries
check_notice "$(only "${root}"/tools/target/aeroshmem-tools-*-all.jar)"
check_no_simulation
check_zip "$(only "${root}"/distribution/target/aeroshmem-*.zip)"
echo "check-distribution: the distribution and the jars are as they should be"
