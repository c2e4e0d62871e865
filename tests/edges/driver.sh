#!/usr/bin/env bash
#
# A media driver daemon (aeroshmem driver) belongs to its user: whatever the umask, another user can open none of its
# files, and a directory that another user could open or replace is rejected by one sentence: by the daemon, by the
# launcher and by a PE. Two users without a passwd entry have two default directories. Requires root, for other users.
#
set -uo pipefail

hello=io.aeroshmem.samples.HelloPe
alice=61001 bob=61002
((EUID == 0)) && command -v setpriv > /dev/null || exit 77

shm="$(mktemp -d /dev/shm/edges-driver-XXXXXXXX)"
daemon=
trap 'stop; rm -rf "${shm}" "/dev/shm/aeroshmem-${alice}" "/dev/shm/aeroshmem-${bob}" "/dev/shm/aeron-${alice}"' EXIT
chmod 1777 "${shm}"
cp -r "${CLASSES}" "${shm}/classes"
chmod -R a+rX "${shm}/classes"
jar="$(echo "$(dirname -- "$(readlink -f -- "${A}")")"/tools/target/aeroshmem-tools-*-all.jar)"
opens=(--add-opens java.base/jdk.internal.misc=ALL-UNNAMED --add-opens java.base/sun.nio.ch=ALL-UNNAMED)

fail()
{
  echo "FAILED: $*"
  sed 's/^/  | /' "${shm}/out"
  exit 1
}

# Runs a command as user $1 with umask $2; its output goes to ${shm}/out.
as()
{
  local user="$1" mask="$2"
  shift 2
  (cd "${shm}" && umask "${mask}" && exec setpriv --reuid "${user}" --regid "${user}" --clear-groups \
    env HOME=/nonexistent "$@") > "${shm}/out" 2>&1
}

java_as()
{
  as "$1" 022 "${JAVA_HOME}/bin/java" "${opens[@]}" -cp "${jar}:${shm}/classes" "-Daeroshmem.aeron.dir=$2" DriverPe "$3"
}

# Starts the daemon as user $1 with umask $2 and the environment that the other arguments describe.
start()
{
  local user="$1" mask="$2"
  shift 2
  : > "${shm}/daemon"
  (cd "${shm}" && umask "${mask}" && exec setpriv --reuid "${user}" --regid "${user}" --clear-groups \
    env "$@" HOME=/nonexistent "${A}" driver) > "${shm}/daemon" 2>&1 &
  daemon=$!
  for ((i = 0; i < 200; i++)); do
    grep -q 'aeroshmem driver: running' "${shm}/daemon" && return
    sleep 0.1
  done
  cp "${shm}/daemon" "${shm}/out"
  fail "the daemon did not start"
}

stop()
{
  [[ -z "${daemon}" ]] || { kill "${daemon}"; wait "${daemon}"; daemon=; } 2> /dev/null
}

# One line that contains $1.
one_sentence()
{
  (($(wc -l < "${shm}/out") == 1)) && grep -qF -- "$1" "${shm}/out" || fail "expected one sentence with '$1'"
}

# Daemon, launcher and PE reject directory $1 of or for alice by one sentence that contains $2.
rejected_by_all()
{
  as "${alice}" 022 AEROSHMEM_AERON_DIR="$1" "${A}" driver && fail "the daemon accepted $1"
  one_sentence "$2"
  rejected_by_jobs "${alice}" "$1" "$2"
}

rejected_by_jobs()
{
  as "$1" 022 AEROSHMEM_AERON_DIR="$2" "${A}" run -n 2 --transport ipc "${hello}" && fail "the launcher accepted $2"
  one_sentence "$3"
  java_as "$1" "$2" IPC
  grep -q '^rejected: ' "${shm}/out" || fail "a PE accepted $2"
  one_sentence "$3"
}

for mask in 000 022 077; do
  start "${alice}" "${mask}" AEROSHMEM_AERON_DIR="${shm}/driver"
  for transport in IPC UDP; do
    java_as "${alice}" "${shm}/driver" "${transport}"
    grep -q '^received: 2$' "${shm}/out" && grep -q 'logbuffer$' "${shm}/out" || fail "no job over ${transport}"
    ! grep -v -e '^directory 700 ' -e '^file 600 ' -e '^received' "${shm}/out" || fail "open with umask ${mask}"
  done
  if [[ "${mask}" == 000 ]]; then
    as "${alice}" 022 AEROSHMEM_AERON_DIR="${shm}/driver" "${A}" run -n 2 --transport udp "${hello}" ||
      fail "the owner's job does not run"
    as "${bob}" 022 cat "${shm}/driver/cnc.dat" && fail "another user reads the driver's file"
    rejected_by_jobs "${bob}" "${shm}/driver" "must belong to user id ${bob}: uid=${alice}"
    as "${bob}" 022 AEROSHMEM_AERON_DIR="${shm}/driver" "${A}" driver --check && fail "another user checks the driver"
    one_sentence "must belong to user id ${bob}"
    ln -s "${shm}/driver" "${shm}/link"
    rejected_by_jobs "${alice}" "${shm}/link" "symbolic links are not followed"
    # what a driver of Aeron's own leaves open, with files
    chmod 755 "${shm}/driver"
    chmod 644 "${shm}/driver"/*.dat
    rejected_by_jobs "${alice}" "${shm}/driver" "must have mode 0700"
    rejected_by_jobs "${bob}" "${shm}/driver" "must belong to user id ${bob}"
    chmod 700 "${shm}/driver"
  fi
  stop
  [[ ! -e "${shm}/driver" ]] || fail "the daemon left its directory"
done

as "${alice}" 022 mkdir -m 755 "${shm}/open"
rejected_by_all "${shm}/open" "must have mode 0700"
as "${bob}" 022 mkdir -m 777 "${shm}/taken"
rejected_by_all "${shm}/taken" "must belong to user id ${alice}: uid=${bob}"
as "${alice}" 022 mkdir -m 700 "${shm}/target"
as "${alice}" 022 ln -s "${shm}/target" "${shm}/linked"
rejected_by_all "${shm}/linked" "symbolic links are not followed"
as "${alice}" 022 mkdir -m 777 "${shm}/loose"
chmod 777 "${shm}/loose"
as "${alice}" 022 mkdir -m 700 "${shm}/loose/driver"
rejected_by_all "${shm}/loose/driver" "can be written by others and has no sticky bit"

start "${alice}" 022 -u AEROSHMEM_AERON_DIR
grep -q "directory /dev/shm/aeron-${alice}$" "${shm}/daemon" || fail "the default directory is not the user's own"
stop
echo "a driver's files are its user's alone"
