#!/usr/bin/env bash
# Jobs in user namespaces, as in rootless containers: where root is not mapped, /dev/shm and / belong to the overflow
# user. Needs root (to become another user) or a user who may make user namespaces.
set -u

as_user=()
((EUID != 0)) || as_user=(setpriv --reuid 12345 --regid 12345 --clear-groups)
"${as_user[@]}" unshare -U true 2> /dev/null || exit 77
failed=0

run()
{
  local status=0
  timeout 60 "${as_user[@]}" "$@" > "${WORK}/output" 2>&1 || status=$?
  echo "exit status ${status}: ${*: -5}: $(head -1 "${WORK}/output")"
  ((status == 0)) || failed=1
}

hello=(run -n 2 io.aeroshmem.samples.HelloPe)
private="$("${as_user[@]}" mktemp -d /dev/shm/user-namespace.XXXXXX)"
trap 'rm -rf "${private}"' EXIT
run unshare -U --map-current-user "${A}" "${hello[@]}"
run unshare -U --map-current-user "${A}" run -n 2 --transport ipc io.aeroshmem.samples.HelloPe
run unshare -U --map-root-user "${A}" "${hello[@]}"
run unshare -U --map-current-user env AEROSHMEM_SHM_DIR=/tmp "${A}" "${hello[@]}"
run unshare -U --map-current-user env AEROSHMEM_SHM_DIR="${private}" "${A}" "${hello[@]}"
run unshare -U --map-current-user "${A}" clean --list
exit "${failed}"
