#!/usr/bin/env bash
# redis.sh install | start FOLDER | stop FOLDER
. "$(dirname "$0")/common.sh"

case "${1:-}" in
install)
  command -v redis-server >/dev/null || install_debian redis-server
  ;;
start)
  folder=$(realpath -m "$2")
  command -v redis-server >/dev/null || fail 'Redis is not installed: run scripts/servers/redis.sh install.'
  port=$(free_port)
  password=$(new_password)
  make_folder "$folder"
  launch "$folder" redis-server --bind 127.0.0.1 --port "$port" --dir "$folder" --save '' --appendonly no --requirepass "$password"
  wait_for Redis "$folder" accepts "$port"
  echo "export TEST_CACHE_URL='redis://default:$password@127.0.0.1:$port'"
  ;;
stop) stop_server "$2" TERM ;;
*) fail 'Usage: redis.sh install | start FOLDER | stop FOLDER' ;;
esac
