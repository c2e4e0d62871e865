#!/usr/bin/env bash
#
# Compares the device-side API with NVSHMEM: the same kernels on both, two processes on one GPU.
#
#   compare-nvshmem.sh --home                    prints NVSHMEM's folder; exit code 1 if there is none
#   compare-nvshmem.sh --build PROGRAM           compiles NVSHMEM's side
#   compare-nvshmem.sh [--mps] TABLE COMMAND…    runs COMMAND, which starts DeviceBenchmark, and NVSHMEM's side in turn,
#                                                twice; prints the better value of each
#
# NVSHMEM_HOME names the folder (include, lib) if it is not that of the Python package nvidia-nvshmem-cu*; NVSHMEM_ARCH
# the architecture, such as sm_90, if it is not that of this machine's GPU. Requires nvcc. --mps starts a server of MPS
# for the comparison, unless there is one, and ends it. Without MPS, NVSHMEM supports no barriers and collectives of PEs
# that share a GPU. The comparison runs them all the same, as its last rows; their kernels then take turns on the GPU.
#
set -uo pipefail

source="$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd)/src/test/nvshmem/nvshmem_benchmark.cu"
# Seconds of a run of NVSHMEM's side.
run_limit=100

fail()
{
  echo "compare-nvshmem.sh: $*" >&2
  exit 1
}

# Prints the folders where NVSHMEM may be: that of the variable, of Python's packages, of a system's package.
candidates()
{
  local python
  echo "${NVSHMEM_HOME:-}"
  for python in python3 python; do
    "${python}" -c '
import importlib.util
spec = importlib.util.find_spec("nvidia.nvshmem")
for place in (spec.submodule_search_locations or []) if spec else []:
    print(place)' 2> /dev/null
  done
  ls -d /opt/*/{,.venv/}lib/python3*/site-packages/nvidia/nvshmem /usr/{,local/}lib/python3*/*-packages/nvidia/nvshmem \
    /usr/local/nvshmem 2> /dev/null
}

find_home()
{
  local candidate found=""
  while IFS= read -r candidate; do
    if [[ -z "${found}" && -n "${candidate}" && -f "${candidate}/include/nvshmem.h" &&
      -f "${candidate}/lib/libnvshmem_device.a" ]]; then
      found="${candidate}"
    fi
  done < <(candidates)
  [[ -n "${found}" ]] && echo "${found}"
}

build()
{
  local home library architecture
  home="$(find_home)" || fail "there is no NVSHMEM"
  # The Python package has no link without a version.
  library="$(find "${home}/lib" -name 'libnvshmem_host.so*' | sort | head -n 1)"
  [[ -n "${library}" ]] || fail "${home}/lib has no libnvshmem_host.so"
  architecture="${NVSHMEM_ARCH:-sm_$(nvidia-smi --query-gpu=compute_cap --format=csv,noheader | head -n 1 | tr -d .)}"
  nvcc -O3 -std=c++17 -rdc=true -arch="${architecture}" -I "${home}/include" -o "$1" "${source}" \
    "${home}/lib/libnvshmem_device.a" -Xlinker "${library}" -Xlinker -rpath -Xlinker "${home}/lib" -lpthread -ldl
}

# Has each process use half of the device by MPS. Without MPS, or if it does not work, nothing changes.
start_mps()
{
  if ! command -v nvidia-cuda-mps-control > /dev/null; then
    echo "without MPS: there is no nvidia-cuda-mps-control"
    return
  fi
  export CUDA_MPS_ACTIVE_THREAD_PERCENTAGE=50
  if echo get_server_list | timeout 10 nvidia-cuda-mps-control > /dev/null 2>&1; then
    return
  fi
  export CUDA_MPS_PIPE_DIRECTORY="${work}/mps" CUDA_MPS_LOG_DIRECTORY="${work}/mps-log"
  mkdir "${work}/mps" "${work}/mps-log"
  nvidia-cuda-mps-control -d && is_mps_started=true
  if ! "${is_mps_started}" || ! timeout --kill-after=5 60 "${work}/benchmark" --probe; then
    echo "without MPS: the device cannot be used by it"
    stop_mps
    unset CUDA_MPS_PIPE_DIRECTORY CUDA_MPS_LOG_DIRECTORY CUDA_MPS_ACTIVE_THREAD_PERCENTAGE
  fi
}

stop_mps()
{
  if "${is_mps_started}"; then
    is_mps_started=false
    echo quit -t 1 | timeout 20 nvidia-cuda-mps-control > /dev/null 2>&1
  fi
}

# Runs NVSHMEM's side. Its processes exchange handles of virtual memory; where that fails, it uses CUDA IPC.
run_theirs()
{
  local log="$1"
  "${work}/benchmark" "${table}" "${run_limit}" > "${log}" && return
  if grep -q '^| ' "${log}" || [[ -n "${NVSHMEM_DISABLE_CUDA_VMM:-}" ]]; then
    return 1
  fi
  export NVSHMEM_DISABLE_CUDA_VMM=1
  echo "once more, with NVSHMEM_DISABLE_CUDA_VMM=1"
  "${work}/benchmark" "${table}" "${run_limit}" > "${log}"
}

# Prints the rows `| name | value unit |` of all logs as `| name | ours, NVSHMEM theirs, ratio |`: the better value of
# the runs of a side, and by which factor this library is faster.
merge()
{
  awk -F ' *[|] *' '
    /^\| / {
      side = FILENAME ~ /ours-[0-9]$/ ? "ours" : "theirs"
      key = side SUBSEP $2
      split($3, words, " ")
      if (!($2 in is_known)) { is_known[$2] = 1; names[++count] = $2 }
      is_rate[$2] = words[2] ~ /\/s$/
      is_number[$2] = words[1] ~ /^[0-9.]+$/
      if (!(key in seen) || (is_number[$2] && (is_rate[$2] ? words[1] > value[key] : words[1] < value[key]))) {
        seen[key] = $3
        value[key] = words[1] + 0
      }
    }
    END {
      for (i = 1; i <= count; i++) {
        name = names[i]
        ours = "ours" SUBSEP name
        theirs = "theirs" SUBSEP name
        line = (ours in seen ? seen[ours] : "none") ", NVSHMEM " (theirs in seen ? seen[theirs] : "none")
        if (is_number[name] && value[ours] > 0 && value[theirs] > 0) {
          ratio = is_rate[name] ? value[ours] / value[theirs] : value[theirs] / value[ours]
          line = line sprintf(", ratio %.2f", ratio)
          compared++
          reached += ratio >= 1
        }
        printf "| %s | %s |\n", name, line
      }
      printf "at least as fast as NVSHMEM in %d of %d rows\n", reached, compared
    }' "$@"
}

case "${1:-}" in
  --home)
    find_home
    exit
    ;;
  --build)
    (($# == 2)) || fail "a program must be named: --build PROGRAM"
    build "$2"
    exit
    ;;
esac
with_mps=false
if [[ "${1:-}" == --mps ]]; then
  with_mps=true
  shift
fi
(($# >= 2)) || fail "a table and a command must be named; see the head of the script"
table="$1"
shift

work="$(mktemp -d)"
is_mps_started=false
trap 'stop_mps; rm -rf "${work}"' EXIT
trap 'exit 1' INT TERM
build "${work}/benchmark" || fail "NVSHMEM's side does not compile"
"${with_mps}" && start_mps

is_complete=true
for run in 1 2; do
  "$@" > "${work}/ours-${run}" || { is_complete=false; echo "run ${run} of this library failed"; }
  run_theirs "${work}/theirs-${run}" || { is_complete=false; echo "run ${run} of NVSHMEM failed"; }
done
echo "NVSHMEM of $(find_home)"
merge "${work}"/{ours,theirs}-[12]
"${is_complete}"
