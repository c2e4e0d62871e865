#!/usr/bin/env bash
#
# Repeats, as a user would, what once went wrong at the edges of the library: each NAME.sh beside this file is one case.
# Runs all cases, or those named as arguments, with the runnable jar of the last build, on each JDK from 17 on in
# /usr/lib/jvm (EDGES_JDKS replaces that list of homes). A case prints what it saw, and fails by its exit status.
#
# A case has these variables: JAVA_HOME; A, the command aeroshmem; CLASSES, a folder of its own with the classes of the
# programs in NAME/; WORK, an empty folder of its own. 77 as exit status: this machine lacks what the case needs.
#
set -uo pipefail

here="$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd)"
root="$(cd -- "${here}/../.." && pwd)"
oldest_jdk=17
case_seconds=300
work="$(mktemp -d)"
trap 'rm -rf "${work}"' EXIT

jdks()
{
  local home major seen=" "
  for home in ${EDGES_JDKS:-/usr/lib/jvm/*}; do
    [[ -x "${home}/bin/javac" ]] || continue
    major="$("${home}/bin/javac" -version 2>&1 | sed -n 's/^javac \([0-9]*\).*/\1/p')"
    if ((${major:-0} >= oldest_jdk)) && [[ "${seen}" != *" ${major} "* ]]; then
      seen+="${major} "
      printf '%s\n' "${home}"
    fi
  done
}

# Compiles the programs of case $1, if it has any, against the runnable jar.
compile()
{
  local sources=("${here}/$1"/*.java)
  mkdir -p "${CLASSES}" "${WORK}"
  [[ ! -f "${sources[0]}" ]] || "${JAVA_HOME}/bin/javac" -nowarn -cp "${jar}" -d "${CLASSES}" "${sources[@]}"
}

"${root}/aeroshmem" --version > /dev/null || exit 1
jar="$(echo "${root}"/tools/target/aeroshmem-tools-*-all.jar)"
export A="${root}/aeroshmem" CLASSES WORK JAVA_HOME

names=("$@")
if ((${#names[@]} == 0)); then
  for file in "${here}"/*.sh; do
    [[ "${file}" == "${here}/run.sh" ]] || names+=("$(basename -- "${file}" .sh)")
  done
fi

passed=0 failed=0 skipped=0
for JAVA_HOME in $(jdks); do
  for name in "${names[@]}"; do
    CLASSES="${work}/classes-${name}" WORK="${work}/work-${name}"
    rm -rf "${CLASSES}" "${WORK}"
    echo "== ${name}, $(basename -- "${JAVA_HOME}")"
    status=0
    { compile "${name}" && timeout --kill-after=10 "${case_seconds}" "${here}/${name}.sh"; } < /dev/null || status=$?
    case "${status}" in
      0) ((++passed)) ;;
      77) ((++skipped)) ;;
      *) ((++failed)); echo "== ${name} FAILED: exit status ${status}" ;;
    esac
  done
done
echo "edges: ${passed} passed, ${failed} failed, ${skipped} skipped"
((failed == 0))
