#!/usr/bin/env bash
# compose.sh: brings deploy/compose/platform.yaml up on a real engine, with nothing set and in a project of its own, and does to it what
# happens to a platform: kills, restarts, scaling, rolling replacement, down and up, under 20 requests a second; then runs the end-to-end
# tests that need no platform of their own against it. Prints what it measured. Takes about fifteen minutes.
#
# Needs Docker 25 or newer with Compose 2.24 on this machine, and the right to kill processes of containers. PLATFORM_VERSION names
# images that are there (then nothing is built); POSTGRES_IMAGE and the like name others; KEEP=1 leaves the platform as it is;
# COMPOSE_SETTINGS is a file of further settings for Compose, READY_SECONDS (20) and OUTAGE_SECONDS (3) are what is allowed.
set -euo pipefail
cd "$(dirname "$0")/../.."

if ! docker compose version >/dev/null 2>&1; then
  echo 'SKIPPED: there is no Docker engine with Compose.'
  [ "${REQUIRE_SERVERS:-}" != 1 ]
  exit
fi
if [ -e deploy/compose/platform.env ] || [ -e deploy/compose/functions.env ] || [ -e deploy/compose/.env ]; then
  echo 'Move platform.env, functions.env and .env of deploy/compose away: this is about a platform without them.' >&2
  exit 1
fi
[ -n "${PLATFORM_VERSION:-}" ] || docker compose -f deploy/compose/platform.yaml --profile functions build

export COMPOSE_PROJECT="${COMPOSE_PROJECT:-platform-nightly}" NIGHTLY=1 COMPOSE_PLATFORM=1
node scripts/test.mjs --project e2e-alone e2e/nightly/compose.test.ts "$@"

# The end-to-end tests, against a platform with their administrator and key, and without limits.
settings=$(mktemp --suffix .yaml)
trap 'docker compose -p "$COMPOSE_PROJECT" -f deploy/compose/platform.yaml down -v >/dev/null 2>&1; rm -f "$settings"' EXIT
node_modules/.bin/node e2e/support/deployed-settings.ts >"$settings"
PUBLISHED_PORT=${E2E_PORT:-3799}
export PUBLISHED_PORT
docker compose -p "$COMPOSE_PROJECT" -f deploy/compose/platform.yaml -f "$settings" up -d --wait --no-build
E2E_ORIGIN=http://localhost:$PUBLISHED_PORT node scripts/test.mjs --project e2e e2e/main-job.test.ts e2e/api-description.test.ts \
  e2e/scopes.test.ts e2e/event-search.test.ts e2e/saved-automations.test.ts e2e/client.test.ts
