#!/usr/bin/env bash
#
# Packs what gpu/verify-on-gpu.sh needs on a machine that has a GPU, but neither Maven nor a network: a Java runtime,
# the runnable jar, the test classes with JUnit's console launcher, and the test kernels. At most 64 MiB. Whatever needs
# no GPU is done here: the kernels are checked against their sources, compiled, and assembled for sm_90.
#
#   gpu/pack-for-gpu.sh FOLDER     creates FOLDER; copy it to the machine, and run FOLDER/verify-on-gpu.sh there
#   gpu/pack-for-gpu.sh --ptx-only FOLDER     for the simulated driver: checks and assembles no kernels
#
# Requires a build: mvn -DskipTests -pl tests,tools -am package. Maven provides the launcher. Without
# nvcc and ptxas the test kernels are not packed, and the tests that need them are reported as skipped.
#
set -euo pipefail

limit_kib=$((64 * 1024))
cubin_architecture=sm_90
modules=java.base,java.management,jdk.unsupported,java.logging,jdk.management

fail()
{
  echo "pack-for-gpu.sh: $*" >&2
  exit 1
}

is_assembled=true
if [[ "${1:-}" == --ptx-only ]]; then
  is_assembled=false
  shift
fi
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
# Prints the functions of CUDA that JCuda's native library imports, which the driver of the machine must export.
jcuda_imports()
{
  local work library
  library="$("${java_home}/bin/jar" --list --file "${jars[0]}" | grep '^lib/libJCudaDriver-.*linux')" || return 1
  work="$(mktemp -d)"
  (cd "${work}" && "${java_home}/bin/jar" --extract --file "${root}/${jars[0]}" "${library}" &&
    nm -D --undefined-only "${library}" | sed -n 's/.* U \(cu[A-Z][A-Za-z0-9_]*\).*/\1/p' | sort -u)
  rm -rf "${work}"
}

# Compiles the test kernels, of which the tests carry declarations only: to PTX, which any device and the simulated driver
# read, and to a cubin, which spares the driver's compiler; and the kernels of the library to a cubin.
# Usage: compile_test_kernels CLASSES
compile_test_kernels()
{
  local source name jobs=() job simulation=gpu/target/cuda-sim cubins="${folder}/cubins/${cubin_architecture}"
  mkdir -p "${cubins}"
  make --silent --jobs=2 --file=gpu/src/test/cuda-sim/Makefile "OUT=${simulation}" test-kernels || return 1
  for source in gpu/src/test/cuda/*.cu; do
    name="$(basename -- "${source}" .cu).ptx"
    [[ "${name}" != simulation_test_kernels.ptx ]] || continue
    sed 's/^\.version .*/.version 8.0/' "${simulation}/ptx/${name}" > "$1/${name}"
    if "${is_assembled}"; then
      ptxas -arch="${cubin_architecture}" "$1/${name}" -o "${cubins}/${name}" &
      jobs+=($!)
    fi
  done
  if "${is_assembled}"; then
    ptxas -arch="${cubin_architecture}" gpu/src/main/resources/io/aeroshmem/gpu/aeroshmem_kernels.ptx \
      -o "${folder}/cubins/aeroshmem_kernels.${cubin_architecture}.cubin" &
    jobs+=($!)
  fi
  for job in ${jobs[@]+"${jobs[@]}"}; do
    wait "${job}" || return 1
  done
}

java_home="${JAVA_HOME:-$(dirname -- "$(dirname -- "$(readlink -f -- "$(command -v javac)")")")}"
"${java_home}/bin/jlink" -J-XX:TieredStopAtLevel=1 -J-XX:+UseSerialGC --add-modules "${modules}" --strip-debug \
  --compress=2 --no-header-files --no-man-pages --output "${folder}/java"

mkdir -p "${folder}/lib"
cp "${jars[0]}" "${folder}/lib/aeroshmem.jar"
config/mvn -B -q -ntp dependency:copy -DoutputDirectory="${folder}/lib" -Dmdep.useBaseVersion=true \
  "-Dartifact=org.junit.platform:junit-platform-console-standalone:${junit}" &&
  mv "${folder}/lib/${launcher}" "${folder}/lib/junit.jar" || fail "${launcher} cannot be downloaded"
cp -r gpu/target/test-classes "${folder}/gpu-tests"
cp -r tests/target/test-classes "${folder}/system-tests"
rm -rf "${folder}/system-tests/META-INF" "${folder}"/system-tests/io/aeroshmem/tests/benchmark
# NVSHMEM's side of the comparison, which has the same kernels, is compiled where NVSHMEM is.
mkdir -p "${folder}"/gpu/src/test/{cuda,nvshmem}
cp gpu/compare-nvshmem.sh "${folder}/gpu"
cp gpu/src/test/nvshmem/* "${folder}/gpu/src/test/nvshmem"
cp gpu/src/test/cuda/device_api_benchmark.cu "${folder}/gpu/src/test/cuda"
cp gpu/verify-on-gpu.sh "${folder}"
jcuda_imports > "${folder}/jcuda-imports.txt" || fail "the imports of JCuda's library cannot be read: nm is required"
if command -v nvcc > /dev/null && command -v ptxas > /dev/null; then
  if "${is_assembled}"; then
    gpu/build-kernels.sh --check || fail "the PTX of the library is not that of its sources"
    gpu/build-samples.sh --check || fail "the PTX of the samples is not that of its sources"
    gpu/check-device-api.sh || fail "the header for kernels does not compile"
  fi
  compile_test_kernels "${folder}/gpu-tests/io/aeroshmem/gpu" || fail "the test kernels do not compile"
else
  echo "no nvcc and ptxas: the test kernels are not packed" >&2
fi
git describe --always --dirty --exclude="*" > "${folder}/commit" 2> /dev/null || echo unknown > "${folder}/commit"

size_kib="$(du -sk "${folder}" | cut -f 1)"
((size_kib <= limit_kib)) || fail "${folder} must have at most ${limit_kib} KiB: ${size_kib} KiB"
echo "${folder}: $((size_kib / 1024)) MiB"
