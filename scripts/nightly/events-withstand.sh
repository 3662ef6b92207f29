#!/usr/bin/env bash
# events-withstand.sh: kills processes of the events service one after the other for KILL_SECONDS (120) under 100 events a second, and
# then, as every CI run does, each server it needs; fails when an accepted event is lost or doubled, or is answered late. Takes some ten
# minutes. Needs the servers of scripts/servers and a Java for OpenSearch.
set -euo pipefail
cd "$(dirname "$0")/../.."

servers=(postgres nats redis opensearch)
folder=$(mktemp -d)
chmod 755 "$folder"
stop() {
  for server in "${servers[@]}"; do scripts/servers/"$server".sh stop "$folder/$server" || true; done
  rm -rf "$folder"
}
trap stop EXIT

for server in "${servers[@]}"; do scripts/servers/"$server".sh install; done
for server in "${servers[@]}"; do
  scripts/servers/"$server".sh start "$folder/$server" >"$folder/$server.env"
  # shellcheck source=/dev/null
  . "$folder/$server.env"
done

export REQUIRE_SERVERS=1 KILL_SECONDS="${KILL_SECONDS:-120}"
node_modules/.bin/node node_modules/vitest/vitest.mjs run --project e2e e2e/events-withstand.test.ts "$@"
