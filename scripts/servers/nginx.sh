#!/usr/bin/env bash
# nginx.sh install | start FOLDER HOST:PORT... | stop FOLDER: in front of one or more gateways
. "$(dirname "$0")/common.sh"

# Connections to the gateways are shared by all clients, and bodies are passed on as they come: what one client says must not
# be taken for another's.
configuration() {
  local port=$1 folder=$2 address
  cat <<END
daemon off;
worker_processes 1;
pid $folder/nginx.pid;
error_log stderr warn;
events { worker_connections 1024; }
http {
  access_log off;
  client_body_temp_path $folder/body;
  proxy_temp_path $folder/proxy;
  fastcgi_temp_path $folder/fastcgi;
  uwsgi_temp_path $folder/uwsgi;
  scgi_temp_path $folder/scgi;
  upstream gateways {
    keepalive 16;
END
  for address in "${@:3}"; do echo "    server $address;"; done
  cat <<END
  }
  server {
    listen 127.0.0.1:$port;
    client_max_body_size 0;
    location / {
      proxy_pass http://gateways;
      proxy_http_version 1.1;
      proxy_set_header Connection "";
      proxy_set_header Host \$http_host;
      proxy_set_header X-Forwarded-For \$proxy_add_x_forwarded_for;
      proxy_request_buffering off;
      proxy_buffering off;
    }
  }
}
END
}

case "${1:-}" in
install)
  command -v nginx >/dev/null || [ -x /usr/sbin/nginx ] || install_debian nginx-light
  ;;
start)
  [ $# -ge 3 ] || fail 'Name at least one gateway as HOST:PORT.'
  folder=$(realpath -m "$2")
  program=$(command -v nginx || echo /usr/sbin/nginx)
  [ -x "$program" ] || fail 'nginx is not installed: run scripts/servers/nginx.sh install.'
  port=$(free_port)
  make_folder "$folder"
  configuration "$port" "$folder" "${@:3}" >"$folder/nginx.conf"
  chmod 644 "$folder/nginx.conf"
  launch "$folder" "$program" -p "$folder" -c "$folder/nginx.conf" -e stderr
  wait_for nginx "$folder" accepts "$port"
  echo "export TEST_PROXY_URL='http://127.0.0.1:$port'"
  ;;
stop) stop_server "$2" TERM ;;
*) fail 'Usage: nginx.sh install | start FOLDER HOST:PORT... | stop FOLDER' ;;
esac
