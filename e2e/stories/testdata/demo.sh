#!/bin/sh
# demo.sh CRDCTL - the whole path in a scratch directory, each command as a user would type it. Ends with exit code 0 only
# after the controller has synced an object on a real API server.
set -eu
PATH=$(dirname "$1"):$PATH
scratch=$(mktemp -d)
run=
finish() {
	code=$?
	trap - EXIT
	if [ -n "$run" ] && kill -0 "$run" 2>/dev/null; then
		kill -INT "$run" && wait "$run" || code=1
	fi
	if [ "$code" -ne 0 ] && [ -f "$scratch/run.log" ]; then
		cat "$scratch/run.log" >&2
	fi
	rm -rf "$scratch"
	exit "$code"
}
trap finish EXIT
trap 'exit 130' INT TERM

show() { printf '\n$ %s\n' "$*"; }
type_() { # COMMAND...: show it, then do it
	show "$@"
	"$@"
}
wait_for() { # TEXT: until crdctl run has printed it, for 20 minutes: the first build compiles client-go, next to whatever else the machine does
	tries=0
	until grep -q -- "$1" "$scratch/run.log"; do
		kill -0 "$run" 2>/dev/null || { echo "crdctl run ended" >&2; exit 1; }
		tries=$((tries + 1))
		[ "$tries" -lt 12000 ] || { echo "crdctl run did not print: $1" >&2; exit 1; }
		sleep 0.1
	done
}

mkdir "$scratch/crontab" && cd "$scratch/crontab"
type_ crdctl init --group stable.example.com --version v1beta1 --kind CronTab --short-names ct \
	--field cronSpec:string --field image:string --field replicas:int32
type_ crdctl generate
type_ crdctl verify
show crdctl run
crdctl run >"$scratch/run.log" 2>&1 &
run=$!
wait_for 'Started workers'
cat "$scratch/run.log"
type_ crdctl kubectl apply -f config/samples
wait_for 'Successfully synced'
grep -E 'Processing CronTab|Successfully synced' "$scratch/run.log"
type_ crdctl kubectl wait --for=condition=Ready crontab/crontab-demo --timeout=60s
type_ crdctl kubectl get ct
type_ crdctl kubectl get events
type_ crdctl kubectl delete -f config/samples
wait_for 'deletion handled'
show '^C  (crdctl run)'
lines=$(wc -l <"$scratch/run.log")
kill -INT "$run"
wait "$run"
run=
tail -n +"$((lines + 1))" "$scratch/run.log"
