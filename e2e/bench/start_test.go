// SPDX-License-Identifier: Apache-2.0

package bench

import (
	_ "embed"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/crdctl/crdctl/e2e/internal/harness/api"
	"github.com/crdctl/crdctl/e2e/internal/harness/program"
	"github.com/crdctl/crdctl/internal/controlplane/state"
)

// crd is the kind of all sides. It is without a status subresource, so that an object with a status takes one request.
//
//go:embed crd.yaml
var crd []byte

// plane is a way to get a control plane with a CRD in it.
type plane struct {
	name string
	// side is what to start in a new directory, and where its kubeconfig will be or is already.
	side func(tb testing.TB, dir string) (s program.Side, kubeconfig string)
	// installed is what it writes when its CRD is installed; one that does not install it has "".
	installed string
}

// BenchmarkStart compares the start of "crdctl run" with that of the same components without crdctl, and with envtest, which is what
// users of controller-runtime have: until the first 200 of /readyz, until the CRD is established, and until an object of it is
// accepted.
func BenchmarkStart(b *testing.B) {
	bin, all := buildPlanes(b), map[string]samples{}
	planes := []plane{
		{"crdctl", builtin, "crdctl: installed"},
		// The quickest start also has no garbage collection; that is not for long runs.
		{"bare", func(tb testing.TB, dir string) (program.Side, string) { return bareSide(tb, bin, dir) }, ""},
		{"envtest", func(tb testing.TB, dir string) (program.Side, string) {
			a := newAccess(tb, dir)
			return program.Side{Dir: dir, Env: environ("TMPDIR=" + dir), Argv: []string{filepath.Join(bin, "envtest"), bin, crdFile(tb, dir), a.port, a.tokens}}, a.kubeconfig
		}, "installed"},
	}
	for _, i := range rounds(b, len(planes)) {
		p := planes[i]
		p.start(b, record(all, p.name))
	}
	for _, p := range planes {
		b.Run("plane="+p.name, func(b *testing.B) { all[p.name].report(b) })
	}
}

// builtin is crdctl with its built-in controller. Its kubeconfig is the last thing that its start makes.
func builtin(tb testing.TB, dir string) (program.Side, string) {
	tb.Helper()
	return program.Side{Dir: dir, Env: scratch(tb, dir), Argv: []string{crdctl(tb), "run", "--builtin", "-f", crdFile(tb, dir)}}, state.Kubeconfig(dir)
}

func crdFile(tb testing.TB, dir string) string {
	tb.Helper()
	file := filepath.Join(dir, "crd.yaml")
	writeFile(tb, file, crd)
	return file
}

// bareSide is etcd and kube-apiserver in one process with the flags that crdctl would give them, see programs/bare. Its
// certificate is made beforehand, and no controller runs in it.
func bareSide(tb testing.TB, bin, dir string) (program.Side, string) {
	tb.Helper()
	a := newAccess(tb, dir)
	return program.Side{Dir: dir, Env: environ("BARE_ETCD="+dir, "GOGC=off"), Argv: []string{filepath.Join(bin, "bare"),
		"--etcd-servers=unix://" + filepath.Join(dir, "c.sock"),
		"--bind-address=127.0.0.1", "--advertise-address=127.0.0.1", "--secure-port=" + a.port,
		"--tls-cert-file=" + a.cert, "--tls-private-key-file=" + a.key, "--token-auth-file=" + a.tokens, "--anonymous-auth=false",
		"--service-account-issuer=https://kubernetes.default.svc", "--service-account-key-file=" + a.key, "--service-account-signing-key-file=" + a.key,
		"--authorization-mode=RBAC", "--endpoint-reconciler-type=none", "--service-cluster-ip-range=10.96.0.0/16", "--allow-privileged",
		"--enable-priority-and-fairness=false", "--max-requests-inflight=0", "--max-mutating-requests-inflight=0", "--profiling=false",
	}}, a.kubeconfig
}

// start starts a plane, measures, and stops it.
func (p plane) start(b *testing.B, s samples) {
	b.Helper()
	dir := must(os.MkdirTemp("", "bench-"))(b) // short: the paths of unix sockets are below it
	defer func() { check(b, os.RemoveAll(dir)) }()
	side, kubeconfig := p.side(b, dir)
	process := must(program.Start(side))(b)
	defer func() { check(b, process.End()) }()
	server := must(api.Connect(b.Context(), kubeconfig, process.Done()))(b)
	check(b, server.Answers(b.Context(), process.Done(), "/readyz"))
	ready := time.Since(process.Began)
	if p.installed == "" {
		check(b, server.Install(b.Context(), process.Done(), crd, widgetsPath))
	} else {
		_, _, err := process.Await(b.Context(), 0, p.installed)
		check(b, err)
	}
	installed := time.Since(process.Began)
	check(b, server.Insist(b.Context(), process.Done(), widgetsPath, widget(0, 0)))
	created := time.Since(process.Began)
	progress("%s: ready %.3f s, CRD %.3f s, first object %.3f s", p.name, ready.Seconds(), installed.Seconds(), created.Seconds())
	s.add(ready.Seconds(), "ready-sec")
	s.add(installed.Seconds(), "crd-sec")
	s.add(created.Seconds(), "object-sec")
}
