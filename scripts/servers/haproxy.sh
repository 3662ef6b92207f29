#!/usr/bin/env bash
# haproxy.sh install | start FOLDER HOST:PORT... | stop FOLDER: in front of one or more gateways
. "$(dirname "$0")/common.sh"

# Connections to the gateways are shared by all clients: what one client says must not be taken for another's.
configuration() {
  local number=0 address
  cat <<END
global
  maxconn 2000
defaults
  mode http
  timeout connect 2s
  timeout client 75s
  timeout server 75s
  timeout check 3s
  http-reuse always
  option httpchk GET /sys/readyz
  default-server check inter 500ms fall 3 rise 1
  retries 2
frontend edge
  bind 127.0.0.1:$1
  default_backend gateways
backend gateways
  option forwardfor
END
  for address in "${@:2}"; do
    number=$((number + 1))
    echo "  server gateway$number $address"
  done
}

case "${1:-}" in
install)
  command -v haproxy >/dev/null || install_debian haproxy
  ;;
start)
  [ $# -ge 3 ] || fail 'Name at least one gateway as HOST:PORT.'
  folder=$(realpath -m "$2")
  command -v haproxy >/dev/null || fail 'HAProxy is not installed: run scripts/servers/haproxy.sh install.'
  port=$(free_port)
  make_folder "$folder"
  configuration "$port" "${@:3}" >"$folder/haproxy.cfg"
  chmod 644 "$folder/haproxy.cfg"
  launch "$folder" "$(command -v haproxy)" -db -f "$folder/haproxy.cfg"
  wait_for HAProxy "$folder" accepts "$port"
  echo "export TEST_PROXY_URL='http://127.0.0.1:$port'"
  ;;
stop) stop_server "$2" TERM ;;
*) fail 'Usage: haproxy.sh install | start FOLDER HOST:PORT... | stop FOLDER' ;;
esac
