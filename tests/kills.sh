#!/usr/bin/env bash
#
# Ends PEs of recoverable jobs at random moments, recoveries included, and cuts the network between their hosts. The jobs
# verify their own data: docs/testing.md#kills.
#
#   tests/kills.sh                       1 000 faults, in 7 jobs of each kind
#   tests/kills.sh 1 4711                one job of each kind, again with the seed 4711
#   tests/kills.sh 5 4711 '-Dtest=KillsTest#*AtAnyMoment' '-Daeroshmem.test.kinds=replace mapped.*'
#
# The arguments are the number of seeds, the first seed, and options of Maven. The last lines add up what each job has
# printed; "wrong" counts the jobs that did not end as they should.
set -uo pipefail

cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.." || exit 1

seeds="${1:-7}"
first="${2:-$(date +%s)}"

# Adds up lines such as "faults: replace udp, seed 17: 6 kill, 1 stop, …, 5 recoveries, 14 s, right".
summarise()
{
  awk -v seeds="${seeds}" -v first="${first}" '
    match($0, /faults: .*, (right|WRONG)$/) {
      split(substr($0, RSTART + 8), parts, ": ")
      kind = parts[1]; sub(/, seed .*/, "", kind)
      n = split(parts[2], figures, ", ")
      for (i = 1; i < n; i++) {
        split(figures[i], figure, " ")
        name = figure[2]
        if (!(name in known)) { known[name] = 1; names[++count] = name }
        sum[kind, name] += figure[1]; sum["all", name] += figure[1]
      }
      jobs[kind]++; jobs["all"]++
      if (figures[n] == "WRONG") { wrong[kind]++; wrong["all"]++ }
      if (jobs[kind] == 1) kinds[++kindCount] = kind
    }
    END {
      kinds[++kindCount] = "all"
      printf "%-28s%6s", "jobs with seeds from " first, "jobs"
      for (i = 1; i <= count; i++) printf "%11s", names[i]
      printf "%8s\n", "wrong"
      for (k = 1; k <= kindCount; k++) {
        kind = kinds[k]
        printf "%-28s%6d", kind, jobs[kind]
        for (i = 1; i <= count; i++) printf "%11d", sum[kind, names[i]]
        printf "%8d\n", wrong[kind]
      }
    }'
}

config/mvn -B -ntp -Pnightly -pl tests -am test '-Dtest=Kills*Test' -Dsurefire.failIfNoSpecifiedTests=false \
  -Daeroshmem.test.kills=8 "-Daeroshmem.test.seeds=${seeds}" "-Daeroshmem.test.seed=${first}" "${@:3}" | tee /dev/stderr | summarise
