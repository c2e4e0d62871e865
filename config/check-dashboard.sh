#!/usr/bin/env bash
#
# Runs a job, a media driver that serves its metrics, and Prometheus with deploy/grafana/prometheus.yaml: each query of the
# dashboard must return something. Needs prometheus and promtool, and the runnable jar of the last build (mvn verify).
#
set -euo pipefail

cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.."
root="${PWD}"
deadline=$((SECONDS + 60))

for tool in prometheus promtool; do
  command -v "${tool}" > /dev/null || { echo "check-dashboard: not run, as there is no ${tool}"; exit; }
done
work="$(mktemp -d)"
pids=()
trap 'end' EXIT

end()
{
  local pid
  for pid in "${pids[@]}"; do
    kill "${pid}" 2> /dev/null || true
    wait "${pid}" 2> /dev/null || true
  done
  rm -rf "${work}"
}

fail()
{
  echo "check-dashboard: $*" >&2
  tail -n 20 "${work}"/*.log >&2
  exit 1
}

# Prints what Prometheus returns for a query.
query()
{
  promtool query instant "http://127.0.0.1:${prometheus_port}" "$1" 2> "${work}/query.log"
}

jar="$(compgen -G "${root}/tools/target/aeroshmem-tools-*-all.jar")" || fail "there must be the runnable jar; build it by mvn verify"
metrics_port="$(config/free-port.sh)"
prometheus_port="$(config/free-port.sh)"
mkdir "${work}/classes" "${work}/latencies"
cat > "${work}/DashboardJob.java" << 'END'
import io.aeroshmem.Comparison;
import io.aeroshmem.ElementType;
import io.aeroshmem.ReduceOp;
import io.aeroshmem.Shmem;
import io.aeroshmem.SignalOp;
import io.aeroshmem.SymmetricBuffer;

/** Two PEs that put, get, add, signal, wait and reduce until they are ended. */
public final class DashboardJob
{
    private DashboardJob()
    {
    }

    /** @param args none. */
    public static void main(final String[] args) throws Exception
    {
        Shmem.run(new Shmem.Context(), DashboardJob::work);
    }

    private static void work(final Shmem shmem) throws InterruptedException
    {
        final SymmetricBuffer words = shmem.calloc(3, Long.BYTES);
        final SymmetricBuffer sum = shmem.calloc(1, Long.BYTES);
        final int peer = 1 - shmem.myPe();
        for (long i = 1; i > 0; i++)
        {
            shmem.defaultContext().putLong(words, 0, i, peer);
            shmem.defaultContext().getLong(words, 0, peer);
            shmem.defaultContext().atomicFetchAddLong(words, Long.BYTES, 1, peer);
            shmem.defaultContext().signal(words, 2 * Long.BYTES, i, SignalOp.SET, peer);
            shmem.waitUntilLong(words, 2 * Long.BYTES, Comparison.GE, i);
            shmem.world().reduce(ReduceOp.SUM, ElementType.LONG, sum, words, 1);
            shmem.barrierAll();
            Thread.sleep(1);
        }
    }
}
END
javac -d "${work}/classes" -cp "${jar}" --release 17 "${work}/DashboardJob.java"

grep -q '"127.0.0.1:9464"' deploy/grafana/prometheus.yaml || fail "prometheus.yaml does not scrape port 9464"
sed "s/:9464/:${metrics_port}/; s/scrape_interval: .*/scrape_interval: 1s/" deploy/grafana/prometheus.yaml > "${work}/prometheus.yaml"
promtool check config "${work}/prometheus.yaml" > "${work}/check.log" 2>&1 || fail "prometheus.yaml is not valid"
AEROSHMEM_AERON_DIR="${work}/driver" java -jar "${jar}" driver --metrics-port "${metrics_port}" > "${work}/driver.log" 2>&1 &
pids+=($!)
java -jar "${jar}" run -n 2 -J-Daeroshmem.latency.record=true -J-Daeroshmem.operations.record=true \
  -J-Daeroshmem.latency.dir="${work}/latencies" -cp "${work}/classes" DashboardJob > "${work}/job.log" 2>&1 &
pids+=($!)
prometheus --config.file="${work}/prometheus.yaml" --storage.tsdb.path="${work}/data" \
  --web.listen-address="127.0.0.1:${prometheus_port}" > "${work}/prometheus.log" 2>&1 &
pids+=($!)

mapfile -t queries < <(sed -nE 's/^ *"expr": "(.*)",?$/\1/p' deploy/grafana/aeroshmem.json |
  sed 's/\\"/"/g; s/\$job/.+/g; s/\$__rate_interval/10s/g')
((${#queries[@]} > 30)) || fail "only ${#queries[@]} queries were read"
until [[ "$(query 'count(rate(aeroshmem_latency_seconds_count{operation="barrier"}[10s]) > 0)')" == *'=> 2 '* ]]; do
  ((SECONDS < deadline)) || fail "Prometheus has no latencies of both PEs"
  sleep 0.5
done
for each in "${queries[@]}"; do
  [[ -n "$(query "${each}")" ]] || fail "nothing is returned by ${each}"
done
echo "check-dashboard: Prometheus returns something for each of the ${#queries[@]} queries of the dashboard"
