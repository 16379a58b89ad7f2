#!/bin/sh
# Packs the root of an image that stands in for `node:<version>-bookworm-slim` where Docker Hub cannot be reached: Debian's
# minimal system, Node and npm from their npm packages, and the user `node`. The machine's certificate authorities and
# npm registry go in, so that builds reach what this machine reaches.
# Usage: node-image.sh <version of Node> <file.tar to write>
set -eu
version=$1 tar=$2
root=$(mktemp -d)
trap 'rm -rf "$root"' EXIT INT TERM
chmod 755 "$root"

debootstrap --variant=minbase --include=ca-certificates bookworm "$root" http://deb.debian.org/debian >&2
rm -rf "$root"/var/cache/apt/archives/*.deb "$root"/var/lib/apt/lists/*
cp /etc/ssl/certs/ca-certificates.crt "$root/etc/ssl/certs/ca-certificates.crt"

case $(uname -m) in x86_64) arch=x64 ;; aarch64) arch=arm64 ;; *) echo "no Node for $(uname -m)" >&2; exit 1 ;; esac
# unpack <npm package> <folder under the root>
unpack() {
  mkdir -p "$root/$2"
  tar -xzf "$root/tmp/$(npm pack --silent --pack-destination "$root/tmp" "$1")" -C "$root/$2" --strip-components=1 --no-same-owner
}
unpack "node-linux-$arch@$version" usr/local
unpack npm@10 usr/local/lib/node_modules/npm
rm "$root"/tmp/*.tgz
ln -s ../lib/node_modules/npm/bin/npm-cli.js "$root/usr/local/bin/npm"
ln -s ../lib/node_modules/npm/bin/npx-cli.js "$root/usr/local/bin/npx"
mkdir -p "$root/usr/local/etc"
printf 'registry=%s\ncafile=/etc/ssl/certs/ca-certificates.crt\nupdate-notifier=false\n' "$(npm config get registry)" >"$root/usr/local/etc/npmrc"
chroot "$root" useradd --uid 1000 --create-home --shell /bin/bash node

tar -C "$root" -cf "$tar.$$" .
mv "$tar.$$" "$tar"
