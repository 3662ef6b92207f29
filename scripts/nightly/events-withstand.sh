#!/usr/bin/env bash
# events-withstand.sh: kills processes of the events service one after the other for KILL_SECONDS (120) under 100 events a second, and
# then each server it needs; fails when an accepted event is lost or doubled, or is answered late. Takes some ten minutes. Needs the
# servers of scripts/servers and a Java for OpenSearch.
set -euo pipefail
cd "$(dirname "$0")/../.."

. scripts/nightly/with-servers.sh
with_servers postgres nats redis opensearch

export NIGHTLY=1 REQUIRE_SERVERS=1 KILL_SECONDS="${KILL_SECONDS:-120}"
node scripts/test.mjs --project e2e-alone e2e/nightly/events-withstand.test.ts "$@"
