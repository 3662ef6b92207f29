# with_servers NAME...: installs and starts servers of scripts/servers and exports their addresses; they stop when the script ends.

with_servers() {
  server_folder=$(mktemp -d)
  chmod 755 "$server_folder"
  server_names=("$@")
  trap stop_servers EXIT
  local name
  for name in "$@"; do scripts/servers/"$name".sh install || exit 1; done
  for name in "$@"; do
    scripts/servers/"$name".sh start "$server_folder/$name" >"$server_folder/$name.env" || exit 1
    # shellcheck source=/dev/null
    . "$server_folder/$name.env"
  done
}

stop_servers() {
  local name
  for name in "${server_names[@]}"; do scripts/servers/"$name".sh stop "$server_folder/$name" || true; done
  rm -rf "$server_folder"
}
