#!/usr/bin/env bash
# scale-out.sh: from one instance of each service behind the gateway to three, found by their names, and back, under SCALE_RATE (100)
# requests a second; fails when one request fails.
set -euo pipefail
cd "$(dirname "$0")/../.."

. scripts/nightly/with-servers.sh
with_servers postgres nats redis

export NIGHTLY=1 REQUIRE_SERVERS=1
node scripts/test.mjs --project e2e-alone e2e/nightly/scale-out.test.ts
