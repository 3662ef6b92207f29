#!/usr/bin/env bash
# upgrade.sh: rolls eight processes from the version of e2e/fixtures/previous-version (or the commit UPGRADE_FROM) to this one and back,
# under UPGRADE_RATE (100) requests a second and kills; fails when one request fails or one event is lost. Needs the history of the
# repository, and two cores that do nothing else.
set -euo pipefail
cd "$(dirname "$0")/../.."

. scripts/nightly/with-servers.sh
with_servers postgres nats redis

export NIGHTLY=1 REQUIRE_SERVERS=1
node scripts/test.mjs --project e2e-alone e2e/nightly/upgrade.test.ts
