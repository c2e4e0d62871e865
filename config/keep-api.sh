#!/usr/bin/env bash
#
# Keeps the API of the last build as that of the last release, in config/api: run it on the build of a release, and commit what it
# writes. Later builds fail if they break this API. docs/compatibility.md says what is promised.
#
#   config/keep-api.sh [name…]    of these artifacts (core, foreign, gpu, simulation) only
#
set -euo pipefail

cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.."
root="${PWD}"
work="$(mktemp -d)"
trap 'rm -rf "${work}"' EXIT
version="$(sed -n 's|^    <version>\(.*\)</version>|\1|p' pom.xml)"
timestamp="$(sed -n 's|.*<project.build.outputTimestamp>\(.*\)</project.build.outputTimestamp>|\1|p' pom.xml)"
# The package of each artifact whose public classes are the API, with what they inherit, but for those that match the pattern.
declare -A package_of=([core]=io/aeroshmem [foreign]=io/aeroshmem/foreign [gpu]=io/aeroshmem/gpu
  [simulation]=io/aeroshmem/simulation)
declare -A internal_of=([simulation]='/(PeBootstraps|SimulatedNetwork|TracedTransport|World)[$.]')
declare -A folder_of=([core]=shmem-core)
(($# > 0)) || set -- "${!package_of[@]}"

for name in "$@"; do
  built="${root}/${folder_of[${name}]:-${name}}/target/aeroshmem-${name}-${version}.jar"
  kept="${root}/config/api/aeroshmem-${name}.jar"
  mkdir -p "${work}/${name}" "${root}/config/api"
  (cd "${work}/${name}" && jar --extract --file "${built}" "${package_of[${name}]}")
  mapfile -t classes < <(cd "${work}/${name}" && javap "${package_of[${name}]}"/*.class |
    sed -n 's/^\(public \|abstract \).*\(class\|interface\) \(io\.[A-Za-z0-9_.$]*\).*/\3/p' | sort | sed 's|\.|/|g; s|$|.class|' |
    grep -vE "${internal_of[${name}]:-^$}")
  echo "Implementation-Version: ${version}" > "${work}/manifest"
  (cd "${work}/${name}" && jar --create --file "${kept}" --manifest "${work}/manifest" --date "${timestamp}" \
    "${classes[@]}")
  echo "keep-api: ${kept#"${root}/"} has the ${#classes[@]} classes of the API of ${version}"
done
