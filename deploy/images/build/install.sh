#!/bin/sh
# Installs what the lockfile names, with the pnpm that package.json names. A registry of your own and the certificates
# it needs are build secrets and in no layer: docs/operations.md says how they are given.
set -eu
certificates=/run/secrets/certificates
if [ -f "$certificates" ]; then export NODE_EXTRA_CA_CERTS="$certificates" NPM_CONFIG_CAFILE="$certificates"; fi
pnpm=$(node -p 'require("./package.json").packageManager')
export CI=true npm_config_update_notifier=false
exec npx --yes "$pnpm" install --frozen-lockfile --store-dir /var/cache/pnpm --package-import-method copy
