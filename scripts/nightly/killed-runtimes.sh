#!/usr/bin/env bash
# killed-runtimes.sh: kills one of three runtimes KILLS times (200) while KILLED_RUNS_RATE (100) runs a second emit, ask outside, wait, call
# and catch, and stops one for STOPPED_MS (a minute); fails when one run is lost, ends twice or does something twice.
set -euo pipefail
cd "$(dirname "$0")/../.."

. scripts/nightly/with-servers.sh
with_servers postgres nats redis

export NIGHTLY=1 REQUIRE_SERVERS=1 KILLS="${KILLS:-200}" KILLED_RUNS_RATE="${KILLED_RUNS_RATE:-100}" STOPPED_MS="${STOPPED_MS:-60000}"
node scripts/test.mjs --project e2e-alone e2e/nightly/killed-runtimes.test.ts
