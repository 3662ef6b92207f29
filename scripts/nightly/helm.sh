#!/usr/bin/env bash
# helm.sh: the Helm chart: helm lint and five sets of values, kubeconform against three versions of Kubernetes, what "restricted"
# admits, and install, upgrade, rollback and removal at a real API server with its controllers, without nodes. Takes some minutes,
# and the first time half an hour more, in which Helm and Kubernetes are built from their Go modules.
set -euo pipefail
cd "$(dirname "$0")/../.."

for one in helm kubeconform; do scripts/servers/$one.sh install; done
. scripts/nightly/with-servers.sh
with_servers kube-apiserver

export NIGHTLY=1 REQUIRE_SERVERS=1
node scripts/test.mjs --project e2e-alone e2e/nightly/helm-chart.test.ts e2e/nightly/helm-cluster.test.ts "$@"
