#!/usr/bin/env bash
#
# Builds the documentation as HTML, with the Javadoc of the public API in it. Every link within it is checked.
#
#   docs/build-site.sh [directory]     the site, target/site by default; open its index.html
#
set -euo pipefail

cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.."
site="${1:-target/site}"
work="$(mktemp -d)"
trap 'rm -rf "${work}"' EXIT

class_path=org.apache.maven.plugins:maven-dependency-plugin:3.8.1:build-classpath
read -r -a maven <<< "${MAVEN:-config/mvn -B -q -ntp}"

rm -rf "${site}"
mkdir -p "${site}"
"${maven[@]}" -f docs/site/pom.xml "${class_path}" -Dmdep.outputFile="${work}/generator.txt" > "${work}/log" ||
  { cat "${work}/log"; exit 1; }
java -cp "$(< "${work}/generator.txt")" docs/site/BuildSite.java . "${site}"

"${maven[@]}" -pl gpu -am compile "${class_path}" -Dmdep.outputFile="${work}/api.txt" > "${work}/log" ||
  { cat "${work}/log"; exit 1; }
javadoc -quiet -Xdoclint:none -notimestamp -windowtitle AeroSHMEM -doctitle "AeroSHMEM API" \
  -d "${site}/javadoc" -cp "$(< "${work}/api.txt")" \
  -sourcepath shmem-core/src/main/java:gpu/src/main/java:transport/src/main/java io.aeroshmem io.aeroshmem.gpu
echo "Javadoc: ${site}/javadoc/index.html"
