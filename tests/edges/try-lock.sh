#!/usr/bin/env bash
# A timed try for a lock that expires leaves no thread and no place in the queue, and loses no lock.
set -euo pipefail
for transport in mapped ipc udp; do
  "${A}" run -n 2 --transport "${transport}" -cp "${CLASSES}" TryLock 300
done
