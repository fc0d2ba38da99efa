#!/usr/bin/env bash
# Runs examples of Metacontroller from a checkout of it, unchanged, with crdctl in Metacontroller's place:
#
#     git clone https://github.com/metacontroller/metacontroller
#     e2e/metacontroller.sh bin/crdctl metacontroller daemonjob globalconfigmap
#
# The example's hook is its own program, on its own port 80, and what has to come true is its own test.sh. Only what installs
# Metacontroller's objects there (kubectl apply -k) is skipped: flags of crdctl say the same. The hooks listen on port 80 of a
# network of their own, so that no other program has that port, and no one needs to be root. Needed are unshare, ip, and python3 or node.
set -euo pipefail

usage() {
	echo "usage: $0 CRDCTL CHECKOUT EXAMPLE...; name the program, a checkout of Metacontroller, and directories of its examples" >&2
	exit 2
}
[ $# -ge 3 ] || usage
[ -x "$1" ] || { echo "$1 is no program; build it with \"make build\"" >&2; exit 2; }
[ -d "$2/examples" ] || { echo "$2 has no directory examples; name a checkout of Metacontroller" >&2; exit 2; }
crdctl=$(realpath "$1") examples=$(realpath "$2/examples")
if [ -z "${CRDCTL_OWN_NETWORK:-}" ]; then
	CRDCTL_OWN_NETWORK=1 exec unshare --map-root-user --net "$0" "$@"
fi
shift 2
ip link set lo up

# settings says with crdctl's flags what the example says in its CompositeController.
settings() {
	crd=v1/crdv1.yaml server=python hooks=(--hook http://127.0.0.1/sync)
	case $1 in
	daemonjob) flags=(--owns apps/v1/DaemonSet) ;;
	indexedjob) flags=(--owns v1/Pod) ;;
	configmappropagation) flags=(--owns v1/ConfigMap --selector version=v1) customize=yes ;;
	globalconfigmap) flags=(--owns v1/ConfigMap) customize=yes ;;
	secretpropagation) flags=(--owns v1/Secret) customize=yes ;;
	namespace-list-v2) crd=v1/crd.yaml flags=(--owns v1/ConfigMap) customize=yes ;;
	configmap-list-v2) crd=v1/crd.yaml flags=(--owns v1/ConfigMap) customize=yes ;;
	bluegreen) flags=(--owns v1/Service --owns apps/v1/ReplicaSet) server=node ;;
	catset) flags=(--owns v1/Pod --owns v1/PersistentVolumeClaim --finalize-hook http://127.0.0.1/sync) server=node ;;
	*)
		echo "$1 is not among the examples that crdctl can run: daemonjob indexedjob configmappropagation globalconfigmap secretpropagation namespace-list-v2 bluegreen catset" >&2
		exit 2
		;;
	esac
	[ -z "${customize:-}" ] || flags+=(--customize-hook http://127.0.0.1/customize)
}

# example runs one example to its end. It is called in a shell of its own: its variables are still there in the trap.
example() {
	customize='' pids=() result=0
	settings "$1"
	at=$examples/$1
	work=$(mktemp -d)
	trap 'kill "${pids[@]}" 2>/dev/null || true; wait; rm -rf "$work"' EXIT
	if [ "$server" = node ]; then
		mkdir "$work/node" "$work/node/hooks"
		cp "$examples/nodejs/server.js" "$work/node"
		cp "$at/manifest/sync.js" "$work/node/hooks"
		(cd "$work/node" && exec node server.js) >"$work/hook" 2>&1 &
	else
		python3 "$at/manifest/sync.py" >"$work/hook" 2>&1 &
	fi
	pids+=($!)
	"$crdctl" -C "$work" run --builtin -f "$at/$crd" "${hooks[@]}" "${flags[@]}" >"$work/log" 2>&1 &
	pids+=($!)

	mkdir "$work/bin"
	cat >"$work/bin/kubectl" <<-SHIM
		#!/bin/sh
		case " \$* " in *" -k "*) exit 0 ;; esac
		exec "$crdctl" -C "$work" kubectl "\$@"
	SHIM
	chmod +x "$work/bin/kubectl"
	until grep -q 'Started workers' "$work/log"; do
		kill -0 "${pids[1]}" 2>/dev/null || { cat "$work/log" >&2; exit 1; }
		sleep 0.1
	done
	echo "== $1"
	(cd "$at" && PATH=$work/bin:$PATH timeout 120 bash test.sh v1) >"$work/said" 2>&1 || result=$?
	grep -E '^[A-Z].*(\.\.\.|:.*)$' "$work/said" || true
	if [ $result -ne 0 ]; then
		echo "== $1 failed ($result); the last of what its test, crdctl and the hook said:" >&2
		tail -n 5 "$work/said" "$work/log" "$work/hook" >&2
	else
		echo "== $1 passed"
	fi
	if [ -n "${KEEP_LOG:-}" ]; then cp "$work/log" "$KEEP_LOG/$1.log"; fi
	return $result
}

failed=0
for name in "$@"; do
	(example "$name") || failed=1
done
exit $failed
