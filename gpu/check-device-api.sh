#!/usr/bin/env bash
#
# Compiles the header for kernels that communicate, with test kernels that call each of its functions and the example of
# docs/gpu-device.md, and assembles them for the architectures that are supported. A warning is an error. Requires nvcc,
# ptxas and make.
#
set -euo pipefail

cd -- "$(dirname -- "${BASH_SOURCE[0]}")"

checked_architectures=(sm_75 sm_80 sm_90)
nvcc_options=(-O3 -std=c++17 -rdc=true -fmad=false -Werror all-warnings -I src/main/cuda)

work="$(mktemp -d)"
trap 'rm -rf "${work}"' EXIT

simulation=target/cuda-sim
make --silent --jobs=2 --file=src/test/cuda-sim/Makefile "OUT=${simulation}" test-kernels
for source in src/test/cuda/device_api_*.cu; do
  kernels="${simulation}/ptx/$(basename -- "${source}" .cu).ptx"
  for variable in aeroshmem_device_state aeroshmem_device_fault; do
    grep -q "^\.visible .* ${variable}[[;]" "${kernels}" ||
      { echo "${source}: the host does not see ${variable}"; exit 1; }
  done
  for architecture in "${checked_architectures[@]}"; do
    ptxas -c -O0 --warning-as-error -arch="${architecture}" "${kernels}" -o "${work}/kernels.cubin"
  done
done

# Several translation units of a module: one defines the variables.
echo '#define AEROSHMEM_DEVICE_EXTERN
#include "aeroshmem_device.cuh"
__device__ int other_unit() { return aeroshmem_my_pe(); }' > "${work}/other.cu"
nvcc -dc -arch=sm_90 "${nvcc_options[@]}" "${work}/other.cu" -o "${work}/other.o"
nvcc -dc -arch=sm_90 "${nvcc_options[@]}" src/test/cuda/device_api_example.cu -o "${work}/example.o"
nvcc -dlink -cubin -arch=sm_90 "${work}/other.o" "${work}/example.o" -o "${work}/linked.cubin"
