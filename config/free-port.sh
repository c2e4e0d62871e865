#!/usr/bin/env bash
#
# Prints a port of loopback that is free now: of 20000 to 29999, outside of those that Linux gives to clients.
#
set -euo pipefail

while :; do
  port=$((20000 + RANDOM % 10000))
  (exec 3<> "/dev/tcp/127.0.0.1/${port}") 2> /dev/null || break
done
echo "${port}"
