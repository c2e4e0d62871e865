#!/usr/bin/env bash
#
# Builds the documentation as HTML, and checks it in a browser: links, search, console, pictures, and widths of 360 and 500 px.
# Needs Chromium and npm, which loads Playwright at the first time; without them it says so and ends.
#
#   config/check-site.sh [site]    a site that docs/build-site.sh has built
#
set -euo pipefail

cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.."
playwright=1.65.1
tools=target/check-site

for tool in node npm; do
  command -v "${tool}" > /dev/null || { echo "check-site: not run, as there is no ${tool}"; exit; }
done
browser="$(command -v chromium || command -v google-chrome || true)"
[[ -n "${browser}" ]] || { echo "check-site: not run, as there is no chromium"; exit; }

site="${1:-target/site}"
(($# > 0)) || docs/build-site.sh "${site}"
if [[ ! -d "${tools}/node_modules/playwright-core" ]]; then
  mkdir -p "${tools}"
  echo '{"private": true}' > "${tools}/package.json"
  (cd "${tools}" && PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD=1 npm install --silent --no-audit --no-fund --save-exact "playwright-core@${playwright}")
fi
# Modules are found beside the script.
cp config/check-site.mjs "${tools}/"
node "${tools}/check-site.mjs" "${site}" "${browser}"
