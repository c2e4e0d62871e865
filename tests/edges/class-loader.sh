#!/usr/bin/env bash
#
# A class loader that loaded the library is collected after its PEs are closed, as web containers and OSGi require.
#
set -euo pipefail

jar="$(echo "$(dirname -- "${A}")"/tools/target/aeroshmem-tools-*-all.jar)"
"${JAVA_HOME}/bin/java" -Xmx256m --add-modules jdk.incubator.vector \
  --add-opens java.base/jdk.internal.misc=ALL-UNNAMED --add-opens java.base/sun.nio.ch=ALL-UNNAMED \
  -Dwork="${WORK}" -cp "${CLASSES}" Host "${jar}:${CLASSES}" MAPPED IPC UDP
