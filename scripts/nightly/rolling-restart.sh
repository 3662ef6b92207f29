#!/usr/bin/env bash
# rolling-restart.sh: restarts every process of a platform REPEATS times (20) under RESTART_RATE requests a second (300), one of them
# in ten five seconds long; fails when one request fails. Needs the servers and HAProxy of scripts/servers.
set -euo pipefail
cd "$(dirname "$0")/../.."

scripts/servers/haproxy.sh install
. scripts/nightly/with-servers.sh
with_servers postgres nats redis

export NIGHTLY=1 REQUIRE_SERVERS=1 REPEATS="${REPEATS:-20}" RESTART_RATE="${RESTART_RATE:-300}"
node scripts/test.mjs --project e2e-alone e2e/nightly/rolling-restart.test.ts
