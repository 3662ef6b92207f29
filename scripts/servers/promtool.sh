#!/usr/bin/env bash
# promtool.sh install: checks the alerts and the scrape file as Prometheus reads them
. "$(dirname "$0")/common.sh"

case "${1:-}" in
install) command -v promtool >/dev/null || install_debian prometheus ;;
*) fail 'Usage: promtool.sh install' ;;
esac
