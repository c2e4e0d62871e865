#!/usr/bin/env bash
#
# Runs 50 seeds of all lockstep tests in two JVMs of the JDK at JAVA_HOME. Fails when a world fails, and when the tests
# take more than two minutes, the limit on two cores. The arguments, such as -o, are passed to Maven.
#
set -euo pipefail

cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.."
limit=120
begin=""

while IFS= read -r line; do
  printf '%s\n' "${line}"
  if [[ -z "${begin}" && "${line}" == *"Running "*Lockstep* ]]; then
    begin="${SECONDS}"
  fi
  [[ "${line}" != *"Tests run:"*Lockstep* ]] || end="${SECONDS}"
  [[ "${line}" != *"BUILD SUCCESS"* ]] || is_successful=1
done < <(config/mvn -B -ntp -Pci -pl tests -am test '-Dtest=Lockstep*Test' -Dsurefire.failIfNoSpecifiedTests=false \
  -Daeroshmem.test.seeds=50 -Dtest.forks=2 "$@" 2>&1)

[[ -n "${is_successful:-}" && -n "${end:-}" ]] || { echo "check-lockstep: worlds failed" >&2; exit 1; }
took=$((end - begin))
((took <= limit)) || { echo "check-lockstep: the tests took ${took} s, more than ${limit}" >&2; exit 1; }
echo "check-lockstep: the tests took ${took} s, of ${limit} at most"
