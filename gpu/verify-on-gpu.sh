#!/usr/bin/env bash
#
# Runs the tests of device memory and measures it on a machine with a GPU. gpu/pack-for-gpu.sh packs what this needs,
# compiled. The machine needs the driver of NVIDIA only; nvcc and NVSHMEM, for the comparison with it, and
# compute-sanitizer are used where they are present.
#
#   FOLDER/verify-on-gpu.sh [options]     in the folder that pack-for-gpu.sh made
#
#   --limit SECONDS    ends the script within this time: a step may be cut, and steps without time left do not begin
#   --steps NAME,…     these steps only, which may be patterns; results of other steps are kept
#   --failed           only what failed in an earlier call: each test method, or step, once with CUDA_LAUNCH_BLOCKING and
#                      once under compute-sanitizer
#   --out DIRECTORY    where the files below are written (default: FOLDER/out); --failed reads them from there too
#   --mps              compares with NVSHMEM by MPS: starts a server of MPS, unless there is one, and ends it
#   --list             prints the steps with their time limits
#
# After each step writes, in DIRECTORY: report.md, the tables of docs/gpu.md; logs.txt, the ends of all logs; machine.txt,
# what is known of the machine; results.txt, a line for each step; failed.txt, what --failed runs.
#
# Exit code: 0 if each step passed or was skipped, 1 if one failed, was cut or did not begin, 2 if there is no device or
# an argument is wrong. With a simulated driver the report says that it was a simulation.
#
set -uo pipefail

# Steps in the order of what is to be known first: name, time limit in seconds, what is done. A step whose name ends in
# Test is a test class, which gets a JVM of its own: an error that ends the CUDA context costs this class only.
steps='
probe|45|each primitive of CUDA that the module rests on, in order of risk
sample-ring|40|sample DeviceRing, two processes, by address
sample-ring-proxy|40|sample DeviceRing, two processes, by requests
sample-halo|40|sample DeviceHalo, two processes, by address
sample-halo-proxy|40|sample DeviceHalo, two processes, by requests
sample-sum|40|sample DeviceSum, two processes, by address
sample-sum-proxy|40|sample DeviceSum, two processes, by requests
JCudaBindingTest|45|calls of the binding
CudaMemoryTest|45|memory
AtomicKernelsTest|45|kernels of the library: atomic operations
SynchronizationKernelsTest|45|kernels of the library: signals, waits, flags
StridedCopyTest|45|kernels of the library: strided copies
ReductionKernelsTest|45|kernels of the library: every type and operation
device-latency|90|device-side API: latencies, bandwidth, rates; two processes, by address
device-latency-proxy|90|device-side API: latencies; two processes, by requests
device-latency-threads|90|device-side API: latencies, bandwidth, rates; two threads of a process
device-latency-peers|90|device-side API: latencies, bandwidth, rates; two processes on two devices, by address
DeviceExampleTest|45|device-side API: the example of the documentation
DeviceRmaTest|45|device-side API: puts and gets
DeviceAtomicsTest|45|device-side API: atomic operations
DeviceWaitsTest|45|device-side API: waits
DeviceTeamsTest|45|device-side API: teams and collectives
DeviceModulesTest|45|device-side API: modules
DeviceErrorsTest|45|device-side API: errors
DeviceBenchmarkTest|45|device-side API: what the measurements transfer
ProxyRingTest|45|requests of kernels: their performance by the host
ProxyRingSoakTest|45|requests of kernels: many threads
GpuStreamTest|45|operations and collectives on streams
StreamMemoryOperationsTest|45|what streams store and await without a kernel
StreamCaptureTest|45|operations on streams in CUDA graphs
StreamAllocationTest|45|operations on streams allocate nothing
copies|60|copies between device heaps, two processes
copies-peers|60|copies between device heaps, two processes on two devices
nvshmem|240|device-side API and NVSHMEM: the same kernels on both; two processes
GpuTest|45|life cycle, memory
DeviceCollectivesTest|45|collectives on device memory
DeviceReachTest|45|ways to the device memory of PEs
DeviceRecordTest|45|records of devices
DeviceReleaseTest|45|release of devices
KernelFileTest|45|kernels of the library in a file
RejectedBuffersTest|45|buffers that are rejected
UnusableDeviceTest|45|devices that cannot be used
latency-device|120|latency --heap-kind device
latency-device-stream|120|latency --heap-kind device --on-stream
latency-pinned|120|latency --heap-kind pinned
latency-pinned-stream|120|latency --heap-kind pinned --on-stream
conformance|300|conformance suite with device buffers
collectives|300|matrix of collectives with device buffers
deaths|200|deaths of PEs whose device memory others use
memcheck-kernels|120|compute-sanitizer memcheck: kernels of the library
memcheck-device-api|200|compute-sanitizer memcheck: device-side API
synccheck-device-api|200|compute-sanitizer synccheck: device-side API
racecheck-device-api|200|compute-sanitizer racecheck: device-side API, whose kernels have no shared memory so far
soak|400|1 000 000 requests of 64 threads of two PEs over rings of 64 entries
'

usage()
{
  echo "verify-on-gpu.sh: $1; see the head of the script" >&2
  exit 2
}

# Prints a column of each step, or of one. Usage: column NUMBER [NAME]
column()
{
  awk -F '|' -v number="$1" -v name="${2:-}" 'NF > 1 && (name == "" || name == $1) { print $number }' <<< "${steps}"
}

caller="$(pwd)"
cd -- "$(dirname -- "${BASH_SOURCE[0]}")" || exit 2
folder="$(pwd)"
out="${folder}/out"
mps=()
patterns=()
limit=0
repeats_failures=false
while (($# > 0)); do
  case "$1" in
    --mps) mps=(--mps) ;;
    --failed) repeats_failures=true ;;
    --list)
      awk -F '|' 'NF > 1 { printf "%-28s %4d s  %s\n", $1, $2, $3 }' <<< "${steps}"
      exit 0
      ;;
    --steps)
      [[ -n "${2:-}" ]] || usage "--steps requires names"
      IFS=, read -r -a patterns <<< "$2"
      shift
      ;;
    --limit)
      [[ "${2:-}" =~ ^[1-9][0-9]*$ ]] || usage "--limit requires a number of seconds"
      limit="$2"
      shift
      ;;
    --out)
      [[ -n "${2:-}" ]] || usage "--out requires a directory"
      out="$(cd -- "${caller}" && mkdir -p -- "$2" && cd -- "$2" && pwd)" || usage "$2 cannot be created"
      shift
      ;;
    *) usage "unexpected argument '$1'" ;;
  esac
  shift
done
[[ -x java/bin/java && -f lib/aeroshmem.jar && -f lib/junit.jar ]] ||
  usage "${folder} is not a folder of pack-for-gpu.sh"
for pattern in ${patterns[@]+"${patterns[@]}"}; do
  is_known=false
  for name in $(column 1); do
    # shellcheck disable=SC2053
    [[ "${name}" == ${pattern} ]] && is_known=true
  done
  "${is_known}" || usage "there is no step '${pattern}'"
done

begin="${SECONDS}"
failures=0
remaining=()
work="$(mktemp -d)"
trap 'rm -rf "${work}"' EXIT
# Seconds between SIGQUIT, on which a JVM prints the stacks of its threads, and SIGKILL.
grace=4
# Seconds that a test method may take; it runs on a thread of its own, so that the class goes on without it.
method_limit=20
# Bytes of each log that are returned.
log_length=200000

options=(--add-opens java.base/jdk.internal.misc=ALL-UNNAMED --add-opens java.base/sun.nio.ch=ALL-UNNAMED
  -XX:ErrorFile=logs/crash-%p.log)
command=(java/bin/java "${options[@]}" -jar lib/aeroshmem.jar)
class_path="${folder}/lib/aeroshmem.jar:${folder}/gpu-tests:${folder}/system-tests:${folder}/lib/junit.jar"
# "verbose" prints each test as it begins and ends, so that the log of a step that was cut names the last one.
junit=(java/bin/java "${options[@]}" -Xmx2g -cp "${class_path}" org.junit.platform.console.ConsoleLauncher execute
  --disable-banner --disable-ansi-colors --details=verbose --details-theme=ascii --fail-if-no-tests
  --config=junit.jupiter.execution.timeout.thread.mode.default=SEPARATE_THREAD
  "--config=junit.jupiter.execution.timeout.testable.method.default=${method_limit} s")
# Calls that fail on purpose, such as a query of a pointer that CUDA does not know, are no errors of memory.
sanitizer=(compute-sanitizer --target-processes all --error-exitcode 3 --report-api-errors no --launch-timeout 60)

# The driver's libraries, where the loader does not find them by itself.
for directory in /usr/local/nvidia/lib64 /usr/local/nvidia/lib /usr/lib/wsl/lib; do
  if [[ -e "${directory}/libcuda.so.1" ]]; then
    export LD_LIBRARY_PATH="${LD_LIBRARY_PATH:+${LD_LIBRARY_PATH}:}${directory}"
  fi
done

# PEs that are threads of one process wait for each other's kernels: a kernel that is loaded at its first launch, or
# that shares a hardware queue with one that waits, might never start.
export CUDA_MODULE_LOADING=EAGER CUDA_DEVICE_MAX_CONNECTIONS=32

has()
{
  command -v "$1" > /dev/null
}

mkdir -p "${out}" logs results
# Child JVMs map an archive of their classes, which depends on that of the runtime.
[[ -f java/lib/server/classes.jsa ]] || java/bin/java -Xshare:dump > logs/runtime.log 2>&1

# Prints what `info` reports under a name.
info()
{
  sed -n "s/^$1   *//p" logs/info.log | head -n 1
}

# Prints the functions of CUDA that JCuda's library imports and the driver does not export.
missing_functions()
{
  local library
  library="$(ldconfig -p 2> /dev/null | sed -n 's/.*libcuda\.so\.1 .*=> //p' | head -n 1)"
  for directory in ${LD_LIBRARY_PATH//:/ }; do
    [[ -e "${directory}/libcuda.so.1" ]] && library="${directory}/libcuda.so.1" && break
  done
  if has nm; then
    nm -D --defined-only "${library}" 2> /dev/null | awk '{ print $NF }' | sed 's/@.*//' | LC_ALL=C sort -u \
      > "${work}/exports"
    LC_ALL=C comm -23 jcuda-imports.txt "${work}/exports" | paste -sd ' '
  elif has python3; then
    python3 -c '
import ctypes, sys
library = ctypes.CDLL("libcuda.so.1")
print(" ".join(name for name in open(sys.argv[1]).read().split() if not hasattr(library, name)))' jcuda-imports.txt
  else
    echo "not compared: there is neither nm nor python3"
  fi
}

# What is known of the machine: it explains failures that the tests cannot.
describe_machine()
{
  echo "== $(date -u '+%Y-%m-%d %H:%M UTC'), $(uname -sr), $(nproc) processors, commit $(cat commit)"
  echo "== container or virtual machine: $(systemd-detect-virt 2> /dev/null || echo unknown)"
  echo "== /dev/shm: $(df -h /dev/shm 2> /dev/null | tail -n 1)"
  echo "== locked memory: $(ulimit -l) KiB; pid namespace $(readlink /proc/self/ns/pid); user $(id -u)"
  echo "== functions that JCuda imports and the driver lacks: $(missing_functions)"
  echo "== driver's libraries"
  ldconfig -p 2> /dev/null | grep -E 'libcuda|libnvidia-ptxjitcompiler|libnvidia-ml'
  env | grep -E '^(CUDA|NVIDIA|NVSHMEM|LD_LIBRARY_PATH)' | sort
  if has nvidia-smi; then
    timeout 20 nvidia-smi
    timeout 20 nvidia-smi -q -d COMPUTE,ECC,CLOCK,POWER 2> /dev/null | head -n 120
    timeout 20 nvidia-smi topo -m
  else
    echo "== no nvidia-smi"
  fi
  cat logs/info.log
}

timeout --kill-after=10 60 "${command[@]}" info > logs/info.log 2>&1
gpu="$(info GPU)"
is_simulation=false
if [[ "$(info 'GPU 0 status')" == simulated* ]]; then
  is_simulation=true
fi
describe_machine > "${out}/machine.txt" 2>&1
if ! "${is_simulation}" && [[ -z "${gpu}" || "${gpu}" == none* ]]; then
  echo "verify-on-gpu.sh: there is no GPU: ${gpu:-$(tail -n 1 logs/info.log)}; see ${out}/machine.txt" >&2
  exit 2
fi
capability="$(info 'GPU 0' | sed -n 's/.*compute capability \([0-9]*\)\.\([0-9]*\).*/\1\2/p')"
# A device gets what ptxas has made for it, so that tests do not wait for the compiler of the driver.
if ! "${is_simulation}" && [[ -d "cubins/sm_${capability}" ]]; then
  cp "cubins/sm_${capability}"/* gpu-tests/io/aeroshmem/gpu
fi

# Prints the version of a tool. Usage: version TOOL WHAT_STANDS_BEFORE_IT
version()
{
  "$1" --version 2> /dev/null | sed -n "s/.*$2\([0-9][0-9.]*\).*/$1 \1/p" | grep -m 1 . || echo "no $1"
}

# What the results are of: those of another machine or of another build are not mixed with these.
{
  if "${is_simulation}"; then
    echo "**This ran on a simulation. Nothing here was seen on a GPU, and no figure says anything about one.**"
    echo
  fi
  echo "| what | seen |"
  echo "|---|---|"
  echo "| commit | $(cat commit) |"
  echo "| device | $(info 'GPU 0') |"
  echo "| driver | ${gpu}$(nvidia-smi --query-gpu=driver_version --format=csv,noheader 2> /dev/null |
    head -n 1 | sed 's/^/, driver /') |"
  echo "| status | $(info 'GPU 0 status'); $(sed -n 's/^GPU 0 sharing  *//p' logs/info.log | paste -sd ';' |
    sed 's/;/; /g') |"
  echo "| tools | $(version nvcc 'release '), $(version compute-sanitizer '[Vv]ersion ') |"
} > "${work}/machine.md"
if "${repeats_failures}"; then
  [[ -f "${out}/failed.txt" ]] || usage "--failed requires the file failed.txt of an earlier call in ${out}"
  cp "${out}/failed.txt" "${work}/failed.txt"
elif ((${#patterns[@]} == 0)) || ! cmp -s "${work}/machine.md" results/machine.md; then
  rm -rf results logs/*Test.log
  mkdir results
fi
cp "${work}/machine.md" results
cat results/machine.md

# Prints a log without a last line that was cut.
whole_lines()
{
  if [[ -n "$(tail -c 1 "$1")" ]]; then
    sed '$d' "$1"
  else
    cat "$1"
  fi
}

# Rewrites the files that are returned. Only whole rows become rows of the report.
write_out()
{
  local name log
  report > "${out}/report.md"
  : > "${out}/results.txt"
  : > "${out}/failed.txt"
  for name in results/*.result; do
    [[ -f "${name}" ]] || continue
    echo "$(basename -- "${name}" .result)|$(< "${name}")" >> "${out}/results.txt"
    if [[ "$(< "${name}")" == failed* && "${name}" != *+* ]]; then
      failed_tests "$(basename -- "${name}" .result)" >> "${out}/failed.txt"
    fi
  done
  if "${repeats_failures}"; then
    cp "${work}/failed.txt" "${out}/failed.txt"
  fi
  for log in $(ls -tr logs/*.log); do
    echo "===== $(basename -- "${log}" .log)"
    if (($(stat -c %s "${log}") > log_length)); then
      head -c $((log_length / 4)) "${log}"
      printf '\n…\n'
      tail -c $((log_length * 3 / 4)) "${log}"
    else
      cat "${log}"
    fi
  done > "${out}/logs.txt"
}

# Keeps the result of a step. Usage: result NAME RESULT SECONDS WHAT
# RESULT is passed, failed, cut, skipped or 'not run'.
result()
{
  echo "$2|$3|$(date -u '+%Y-%m-%d %H:%M')|${4//|/\/}" > "results/$1.result"
  echo "$1: $2, $3 s${4:+, $4}"
  write_out
}

report()
{
  local name file
  cat results/machine.md
  echo
  echo "| step | what | result | seconds | UTC | seen |"
  echo "|---|---|---|---|---|---|"
  for name in $(column 1); do
    for file in "results/${name}.result" "results/${name}+"*.result; do
      if [[ -f "${file}" ]]; then
        awk -F '|' -v name="$(basename -- "${file}" .result)" -v what="$(column 3 "${name}")" '{
          printf "| %s | %s | %s | %s | %s | %s |\n", name, what, $1 == "failed" ? "**failed**" : $1, $2, $3, $4 }' \
          "${file}"
      fi
    done
  done
  for name in results/*.rows; do
    if [[ -s "${name}" ]]; then
      echo
      echo "| $(basename -- "${name}" .rows) | seen |"
      echo "|---|---|"
      cat "${name}"
    fi
  done
}

# Prints the numbers of tests that a log of JUnit ends with. Those without what they require are aborted.
counts()
{
  sed -nE 's/^\[ *([0-9]+) tests (successful|failed) .*/\1 \2/p
    s/^\[ *([1-9][0-9]*) tests (skipped|aborted) .*/\1 \2/p
    s/^\[ *([1-9][0-9]*) (containers) (failed|skipped|aborted) .*/\1 \2 \3/p' "$1" | paste -sd ',' | sed 's/,/, /g'
}

# Prints, for --failed, the step and each test in its log that failed or did not end; the step alone if it is no class,
# or if no test can be named.
failed_tests()
{
  local tests=""
  if [[ "$1" == *Test ]]; then
    tests="$(awk '
      / uniqueId: / { sub(/.* uniqueId: /, ""); id = $0; is_test = id ~ /\[(method|test-template-invocation):[^\/]*$/
        if (is_test) { open[id] = 1 } }
      / status: / { if (/\[X\]/ && is_test) { failed[id] = 1 } delete open[id] }
      END { for (id in failed) print id; for (id in open) print id }' "logs/$1.log" | sort | head -n 12)"
  fi
  if [[ -n "${tests}" ]]; then
    sed "s/^/$1 /" <<< "${tests}"
  else
    echo "$1"
  fi
}

# Prints why a step failed: the tests that did, the errors of compute-sanitizer, the CUDA calls in the stacks of a JVM
# that hung, and where the log ends.
causes()
{
  awk '
    / uniqueId: / { sub(/.* uniqueId: \[engine:junit-jupiter\]\/\[class:/, ""); id = $0 }
    / caught: / { sub(/.* caught: /, ""); caught = $0 }
    / status: \[X\] / { print id ": " caught; caught = "" }
    /at jcuda\.driver\.JCudaDriver\.cu/ { calls[$2]++ }
    /^=+ (Error|Invalid|Barrier|ERROR SUMMARY)/ { print }
    END { for (call in calls) print "in a call of CUDA: " call }' "$1" | cut -c 1-300 | head -n 12
  echo "end of $1:"
  grep -v '^$' "$1" | tail -n 3 | cut -c 1-200
}

# Prints what the device says after a failure.
device_state()
{
  has nvidia-smi && timeout 10 nvidia-smi \
    --query-gpu=name,utilization.gpu,memory.used,ecc.errors.uncorrected.volatile.total,compute_mode --format=csv,noheader
  dmesg 2> /dev/null | grep -i 'xid' | tail -n 3
}

# Whether a step was asked for.
is_selected()
{
  local pattern
  ((${#patterns[@]} > 0)) || return 0
  for pattern in "${patterns[@]}"; do
    # shellcheck disable=SC2053
    if [[ "$1" == ${pattern} ]]; then
      return 0
    fi
  done
  return 1
}

# Runs a command for a step, and keeps its result. At the end of its time a JVM prints the stacks of its threads before
# it is killed. Usage: attempt NAME SECONDS COMMAND…
attempt()
{
  local name="$1" log="logs/$1.log" own="$2" allowed="$2" rest started status seen summary
  shift 2
  rest=$((limit - (SECONDS - begin) - grace - 6))
  if ((limit > 0 && rest < allowed)); then
    if ((rest < 10)); then
      remaining+=("${name}")
      result "${name}" "not run" 0 "no time was left"
      return 0
    fi
    allowed="${rest}"
  fi
  started="${SECONDS}"
  rm -f "results/${name}.rows"
  { timeout --signal=QUIT --kill-after="${grace}" "${allowed}" "$@" > "${log}" 2>&1 < /dev/null; } 2> /dev/null
  status=$?
  seen="$(counts "${log}")"
  if [[ "${name}" == *check-* || "${name}" == *+memcheck* ]]; then
    summary="$(sed -n 's/^=* \([A-Z]* SUMMARY: .*\)/\1/p' "${log}" | tail -n 1)"
    seen+="${seen:+, }${summary:-no summary}"
  fi
  if ((SECONDS - started >= allowed && (status == 124 || status == 131 || status == 137))); then
    # A JVM goes on after SIGQUIT, so that it ends by SIGKILL.
    if ((allowed < own)); then
      # Another call, with more time left, may complete it.
      remaining+=("${name}")
      result "${name}" cut $((SECONDS - started)) "cut after ${allowed} s${seen:+, ${seen}}"
      causes "${log}" | sed 's/^/    /'
      return 0
    fi
    status="hang: not ended after ${allowed} s"
  elif ((status == 0)) && [[ "${seen}" =~ (^| )0\ successful && "${seen}" == *aborted* ]]; then
    result "${name}" skipped $((SECONDS - started)) "${seen}"
    return 0
  elif ((status == 0)) && [[ "${seen}" =~ (^| )0\ successful ]]; then
    status="no test ran"
  elif ((status == 0)) && [[ "${seen}" == *"no summary" ]]; then
    status="compute-sanitizer did not attach"
  elif ((status != 0)); then
    status="exit code ${status}"
  fi
  if [[ "${status}" == 0 ]]; then
    case "${name}" in
      probe | sample-* | nvshmem) seen="$(whole_lines "${log}" | tail -n 1)" ;;
    esac
    result "${name}" passed $((SECONDS - started)) "${seen}"
  else
    failures=$((failures + 1))
    device_state >> "${log}"
    result "${name}" failed $((SECONDS - started)) "${status}${seen:+, ${seen}}"
    causes "${log}" | sed 's/^/    /'
  fi
}

# A step: its command is run in a first call; after a failure, with --failed, each of its failed tests is run by itself, or
# the command once more. Usage: step NAME COMMAND…
step()
{
  local name="$1" test number=0 repeated
  shift
  is_selected "${name}" || return 0
  if ! "${repeats_failures}"; then
    attempt "${name}" "$(column 2 "${name}")" "$@"
    return 0
  fi
  while IFS= read -r test; do
    number=$((number + 1))
    repeated=("$@")
    if [[ -n "${test}" ]]; then
      repeated=("${junit[@]}" "--select-unique-id=${test}")
    fi
    CUDA_LAUNCH_BLOCKING=1 attempt "${name}+blocking-${number}" "$(column 2 "${name}")" "${repeated[@]}"
    if is_sanitized && [[ "${name}" != *check-* && "${name}" != nvshmem ]]; then
      attempt "${name}+memcheck-${number}" 90 "${sanitizer[@]}" --tool memcheck "${repeated[@]}"
    fi
  done < <(sed -n -e "s/^${name}\$//p" -e "s/^${name} //p" "${work}/failed.txt")
}

# Notes why a step is left out. Usage: skip NAME REASON
skip()
{
  is_selected "$1" && ! "${repeats_failures}" || return 0
  result "$1" skipped 0 "$2"
}

# Whether steps run under compute-sanitizer.
is_sanitized()
{
  ! "${is_simulation}" && has compute-sanitizer
}

# Keeps the rows of a table that a step has measured. Usage: rows NAME COMMAND…
rows()
{
  local name="$1"
  shift
  if is_selected "${name}" && ! "${repeats_failures}" && [[ "$(< "results/${name}.result")" != @(skipped|not run)* ]]; then
    whole_lines "logs/${name}.log" | "$@" | tee "results/${name}.rows"
    write_out
  fi
}

# Reads the output of `latency --format csv`, and prints rows of its medians.
medians()
{
  sed -n '/^operation,/,$p' | tail -n +2 | awk -F, '
    NF == 14 && $7 != "" { printf "| %s, %s bytes | p50 %.1f us |\n", $1, $4, $7 / 1000 }
    NF == 14 && $7 == "" { printf "| %s, %s bytes | %s/s, %s MB/s |\n", $1, $4, $13, $14 }'
}

# Reads the output of a program, and prints the rows in it.
printed()
{
  grep -E '^\| .* \| .* \|$'
}

# Runs a program of the tests as two processes, and keeps the rows that it prints; with "peers" each on a device of its
# own. Usage: pair NAME PROGRAM [OPTION…]
pair()
{
  local name="$1" program="$2"
  shift 2
  if [[ "${name}" != *-peers ]]; then
    step "${name}" "${command[@]}" run -n 2 "$@" -cp gpu-tests "${program}"
  elif [[ "$(info 'GPU 0 peer access')" == *'1: loads, stores and atomics'* ]]; then
    step "${name}" "${command[@]}" run -n 2 "-J-Daeroshmem.gpu.device={pe}" "$@" -cp gpu-tests "${program}"
  else
    skip "${name}" "no second device with native atomics: $(info 'GPU 0 peer access')"
    return 0
  fi
  rows "${name}" printed
}

# A test class, in a JVM of its own, without tests of what only the simulated driver shows. The document with which a test
# compares the example is not packed.
class()
{
  step "$1" "${junit[@]}" "--select-class=io.aeroshmem.gpu.$1" --exclude-tag=exhaustive --exclude-tag=simulation \
    --exclude-methodname='.*#shouldStandInTheDocumentation'
}

# A test class of the whole system.
system_class()
{
  step "$1" "${junit[@]}" "--select-class=io.aeroshmem.tests.$2" --exclude-tag=exhaustive --exclude-tag=nightly
}

# Runs a sample by address and by requests.
sample()
{
  local name="${1,,}"
  step "sample-${name}" "${command[@]}" run -n 2 "io.aeroshmem.samples.Device$1" --device 0 --by-address
  step "sample-${name}-proxy" "${command[@]}" run -n 2 -J-Daeroshmem.gpu.proxy=true "io.aeroshmem.samples.Device$1" \
    --device 0
}

# Measures operations that the host calls, and those that it enqueues on a stream.
measure_latency()
{
  local name="latency-$1" latency
  latency=("${command[@]}" latency --heap-kind "$1" --format csv --sizes 8,1m --iterations 1000 --warmup 200)
  step "${name}" "${latency[@]}"
  rows "${name}" medians
  step "${name}-stream" "${latency[@]}" --on-stream
  rows "${name}-stream" medians
}

# Runs compute-sanitizer on test classes of module gpu. Usage: sanitize NAME CLASS…
sanitize()
{
  local name="$1" class selected=()
  shift
  if "${is_simulation}"; then
    skip "${name}" "a simulation executes no code of a GPU"
  elif ! has compute-sanitizer; then
    skip "${name}" "no compute-sanitizer"
  else
    for class in "$@"; do
      selected+=("--select-class=io.aeroshmem.gpu.${class}Test")
    done
    step "${name}" "${sanitizer[@]}" --tool "${name%%-*}" "${junit[@]}" "${selected[@]}" --exclude-tag=exhaustive
  fi
}

compare_nvshmem()
{
  if "${is_simulation}"; then
    skip nvshmem "a simulation executes no code of a GPU"
  elif ! has nvcc; then
    skip nvshmem "no nvcc"
  elif ! gpu/compare-nvshmem.sh --home > /dev/null; then
    skip nvshmem "no NVSHMEM"
  else
    export NVSHMEM_ARCH="${NVSHMEM_ARCH:-sm_${capability}}"
    step nvshmem gpu/compare-nvshmem.sh "${mps[@]}" gpu-tests/io/aeroshmem/gpu/device_benchmark.txt \
      "${command[@]}" run -n 2 -cp gpu-tests "${benchmark}"
    rows nvshmem printed
  fi
}

benchmark=io.aeroshmem.gpu.DeviceBenchmark

kernels=()
if ! "${is_simulation}" && [[ -f "cubins/aeroshmem_kernels.sm_${capability}.cubin" ]]; then
  kernels=("-Daeroshmem.gpu.kernels=cubins/aeroshmem_kernels.sm_${capability}.cubin")
fi
step probe java/bin/java "${options[@]}" ${kernels[@]+"${kernels[@]}"} -cp "${class_path}" io.aeroshmem.gpu.Probe
rows probe printed
sample Ring
sample Halo
sample Sum
class JCudaBindingTest
class CudaMemoryTest
class AtomicKernelsTest
class SynchronizationKernelsTest
class StridedCopyTest
class ReductionKernelsTest
pair device-latency "${benchmark}"
pair device-latency-proxy "${benchmark}" -J-Daeroshmem.gpu.proxy=true
step device-latency-threads java/bin/java "${options[@]}" -cp "${class_path}" "${benchmark}" --threads
rows device-latency-threads printed
pair device-latency-peers "${benchmark}"
class DeviceExampleTest
class DeviceRmaTest
class DeviceAtomicsTest
class DeviceWaitsTest
class DeviceTeamsTest
class DeviceModulesTest
class DeviceErrorsTest
class DeviceBenchmarkTest
class ProxyRingTest
class ProxyRingSoakTest
class GpuStreamTest
class StreamMemoryOperationsTest
class StreamCaptureTest
class StreamAllocationTest
pair copies io.aeroshmem.gpu.CopyBenchmark
pair copies-peers io.aeroshmem.gpu.CopyBenchmark
compare_nvshmem
class GpuTest
class DeviceCollectivesTest
class DeviceReachTest
class DeviceRecordTest
class DeviceReleaseTest
class KernelFileTest
class RejectedBuffersTest
class UnusableDeviceTest
measure_latency device
measure_latency pinned
system_class conformance conformance.DeviceConformanceTest
system_class collectives collective.DeviceMatrixTest
system_class deaths device.DeviceDeathTest
sanitize memcheck-kernels AtomicKernels ReductionKernels StridedCopy
sanitize memcheck-device-api DeviceRma DeviceAtomics DeviceTeams
sanitize synccheck-device-api DeviceRma DeviceTeams
sanitize racecheck-device-api DeviceRma
step soak "${junit[@]}" --select-class=io.aeroshmem.gpu.ProxyRingSoakTest --include-tag=exhaustive

echo
write_out
cat "${out}/report.md"
echo
echo "${out}/report.md: ${failures} failed, $((SECONDS - begin)) s"
if ((${#remaining[@]} > 0)); then
  echo "No time was left. Next: $0 --steps $(IFS=,; echo "${remaining[*]}")"
fi
if "${is_simulation}"; then
  echo "This ran on a simulation, not on a GPU."
fi
exit $((failures > 0 || ${#remaining[@]} > 0 ? 1 : 0))
