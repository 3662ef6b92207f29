#!/usr/bin/env bash
# kube-apiserver.sh install | start FOLDER | stop FOLDER: the API of a cluster with its store and its controllers, and without
# nodes: what is installed there is checked, rolled out and scaled, but no container runs. The first `install` builds it from
# the Go modules that kubernetes/go.mod pins, which takes a quarter of an hour.
. "$(dirname "$0")/common.sh"

sources=$(realpath "$(dirname "$0")")/kubernetes
version=$(sed -n 's/.*k8s.io\/kubernetes \(v[0-9.]*\).*/\1/p' "$sources/go.mod" | head -n 1)
bin="${XDG_CACHE_HOME:-${HOME:-/tmp}/.cache}/platform-kubernetes-$version"

build() {
  local name=${1##*/}
  if [ "$name" = v3 ]; then name=etcd; fi
  [ -x "$bin/$name" ] && return
  (cd "$sources" && go build -trimpath -ldflags "-s -w -X k8s.io/component-base/version.gitVersion=$version" \
    -o "$bin/$name.new" "$1" >&2) || fail "$name could not be built: check the network of this machine and its Go proxy."
  mv "$bin/$name.new" "$bin/$name"
}

install_cluster() {
  has_recent_go || fail 'Kubernetes is built from its Go modules: install Go 1.26 or newer.'
  mkdir -p "$bin"
  local program
  for program in $(sed -n '/^tool (/,/^)/p' "$sources/go.mod" | grep /); do build "$program"; done
}

kubeconfig() {
  cat <<END
apiVersion: v1
kind: Config
clusters: [{ name: test, cluster: { server: "https://127.0.0.1:$1", certificate-authority: $2/certificates/apiserver.crt } }]
users: [{ name: test, user: { token: $3 } }]
contexts: [{ name: test, context: { cluster: test, user: test, namespace: default } }]
current-context: test
END
}

is_ready() {
  curl -fsS --max-time 2 --cacert "$1/certificates/apiserver.crt" "https://127.0.0.1:$2/readyz"
}

# program FOLDER NAME ARGUMENTS...: started in a folder of its own, from a copy that an unprivileged user may read.
program() {
  local folder=$1/$2 name=$2
  make_folder "$folder"
  install -m 755 "$bin/$name" "$folder/$name"
  launch "$folder" "$folder/$name" "${@:3}"
}

start_cluster() {
  local folder=$1 store peers port token
  [ -x "$bin/kube-controller-manager" ] || fail 'Kubernetes is not installed: run scripts/servers/kube-apiserver.sh install.'
  make_folder "$folder"
  make_folder "$folder/certificates"
  store=$(free_port) peers=$(free_port) port=$(free_port) token=$(new_password)
  echo "$token,test,test,system:masters" >"$folder/tokens"
  openssl genrsa -out "$folder/accounts.key" 2048 2>/dev/null
  kubeconfig "$port" "$folder" "$token" >"$folder/kubeconfig"
  if [ "$(id -u)" = 0 ]; then chown nobody:nogroup "$folder"/{tokens,accounts.key,kubeconfig}; fi
  program "$folder" etcd --data-dir "$folder/data" --unsafe-no-fsync --log-level warn \
    --listen-client-urls "http://127.0.0.1:$store" --advertise-client-urls "http://127.0.0.1:$store" \
    --listen-peer-urls "http://127.0.0.1:$peers" --initial-advertise-peer-urls "http://127.0.0.1:$peers" \
    --initial-cluster "default=http://127.0.0.1:$peers"
  program "$folder" kube-apiserver --etcd-servers "http://127.0.0.1:$store" --cert-dir "$folder/certificates" \
    --bind-address 127.0.0.1 --secure-port "$port" --token-auth-file "$folder/tokens" --authorization-mode RBAC \
    --service-account-issuer https://kubernetes.default.svc --service-account-key-file "$folder/accounts.key" \
    --service-account-signing-key-file "$folder/accounts.key" --service-cluster-ip-range 10.96.0.0/16
  wait_seconds=120 wait_for 'The API server' "$folder/kube-apiserver" is_ready "$folder" "$port"
  program "$folder" kube-controller-manager --kubeconfig "$folder/kubeconfig" --leader-elect=false --bind-address 127.0.0.1 \
    --secure-port "$(free_port)" --cert-dir "$folder/certificates" --service-account-private-key-file "$folder/accounts.key"
  echo "export TEST_KUBECONFIG='$folder/kubeconfig'"
}

stop_cluster() {
  local name
  for name in kube-controller-manager kube-apiserver etcd; do stop_server "$1/$name" TERM; done
}

case "${1:-}" in
install) install_cluster ;;
start) start_cluster "$(realpath -m "$2")" ;;
stop) stop_cluster "$2" ;;
*) fail 'Usage: kube-apiserver.sh install | start FOLDER | stop FOLDER' ;;
esac
