#!/usr/bin/env bash
#
# A command whose output is lost, to a full disk or a pipe that is no longer read, does not succeed. The full disk is a
# file system of this case, in a mount namespace.
#
set -uo pipefail

failures=0

# Fails the case with a message.
fault()
{
  echo "output: $*"
  failures=$((failures + 1))
}

# full COMMAND…: its standard output is full: 1, and one line that says so.
full()
{
  local code=0
  "$@" > /dev/full 2> "${WORK}/err" || code=$?
  ((code == 1)) || fault "$* > /dev/full: exit code ${code}"
  [[ "$(grep -c 'cannot write to the standard output: No space left on device' "${WORK}/err")" == 1 ]] ||
    fault "$* > /dev/full: $(cat "${WORK}/err")"
}

# closed COMMAND…: its standard output is a pipe that nobody reads: 141, and no line about it.
closed()
{
  local code
  { "$@" 2> "${WORK}/err"; echo $? > "${WORK}/code"; } | true
  code="$(cat "${WORK}/code")"
  [[ "${code}" == 141 ]] || fault "$* | true: exit code ${code}"
  ! grep -q 'cannot write' "${WORK}/err" || fault "$* | true: $(cat "${WORK}/err")"
}

hello=(run -n 2 io.aeroshmem.samples.HelloPe)
measure=(latency --op barrier --iterations 100 --warmup 10)
"${A}" "${measure[@]}" --histograms "${WORK}/rows" > /dev/null || exit 1

full "${A}" info --versions
full "${A}" info --topology
full "${A}" completion
full "${A}" clean --list
full "${A}" gpu-header "${WORK}/headers"
full "${A}" histogram "${WORK}/rows"
full "${A}" --help
full "${A}" "${hello[@]}"
full "${A}" run -n 1 io.aeroshmem.samples.HelloPe
full "${A}" run --tag-output -n 2 io.aeroshmem.samples.HelloPe
full "${A}" "${measure[@]}"
full "${A}" "${measure[@]}" --format json
full "${A}" bandwidth --op put_rate --iterations 100 --warmup 10

closed "${A}" info --versions
closed "${A}" histogram "${WORK}/rows"
closed "${A}" run -n 1 io.aeroshmem.samples.HelloPe
closed "${A}" "${hello[@]}"
closed "${A}" "${measure[@]}"

# a measurement ends with its output, a job of run does not
closed timeout 60 "${A}" latency --op all
full timeout 60 "${A}" latency --op all

# stat ends when it is no longer read, also while the job goes on
"${A}" run -n 1 -cp "${CLASSES}" Sleeper > /dev/null &
job=$!
for ((i = 0; i < 100; i++)); do
  "${A}" stat --once > /dev/null 2>&1 && break
  sleep 0.1
done
full "${A}" stat --once
full "${A}" stat --format json
full timeout 20 "${A}" stat --interval 100ms
closed timeout 20 "${A}" stat --interval 100ms
kill "${job}"
wait "${job}"

# a plot, a log or a distribution that does not fit leaves the previous one, and no other file
if unshare -m true 2> /dev/null; then
  # shellcheck disable=SC2016
  unshare -m bash -c '
    mkdir "${WORK}/disk" && mount -t tmpfs -o size=64k tmpfs "${WORK}/disk" && cd "${WORK}/disk" || exit 1
    for name in plot.svg plot.html log.hlog distribution.hgrm; do
      echo before > "${name}"
    done
    head -c 1m /dev/zero > filler 2> /dev/null
    result=0
    for option in "--plot plot.svg" "--plot plot.html" "--merge log.hlog" "--merge distribution.hgrm"; do
      code=0
      "${A}" histogram ${option} "${WORK}/rows" > /dev/null 2> "${WORK}/err" || code=$?
      [[ "${code}" == 1 && "$(wc -l < "${WORK}/err")" == 1 && "$(cat "${option#* }")" == before ]] ||
        { echo "output: ${option}: exit code ${code}, $(cat "${WORK}/err")"; result=1; }
    done
    [[ "$(ls -A | wc -l)" == 5 ]] || { echo "output: $(ls -A)"; result=1; }

    # nor does the file of what a PE prints: 1, and one line
    mkdir "${WORK}/logs" && touch full && ln -s "${WORK}/disk/full" "${WORK}/logs/pe-1.out" || exit 1
    code=0
    "${A}" run -n 2 --log-dir "${WORK}/logs" io.aeroshmem.samples.HelloPe > /dev/null 2> "${WORK}/err" || code=$?
    [[ "${code}" == 1 && "$(grep -c "pe-1.out (--log-dir): No space left on device" "${WORK}/err")" == 1 ]] ||
      { echo "output: --log-dir: exit code ${code}, $(cat "${WORK}/err")"; result=1; }

    # a mount point, and a file in a directory that cannot be written, are written in place
    rm filler && chmod 640 plot.svg && touch "${WORK}/mounted.svg" && mount --bind plot.svg "${WORK}/mounted.svg" &&
      mkdir "${WORK}/read-only" && touch "${WORK}/read-only/plot.svg" &&
      mount --bind "${WORK}/read-only" "${WORK}/read-only" && mount --bind plot.html "${WORK}/read-only/plot.svg" &&
      mount -o remount,bind,ro "${WORK}/read-only" || exit 1
    for plot in mounted.svg read-only/plot.svg; do
      "${A}" histogram --plot "${WORK}/${plot}" "${WORK}/rows" > /dev/null || result=1
    done
    grep -q "<svg" plot.svg && grep -q "<svg" plot.html && [[ "$(stat -c %a plot.svg)" == 640 ]] ||
      { echo "output: in place: $(ls -l)"; result=1; }
    exit "${result}"' || failures=$((failures + 1))
else
  echo "output: without the full disk, for which mount namespaces are missing"
fi

echo "output: ${failures} failures"
((failures == 0))
