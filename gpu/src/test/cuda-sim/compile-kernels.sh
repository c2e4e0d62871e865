#!/usr/bin/env bash
#
# Compiles CUDA C++ sources as C++ into a library of kernels for the simulated driver:
#
#   compile-kernels.sh LIBRARY SIMULATION_LIBRARY SOURCE.cu…
#
# LIBRARY is what AEROSHMEM_CUDA_SIM_KERNELS names, SIMULATION_LIBRARY the libcuda.so.1 built beside it. Kernels are
# found in the preprocessed source, so macros may define them: each `__global__ void name(…)` that is no template.
#
set -euo pipefail

here=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd)
library=$1
simulation=$2
shift 2

compiler=${CXX:-g++}
flags=(-x c++ -std=c++17 -I "${here}" -include "${here}/sim_device.h" -I "${here}/../../main/cuda")
generated=${library}.build
mkdir -p "${generated}"

units=()
for source in "$@"; do
  source=$(cd -- "$(dirname -- "${source}")" && pwd)/$(basename -- "${source}")
  unit=${generated}/$(basename -- "${source}").cpp
  {
    echo "#include \"${source}\""
    "${compiler}" "${flags[@]}" -I "$(dirname -- "${source}")" -DCUDA_SIM_SCAN -E -P "${source}" | tr '\n' ' ' |
      { grep -oE '(.|^) *(extern "C")? *(sim_scan_concurrent)? *sim_scan_global *(sim_scan_concurrent)? *void +[A-Za-z_][A-Za-z_0-9]* *\(' || true; } |
      sed -nE '/^>/d; s/.*void +([A-Za-z_0-9]+) *\(/\1 &/; s/^([A-Za-z_0-9]+) .*sim_scan_concurrent.*/SIM_KERNEL(\1, true)/; s/^([A-Za-z_0-9]+) .*\(/SIM_KERNEL(\1, false)/; p'
  } > "${unit}"
  units+=("${unit}" -I "$(dirname -- "${source}")")
done

# No contraction to fused operations: results are those of separate operations, as nvcc -fmad=false gives them.
# Debug information takes half as long again: CUDA_SIM_CXXFLAGS="-O0 -g" for a debugger.
read -ra options <<< "${CUDA_SIM_CXXFLAGS:--O1}"
"${compiler}" "${flags[@]}" "${options[@]}" -fPIC -shared -pthread -ffp-contract=off -fno-strict-aliasing \
  -fvisibility=hidden -Wall -Wextra -Wno-unknown-pragmas -o "${library}" "${units[@]}" \
  -x none "${simulation}" -Wl,-z,defs
