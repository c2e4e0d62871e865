#!/usr/bin/env bash
# A job fails while its PEs wait for nothing: each call that checks ends, and the handler is called, on every transport;
# so too in one JVM. The exception of a PE whose peer died while they were gathered has the cause. A job whose processes
# are all paused for longer than the tolerance goes on.
set -u

failures=0
expect()
{
  local what="$1" expected="$2" seen="$3"
  if [[ "${seen}" == "${expected}" ]]; then
    echo "${what}: ${seen}"
  else
    echo "${what}: expected '${expected}', got: ${seen}"
    ((++failures))
  fi
}

for transport in mapped ipc udp; do
  out="${WORK}/learn-${transport}"
  "$A" run -n 2 --keep-going --transport "${transport}" -cp "${CLASSES}" Learn > "${out}" 2>&1
  expect "handler, ${transport}" "handled [PeFailureException]" "$(grep -o 'handled.*' "${out}")"
  expect "calls that never throw, ${transport}" "0 of 22" \
    "$(grep -c ': NEVER' "${out}") of $(grep -cE ': (NEVER|ends)' "${out}")"
  grep ': NEVER' "${out}"
  expect "accessible, ${transport}" "accessible false" "$(grep -o 'accessible.*' "${out}")"
done

for transport in MAPPED IPC UDP; do
  for mode in AGENT INVOKER; do
    expect "in one JVM, ${transport}, ${mode}" "ended, handled 3" \
      "$(timeout 30 "$A" run -n 1 -cp "${CLASSES}" Local "${transport}" "${mode}" 2>&1 | grep -o 'ended.*')"
  done
done

# A PE dies while the rendezvous still waits for another one.
gather()
{
  AEROSHMEM_PE="$1" AEROSHMEM_NPES=3 AEROSHMEM_RENDEZVOUS="127.0.0.1:${port}" AEROSHMEM_JOIN_TIMEOUT=30s \
    AEROSHMEM_RENDEZVOUS_SECRET=secret-of-the-edges exec "${JAVA_HOME}/bin/java" \
    --add-opens java.base/jdk.internal.misc=ALL-UNNAMED \
    -cp "$(echo "$(dirname -- "$A")"/tools/target/aeroshmem-tools-*-all.jar):${CLASSES}" Gather \
    > "${WORK}/gather-$1" 2>&1
}
port=$((20000 + RANDOM % 10000))
gather 0 & pids=($!)
gather 1 & pids+=($!)
for ((i = 0; i < 300; i++)); do
  # Both connections are there, at both ends.
  (($(ss -Htn state established "( sport = :${port} )" | wc -l) < 2)) || break
  sleep 0.1
done
sleep 1
kill -9 "${pids[1]}"
wait "${pids[0]}"
expect "death while PEs are gathered" "cause PeFailureException of PE 1" "$(grep -o 'cause.*' "${WORK}/gather-0")"

# All processes of a job stop, as in `docker pause`.
seconds=16
freezers=/sys/fs/cgroup/freezer
paused()
{
  local transport="$1" out="${WORK}/paused-$1" group="${freezers}/aeroshmem-$$-$1" status=0
  : > "${out}"
  sh -c "echo \$\$ > '${group}/cgroup.procs'; exec '$A' run -n 2 --transport ${transport} -cp '${CLASSES}' Loop 25" \
    >> "${out}" 2>&1 &
  for ((i = 0; i < 600; i++)); do
    (($(grep -c running "${out}") < 2)) || break
    sleep 0.1
  done
  echo FROZEN > "${group}/freezer.state"
  sleep "${seconds}"
  echo THAWED > "${group}/freezer.state"
  wait $! || status=$?
  echo "${status}" > "${out}.status"
}

if mkdir "${freezers}/aeroshmem-$$-mapped" 2> /dev/null; then
  mkdir "${freezers}/aeroshmem-$$-ipc" "${freezers}/aeroshmem-$$-udp"
  for transport in mapped ipc udp; do
    paused "${transport}" &
  done
  wait
  for transport in mapped ipc udp; do
    expect "exit code after a pause of ${seconds} s, ${transport}" 0 "$(cat "${WORK}/paused-${transport}.status")"
    grep -v '	at ' "${WORK}/paused-${transport}" | cut -c1-240 | head -5
    rmdir "${freezers}/aeroshmem-$$-${transport}"
  done
else
  echo "no freezer cgroup of version 1: the pause is left out"
fi

((failures == 0))
