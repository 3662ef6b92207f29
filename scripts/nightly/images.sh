#!/usr/bin/env bash
# images.sh: builds every image from a checkout in which secrets were planted, and fails when one is in a layer, when an
# image is larger than its budget, runs as root or holds what nobody runs; then runs all in one. REBUILD_MS and READY_MS
# (10000) are the longest a changed source file may take to be built, and all in one to be ready. Needs a Docker engine,
# 25 or newer, with compose; left out where none answers.
set -euo pipefail
cd "$(dirname "$0")/../.."

if ! docker compose version >/dev/null 2>&1 || ! docker info >/dev/null 2>&1; then
  echo 'SKIPPED: no Docker engine with compose answers (DOCKER_HOST).'
  exit 0
fi

apps=(all-in-one api-gateway events functions runtime workspaces)
base=${NODE_IMAGE:-node:24-bookworm-slim}
version=nightly-$$
export PLATFORM_VERSION=$version READY_MS=${READY_MS:-10000}
work=$(mktemp -d)
planted="planted-secret-$(od -An -N12 -tx1 /dev/urandom | tr -d ' \n')"

clean_up() {
  rm -rf "$work"
  for app in planted "${apps[@]}"; do docker image rm --force "platform/$app:$version" >/dev/null 2>&1 || true; done
}
trap clean_up EXIT

fail() {
  echo "FAILED: $*" >&2
  exit 1
}

# What is committed and changed here, and beside it what people leave in a checkout.
checkout() {
  mkdir "$work/checkout"
  git ls-files -z --cached --others --exclude-standard |
    tar -c --null --ignore-failed-read -T - 2>/dev/null | tar -x -C "$work/checkout"
  local file
  for file in .env .env.production .npmrc id_rsa deploy/compose/.env deploy/compose/all-in-one.env apps/runtime/.npmrc \
    apps/api-gateway/src/signing-key.pem packages/audit/migrations/.env packages/audit/migrations/private.key \
    packages/audit/src/private-key.ts deploy/images/.env .data/secrets.env dist/all-in-one/secret.js; do
    mkdir -p "$work/checkout/$(dirname "$file")"
    echo "$planted" >>"$work/checkout/$file"
  done
}

build() {
  docker build --quiet --file "$work/checkout/deploy/images/Dockerfile" --tag "platform/$1:$version" \
    --build-arg "APP=$1" --build-arg "NODE_IMAGE=$base" "$work/checkout" >/dev/null
}

# holds_planted IMAGE: looks into every layer, also at what a later one hides, and into the configuration.
holds_planted() {
  local blob found=1
  mkdir "$work/image"
  docker save "$1" | tar -x -C "$work/image"
  while read -r blob; do
    # Counted, not stopped at the first: a pipe that is closed early would look like a failure to find it.
    if { gzip -cdq "$blob" 2>/dev/null || cat "$blob"; } | grep -caF "$planted" >/dev/null; then found=0; fi
  done < <(find "$work/image" -type f)
  rm -rf "$work/image"
  return "$found"
}

look_into() {
  local image=platform/$1:$version files wrong story
  if holds_planted "$image"; then fail "$image holds a planted secret"; fi

  files=$(docker run --rm --network none --entrypoint find "$image" /platform /data -type f)
  wrong=$(grep -E '\.(ts|map|a)$|\.test\.|/\.env|npmrc|\.pem$|\.key$' <<<"$files" || true)
  [ -z "$wrong" ] || fail "$image holds what nobody runs: $wrong"
  if [ "$1" != all-in-one ] && grep -q node_modules <<<"$files"; then fail "$image holds node_modules"; fi

  [ "$(docker image inspect -f '{{.Config.User}}' "$image")" = 1000:1000 ] || fail "$image names no user by number"
  [ "$(docker image inspect -f '{{len .Config.Volumes}}' "$image")" = 0 ] || fail "$image leaves volumes behind"
  docker run --rm --network none --read-only --cap-drop ALL --entrypoint ops "$image" --help >/dev/null ||
    fail "ops does not run in $image"
  # Python and isolated-vm are no part of a bundle: both must be found, load, and do without a disk to write to.
  for story in language-model-proxy order-with-payment signed-webhook; do
    docker run --rm --network none --read-only --tmpfs /tmp --cap-drop ALL --entrypoint ops \
      --volume "$work/checkout/docs/examples:/examples:ro" "$image" automations test "/examples/$story" >"$work/tested" 2>&1 ||
      fail "the tests of docs/examples/$story fail in $image: $(cat "$work/tested")"
  done
}

# size_of IMAGE: bytes, unpacked.
size_of() {
  docker image inspect -f '{{.Size}}' "$1"
}

checkout
docker image inspect "$base" >/dev/null 2>&1 || docker pull --quiet "$base" >/dev/null
printf '%-12s %10s %10s %10s\n' IMAGE 'OVER BASE' BUDGET BUILT
for app in "${apps[@]}"; do
  budget=40
  if [ "$app" = all-in-one ]; then budget=110; fi
  before=$(date +%s%N)
  build "$app"
  over=$((($(size_of "platform/$app:$version") - $(size_of "$base") + 999999) / 1000000))
  printf '%-12s %7s MB %7s MB %7s s\n' "$app" "$over" "$budget" $((($(date +%s%N) - before) / 1000000000))
  [ "$over" -le "$budget" ] || fail "platform/$app is $over MB over its base, its budget is $budget MB"
  look_into "$app"
done

# The look itself is held to a secret that a later layer hides.
printf 'FROM %s\nUSER 0\nRUN echo %s >/secret\nRUN rm /secret\n' "platform/workspaces:$version" "$planted" |
  docker build --quiet --tag "platform/planted:$version" - >/dev/null
holds_planted "platform/planted:$version" || fail 'a secret that was planted into an image is not found'

echo '// A line more.' >>"$work/checkout/apps/all-in-one/src/main.ts"
before=$(date +%s%N)
build all-in-one
took=$((($(date +%s%N) - before) / 1000000))
echo "A changed source file is built in $took ms."
[ "$took" -le "${REBUILD_MS:-10000}" ] || fail "a changed source file takes $took ms to build, not ${REBUILD_MS:-10000}"

NIGHTLY=1 node scripts/test.mjs --project e2e-alone e2e/nightly/all-in-one-container.test.ts
