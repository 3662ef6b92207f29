#!/usr/bin/env bash
# all.sh: everything that is slow by nature, before a release: all tests with the faults under load, the restarts and the whole matrices
# that npm test samples, a rollout from the version before and back, and the Helm chart in a cluster, then a real Elasticsearch and other
# requests of Schemathesis. Takes about an hour and a half.
set -uo pipefail
cd "$(dirname "$0")/../.."

. scripts/nightly/with-servers.sh
for one in helm kubeconform; do scripts/servers/$one.sh install || exit 1; done
with_servers postgres nats redis opensearch kube-apiserver

export NIGHTLY=1 REQUIRE_SERVERS=1 CI=true
failed=()
run() {
  echo "== $*"
  "$@" || failed+=("$1")
}
run npm test
run scripts/nightly/elasticsearch.sh
run scripts/nightly/schemathesis.sh
run scripts/nightly/images.sh
run scripts/nightly/compose.sh

if [ "${#failed[@]}" -gt 0 ]; then
  echo "Failed: ${failed[*]}."
  exit 1
fi
echo 'Everything passed.'
