#!/usr/bin/env bash
# kubeconform.sh install | program | definitions: checks manifests against what versions of Kubernetes accept. `definitions`
# prints files, one a line: "kubernetes <version> <its OpenAPI>", and "resource <file>" of what operators add to a cluster.
. "$(dirname "$0")/common.sh"

version=v0.8.0
kubernetes='v1.33.13 v1.35.4 v1.37.2'
# What the chart may make objects of.
resources='github.com/cloudnative-pg/cloudnative-pg@v1.27.0/config/crd/bases/postgresql.cnpg.io_clusters.yaml
github.com/prometheus-operator/prometheus-operator@v0.85.0/example/prometheus-operator-crd/monitoring.coreos.com_servicemonitors.yaml
github.com/prometheus-operator/prometheus-operator@v0.85.0/example/prometheus-operator-crd/monitoring.coreos.com_prometheusrules.yaml
sigs.k8s.io/gateway-api@v1.6.3/config/crd/standard/gateway.networking.k8s.io_httproutes.yaml
github.com/external-secrets/external-secrets@v1.3.2/config/crds/bases/external-secrets.io_externalsecrets.yaml'

program() {
  local own
  own=$(go_bin)/kubeconform || return 1
  [ -x "$own" ] && go version -m "$own" | grep -q "yannh/kubeconform[[:space:]]*$version" && echo "$own"
}

# fetch MODULE@VERSION: the source of a Go module, without what it needs itself.
fetch() {
  (cd / && go mod download "$1" >&2) ||
    fail "The Go module $1 could not be had: check the network of this machine and its Go proxy."
}

definitions() {
  local cache one
  cache=$(go env GOMODCACHE)
  for one in $kubernetes; do echo "kubernetes ${one#v} $cache/k8s.io/kubernetes@$one/api/openapi-spec/swagger.json"; done
  for one in $resources; do echo "resource $cache/$one"; done
}

case "${1:-}" in
install)
  has_recent_go || fail 'kubeconform is built from its Go module: install Go 1.26 or newer.'
  program >/dev/null || go install "github.com/yannh/kubeconform/cmd/kubeconform@$version" >&2 ||
    fail 'kubeconform could not be built: check the network of this machine and its Go proxy.'
  for one in $kubernetes; do fetch "k8s.io/kubernetes@$one"; done
  for one in $resources; do fetch "$(echo "$one" | grep -o '^[^@]*@[^/]*')"; done
  ;;
program) program || fail 'kubeconform is not installed: run scripts/servers/kubeconform.sh install.' ;;
definitions) definitions ;;
*) fail 'Usage: kubeconform.sh install | program | definitions' ;;
esac
