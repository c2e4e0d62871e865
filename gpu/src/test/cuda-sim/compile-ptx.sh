#!/usr/bin/env bash
#
# Translates PTX to C++ and compiles it into a library of kernels for the simulated driver:
#
#   compile-ptx.sh LIBRARY SIMULATION_LIBRARY CLASSES SOURCE.ptx
#
# LIBRARY is what AEROSHMEM_CUDA_SIM_KERNELS names, SIMULATION_LIBRARY the libcuda.so.1 built beside it. CLASSES has the
# compiled test classes, of which one is the translator. Fails at PTX that the translator does not know.
#
set -euo pipefail

here=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd)
library=$1
simulation=$2
classes=$3
source=$4

unit=${library}.cpp
java="${JAVA_HOME:+${JAVA_HOME}/bin/}java"
"${java}" -XX:TieredStopAtLevel=1 -XX:+UseSerialGC -cp "${classes}" io.aeroshmem.gpu.ptx.PtxTranslator "${source}" "${unit}"

# As in compile-kernels.sh: operations of the PTX stay separate ones. To optimise these long units takes longer than it
# saves in the tests.
read -ra options <<< "${CUDA_SIM_CXXFLAGS:--O0}"
"${CXX:-g++}" -std=c++17 "${options[@]}" -fPIC -shared -pthread -ffp-contract=off -fno-strict-aliasing \
  -fvisibility=hidden -I "${here}" -I "${here}/ptx" -o "${library}" "${unit}" "${simulation}" -Wl,-z,defs
