#!/usr/bin/env bash
# schemathesis.sh install | program: a client that asks an API everything its description allows, and what it does not allow. It is
# no server: `program` prints where it is.
. "$(dirname "$0")/common.sh"

version=4.32.5
folder="${XDG_CACHE_HOME:-${HOME:-/tmp}/.cache}/platform-schemathesis-$version"

is_installed() {
  [ "$("$folder/bin/schemathesis" --version 2>/dev/null)" = "schemathesis, version $version" ] ||
    [ "$("$folder/bin/st" --version 2>/dev/null)" = "st, version $version" ]
}

install_schemathesis() {
  if is_installed; then return; fi
  python3 -c 'import venv, ensurepip' 2>/dev/null || install_debian python3 python3-venv
  rm -rf "$folder"
  python3 -m venv "$folder"
  "$folder/bin/pip" install --quiet --disable-pip-version-check "schemathesis==$version" >&2 || {
    rm -rf "$folder"
    fail 'schemathesis could not be installed: check the network of this machine and its package index.'
  }
}

case "${1:-}" in
install) install_schemathesis ;;
program)
  is_installed || fail 'schemathesis is not installed: run scripts/servers/schemathesis.sh install.'
  echo "$folder/bin/st"
  ;;
*) fail 'Usage: schemathesis.sh install | program' ;;
esac
