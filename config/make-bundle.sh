#!/usr/bin/env bash
#
# Makes the bundle of a release: a zip in the form of a Maven repository, as Maven Central takes it, with each artifact, its
# signature and its checksums. The arguments, such as -Dgpg.keyname=KEY, are passed to Maven; MAVEN_GPG_PASSPHRASE is the passphrase.
#
set -euo pipefail

cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.."
version="$(sed -n 's|^    <version>\(.*\)</version>|\1|p' pom.xml)"
bundle="${PWD}/target/bundle"
zip="${PWD}/target/aeroshmem-${version}-bundle.zip"

fail()
{
  echo "make-bundle: $*" >&2
  exit 1
}

[[ "${version}" != *-SNAPSHOT ]] || fail "the version must be that of a release: ${version} (pom.xml)"
[[ -z "$(git status --porcelain)" ]] || fail "the work tree must be that of a commit"

rm -rf "${bundle}" "${zip}"
config/mvn -B -q -ntp -Prelease -DskipTests "-DaltDeploymentRepository=bundle::file:${bundle}" "$@" deploy
[[ -d "${bundle}/io/aeroshmem/aeroshmem-foreign" ]] ||
  fail "aeroshmem-foreign was not built: pass -Djdk.of.foreign=HOME, of a JDK 22 or later"
# of a repository with several versions
find "${bundle}" -name 'maven-metadata.xml*' -delete
jar --create --no-manifest --file "${zip}" -C "${bundle}" io
echo "make-bundle: ${zip#"${PWD}/"} has $(find "${bundle}" -name '*.asc' | wc -l) signed files"
