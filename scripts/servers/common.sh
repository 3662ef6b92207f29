# Shared by the scripts of this folder, which start real servers for the tests: each on a free loopback port, as an
# unprivileged user, with all its data in one folder. `start FOLDER` prints the variable that the tests read.

set -euo pipefail

fail() {
  echo "$1" >&2
  exit 1
}

# The port is free now; a server that finds it taken a moment later fails to start and says so.
# Below what systems lend to outgoing connections: what is free here stays so until it is listened on.
free_port() {
  node -e "
    const choose = () => {
      const port = require('node:crypto').randomInt(10_240, 32_768)
      const server = require('node:net').createServer().once('error', choose)
      server.listen(port, '127.0.0.1', () => server.close(() => console.log(port)))
    }
    choose()"
}

new_password() {
  node -p "require('node:crypto').randomBytes(18).toString('base64url')"
}

# PostgreSQL refuses to run as root, and nothing here needs it.
unprivileged=()
if [ "$(id -u)" = 0 ]; then
  unprivileged=(setpriv --reuid=nobody --regid=nogroup --clear-groups env HOME=/nonexistent)
fi

make_folder() {
  mkdir -p "$1"
  if [ "$(id -u)" = 0 ]; then chown nobody:nogroup "$1"; fi
  chmod 700 "$1"
}

# launch FOLDER COMMAND...: in the background, its output in FOLDER/log, its process id in FOLDER/pid.
launch() {
  local folder=$1
  shift
  # From the root directory: the one we were called in may be closed to the unprivileged user.
  (cd / && exec "${unprivileged[@]}" setsid sh -c 'echo $$ >"$0/pid"; exec "$@" >"$0/log" 2>&1 </dev/null' "$folder" "$@") &
}

# wait_for NAME FOLDER COMMAND...: until the command succeeds, at most 20 seconds, or as many as wait_seconds says.
wait_for() {
  local name=$1 folder=$2
  shift 2
  for _ in $(seq $((${wait_seconds:-20} * 10))); do
    if "$@" >/dev/null 2>&1; then return; fi
    sleep 0.1
  done
  tail -n 5 "$folder/log" >&2 || true
  stop_server "$folder" TERM
  fail "$name did not start within ${wait_seconds:-20} seconds."
}

# Ended, but not yet noticed by its parent, is not running.
is_running() {
  grep -qs '^State:[[:space:]]*[^Z[:space:]]' "/proc/$1/status"
}

# stop_server FOLDER SIGNAL: asks, waits ten seconds, then kills.
stop_server() {
  local pid
  pid=$(cat "$1/pid" 2>/dev/null) || return 0
  kill "-$2" "$pid" 2>/dev/null || true
  for _ in $(seq 100); do
    is_running "$pid" || break
    sleep 0.1
  done
  kill -KILL "$pid" 2>/dev/null || true
  rm -f "$1/pid"
}

accepts() {
  (exec 3<>"/dev/tcp/127.0.0.1/$1")
}

# Installs Debian packages without starting the daemons they bring. A first failure is often the network: one more try.
install_debian() {
  [ "$(id -u)" = 0 ] || fail "Missing: $*. Ask an administrator to install these packages."
  local policy=/usr/sbin/policy-rc.d log ours=
  log=$(mktemp)
  if [ ! -e "$policy" ]; then
    printf '#!/bin/sh\nexit 101\n' >"$policy"
    chmod +x "$policy"
    ours=1
  fi
  local status=0
  apt_install "$@" >"$log" 2>&1 </dev/null || { sleep 5 && apt_install "$@" >>"$log" 2>&1 </dev/null; } || status=1
  if [ -n "$ours" ]; then rm -f "$policy"; fi
  rm -f "$log"
  [ "$status" = 0 ] || fail "The packages $* could not be installed: check the network of this machine and its package sources."
}

apt_install() {
  export DEBIAN_FRONTEND=noninteractive
  apt-get update -qq && apt-get install -y -qq --no-install-recommends "$@"
}

# Where programs go that are built from Go modules.
go_bin() {
  command -v go >/dev/null || return 1
  local found
  found=$(go env GOBIN)
  echo "${found:-$(go env GOPATH)/bin}"
}

has_recent_go() {
  command -v go >/dev/null && [ "$(printf '%s\n' go1.26 "$(go env GOVERSION)" | sort -V | head -n 1)" = go1.26 ]
}
