#!/usr/bin/env bash
# rolling-restart.sh: restarts every process of a platform REPEATS times (20) under RESTART_RATE requests a second (300), one of them
# in ten five seconds long; fails when one request fails. Needs the servers and HAProxy of scripts/servers.
set -euo pipefail
cd "$(dirname "$0")/../.."

servers=(postgres nats redis)
folder=$(mktemp -d)
chmod 755 "$folder"
stop() {
  for server in "${servers[@]}"; do scripts/servers/"$server".sh stop "$folder/$server" || true; done
  rm -rf "$folder"
}
trap stop EXIT

for server in "${servers[@]}" haproxy; do scripts/servers/"$server".sh install; done
for server in "${servers[@]}"; do eval "$(scripts/servers/"$server".sh start "$folder/$server")"; done

export REQUIRE_SERVERS=1 REPEATS="${REPEATS:-20}" RESTART_RATE="${RESTART_RATE:-300}"
node_modules/.bin/node node_modules/vitest/vitest.mjs run --project e2e e2e/rolling-restart.test.ts
