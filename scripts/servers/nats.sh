#!/usr/bin/env bash
# nats.sh install | start FOLDER | stop FOLDER
. "$(dirname "$0")/common.sh"

version=v2.15.2

# Ours, else whatever the machine has.
program() {
  local own
  own=$(go_bin)/nats-server || own=
  if [ -x "$own" ]; then echo "$own"; else command -v nats-server; fi
}

install_nats() {
  local found
  if found=$(program) && "$found" --version | grep -q "$version"; then return; fi
  if has_recent_go && go install "github.com/nats-io/nats-server/v2@$version" >/dev/null 2>&1; then return; fi
  if [ -n "$found" ]; then return; fi
  install_debian nats-server
}

case "${1:-}" in
install) install_nats ;;
start)
  folder=$(realpath -m "$2")
  found=$(program) || fail 'NATS is not installed: run scripts/servers/nats.sh install.'
  port=$(free_port)
  password=$(new_password)
  make_folder "$folder"
  # A copy, because the home directory it was installed into may be closed to an unprivileged user.
  install -m 755 "$found" "$folder/nats-server"
  launch "$folder" "$folder/nats-server" -js -sd "$folder/data" -a 127.0.0.1 -p "$port" --user platform --pass "$password"
  wait_for NATS "$folder" accepts "$port"
  echo "export TEST_BROKER_URL='nats://platform:$password@127.0.0.1:$port'"
  echo "export NATS_SERVER='$found'"
  ;;
stop) stop_server "$2" INT ;;
*) fail 'Usage: nats.sh install | start FOLDER | stop FOLDER' ;;
esac
