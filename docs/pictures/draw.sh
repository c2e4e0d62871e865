#!/usr/bin/env bash
#
# Draws the pictures of the documentation: each NAME.dot by Graphviz, and the plot of latencies by gnuplot, from the table in
# docs/performance.md. An SVG names the hash of what it was made from, which each build of the site compares.
#
#   docs/pictures/draw.sh            draws what has changed
#   docs/pictures/draw.sh --check    fails if a picture is not that of its source; needs neither Graphviz nor gnuplot
#
set -euo pipefail

cd -- "$(dirname -- "${BASH_SOURCE[0]}")"
work="$(mktemp -d)"
trap 'rm -rf "${work}"' EXIT

# The rows of the first table of the section $1 of performance.md: name, and the columns $2…, separated by tabs.
table()
{
  local section="$1"
  shift
  awk -F ' *[|] *' -v section="## ${section}" -v columns="$*" '
    $0 == section { found = 1; next }
    found && /^[|]/ && row++ > 1 {
      n = split(columns, column, " ")
      line = $2
      for (i = 1; i <= n; i++)
      {
        value = $(column[i] + 1)
        gsub(/ /, "", value)
        line = line "\t" (value == "" ? "?" : value)
      }
      print line
    }
    found && row && !/^[|]/ { exit }' ../performance.md
}

# Writes the data of the plot.
extract_latencies()
{
  printf 'work\tOSHMEM\tAeroSHMEM, JDK 17\tAeroSHMEM, JDK 25\n'
  table "Mapped memory" 2 4 7
}

# Draws the SVG $2 from the source $1.
draw()
{
  case "$1" in
    *.dot) dot -Tsvg "$1" > "$2" ;;
    *) gnuplot -e "data='$1'; output='$2'" latency.gnuplot ;;
  esac
}

hash()
{
  cat "$@" | sha256sum | cut -d ' ' -f 1
}

status=0
extract_latencies > "${work}/latency.tsv"
for name in put modules hosts generations latency; do
  sources=("${name}.dot")
  [[ "${name}" != latency ]] || sources=("${work}/latency.tsv" latency.gnuplot)
  mark="<!-- sha256 of its source: $(hash "${sources[@]}") -->"
  if [[ -f "${name}.svg" && "$(tail -n 1 "${name}.svg")" == "${mark}" ]]; then
    continue
  elif [[ "${1:-}" == --check ]]; then
    echo "docs/pictures/${name}.svg is not that of its source: run docs/pictures/draw.sh" >&2
    status=1
  else
    draw "${sources[0]}" "${work}/${name}.svg"
    { cat "${work}/${name}.svg"; echo "${mark}"; } > "${name}.svg"
    echo "docs/pictures/${name}.svg"
  fi
done
exit "${status}"
