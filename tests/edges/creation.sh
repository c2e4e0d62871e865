#!/usr/bin/env bash
#
# Teams made by an exchange of the program that loses, alters, moves or repeats bytes, on three transports: each such
# creation fails by TeamCreationException on all PEs, and the next one works.
#
set -euo pipefail

for transport in mapped ipc udp; do
  mkdir "${WORK}/${transport}"
  echo "creation over ${transport}"
  "${A}" run -n 3 --heap 1m --transport "${transport}" --timeout 60s -cp "${CLASSES}" \
    AlteredExchange "${WORK}/${transport}"
done
