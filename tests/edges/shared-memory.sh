#!/usr/bin/env bash
# Jobs with little memory, such as the 64 MiB of /dev/shm of a container: they run, or one line says how much is missing.
# Needs root, for mounts, namespaces and, if memory can be limited by control groups of version 1, for these.
set -u

((EUID == 0)) && unshare -m true 2> /dev/null || exit 77
failed=0
hello=io.aeroshmem.samples.HelloPe
group="/sys/fs/cgroup/memory/aeroshmem-edges-$$"
jar="$(echo "$(dirname -- "${A}")"/tools/target/aeroshmem-tools-*-all.jar)"
java=("${JAVA_HOME}/bin/java" --add-opens java.base/jdk.internal.misc=ALL-UNNAMED -cp "${jar}:${CLASSES}")
shm='mount --make-rprivate / && mount -t tmpfs -o mode=1777,size="$0" tmpfs /dev/shm'

# Runs a command with a /dev/shm of its own of size $1.
with_shm()
{
  unshare -m bash -c "${shm} && exec \"\$@\"" "$@"
}

# Runs a job of two PEs over a driver of its own, in a /dev/shm of size $1; the other arguments are options of run.
with_driver()
{
  AEROSHMEM_AERON_DIR=/dev/shm/driver unshare -m bash -c "${shm} || exit 1"'
    : > "${WORK}/driver"
    "${A}" driver >> "${WORK}/driver" 2>&1 & driver=$!
    until grep -q "running" "${WORK}/driver"; do
      kill -0 "${driver}" 2> /dev/null || { wait "${driver}"; status=$?; tail -1 "${WORK}/driver"; exit "${status}"; }
      sleep 0.1
    done
    status=0
    "${A}" run -n 2 "$@" || status=$?
    kill "${driver}"
    wait "${driver}"
    exit "${status}"' "$@"
}

# Runs a command with a limit of $1 bytes of memory.
with_limit()
{
  local status=0
  mkdir "${group}" && echo "$1" > "${group}/memory.limit_in_bytes" || return 3
  (echo "${BASHPID}" > "${group}/cgroup.procs" && exec "${@:2}") || status=$?
  until rmdir "${group}" 2> /dev/null; do sleep 0.1; done
  return "${status}"
}

# Runs a job of a PE on each of two hosts: namespaces with a network, a name and a /dev/shm of size $1 each.
on_two_hosts()
{
  local size="$1" host hosts=() pids=() status=0
  shift
  for host in 1 2; do
    mkfifo "${WORK}/host-${host}"
    unshare --net --mount --uts bash -c "${shm} && hostname host-\$1 && "'
      ip link set lo up && echo ready > "${WORK}/ready-$1" && exec cat' "${size}" "${host}" < "${WORK}/host-${host}" &
    exec {hosts[host]}> "${WORK}/host-${host}"
    until [[ -s "${WORK}/ready-${host}" ]]; do sleep 0.1; done
    pids[host]=$!
  done
  nsenter --target "${pids[1]}" --net -- ip link add eth0 type veth peer name eth0 netns "${pids[2]}"
  for host in 1 2; do
    nsenter --target "${pids[host]}" --net -- ip address add "10.99.0.${host}/24" dev eth0
    nsenter --target "${pids[host]}" --net -- ip link set eth0 up
  done
  # the launcher appends the host and a command line
  printf '#!/bin/bash\nexec nsenter --target %s --net --mount --uts -- bash -c "${*:2}"\n' "${pids[2]}" \
    > "${WORK}/reach"
  chmod +x "${WORK}/reach"
  nsenter --target "${pids[1]}" --net --mount --uts -- \
    "${A}" run --hosts host-1,10.99.0.2 --ssh "${WORK}/reach" "$@" || status=$?
  for host in 1 2; do
    exec {hosts[host]}>&-
    rm "${WORK}/host-${host}" "${WORK}/ready-${host}"
  done
  return "${status}"
}

# Runs a command that must succeed.
runs()
{
  local status=0
  "$@" > "${WORK}/output" 2>&1 || status=$?
  echo "exit status ${status}: ${*/#*\//}"
  ((status == 0)) || { failed=1; head -5 "${WORK}/output"; }
}

# Runs a command that must fail with one line, which has numbers.
refuses()
{
  local status=0
  "$@" > "${WORK}/output" 2>&1 || status=$?
  echo "exit status ${status}: ${*/#*\//}: $(head -1 "${WORK}/output")"
  if ((status < 1 || status > 2 || $(wc -l < "${WORK}/output") != 1)) || ! grep -q "MiB" "${WORK}/output"; then
    failed=1
    sed -n 2,5p "${WORK}/output"
  fi
}

export A WORK
for transport in mapped ipc udp; do
  runs with_shm 64m "${A}" run -n 2 --heap 8m --transport "${transport}" "${hello}"
  refuses with_shm 16m "${A}" run -n 2 --heap 8m --transport "${transport}" "${hello}"
  runs with_shm 64m "${java[@]}" Local "${transport^^}"
  refuses with_shm 16m "${java[@]}" Local "${transport^^}"
done
refuses with_shm 40m "${A}" run -n 2 --heap 8m --transport udp "${hello}"
refuses with_shm 40m "${java[@]}" Local UDP
runs with_driver 64m --heap 8m --transport ipc "${hello}"
runs with_driver 64m --heap 8m --transport udp "${hello}"
refuses with_driver 16m --heap 8m --transport ipc "${hello}"
refuses with_driver 10m --heap 8m --transport ipc "${hello}"
if [[ -w /sys/fs/cgroup/memory/memory.limit_in_bytes ]]; then
  runs with_limit 200m "${A}" run -n 2 --heap 8m --transport ipc "${hello}"
  refuses with_limit 200m "${A}" run -n 2 "${hello}"
fi
if command -v ip > /dev/null; then
  runs on_two_hosts 64m --heap 8m "${hello}"
fi
exit "${failed}"
