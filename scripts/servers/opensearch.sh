#!/usr/bin/env bash
# opensearch.sh install | start FOLDER [PORT] | stop FOLDER
. "$(dirname "$0")/common.sh"
. "$(dirname "$0")/search-server.sh"

version=3.8.0
artifact=org.opensearch.distribution.integ-test-zip:opensearch:$version
sha256=196c3cf4602c394f2e40e6174ccbf2a924eae37246f08fa6bbb6b75f9fd5ff1f
program=$(cache_folder)/opensearch-$version

case "${1:-}" in
install)
  install_java
  install_zip "$artifact" "$sha256" "opensearch-$version" "$program"
  ;;
start)
  folder=$(realpath -m "$2")
  java=$(java_home) || fail 'A Java of version 21 or newer is missing: run scripts/servers/opensearch.sh install.'
  [ -d "$program" ] || fail 'OpenSearch is not installed: run scripts/servers/opensearch.sh install.'
  port=${3:-$(free_port)}
  configure "$program" "$folder" "$port" opensearch.yml
  launch "$folder" env OPENSEARCH_JAVA_HOME="$java" OPENSEARCH_PATH_CONF="$folder/config" OPENSEARCH_TMPDIR="$folder/tmp" \
    OPENSEARCH_JAVA_OPTS=-XX:-AlwaysPreTouch bash "$program/bin/opensearch"
  wait_for OpenSearch "$folder" is_well "$port"
  echo "export TEST_SEARCH_URL='opensearch+http://127.0.0.1:$port'"
  ;;
stop) stop_server "$2" TERM ;;
*) fail 'Usage: opensearch.sh install | start FOLDER [PORT] | stop FOLDER' ;;
esac
