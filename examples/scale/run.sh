#!/usr/bin/env bash
# A server, two workers and a map over rows, on this machine, in a temporary folder: no containers.
#
#   examples/scale/run.sh [--rows N] [--kill]
#
# --rows N  so many rows; 100
# --kill    kills one of the two workers with -9 in the midst of it
#
# Needs lmthing with the worker in it (or LMTHING=path), Node 20 and npm. Restate's server comes from npm, 226 MB, into
# ${XDG_CACHE_HOME:-~/.cache}/lmthing; RESTATE_SERVER=path takes one that is there.
# shellcheck disable=SC2329 # until_it calls functions by their names
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
lmthing=${LMTHING:-lmthing}
rows=100 kill=
while (($#)); do
  case $1 in
  --rows) rows=$2 && shift ;;
  --kill) kill=yes ;;
  *) sed -n '2,/^# shellcheck/{/^# shellcheck/!s/^# \{0,1\}//p}' "${BASH_SOURCE[0]}" && exit 2 ;;
  esac
  shift
done

# Ports in the order: ingress, admin, between servers, balancer, two workers.
base=${PORT:-18080}
ingress=http://127.0.0.1:$base admin=http://127.0.0.1:$((base + 1))
balancer=$((base + 3)) one=$((base + 4)) two=$((base + 5))

server=${RESTATE_SERVER:-}
if [[ -z $server ]]; then
  kept=${XDG_CACHE_HOME:-$HOME/.cache}/lmthing/restate
  mkdir -p "$kept"
  (cd "$kept" && { [[ -e node_modules/.bin/restate-server ]] || { echo '{}' >package.json &&
    npm install --no-audit --no-fund --loglevel=error @restatedev/restate-server@1.7; }; }) >&2
  server=$(find "$kept"/node_modules/@restatedev/*/bin -name restate-server -type f -perm -u+x | head -n 1)
fi

temp=$(mktemp -d)
started=()
finish() {
  ((${#started[@]} == 0)) || kill -9 "${started[@]}" 2>/dev/null || true
  wait 2>/dev/null || true
  rm -rf "$temp"
}
trap finish EXIT

say() { printf '\n== %s\n' "$*"; }

# until_it "words" COMMAND...: waits until the command succeeds.
until_it() {
  local words=$1
  shift
  for _ in $(seq 300); do
    "$@" >/dev/null 2>&1 && return
    sleep 0.1
  done
  echo "$words did not come about; last words:" >&2
  tail -n 5 "$temp"/*.log >&2
  exit 1
}

say "Restate's server at $ingress, told what to do at $admin"
RESTATE_DISABLE_TELEMETRY=true RESTATE_INGRESS__BIND_PORT=$base RESTATE_ADMIN__BIND_PORT=$((base + 1)) \
  "$server" --no-logo --log-disable-ansi-codes true --bind-ip 127.0.0.1 --bind-port $((base + 2)) --listen-mode tcp --node-name laptop \
  --base-dir "$temp/restate" >"$temp/server.log" 2>&1 &
started+=($!)
# Its health is good before it serves; a question about all of its parts has an answer when it does.
serves() {
  curl -sf "$admin/query" -H 'content-type: application/json' -H 'accept: application/json' \
    -d '{"query":"SELECT count(*) FROM sys_invocation"}'
}
until_it 'the server' serves

say 'two workers behind a balancer'
export REFUNDS=$temp/refunds.txt
node "$here/balancer.mjs" "127.0.0.1:$balancer" "127.0.0.1:$one" "127.0.0.1:$two" >"$temp/balancer.log" 2>&1 &
started+=($!)
workers=()
for port in "$one" "$two"; do
  # Each has a journal of its own, as on a machine of its own.
  "$lmthing" worker "$here/refunds.lmt.mjs" --listen "127.0.0.1:$port" --journal "$temp/$port.db" \
    --register "$admin" --advertise "http://127.0.0.1:$balancer" >"$temp/worker-$port.log" 2>&1 &
  workers+=($!) started+=($!)
  until_it "the worker at $port" curl -sf "http://127.0.0.1:$port/health"
done
until_it 'the service' curl -sf "$admin/services/refunds"

say "a map over $rows rows"
for ((row = 1; row <= rows; row++)); do
  # One of them is so large that somebody has to say yes.
  printf '{"order":%d,"euros":%d}\n' "$row" $((row == 7 ? 900 : 20 + row))
done >"$temp/rows.jsonl"
"$lmthing" map "$here/refunds.lmt.mjs" --input "$temp/rows.jsonl" -o "$temp/results.jsonl" --on "$ingress" --unordered &
map=$!
started+=("$map")

paid() { [[ -e $REFUNDS ]] && (($(wc -l <"$REFUNDS") >= $1)); }
if [[ -n $kill ]]; then
  until_it 'a fifth of it' paid $((rows / 5))
  say 'kill -9 of a worker'
  kill -9 "${workers[0]}"
fi

say 'what waits for a yes'
waits() { "$lmthing" approve --on "$ingress" --admin "$admin" --json | grep -o '"id":"[^"]*"' | cut -d '"' -f 4 | grep .; }
until_it 'a call that waits' waits
"$lmthing" approve --on "$ingress" --admin "$admin"
for id in $(waits); do
  "$lmthing" approve "$id" yes --on "$ingress" --admin "$admin"
done

status=0
wait "$map" || status=$?
say "results: $(wc -l <"$temp/results.jsonl") rows, $(grep -c '"error"' "$temp/results.jsonl" || true) of them failed"
head -n 3 "$temp/results.jsonl"
echo "payments: $(sort -u "$REFUNDS" | wc -l) orders, $(sort "$REFUNDS" | uniq -d | wc -l) of them paid twice"
exit "$status"
