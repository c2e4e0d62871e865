#!/usr/bin/env bash
#
# Puts the jars of a build (mvn verify) into a local repository of its own, builds samples/standalone against that by its
# coordinates, and runs it on each JDK from 17 on. Builds and tests the projects of the README too, that of Gradle if gradle
# is on the PATH. The arguments, such as -o, are passed to Maven.
#
set -euo pipefail

cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.."
work="$(mktemp -d)"
trap 'rm -rf "${work}"' EXIT
usual="${HOME}/.m2/repository"
repository="${work}/repository"
oldest_jdk=17

# Everything else that was ever downloaded is linked, so that nothing is downloaded again, or at all.
link_repository()
{
  local entry
  mkdir -p "${repository}/io"
  for entry in "${usual}"/* "${usual}"/io/*; do
    case "${entry}" in
      "${usual}/io" | "${usual}/io/aeroshmem") ;;
      *) [[ ! -e "${entry}" ]] || ln -s "${entry}" "${repository}/${entry#"${usual}/"}" ;;
    esac
  done
}

# Puts the artifact $1 into the repository: the pom.xml of folder $2, and its jar, if it has one. As mvn install does, but that
# runs the whole build again.
place()
{
  local folder="${repository}/io/aeroshmem/$1/${version}"
  mkdir -p "${folder}"
  cp "$2/pom.xml" "${folder}/$1-${version}.pom"
  if [[ -d "$2/src/main" ]]; then
    cp "$2/target/$1-${version}.jar" "${folder}/"
  fi
}

version="$(sed -n 's|^    <version>\(.*\)</version>|\1|p' pom.xml)"
link_repository
place aeroshmem-parent .
place aeroshmem-bom bom
place aeroshmem-codecs codecs
place aeroshmem-transport transport
place aeroshmem-core shmem-core
place aeroshmem-simulation simulation
cp -r samples/standalone "${work}/standalone"
# Prints the first block of language $1 after the line that begins with $2 in the README.
block()
{
  awk -v fence="\`\`\`$1" -v start="$2" '
    index($0, start) == 1 { found = 1 }
    found && inside && /^```/ { exit }
    inside { print }
    found && $0 == fence { inside = 1 }' README.md
}

# A project of the elements and the test on the README.
readme="${work}/readme"
mkdir -p "${readme}/src/test/java/com/example"
{
  echo '<project xmlns="http://maven.apache.org/POM/4.0.0"><modelVersion>4.0.0</modelVersion>'
  echo '<groupId>com.example</groupId><artifactId>readme</artifactId><version>1</version>'
  block xml '### Maven'
  echo '</project>'
} > "${readme}/pom.xml"
block java '### A test with several PEs' > "${readme}/src/test/java/com/example/NeighbourTest.java"

mvn="${PWD}/config/mvn"
(cd "${readme}" && "${mvn}" -B -q -ntp "-Dmaven.repo.local=${repository}" "$@" test)
[[ -n "$(find "${readme}/target/surefire-reports" -name 'TEST-*NeighbourTest.xml')" ]] ||
  { echo "check-standalone: the test on the README did not run" >&2; exit 1; }
echo "check-standalone: built and tested the project on the README"

# The same test, built by the other script on the README.
if command -v gradle > /dev/null; then
  gradle_readme="${work}/gradle"
  mkdir -p "${gradle_readme}"
  cp -r "${readme}/src" "${gradle_readme}/"
  block groovy '### Gradle' > "${gradle_readme}/build.gradle"
  echo "rootProject.name = 'readme'" > "${gradle_readme}/settings.gradle"
  # mavenLocal() is the repository of this property
  (cd "${gradle_readme}" && gradle -q --no-daemon --console plain "-Dmaven.repo.local=${repository}" test)
  [[ -n "$(find "${gradle_readme}/build/test-results" -name 'TEST-*NeighbourTest.xml')" ]] ||
    { echo "check-standalone: the test on the README did not run by Gradle" >&2; exit 1; }
  echo "check-standalone: built and tested the project on the README by Gradle"
else
  echo "check-standalone: the Gradle project on the README was not tried: no gradle on the PATH"
fi
(cd "${work}/standalone" && "${mvn}" -B -q -ntp "-Dmaven.repo.local=${repository}" "$@" package)

[[ -n "$(find "${work}/standalone/target/surefire-reports" -name 'TEST-*NeighboursTest.xml')" ]] ||
  { echo "check-standalone: the simulation of samples/standalone did not run" >&2; exit 1; }
(cd "${work}" && "${JAVA_HOME:+${JAVA_HOME}/bin/}jar" xf standalone/target/standalone-1.jar META-INF/MANIFEST.MF)
# Lines of a manifest go on after a space.
class_path="$(tr -d '\r\n' < "${work}/META-INF/MANIFEST.MF" | tr -d ' ')"
[[ "${class_path}" == *aeroshmem-core* && "${class_path}" != *aeroshmem-simulation* ]] ||
  { echo "check-standalone: the program must run without aeroshmem-simulation: ${class_path}" >&2; exit 1; }
echo "check-standalone: simulated samples/standalone"

ran=()
for home in /usr/lib/jvm/* "${JAVA_HOME:-}"; do
  [[ -x "${home}/bin/java" && ! -L "${home}" ]] || continue
  major="$("${home}/bin/java" -version 2>&1 | sed -n 's/.* version "\([0-9]*\).*/\1/p')"
  ((${major:-0} >= oldest_jdk)) && [[ " ${ran[*]-} " != *" ${major} "* ]] || continue
  output="$("${home}/bin/java" -jar "${work}"/standalone/target/standalone-1.jar 2>&1)" || { echo "${output}" >&2; exit 1; }
  if [[ "${output}" != "both PEs have received the number of the other" ]]; then
    echo "check-standalone: on JDK ${major} (${home}) it printed: ${output}" >&2
    exit 1
  fi
  echo "check-standalone: ran on JDK ${major}"
  ran+=("${major}")
done
((${#ran[@]} > 0)) || { echo "check-standalone: no JDK in /usr/lib/jvm or JAVA_HOME" >&2; exit 1; }
