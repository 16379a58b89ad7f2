#!/bin/sh
# Runs a program on a Node that is new enough, after installing the packages that are missing:
#
#   run.sh production|development|sdks ARGUMENT_OF_NODE...
#
# production is what the gateway needs; development adds what `npm test` and `npm run check` need, sdks the vendors' clients
# that the fakes are tried with. The program takes the place of this shell, so that a signal to npm reaches it.
set -eu
cd "$(dirname "$0")/.."

# Also in package.json, under "engines". The sizes are those of node_modules while npm installs, in MB.
NODE_MAJOR=22 NODE_MINOR=18
PINNED_NODE_MB=185 PRODUCTION_MB=260 DEVELOPMENT_MB=590 SDKS_MB=920

is_new_enough() {
  version=$(node --version)
  major=${version#v} major=${major%%.*}
  minor=${version#v*.} minor=${minor%%.*}
  [ "$major" -gt $NODE_MAJOR ] || { [ "$major" -eq $NODE_MAJOR ] && [ "$minor" -ge $NODE_MINOR ]; }
}

is_fresh() { [ "$1/node_modules/.package-lock.json" -nt "$1/package-lock.json" ]; }

# npm_install FOLDER MEGABYTES WHAT ARGUMENT...: reports how far npm is; ends it when this shell is ended.
npm_install() {
  folder=$1 megabytes=$2
  echo "Installing $3 (once, about $megabytes MB)." >&2
  shift 3
  # Unlike `npm ci`, it does not ask the registry for the packages of other platforms. No package needs its scripts.
  npm install --prefix "$folder" --no-save --ignore-scripts --loglevel=error --no-progress "$@" >/dev/null &
  npm=$!
  trap 'kill $npm 2>/dev/null; exit 143' HUP INT TERM
  waited=0
  while sleep 1 && kill -0 $npm 2>/dev/null; do
    waited=$((waited + 1))
    if [ -t 2 ]; then end='\r'; else end='\n'; fi
    if [ -t 2 ] || [ $((waited % 10)) -eq 0 ]; then
      printf "  %4s of %s MB, %s s $end" "$(du -sm "$folder/node_modules" 2>/dev/null | cut -f1)" "$megabytes" $waited >&2
    fi
  done
  wait $npm
  trap - HUP INT TERM
  # npm leaves it alone when nothing was missing.
  touch "$folder/node_modules/.package-lock.json"
}

# The largest set that is installed.
installed_set() {
  if [ -d node_modules/openai ]; then echo sdks
  elif [ -d node_modules/vitest ]; then echo development
  elif [ -d node_modules/kysely ]; then echo production
  else echo none
  fi
}

rank() {
  case $1 in none) echo 0 ;; production) echo 1 ;; development) echo 2 ;; sdks) echo 3 ;; *) exit 64 ;; esac
}

install_packages() {
  case $1 in
    production) npm_install . $PRODUCTION_MB "the gateway's packages" --workspaces=false --omit=dev ;;
    development) npm_install . $DEVELOPMENT_MB 'the tools of development' --workspaces=false --include=dev ;;
    sdks) npm_install . $SDKS_MB "the vendors' clients" --workspace=test/sdks --include-workspace-root --include=dev ;;
  esac
  node config/prune-binaries.cjs
}

is_prepared() {
  { is_new_enough || is_fresh config/node; } && is_fresh . && [ "$(rank "$(installed_set)")" -ge "$(rank "$1")" ]
}

# Scripts that start at the same time install one after the other. The lock names its process, so that a killed one frees it.
lock() {
  [ -w . ] || return 0
  until ln -s $$ .installing 2>/dev/null; do
    kill -0 "$(readlink .installing)" 2>/dev/null || rm -f .installing
    sleep 1
  done
  trap unlock EXIT
}

unlock() { [ "$(readlink .installing)" != $$ ] || rm -f .installing; }

wanted=$1
shift

is_prepared "$wanted" || lock
if ! is_new_enough; then
  is_fresh config/node || npm_install config/node $PINNED_NODE_MB "Node 22, because the gateway needs it and this is $(node --version)"
  PATH=$PWD/config/node/node_modules/.bin:$PATH
  export PATH
fi

present=$(installed_set)
if [ "$(rank "$present")" -gt "$(rank "$wanted")" ]; then wanted=$present; fi
if [ "$present" != "$wanted" ] || ! is_fresh .; then install_packages "$wanted"; fi
node src/native/build.ts
unlock

# As in src/start.cjs, which would otherwise begin anew with the flag.
is_new_enough || :
[ "$major" -ge 24 ] || set -- --experimental-async-context-frame "$@"
exec node "$@"
