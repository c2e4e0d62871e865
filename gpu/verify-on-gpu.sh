#!/usr/bin/env bash
#
# Runs the tests of device memory and measures it on a machine with a GPU; gpu/pack-for-gpu.sh packs what it needs. The
# machine needs the driver of NVIDIA only. nvcc and compute-sanitizer are used where they are present.
#
#   FOLDER/verify-on-gpu.sh [--quick]     in the folder that pack-for-gpu.sh made
#
# Writes FOLDER/report.md, the table of docs/gpu.md, and FOLDER/logs, which are replaced. --quick leaves out the slower
# half: the suites of the system tests, latencies, compute-sanitizer. Exit code: 0 if all passed, 1 if not, 2 if there
# is no device. With a simulated driver the report says that it was a simulation.
#
set -uo pipefail

usage()
{
  echo "verify-on-gpu.sh: $1; see the head of the script" >&2
  exit 2
}

is_quick=false
if (($# > 0)); then
  [[ "$1" == --quick && $# -eq 1 ]] || usage "unexpected argument '$1'"
  is_quick=true
fi
cd -- "$(dirname -- "${BASH_SOURCE[0]}")" || exit 2
[[ -x java/bin/java && -f lib/aeroshmem.jar && -f lib/junit.jar ]] ||
  usage "$(pwd) is not a folder of pack-for-gpu.sh"

options=(--add-opens java.base/jdk.internal.misc=ALL-UNNAMED --add-opens java.base/sun.nio.ch=ALL-UNNAMED)
command=(java/bin/java "${options[@]}" -jar lib/aeroshmem.jar)
class_path="$(pwd)/lib/aeroshmem.jar:$(pwd)/gpu-tests:$(pwd)/system-tests:$(pwd)/lib/junit.jar"
junit=(java/bin/java "${options[@]}" -Xmx2g -cp "${class_path}" org.junit.platform.console.ConsoleLauncher execute
  --disable-banner --disable-ansi-colors --details=tree --fail-if-no-tests)
sanitizer=(compute-sanitizer --target-processes all --error-exitcode 3)
failures=0
rm -rf logs
mkdir logs

# The driver's libraries, where the loader does not find them by itself.
for directory in /usr/local/nvidia/lib64 /usr/local/nvidia/lib /usr/lib/wsl/lib; do
  if [[ -e "${directory}/libcuda.so.1" ]]; then
    export LD_LIBRARY_PATH="${LD_LIBRARY_PATH:+${LD_LIBRARY_PATH}:}${directory}"
  fi
done

row()
{
  echo "| $1 | $2 |" | tee -a report.md
}

# Prints what `info` reports under a name.
info()
{
  sed -n "s/^$1   *//p" logs/info.log | head -n 1
}

# Runs a command; its output goes to a log, its result to a row. Usage: step LOG NAME SECONDS COMMAND…
step()
{
  local log="logs/$1.log" name="$2" limit="$3"
  shift 3
  local begin=${SECONDS} status
  timeout --kill-after=10 "${limit}" "$@" > "${log}" 2>&1
  status=$?
  if ((status == 0)); then
    row "${name}" "passed, $((SECONDS - begin)) s$(counts "${log}")"
  else
    failures=$((failures + 1))
    row "${name}" "**failed**: exit code ${status} after $((SECONDS - begin)) s$(counts "${log}"), ${log}"
  fi
  return "${status}"
}

# Prints the numbers of tests that a log of JUnit ends with.
counts()
{
  sed -n 's/^\[ *\([0-9]*\) tests \(successful\|skipped\|failed\) .*/, \1 \2/p' "$1" | tr -d '\n'
}

# Prints rows of the medians in the log of `latency --format csv`.
medians()
{
  sed -n '/^operation,/,$p' "$1" | tail -n +2 | awk -F, -v kind="$2" '
    $7 != "" { printf "| latency, %s: %s, %s bytes | p50 %.1f us |\n", kind, $1, $4, $7 / 1000 }
    $7 == "" { printf "| rate, %s: %s, %s bytes | %s/s, %s MB/s |\n", kind, $1, $4, $13, $14 }'
}

"${command[@]}" info > logs/info.log 2>&1
gpu="$(info GPU)"
if [[ -z "${gpu}" || "${gpu}" == none* ]]; then
  echo "verify-on-gpu.sh: there is no GPU: ${gpu:-$(tail -n 1 logs/info.log)}" >&2
  exit 2
fi

is_simulation=false
if [[ "$(info 'GPU 0 status')" == simulated* ]]; then
  is_simulation=true
fi

{
  if "${is_simulation}"; then
    echo "**This ran on a simulation. Nothing here was seen on a GPU, and no figure says anything about one.**"
    echo
  fi
  echo "| what | seen |"
  echo "|---|---|"
} | tee report.md
row "date" "$(date -u '+%Y-%m-%d %H:%M UTC'), commit $(cat commit)"
row "device" "$(info 'GPU 0')"
row "driver" "${gpu}$(nvidia-smi --query-gpu=driver_version --format=csv,noheader 2> /dev/null |
  head -n 1 | sed 's/^/, driver /')"
row "status" "$(info 'GPU 0 status'); $(sed -n 's/^GPU 0 sharing  *//p' logs/info.log | paste -sd ';' | sed 's/;/; /g')"

if command -v nvcc > /dev/null; then
  step kernels "PTX against its sources, assembled ($(nvcc --version | sed -n 's/.*release \([0-9.]*\).*/nvcc \1/p'))" \
    300 gpu/build-kernels.sh --check
else
  row "PTX against its sources" "not run: no nvcc"
fi

# Compiles the test kernels that the tests carry as declarations.
compile_test_kernels()
{
  local source
  for source in gpu/src/test/cuda/device_api_*.cu; do
    nvcc -ptx -O3 -std=c++17 -rdc=true -arch=compute_75 -fmad=false -I gpu/src/main/cuda "${source}" -o /dev/stdout |
      sed 's/^\.version .*/.version 8.0/' > "gpu-tests/io/aeroshmem/gpu/$(basename -- "${source}" .cu).ptx" || return 1
  done
}

if command -v nvcc > /dev/null; then
  export -f compile_test_kernels
  step test-kernels "device-side API compiled by nvcc" 300 bash -o pipefail -c compile_test_kernels
else
  row "device-side API" "not run: no nvcc"
fi

step tests "tests of module gpu" 500 "${junit[@]}" --scan-classpath=gpu-tests \
  --include-package=io.aeroshmem.gpu --exclude-package=io.aeroshmem.gpu.sim
step copies "copies between device heaps, two processes" 120 "${command[@]}" run -n 2 -cp gpu-tests \
  io.aeroshmem.gpu.CopyBenchmark
grep '^| ' logs/copies.log | tee -a report.md

for sample in DeviceRing DeviceHalo DeviceSum; do
  for proxy in false true; do
    step "${sample}-${proxy}" "sample ${sample}, two processes, aeroshmem.gpu.proxy=${proxy}" 120 "${command[@]}" run -n 2 \
      "-J-Daeroshmem.gpu.proxy=${proxy}" "io.aeroshmem.samples.${sample}"
  done
done

if ! "${is_quick}"; then
  step conformance "conformance suite with device buffers" 600 "${junit[@]}" \
    --select-class=io.aeroshmem.tests.conformance.DeviceConformanceTest --exclude-tag=exhaustive
  step collectives "matrix of collectives with device buffers" 900 "${junit[@]}" \
    --select-class=io.aeroshmem.tests.collective.DeviceMatrixTest --exclude-tag=exhaustive
  step deaths "deaths of PEs whose device memory others use" 300 "${junit[@]}" \
    --select-class=io.aeroshmem.tests.device.DeviceDeathTest --exclude-tag=exhaustive
  for kind in device pinned; do
    step "latency-${kind}" "latency --heap-kind ${kind}" 900 "${command[@]}" latency --heap-kind "${kind}" \
      --format csv --sizes 8,1m --iterations 1000 --warmup 200
    medians "logs/latency-${kind}.log" "${kind}" | tee -a report.md
    step "latency-${kind}-stream" "latency --heap-kind ${kind} --on-stream" 300 "${command[@]}" latency \
      --heap-kind "${kind}" --on-stream --format csv --sizes 8,1m --iterations 1000 --warmup 200
    medians "logs/latency-${kind}-stream.log" "${kind}" | tee -a report.md
  done
  if command -v compute-sanitizer > /dev/null && ! "${is_simulation}"; then
    for tool in memcheck racecheck; do
      step "sanitizer-${tool}" "compute-sanitizer ${tool}, kernels of atomics, reductions and the device-side API" 900 \
        "${sanitizer[@]}" --tool "${tool}" "${junit[@]}" --select-class=io.aeroshmem.gpu.AtomicKernelsTest \
        --select-class=io.aeroshmem.gpu.ReductionKernelsTest --select-class=io.aeroshmem.gpu.DeviceRmaTest \
        --select-class=io.aeroshmem.gpu.DeviceAtomicsTest --select-class=io.aeroshmem.gpu.DeviceTeamsTest
    done
  else
    row "compute-sanitizer" "not run: $("${is_simulation}" && echo 'a simulation' || echo 'not installed')"
  fi
fi

echo
echo "$(pwd)/report.md, ${failures} failed"
if "${is_simulation}"; then
  echo "This ran on a simulation, not on a GPU."
fi
exit $((failures > 0 ? 1 : 0))
