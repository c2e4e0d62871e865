#!/usr/bin/env bash
#
# Compiles the header for kernels that communicate, with test kernels that call each of its functions and the example of
# docs/gpu-device.md, and assembles them for the architectures that are supported. A warning is an error. Requires nvcc
# and ptxas.
#
set -euo pipefail

cd -- "$(dirname -- "${BASH_SOURCE[0]}")"

checked_architectures=(sm_75 sm_80 sm_90)
nvcc_options=(-O3 -std=c++17 -rdc=true -fmad=false -Werror all-warnings -I src/main/cuda)

work="$(mktemp -d)"
trap 'rm -rf "${work}"' EXIT

for source in src/test/cuda/device_api_*.cu; do
  nvcc -ptx -arch=compute_75 "${nvcc_options[@]}" "${source}" -o "${work}/kernels.ptx"
  for variable in aeroshmem_device_state aeroshmem_device_fault; do
    grep -q "^\.visible .* ${variable}[[;]" "${work}/kernels.ptx" ||
      { echo "${source}: the host does not see ${variable}"; exit 1; }
  done
  for architecture in "${checked_architectures[@]}"; do
    ptxas -c -O0 --warning-as-error -arch="${architecture}" "${work}/kernels.ptx" -o "${work}/kernels.cubin"
  done
done

# Several translation units of a module: one defines the variables.
echo '#define AEROSHMEM_DEVICE_EXTERN
#include "aeroshmem_device.cuh"
__device__ int other_unit() { return aeroshmem_my_pe(); }' > "${work}/other.cu"
nvcc -dc -arch=sm_90 "${nvcc_options[@]}" "${work}/other.cu" -o "${work}/other.o"
nvcc -dc -arch=sm_90 "${nvcc_options[@]}" src/test/cuda/device_api_example.cu -o "${work}/example.o"
nvcc -dlink -cubin -arch=sm_90 "${work}/other.o" "${work}/example.o" -o "${work}/linked.cubin"
