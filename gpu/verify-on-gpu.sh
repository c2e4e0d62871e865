#!/usr/bin/env bash
#
# Runs the tests of device memory and measures it on a machine with a GPU; gpu/pack-for-gpu.sh packs what it needs. The
# machine needs the driver of NVIDIA only. nvcc and compute-sanitizer are used where they are present.
#
#   FOLDER/verify-on-gpu.sh [options]     in the folder that pack-for-gpu.sh made
#
#   --quick            the steps up to the samples
#   --steps NAME,…     these steps only, which may be patterns; results of other steps are kept
#   --limit SECONDS    ends the script within this time: a step may be cut, and steps without time left do not begin
#   --mps              compares with NVSHMEM by MPS: starts a server of MPS, unless there is one, and ends it
#   --list             prints the steps with their time limits
#
# Writes FOLDER/report.md, the tables of docs/gpu.md, FOLDER/results, an entry for each step, and FOLDER/logs. Exit
# code: 0 if each step passed or was skipped, 1 if one failed, was cut or did not begin, 2 if there is no device or an
# argument is wrong. With a simulated driver the report says that it was a simulation.
#
set -uo pipefail

# name, time limit in seconds, whether it belongs to --quick, what is done
steps='
kernels|120|quick|kernels of the library: PTX against its sources, assembled for sm_75, sm_80, sm_90
sample-kernels|120|quick|kernels of the samples: PTX against their source, assembled for sm_75, sm_80, sm_90
header|300|quick|header and test kernels of the device-side API: compiled without warnings for sm_75, sm_80, sm_90
test-kernels|300|quick|test kernels of the device-side API: compiled for this device
tests|300|quick|tests of module gpu: life cycle, memory, streams, kernels of the library
device-api|500|quick|tests of module gpu: device-side API, requests of kernels
copies|120|quick|copies between device heaps, two processes
sample-ring|60|quick|sample DeviceRing, two processes, by address
sample-ring-proxy|60|quick|sample DeviceRing, two processes, by requests
sample-halo|60|quick|sample DeviceHalo, two processes, by address
sample-halo-proxy|60|quick|sample DeviceHalo, two processes, by requests
sample-sum|60|quick|sample DeviceSum, two processes, by address
sample-sum-proxy|60|quick|sample DeviceSum, two processes, by requests
conformance|400||conformance suite with device buffers
collectives|400||matrix of collectives with device buffers
deaths|300||deaths of PEs whose device memory others use
latency-device|300||latency --heap-kind device
latency-device-stream|300||latency --heap-kind device --on-stream
latency-pinned|300||latency --heap-kind pinned
latency-pinned-stream|300||latency --heap-kind pinned --on-stream
device-latency|200||device-side API: latencies, bandwidth, rates; two processes, by address
device-latency-proxy|300||device-side API: latencies; two processes, by requests
device-latency-threads|200||device-side API: latencies, bandwidth, rates; two threads of a process
soak|500||1 000 000 requests of 64 threads of two PEs over rings of 64 entries
memcheck-kernels|200||compute-sanitizer memcheck: kernels of the library
memcheck-device-api|400||compute-sanitizer memcheck: device-side API
synccheck-device-api|400||compute-sanitizer synccheck: device-side API
racecheck-device-api|300||compute-sanitizer racecheck: device-side API, whose kernels have no shared memory so far
nvshmem|500||device-side API and NVSHMEM: the same kernels on both; two processes
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

is_quick=false
mps=()
patterns=()
limit=0
while (($# > 0)); do
  case "$1" in
    --quick) is_quick=true ;;
    --mps) mps=(--mps) ;;
    --list)
      awk -F '|' 'NF > 1 { printf "%-22s %4d s  %-6s %s\n", $1, $2, $3, $4 }' <<< "${steps}"
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
    *) usage "unexpected argument '$1'" ;;
  esac
  shift
done
cd -- "$(dirname -- "${BASH_SOURCE[0]}")" || exit 2
[[ -x java/bin/java && -f lib/aeroshmem.jar && -f lib/junit.jar ]] ||
  usage "$(pwd) is not a folder of pack-for-gpu.sh"
for pattern in ${patterns[@]+"${patterns[@]}"}; do
  is_known=false
  for name in $(column 1); do
    # shellcheck disable=SC2053
    [[ "${name}" == ${pattern} ]] && is_known=true
  done
  "${is_known}" || usage "there is no step '${pattern}'"
done

# Whether a step was asked for.
is_selected()
{
  local pattern
  if ((${#patterns[@]} == 0)); then
    ! "${is_quick}" || [[ "$(column 3 "$1")" == quick ]]
    return
  fi
  for pattern in "${patterns[@]}"; do
    # shellcheck disable=SC2053
    if [[ "$1" == ${pattern} ]]; then
      return 0
    fi
  done
  return 1
}

options=(--add-opens java.base/jdk.internal.misc=ALL-UNNAMED --add-opens java.base/sun.nio.ch=ALL-UNNAMED)
command=(java/bin/java "${options[@]}" -jar lib/aeroshmem.jar)
class_path="$(pwd)/lib/aeroshmem.jar:$(pwd)/gpu-tests:$(pwd)/system-tests:$(pwd)/lib/junit.jar"
# "verbose" prints each test as it ends, so that the log of a step that was cut names the last one.
junit=(java/bin/java "${options[@]}" -Xmx2g -cp "${class_path}" org.junit.platform.console.ConsoleLauncher execute
  --disable-banner --disable-ansi-colors --details=verbose --details-theme=ascii --fail-if-no-tests)
# Calls that fail on purpose, such as a query of a pointer that CUDA does not know, are no errors of memory.
sanitizer=(compute-sanitizer --target-processes all --error-exitcode 3 --report-api-errors no --launch-timeout 60)
begin="${SECONDS}"
failures=0
remaining=()

# The driver's libraries, where the loader does not find them by itself.
for directory in /usr/local/nvidia/lib64 /usr/local/nvidia/lib /usr/lib/wsl/lib; do
  if [[ -e "${directory}/libcuda.so.1" ]]; then
    export LD_LIBRARY_PATH="${LD_LIBRARY_PATH:+${LD_LIBRARY_PATH}:}${directory}"
  fi
done

# PEs that are threads of one process wait for each other's kernels: a kernel that is loaded at its first launch, or
# that shares a hardware queue with one that waits, might never start.
export CUDA_MODULE_LOADING=EAGER CUDA_DEVICE_MAX_CONNECTIONS=32

mkdir -p logs results
# Child JVMs map an archive of their classes, which depends on that of the runtime.
[[ -f java/lib/server/classes.jsa ]] || java/bin/java -Xshare:dump > logs/runtime.log 2>&1

# Prints what `info` reports under a name.
info()
{
  sed -n "s/^$1   *//p" logs/info.log | head -n 1
}

timeout --kill-after=10 60 "${command[@]}" info > logs/info.log 2>&1
gpu="$(info GPU)"
is_simulation=false
if [[ "$(info 'GPU 0 status')" == simulated* ]]; then
  is_simulation=true
elif [[ -z "${gpu}" || "${gpu}" == none* ]]; then
  echo "verify-on-gpu.sh: there is no GPU: ${gpu:-$(tail -n 1 logs/info.log)}" >&2
  exit 2
fi
capability="$(info 'GPU 0' | sed -n 's/.*compute capability \([0-9]*\)\.\([0-9]*\).*/\1\2/p')"

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
} > logs/machine.md
if ((${#patterns[@]} == 0)) || ! cmp -s logs/machine.md results/machine.md; then
  rm -rf results
  mkdir results
  cp logs/machine.md results
fi
cat results/machine.md

# Keeps the result of a step, and rewrites the report. Usage: result NAME RESULT SECONDS WHAT
# RESULT is passed, failed, cut, skipped or 'not run'.
result()
{
  echo "$2|$3|$(date -u '+%Y-%m-%d %H:%M')|$4" > "results/$1.result"
  echo "$1: $2, $3 s${4:+, $4}"
  report > report.md
}

report()
{
  local name
  cat results/machine.md
  echo
  echo "| step | what | result | seconds | UTC | seen |"
  echo "|---|---|---|---|---|---|"
  for name in $(column 1); do
    if [[ -f "results/${name}.result" ]]; then
      awk -F '|' -v name="${name}" -v what="$(column 4 "${name}")" '{
        printf "| %s | %s | %s | %s | %s | %s |\n", name, what, $1 == "failed" ? "**failed**" : $1, $2, $3, $4 }' \
        "results/${name}.result"
    fi
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

# Prints why a step failed: the tests that did, the errors of compute-sanitizer, and where the log ends.
causes()
{
  awk '
    / uniqueId: / { sub(/.* uniqueId: \[engine:junit-jupiter\]\/\[class:/, ""); id = $0 }
    / caught: / { sub(/.* caught: /, ""); caught = $0 }
    / status: \[X\] / { print id ": " caught; caught = "" }
    /^=+ (Error|Invalid|Barrier|ERROR SUMMARY)/ { print }' "$1" | cut -c 1-300 | head -n 12
  echo "end of $1:"
  tail -n 3 "$1" | cut -c 1-200
}

# Runs a command within the time limit of a step; its output goes to a log. Usage: step NAME COMMAND…
step()
{
  local name="$1" log="logs/$1.log" allowed rest started status seen summary
  shift
  is_selected "${name}" || return 0
  allowed="$(column 2 "${name}")"
  rest=$((limit - (SECONDS - begin) - 12))
  if ((limit > 0 && rest < allowed)); then
    if ((rest < 20)); then
      remaining+=("${name}")
      result "${name}" "not run" 0 "no time was left"
      return 0
    fi
    allowed="${rest}"
  fi
  started="${SECONDS}"
  rm -f "results/${name}.rows"
  timeout --kill-after=10 "${allowed}" "$@" > "${log}" 2>&1 < /dev/null
  status=$?
  seen="$(counts "${log}")"
  if [[ "${name}" == *check-* ]]; then
    summary="$(sed -n 's/^=* \([A-Z]* SUMMARY: .*\)/\1/p' "${log}" | tail -n 1)"
    seen+="${seen:+, }${summary:-no summary}"
  fi
  if ((status == 0)) && [[ "${seen}" =~ (^| )0\ successful ]]; then
    status="no test ran"
  elif ((status == 0)) && [[ "${seen}" == *"no summary" ]]; then
    status="compute-sanitizer did not attach"
  elif ((status == 124 || status == 137)); then
    status="cut after ${allowed} s"
  elif ((status != 0)); then
    status="exit code ${status}"
  fi
  if [[ "${status}" == cut* ]] && ((allowed < $(column 2 "${name}"))); then
    # Another call, with more time left, may complete it.
    remaining+=("${name}")
    result "${name}" cut $((SECONDS - started)) "${status}${seen:+, ${seen}}, ${log}"
    causes "${log}" | sed 's/^/    /'
  elif [[ "${status}" == 0 ]]; then
    case "${name}" in
      sample-* | test-kernels | nvshmem) seen="$(tail -n 1 "${log}" | tr '|' '/')" ;;
    esac
    result "${name}" passed $((SECONDS - started)) "${seen}"
  else
    failures=$((failures + 1))
    result "${name}" failed $((SECONDS - started)) "${status}${seen:+, ${seen}}, ${log}"
    causes "${log}" | sed 's/^/    /'
  fi
}

# Notes why a step is left out. Usage: skip NAME REASON
skip()
{
  is_selected "$1" || return 0
  result "$1" skipped 0 "$2"
}

has()
{
  command -v "$1" > /dev/null
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
  if is_selected "${name}" && [[ "$(< "results/${name}.result")" != @(skipped|not run)* ]]; then
    "$@" "logs/${name}.log" | tee "results/${name}.rows"
    report > report.md
  fi
}

# Prints rows of the medians in the log of `latency --format csv`.
medians()
{
  sed -n '/^operation,/,$p' "$1" | tail -n +2 | awk -F, '
    $7 != "" { printf "| %s, %s bytes | p50 %.1f us |\n", $1, $4, $7 / 1000 }
    $7 == "" { printf "| %s, %s bytes | %s/s, %s MB/s |\n", $1, $4, $13, $14 }'
}

# Prints the rows that a program has printed.
printed()
{
  grep '^| ' "$1"
}

# Compiles the test kernels, of which the tests carry declarations only. A simulation reads PTX; a device gets what
# ptxas makes for it, so that tests do not wait for the compiler of the driver.
compile_test_kernels()
{
  local source name jobs=() job
  rm -f compiled/complete
  mkdir -p compiled
  for source in gpu/src/test/cuda/device_api_*.cu; do
    name="$(basename -- "${source}" .cu)"
    {
      nvcc -ptx -O3 -std=c++17 -rdc=true -arch=compute_75 -fmad=false -I gpu/src/main/cuda "${source}" \
        -o "compiled/${name}.nvcc" &&
        sed 's/^\.version .*/.version 8.0/' "compiled/${name}.nvcc" > "compiled/${name}.ptx" &&
        ptxas -arch="sm_${capability}" "compiled/${name}.ptx" -o "compiled/${name}.cubin"
    } &
    jobs+=($!)
  done
  for job in "${jobs[@]}"; do
    wait "${job}" || return 1
  done
  for source in compiled/*.ptx; do
    name="$(basename -- "${source}" .ptx)"
    if "${is_simulation}"; then
      cp "${source}" gpu-tests/io/aeroshmem/gpu
    else
      cp "compiled/${name}.cubin" "gpu-tests/io/aeroshmem/gpu/${name}.ptx"
    fi || return 1
    echo "${name}: $(grep -c '^\.visible \.entry' "${source}") kernels, sm_${capability}"
  done
  touch compiled/complete
}
export -f compile_test_kernels
export is_simulation capability

if has nvcc && has ptxas; then
  step kernels gpu/build-kernels.sh --check
  step sample-kernels gpu/build-samples.sh --check
  step header gpu/check-device-api.sh
  # What is selected without these kernels needs them too.
  users=(device-api device-latency device-latency-proxy device-latency-threads)
  is_sanitized && users+=(memcheck-device-api synccheck-device-api racecheck-device-api)
  "${is_simulation}" || users+=(nvshmem)
  for name in "${users[@]}"; do
    if ((${#patterns[@]} > 0)) && [[ ! -f compiled/complete ]] && is_selected "${name}"; then
      patterns+=(test-kernels)
    fi
  done
  step test-kernels bash -o pipefail -c compile_test_kernels
else
  for name in kernels sample-kernels header test-kernels; do
    skip "${name}" "no nvcc"
  done
fi

device_api='io\.aeroshmem\.gpu\.(Device(Atomics|Benchmark|Errors|Example|Modules|Rma|Teams|Waits)|ProxyRing(Soak)?)Test'
step tests "${junit[@]}" --scan-classpath=gpu-tests --exclude-package=io.aeroshmem.gpu.sim \
  --exclude-classname="${device_api}" --exclude-tag=exhaustive
# The document with which a test compares the example is not packed.
step device-api "${junit[@]}" --scan-classpath=gpu-tests --include-classname="${device_api}" --exclude-tag=exhaustive \
  --exclude-methodname='.*#shouldStandInTheDocumentation'
step copies "${command[@]}" run -n 2 -cp gpu-tests io.aeroshmem.gpu.CopyBenchmark
rows copies printed
for sample in Ring Halo Sum; do
  for proxy in false true; do
    name="sample-${sample,}"
    "${proxy}" && name+="-proxy"
    step "${name}" "${command[@]}" run -n 2 "-J-Daeroshmem.gpu.proxy=${proxy}" "io.aeroshmem.samples.Device${sample}" \
      --device 0
  done
done

step conformance "${junit[@]}" --select-class=io.aeroshmem.tests.conformance.DeviceConformanceTest \
  --exclude-tag=exhaustive
step collectives "${junit[@]}" --select-class=io.aeroshmem.tests.collective.DeviceMatrixTest --exclude-tag=exhaustive
step deaths "${junit[@]}" --select-class=io.aeroshmem.tests.device.DeviceDeathTest --exclude-tag=exhaustive
for kind in device pinned; do
  latency=("${command[@]}" latency --heap-kind "${kind}" --format csv --sizes 8,1m --iterations 1000 --warmup 200)
  step "latency-${kind}" "${latency[@]}"
  rows "latency-${kind}" medians
  step "latency-${kind}-stream" "${latency[@]}" --on-stream
  rows "latency-${kind}-stream" medians
done
benchmark=io.aeroshmem.gpu.DeviceBenchmark
if "${is_simulation}" || has nvcc; then
  step device-latency "${command[@]}" run -n 2 -cp gpu-tests "${benchmark}"
  rows device-latency printed
  step device-latency-proxy "${command[@]}" run -n 2 -J-Daeroshmem.gpu.proxy=true -cp gpu-tests "${benchmark}"
  rows device-latency-proxy printed
  step device-latency-threads java/bin/java "${options[@]}" -cp "${class_path}" "${benchmark}" --threads
  rows device-latency-threads printed
else
  for name in device-latency device-latency-proxy device-latency-threads; do
    skip "${name}" "no nvcc"
  done
fi
step soak "${junit[@]}" --select-class=io.aeroshmem.gpu.ProxyRingSoakTest --include-tag=exhaustive

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

sanitize memcheck-kernels AtomicKernels ReductionKernels StridedCopy
sanitize memcheck-device-api DeviceRma DeviceAtomics DeviceTeams
sanitize synccheck-device-api DeviceRma DeviceTeams
sanitize racecheck-device-api DeviceRma
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

echo
report | tee report.md
echo
echo "$(pwd)/report.md: ${failures} failed, $((SECONDS - begin)) s"
if ((${#remaining[@]} > 0)); then
  echo "No time was left. Next: $0 --steps $(IFS=,; echo "${remaining[*]}")"
fi
if "${is_simulation}"; then
  echo "This ran on a simulation, not on a GPU."
fi
exit $((failures > 0 || ${#remaining[@]} > 0 ? 1 : 0))
