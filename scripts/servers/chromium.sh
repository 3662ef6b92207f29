#!/usr/bin/env bash
# chromium.sh install: the browser that tests drive. It is no server: tests start and stop it themselves.
. "$(dirname "$0")/common.sh"

case "${1:-}" in
install)
  command -v chromium >/dev/null || install_debian chromium
  ;;
*) fail 'Usage: chromium.sh install' ;;
esac
