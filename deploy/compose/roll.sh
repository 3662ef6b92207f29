#!/usr/bin/env bash
# roll.sh SERVICE [compose options...]: replaces the containers of a service by new ones, without a failed request where it runs
# several times (and without a pause where it runs once): starts as many new ones beside them, waits until each is healthy and the
# gateways know them, then stops the old ones one after the other. Options are those of `docker compose`, for example -p or -f.
set -euo pipefail
cd "$(dirname "$0")"
service=${1:?Which service? For example: deploy/compose/roll.sh runtime}
shift
compose() { docker compose -f platform.yaml "${options[@]}" "$@"; }
options=("$@")

mapfile -t old < <(compose ps -q "$service")
[ ${#old[@]} -gt 0 ] || { echo "No container of $service is running: start the platform first." >&2; exit 1; }
compose up -d --wait --no-build --no-deps --no-recreate --scale "$service=$((2 * ${#old[@]}))" "$service"
sleep 6 # names are asked for every 5 s at most
for container in "${old[@]}"; do
  docker stop "$container" >/dev/null # in its own time: it finishes what it has
  docker rm "$container" >/dev/null
done
echo "$service: ${#old[@]} replaced."
