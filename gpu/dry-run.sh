#!/usr/bin/env bash
#
# Runs gpu/verify-on-gpu.sh on the simulated CUDA driver, as on a machine with a GPU: packs, and runs what was packed.
#
#   gpu/dry-run.sh [options of verify-on-gpu.sh]
#   gpu/dry-run.sh --check     checks the script itself, with a few of the steps: steps by address fail where CUDA IPC is
#                              refused; a kernel that never ends costs its class only, the log shows where the host
#                              waits, and --failed repeats that test
#
# Requires a build, g++ and make: mvn -DskipTests -pl tests,tools -am package.
#
set -euo pipefail

root="$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd)"
simulation="${root}/gpu/target/cuda-sim"
endless=aeroshmem_strided_copy_8
work="$(mktemp -d)"
trap 'rm -rf "${work}"' EXIT

fail()
{
  echo "dry-run.sh: $*" >&2
  exit 1
}

# Runs the packed script with the simulated driver, in JVMs that need less of the processors.
verify()
{
  JDK_JAVA_OPTIONS="-XX:TieredStopAtLevel=1 -XX:+UseSerialGC" \
    LD_LIBRARY_PATH="${simulation}" AEROSHMEM_CUDA_SIM_HOME="${simulation}" AEROSHMEM_CUDA_SIM_DEVICES=2 \
    AEROSHMEM_CUDA_SIM_KERNELS="$(printf '%s\n' "${simulation}"/lib*_kernels.so "${simulation}"/libdevice_*.so | sort -u |
      paste -sd :)" "${work}/pack/verify-on-gpu.sh" "$@"
}

# Prints a line of results.txt, of a step.
result()
{
  grep "^$1|" "${work}/out/results.txt" || fail "$1 has no result"
}

check()
{
  local stacks="at jcuda.driver.JCudaDriver.cuStreamSynchronize"
  verify --limit 300 --out "${work}/out" --steps 'probe,sample-sum,CudaMemoryTest,device-latency,*-peers,copies,nvshmem' ||
    fail "a step failed"
  (($(find "${work}/out" -type f | wc -l) <= 8)) || fail "more than 8 files were written"
  for step in probe device-latency device-latency-peers copies copies-peers; do
    grep -q "^| ${step} | seen |" "${work}/out/report.md" || fail "the report has no table of ${step}"
  done

  rm -rf "${work}/out"
  ! AEROSHMEM_CUDA_SIM_IPC_OPEN=off verify --limit 300 --out "${work}/out" --steps sample-sum,device-latency,copies ||
    fail "without CUDA IPC, what claims to be by address passed"
  for step in sample-sum device-latency copies; do
    [[ "$(result "${step}")" == *'|failed|'* ]] || fail "without CUDA IPC, ${step} passed"
  done

  rm -rf "${work}/out"
  ! AEROSHMEM_CUDA_SIM_ENDLESS="${endless}" verify --limit 300 --out "${work}/out" \
    --steps AtomicKernelsTest,StridedCopyTest,SynchronizationKernelsTest || fail "a kernel that never ends was not seen"
  [[ "$(result StridedCopyTest)" == *'|failed|'*hang* ]] || fail "the class of the endless kernel is no hang"
  [[ "$(result AtomicKernelsTest)" == *'|passed|'* && "$(result SynchronizationKernelsTest)" == *'|passed|'* ]] ||
    fail "an endless kernel cost another class"
  grep -q "${stacks}" <(sed -n '/^===== StridedCopyTest$/,/^===== /p' "${work}/out/logs.txt") ||
    fail "the log does not show the call that does not return"

  # Without the endless kernel, the tests that were repeated pass.
  verify --limit 300 --out "${work}/out" --failed || fail "a repeated test failed"
  [[ "$(result StridedCopyTest+blocking-1)" == *'|passed|'*'1 successful'* ]] || fail "not one test was repeated"
  echo "dry-run.sh: the verification on a GPU works on the simulated driver"
}

make --silent --jobs=2 --file="${root}/gpu/src/test/cuda-sim/Makefile" "OUT=${simulation}"
"${root}/gpu/pack-for-gpu.sh" --ptx-only "${work}/pack"
if [[ "$*" == --check ]]; then
  check
else
  verify "$@"
fi
