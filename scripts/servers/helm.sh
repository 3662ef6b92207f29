#!/usr/bin/env bash
# helm.sh install | program: built from its Go module, which takes some minutes the first time; `program` prints where it is
. "$(dirname "$0")/common.sh"

version=v3.22.0

program() {
  local own
  own=$(go_bin)/helm || return 1
  [ -x "$own" ] && go version -m "$own" | grep -q "helm.sh/helm/v3[[:space:]]*$version" && echo "$own"
}

case "${1:-}" in
install)
  has_recent_go || fail 'Helm is built from its Go module: install Go 1.26 or newer.'
  program >/dev/null || go install "helm.sh/helm/v3/cmd/helm@$version" >&2 ||
    fail 'Helm could not be built: check the network of this machine and its Go proxy.'
  ;;
program) program || fail 'Helm is not installed: run scripts/servers/helm.sh install.' ;;
*) fail 'Usage: helm.sh install | program' ;;
esac
