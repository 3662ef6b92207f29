#!/usr/bin/env bash
# make-fixture.sh NAME COMMIT: writes e2e/fixtures/NAME: the commit, its migrations, and a dump of a database that it has made and used.
# After a release: make-fixture.sh previous-version <its commit>.
set -euo pipefail
cd "$(dirname "$0")/../../.."

. scripts/nightly/with-servers.sh
with_servers postgres

fixture=e2e/fixtures/$1
commit=$(git rev-parse --verify "$2^{commit}")
mkdir -p "$fixture"
scripts/nightly/upgrade/build-version.sh "$commit" "$server_folder/version"
node_modules/.bin/node e2e/support/use-version.ts "$server_folder/version/dist/all-in-one/main.js"
# Without what a plain connection does not understand, and as inserts: the embedded PostgreSQL has no psql.
pg_dump --no-owner --no-privileges --inserts --rows-per-insert=100 "$TEST_DATABASE_URL" | grep -v '^\\' | gzip -9n >"$fixture/dump.sql.gz"
git ls-tree -r --name-only "$commit" | sed -nE 's#^((apps|packages)/[^/]+/migrations/.*)\.sql$#\1#p' >"$fixture/migrations.txt"
echo "$commit" >"$fixture/commit"
ls -l "$fixture"
