#!/usr/bin/env bash
#
# Builds the image of deploy/Dockerfile from the distribution of the last build (mvn verify), and runs it in a container of podman
# with 64 MiB of shared memory, a file system that cannot be written, and no network; DeployTest has the limits of control groups.
# The base, instead of that of a registry, is the Java runtime of this machine with the programs that the command needs.
# Needs podman and runc (crun rejects hosts with both versions of control groups); without them it says so and ends. Runs as root,
# or rootless as a user that has subordinate ids.
#
set -euo pipefail

cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.."
staging=distribution/target/staging
image=localhost/aeroshmem

fail()
{
  echo "check-image: $*" >&2
  exit 1
}

for tool in podman runc; do
  command -v "${tool}" > /dev/null || { echo "check-image: not run, as there is no ${tool}"; exit; }
done
compgen -G "${staging}/aeroshmem-*/bin/aeroshmem" > /dev/null || fail "there must be ${staging}; build it by mvn verify"

work="$(mktemp -d)"
podman=(podman --runtime runc --root "${work}/storage" --runroot "${work}/run" --storage-driver vfs --cgroup-manager cgroupfs
  --events-backend file)
trap '"${podman[@]}" rmi --all --force > /dev/null 2>&1 || true; rm -rf "${work}"' EXIT

# Copies the programs of the arguments, with the libraries that they are linked with, into the folder base.
copy_programs()
{
  local file
  for file in "$@" $(ldd "$@" | sed -nE 's|^[^/]*(/[^ ]+) .*|\1|p' | sort -u); do
    install -D "$(readlink -f -- "${file}")" "${work}/base/${file}"
  done
}

java_home="$(dirname -- "$(dirname -- "$(readlink -f -- "$(command -v javac)")")")"
"${java_home}/bin/jlink" --add-modules java.se,jdk.unsupported,jdk.jfr,jdk.management --output "${work}/base/opt/java"
mkdir -p "${work}"/base/{usr/bin,bin,tmp}
chmod 1777 "${work}/base/tmp"
for name in env bash readlink dirname; do
  copy_programs "/usr/bin/${name}"
done
# the launcher of Java, and what its libraries are linked with
for library in "${work}"/base/opt/java/bin/java "${work}"/base/opt/java/lib/{libjava,libnio,libnet,libzip,server/libjvm}.so; do
  while read -r file; do
    [[ "${file}" == "${work}"/* ]] || install -D "$(readlink -f -- "${file}")" "${work}/base/${file}"
  done < <(ldd "${library}" | sed -nE 's|^[^/]*(/[^ ]+) .*|\1|p')
done
ln -s ../opt/java/bin/java "${work}/base/bin/java"

tar -C "${work}/base" -c . | "${podman[@]}" import --change 'ENV PATH=/usr/bin:/bin:/opt/java/bin' - localhost/base > /dev/null 2>&1 ||
  fail "podman cannot import the base"
"${podman[@]}" build -q --build-arg BASE=localhost/base -t "${image}" -f deploy/Dockerfile "${staging}" > "${work}/log" 2>&1 ||
  { cat "${work}/log" >&2; fail "deploy/Dockerfile was not built"; }

# The command in a container of the image.
run()
{
  "${podman[@]}" run --rm --ulimit nofile=1024:1024 --ulimit nproc=4096:4096 --network none --read-only \
    --shm-size 64m "${image}" "$@" 2>&1
}

output="$(run info --versions)" || fail "info failed: ${output}"
for transport in mapped ipc udp; do
  output="$(run run -n 2 --transport "${transport}" --heap 8m io.aeroshmem.samples.HelloPe)" ||
    fail "HelloPe failed over ${transport}: ${output}"
  grep -qx 'sum of all PE numbers: 1' <<< "${output}" || fail "HelloPe printed over ${transport}: ${output}"
done
user="$("${podman[@]}" inspect --format '{{.Config.User}}' "${image}")"
[[ "${user}" == 1000:1000 ]] || fail "the image runs as ${user}"
echo "check-image: the image of deploy/Dockerfile runs jobs over mapped, ipc and udp"
