#!/usr/bin/env bash
#
# A file that cannot be read, or a client that does not finish its request, affects nothing else: pipes, devices and
# files without an end are refused in one line; a damaged control file hides no other job; half a request blocks no
# other.
#
set -uo pipefail

failures=0
jobs=()
trap 'kill -CONT "${jobs[@]}" 2> /dev/null; kill "${jobs[@]}" 2> /dev/null; wait' EXIT

# Fails the case with a message.
fault()
{
  echo "files: $*"
  failures=$((failures + 1))
}

# refused TEXT COMMAND…: fails soon, with one line that contains the text.
refused()
{
  local text="$1" code=0
  shift
  timeout 20 "$@" > "${WORK}/out" 2> "${WORK}/err" < /dev/null || code=$?
  [[ "${code}" == 1 || "${code}" == 2 ]] || fault "$*: exit code ${code}"
  [[ "$(wc -l < "${WORK}/err")" == 1 && "$(cat "${WORK}/err")" == *"${text}"* ]] ||
    fault "$*: $(head -3 "${WORK}/err")"
}

# await TEXT FILE: waits until the file contains the text.
await()
{
  local i
  for ((i = 0; i < 200; i++)); do
    grep -q "$1" "$2" 2> /dev/null && return
    sleep 0.1
  done
  fault "no '$1' in $(cat "$2")"
}

cd "${WORK}" || exit 1
mkdir driver
mkfifo pipe pipe.hlog pipe.hgrm driver/cnc.dat
truncate -s 1T endless endless.hlog endless.hgrm

for file in pipe.hlog pipe.hgrm /dev/zero; do
  refused "not a regular file" "${A}" histogram "${file}"
done
refused "not a text" "${A}" histogram endless.hlog
refused "not a text" "${A}" histogram endless.hgrm
for file in pipe /dev/zero; do
  refused "not a regular file" "${A}" run --hostfile "${file}" io.aeroshmem.samples.HelloPe
  refused "not a regular file" "${A}" latency --baseline "${file}"
  refused "not a regular file" "${A}" driver "${file}"
done
refused "longer than" "${A}" run --hostfile endless io.aeroshmem.samples.HelloPe
refused "longer than" "${A}" latency --baseline endless
refused "longer than" "${A}" driver endless
refused "not a regular file" "${A}" stat streams --aeron-dir driver
rm driver/cnc.dat
head -c 100000 /dev/urandom > driver/cnc.dat
refused "driver/cnc.dat" "${A}" stat streams --aeron-dir driver

# two jobs, in a directory of this case; then the control file of one is damaged
export AEROSHMEM_SHM_DIR="${WORK}/shm"
mkdir "${AEROSHMEM_SHM_DIR}"
for job in 1 2; do
  "${A}" run -n 1 -cp "${CLASSES}" Waiter > "job${job}" 2>&1 &
  jobs+=($!)
  await ready "job${job}"
done
controls=("${AEROSHMEM_SHM_DIR}"/*/*/control)
((${#controls[@]} == 2)) || fault "${controls[*]}"
intact="$(basename -- "$(dirname -- "${controls[0]}")")"
damaged="$(basename -- "$(dirname -- "${controls[1]}")")"
# the launchers would notice it, and end the job
kill -STOP "${jobs[@]}"
# damage OFFSET: writes 4 bytes that are no value of a word
damage()
{
  printf '\x77\x77\x77\x77' | dd of="${controls[1]}" bs=1 seek="$1" conv=notrunc status=none
}
damage 4096
for arguments in "--once" "operations --once" "errors" "--format json" "--format openmetrics"; do
  # shellcheck disable=SC2086
  "${A}" stat ${arguments} > out 2> err || fault "stat ${arguments}: exit code $?"
  grep -q "${intact}" out || fault "stat ${arguments} hides a job: $(cat out err)"
done
damage 12
"${A}" stat --once > out 2> err || fault "stat --once: exit code $?"
grep -q "${intact}" out || fault "stat --once hides a job: $(cat out err)"
grep -q "job ${damaged} is not shown: .*damaged" err || fault "stat --once hides the damage: $(cat err)"

# twenty clients send half a request, and one a whole one
"${A}" driver --metrics-port 0 > driver.out 2> driver.err &
jobs+=($!)
await metrics driver.out
port="$(sed -n 's|.*http://127.0.0.1:\([0-9]*\)/metrics.*|\1|p' driver.out)"
# request TEXT: prints the answer
request()
{
  local client
  exec {client}<> "/dev/tcp/127.0.0.1/${port}"
  printf '%b' "$1" >&"${client}"
  timeout 10 cat <&"${client}"
  exec {client}>&-
}
halves=()
for ((i = 0; i < 20; i++)); do
  exec {half}<> "/dev/tcp/127.0.0.1/${port}"
  printf 'GET /metr' >&"${half}"
  halves+=("${half}")
done
answer="$(request 'GET /metrics HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n')"
[[ "${answer}" == *"200 OK"*"# EOF" ]] || fault "metrics beside half requests: '${answer:0:200}'"
answer="$(request 'HEAD /metrics HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n')"
[[ "${answer}" == *"200 OK"* && "${answer}" != *"# EOF"* ]] || fault "HEAD: '${answer:0:200}'"
for half in "${halves[@]}"; do
  exec {half}>&-
done
refused "127.0.0.1:${port} (--metrics-port): Address already in use" \
  env AEROSHMEM_AERON_DIR="${WORK}/other" "${A}" driver --metrics-port "${port}"

echo "files: ${failures} failures"
((failures == 0))
