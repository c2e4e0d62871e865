#!/usr/bin/env bash
#
# Builds the documentation as HTML, with a search and the Javadoc of the API. Every link within it is checked, and that pictures
# are those of their sources. After the first time it needs no network.
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

docs/pictures/draw.sh --check
rm -rf "${site}"
mkdir -p "${site}"
"${maven[@]}" -f docs/site/pom.xml "${class_path}" -Dmdep.outputFile="${work}/generator.txt" > "${work}/log" ||
  { cat "${work}/log"; exit 1; }
java -cp "$(< "${work}/generator.txt")" docs/site/BuildSite.java . "${site}"

"${maven[@]}" -pl gpu -am compile "${class_path}" -Dmdep.outputFile="${work}/api.txt" > "${work}/log" ||
  { cat "${work}/log"; exit 1; }
# The public types of the API; CudaProvider is public for the loader of services only.
grep -lE '^public .*(class|interface|enum|record) ' shmem-core/src/main/java/io/aeroshmem/*.java \
  gpu/src/main/java/io/aeroshmem/gpu/*.java | grep -v /CudaProvider.java > "${work}/types"
ls shmem-core/src/main/java/io/aeroshmem/package-info.java gpu/src/main/java/io/aeroshmem/gpu/package-info.java >> "${work}/types"
ls simulation/src/main/java/io/aeroshmem/simulation/{Simulation,SimulationFailure,Trace}.java >> "${work}/types"
source_path=shmem-core/src/main/java:gpu/src/main/java:gpu/target/generated-sources/typed:transport/src/main/java
source_path+=:simulation/src/main/java
# The module for JDK 22 and later, if there is one.
javadoc=javadoc
for each in javadoc /usr/lib/jvm/*/bin/javadoc; do
  if [[ "$("${each}" --version 2> /dev/null)" =~ ^javadoc\ ([0-9]+) ]] && ((BASH_REMATCH[1] >= 22)); then
    javadoc="${each}"
    ls foreign/src/main/java/io/aeroshmem/foreign/*.java >> "${work}/types"
    source_path+=:foreign/src/main/java
    break
  fi
done
"${javadoc}" -quiet -Xdoclint:none -notimestamp -windowtitle AeroSHMEM -doctitle "AeroSHMEM API" \
  -d "${site}/javadoc" -cp "$(< "${work}/api.txt")" \
  -sourcepath "${source_path}" "@${work}/types"
# Some JDKs come without the fonts that their style sheet names.
fonts="${site}/javadoc/resources/fonts/dejavu.css"
[[ -e "${fonts}" ]] || { mkdir -p "${fonts%/*}"; : > "${fonts}"; }
echo "Javadoc: ${site}/javadoc/index.html"
