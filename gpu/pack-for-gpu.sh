#!/usr/bin/env bash
#
# Packs what gpu/verify-on-gpu.sh needs on a machine that has a GPU, but neither Maven nor a network: a Java runtime,
# the runnable jar, the test classes with JUnit's console launcher, and the sources of the kernels. At most 64 MiB.
#
#   gpu/pack-for-gpu.sh FOLDER     creates FOLDER; copy it to the machine, and run FOLDER/verify-on-gpu.sh there
#
# Requires a build: mvn -DskipTests -pl tests,tools -am package. The launcher is downloaded unless ~/.m2 has it.
#
set -euo pipefail

limit_kib=$((64 * 1024))
modules=java.base,java.management,jdk.unsupported,java.logging,jdk.management

fail()
{
  echo "pack-for-gpu.sh: $*" >&2
  exit 1
}

(($# == 1)) || fail "the folder must be specified: gpu/pack-for-gpu.sh FOLDER"
[[ ! -e "$1" ]] || fail "$1 must not exist"
root="$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd)"
mkdir -p "$1"
folder="$(cd -- "$1" && pwd)"
cd "${root}"

jars=(tools/target/aeroshmem-tools-*-all.jar)
[[ -f "${jars[0]}" && -d gpu/target/test-classes && -d tests/target/test-classes ]] ||
  fail "there is no build: mvn -DskipTests -pl tests,tools -am package"

# The platform of JUnit 5.x is 1.x.
junit="$(sed -n 's|.*<junit.version>5\.\(.*\)</junit.version>.*|1.\1|p' pom.xml)"
launcher="junit-platform-console-standalone-${junit}.jar"
stored="${HOME}/.m2/repository/org/junit/platform/junit-platform-console-standalone/${junit}/${launcher}"
[[ -f "${stored}" ]] || mvn -B -q -ntp dependency:get \
  "-Dartifact=org.junit.platform:junit-platform-console-standalone:${junit}" -Dtransitive=false ||
  fail "${launcher} cannot be downloaded"

java_home="${JAVA_HOME:-$(dirname -- "$(dirname -- "$(readlink -f -- "$(command -v javac)")")")}"
"${java_home}/bin/jlink" --add-modules "${modules}" --strip-debug --compress=2 --no-header-files --no-man-pages \
  --output "${folder}/java"

mkdir -p "${folder}/lib" "${folder}/gpu/src/main/resources/io/aeroshmem"
cp "${jars[0]}" "${folder}/lib/aeroshmem.jar"
cp "${stored}" "${folder}/lib/junit.jar"
cp -r gpu/target/test-classes "${folder}/gpu-tests"
cp -r tests/target/test-classes "${folder}/system-tests"
rm -rf "${folder}/system-tests/META-INF" "${folder}"/system-tests/io/aeroshmem/tests/benchmark
cp gpu/build-kernels.sh gpu/build-samples.sh gpu/check-device-api.sh gpu/compare-nvshmem.sh "${folder}/gpu"
cp -r gpu/src/main/cuda "${folder}/gpu/src/main"
mkdir -p "${folder}/gpu/src/test"
cp -r gpu/src/test/cuda gpu/src/test/nvshmem "${folder}/gpu/src/test"
cp -r gpu/src/main/resources/io/aeroshmem/gpu "${folder}/gpu/src/main/resources/io/aeroshmem"
samples=tools/src/main/resources/io/aeroshmem/samples
mkdir -p "${folder}/${samples}"
cp "${samples}"/device_samples.* "${folder}/${samples}"
cp gpu/verify-on-gpu.sh "${folder}"
git describe --always --dirty --exclude="*" > "${folder}/commit" 2> /dev/null || echo unknown > "${folder}/commit"

size_kib="$(du -sk "${folder}" | cut -f 1)"
((size_kib <= limit_kib)) || fail "${folder} must have at most ${limit_kib} KiB: ${size_kib} KiB"
echo "${folder}: $((size_kib / 1024)) MiB"
