#!/usr/bin/env bash
#
# Checks main sources, messages and documentation for words that are not terms of the field; CONTRIBUTING.md names the terms.
# With arguments, checks these files only.
#
set -uo pipefail

cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.." || exit 1

words='tell|tells|told|stranger|strangers|liar|liars|lied|farewell|verdict|verdicts|whoever|amid|gives up|who does|what cannot|for ever|in peace|one that is none|which there is not|between two looks'

files=("$@")
if ((${#files[@]} == 0)); then
  mapfile -t files < <(
    find README.md CONTRIBUTING.md CHANGELOG.md SECURITY.md docs aeroshmem .ci pom.xml ./*/pom.xml ./*/src/main -type f)
fi

if grep -nEiw -- "${words}" "${files[@]}"; then
  echo "The words above are not terms of the field; CONTRIBUTING.md names the terms."
  exit 1
fi
