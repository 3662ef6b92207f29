#!/usr/bin/env bash
# postgres.sh install | start FOLDER | stop FOLDER
. "$(dirname "$0")/common.sh"

programs() {
  find /usr/lib/postgresql/*/bin -name initdb -printf '%h\n' 2>/dev/null | sort -V | tail -n 1
}

case "${1:-}" in
install)
  [ -n "$(programs)" ] || install_debian postgresql
  ;;
start)
  folder=$(realpath -m "$2")
  bin=$(programs)
  [ -n "$bin" ] || fail 'PostgreSQL is not installed: run scripts/servers/postgres.sh install.'
  port=$(free_port)
  password=$(new_password)
  make_folder "$folder"
  (umask 077 && printf '%s\n' "$password" >"$folder/password")
  if [ "$(id -u)" = 0 ]; then chown nobody:nogroup "$folder/password"; fi
  (cd / && "${unprivileged[@]}" "$bin/initdb" --pgdata "$folder/data" --username platform --encoding UTF8 \
    --locale C.UTF-8 --auth scram-sha-256 --pwfile "$folder/password" --no-sync >/dev/null)
  rm "$folder/password"
  # Durable as in production: the end-to-end tests kill processes and count what is left.
  launch "$folder" "$bin/postgres" -D "$folder/data" -p "$port" -c listen_addresses=127.0.0.1 \
    -c unix_socket_directories= -c max_connections=300
  wait_for PostgreSQL "$folder" "$bin/pg_isready" -h 127.0.0.1 -p "$port"
  echo "export TEST_DATABASE_URL='postgres://platform:$password@127.0.0.1:$port/postgres'"
  ;;
stop) stop_server "$2" INT ;;
*) fail 'Usage: postgres.sh install | start FOLDER | stop FOLDER' ;;
esac
