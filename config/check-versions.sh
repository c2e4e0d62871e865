#!/usr/bin/env bash
#
# Lets an earlier version meet this one: processes of both join one job, over each transport and with PE 0 of either version, and
# each restores a snapshot of the other. If the protocol versions differ, all processes must be rejected, with the reason.
#
#   config/check-versions.sh [commit | jar]    of the earlier version: a commit, which is built, or its runnable jar. By default the
#                                              last release, and before the first one the commit at which 1.0.0-rc1 began
#
# Needs the runnable jar of the last build (mvn verify).
#
set -euo pipefail

cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.."
root="${PWD}"
work="$(mktemp -d)"
trap 'rm -rf "${work}"' EXIT
start_of_1_0_0_rc1=4b6aa897
opens=(--add-opens java.base/jdk.internal.misc=ALL-UNNAMED --add-opens java.base/sun.nio.ch=ALL-UNNAMED)
limit=60

fail()
{
  echo "check-versions: $*" >&2
  exit 1
}

# Builds the commit $1, and prints its runnable jar.
build()
{
  git clone -q . "${work}/earlier"
  git -C "${work}/earlier" checkout -q "$1"
  (cd "${work}/earlier" && config/mvn -B -q -ntp -Dmaven.test.skip -Dcheckstyle.skip package -pl tools -am) >&2
  echo "${work}"/earlier/tools/target/aeroshmem-tools-*-all.jar
}

# Prints the version in the jar $1 of the protocol between PEs, or of that of the class $2.
protocol()
{
  javap -private -constants -cp "$1" "io.aeroshmem.transport.${2:-endpoint.JoinRecord}" |
    sed -n 's/.* PROTOCOL_VERSION = \([0-9]*\);/\1/p'
}

# Prints what a PE says if the versions in the jars $1 of PE 0, which has the rendezvous, and $2 of PE 1 do not meet; else
# nothing. $3 is the number of the PE.
reason()
{
  local rendezvous=("$(protocol "$1" rendezvous.RendezvousMessages)" "$(protocol "$2" rendezvous.RendezvousMessages)")
  local pes=("$(protocol "$1")" "$(protocol "$2")")
  if [[ "${rendezvous[0]}" != "${rendezvous[1]}" ]]; then
    echo "rendezvous protocol version must be ${rendezvous[0]}: process at .* has version ${rendezvous[1]};"
  elif [[ "${pes[0]}" != "${pes[1]}" ]]; then
    echo "BootstrapException: protocol version must be ${pes[$3]} on all PEs .*: PE $((1 - $3)) has ${pes[1 - $3]}\$"
  fi
}

# A program of either version, on the jar $1.
run()
{
  local jar="$1"
  shift
  timeout "${limit}" java "${opens[@]}" -XX:TieredStopAtLevel=1 -XX:+UseSerialGC ${transport:+-Daeroshmem.transport="${transport}"} \
    -cp "${jar}:${work}/classes" VersionsMeet "$@" 2>&1
}

# A job whose PE 0 runs on the jar $1, and PE 1 on the jar $2.
meet()
{
  local -x AEROSHMEM_NPES=2 AEROSHMEM_RENDEZVOUS AEROSHMEM_RENDEZVOUS_SECRET AEROSHMEM_JOIN_TIMEOUT=30s AEROSHMEM_PE
  local pe jars=("$1" "$2") pids=() status=(0 0)
  AEROSHMEM_RENDEZVOUS="127.0.0.1:$(config/free-port.sh)"
  AEROSHMEM_RENDEZVOUS_SECRET="$(od -An -N16 -tx1 /dev/urandom | tr -d ' \n')"
  for pe in 0 1; do
    AEROSHMEM_PE="${pe}" run "${jars[pe]}" exchange > "${work}/pe-${pe}" &
    pids+=($!)
  done
  for pe in 0 1; do
    wait "${pids[pe]}" || status[pe]=$?
  done
  for pe in 0 1; do
    local reason
    reason="$(reason "${jars[@]}" "${pe}")"
    if [[ -z "${reason}" ]]; then
      [[ "${status[pe]}" == 0 ]] && grep -qx 'exchange done' "${work}/pe-${pe}" && continue
    elif [[ "${status[pe]}" == 1 ]]; then
      grep -q "${reason}" "${work}/pe-${pe}" && continue
    fi
    cat "${work}"/pe-? >&2
    fail "over ${transport}, PE ${pe} of ${jars[pe]} ended with ${status[pe]}"
  done
}

# Both versions restore what $1 has written.
snapshot()
{
  local directory="${work}/snapshots-$2" jar
  (umask 077 && mkdir "${directory}")
  run "$1" snapshot "${directory}" > "${work}/snapshot" || { cat "${work}/snapshot" >&2; fail "no snapshot by $1"; }
  for jar in "${earlier}" "${this}"; do
    run "${jar}" restore "${directory}" > "${work}/restore" || { cat "${work}/restore" >&2; fail "${jar} did not restore that of $1"; }
  done
}

version="$(sed -n 's|^    <version>\(.*\)</version>|\1|p' pom.xml)"
this="${root}/tools/target/aeroshmem-tools-${version}-all.jar"
[[ -f "${this}" ]] || fail "there must be ${this}; build it by mvn verify"
earlier="${1:-$(git describe --tags --abbrev=0 --match 'v[0-9]*' HEAD~1 2> /dev/null || echo "${start_of_1_0_0_rc1}")}"
name="${earlier}"
if [[ ! -f "${earlier}" ]]; then
  git cat-file -e "${earlier}^{commit}" 2> /dev/null || { echo "check-versions: not run, as this clone has no commit ${earlier}"; exit; }
  earlier="$(build "${earlier}")"
fi

mkdir "${work}/classes"
javac -d "${work}/classes" -cp "${earlier}" --release 17 config/VersionsMeet.java
for transport in mapped ipc udp; do
  meet "${earlier}" "${this}"
  meet "${this}" "${earlier}"
done
transport=""
snapshot "${earlier}" earlier
snapshot "${this}" this
reason="$(reason "${earlier}" "${this}" 0)"
met="${reason:+rejected each other}"
met="${met:-exchanged data}"
echo "check-versions: ${name} and ${version} ${met} over mapped, ipc and udp, and restored each other's snapshots"
