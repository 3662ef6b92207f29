#!/usr/bin/env bash
# build-version.sh COMMIT FOLDER: puts the sources of a commit into FOLDER and makes its bundles in FOLDER/dist.
set -euo pipefail
cd "$(dirname "$0")/../../.."

commit=$1
folder=$(realpath -m "$2")
if ! git cat-file -e "$commit^{commit}" 2>/dev/null; then
  echo "The history here does not have the commit $commit: a shallow clone gets it by git fetch --unshallow." >&2
  exit 3
fi
mkdir -p "$folder"
git archive "$commit" | tar -x -C "$folder"
cd "$folder"
pnpm=$(sed -n 's/.*"packageManager": "\([^"]*\)".*/\1/p' package.json)
CI=true npx --yes --prefer-offline "$pnpm" install --frozen-lockfile --prefer-offline >/dev/null
node_modules/.bin/node scripts/bundle.ts >/dev/null
