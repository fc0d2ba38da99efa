package main

import (
	"context"
	"path/filepath"
	"strings"

	"github.com/crdctl/crdctl/e2e/internal/harness/api"
	"github.com/crdctl/crdctl/e2e/internal/harness/measure"
	"github.com/crdctl/crdctl/e2e/internal/harness/program"
	"github.com/crdctl/crdctl/internal/controlplane/state"
)

// plane is a way to get a control plane with a CRD in it.
type plane struct {
	name string
	// side is what to start in a new folder, and where its kubeconfig will be or is already.
	side func(dir string) (s measure.Side, kubeconfig string, err error)
	// says is what it says when its CRD is installed; one that says nothing does not install it.
	says string
}

// The planes, as the table names them.
const (
	ours      = "crdctl"
	plain     = "bare"
	stock     = "bare, all hooks"
	childrens = "envtest"
)

// planes are crdctl, the same components without it, and what users of controller-runtime have.
func (b *bench) planes() []plane {
	return []plane{
		{ours, b.builtin, "crdctl: installed"},
		// The quickest start has no garbage collection in it, either; that is for nobody to run for long.
		{plain, func(dir string) (measure.Side, string, error) { return b.bare(dir, "GOGC=off") }, ""},
		{stock, func(dir string) (measure.Side, string, error) { return b.bare(dir, "BARE_STOCK=1") }, ""},
		{childrens, b.envtest, "installed"},
	}
}

// builtin is crdctl with the controller that it has built in. Its kubeconfig is the last thing that its start makes.
func (b *bench) builtin(dir string) (measure.Side, string, error) {
	s := measure.Side{Dir: dir, Env: b.env(), Argv: []string{b.crdctl, "run", "--builtin", "-f", b.crdFile()}}
	return s, state.Kubeconfig(dir), nil
}

// bare is etcd and kube-apiserver in one process with the flags that crdctl would give them, see programs/bare. Its
// certificate is made beforehand, and no controller runs in it.
func (b *bench) bare(dir, variant string) (measure.Side, string, error) {
	d, err := newDoor(dir)
	if err != nil {
		return measure.Side{}, "", err
	}
	argv := []string{filepath.Join(b.programs.dir, "bare"),
		"--etcd-servers=unix://" + filepath.Join(dir, "c.sock"),
		"--bind-address=127.0.0.1", "--advertise-address=127.0.0.1", "--secure-port=" + d.port,
		"--tls-cert-file=" + d.cert, "--tls-private-key-file=" + d.key, "--token-auth-file=" + d.tokens, "--anonymous-auth=false",
		"--service-account-issuer=https://kubernetes.default.svc", "--service-account-key-file=" + d.key, "--service-account-signing-key-file=" + d.key,
		"--authorization-mode=RBAC", "--endpoint-reconciler-type=none", "--service-cluster-ip-range=10.96.0.0/16", "--allow-privileged",
		"--enable-priority-and-fairness=false", "--max-requests-inflight=0", "--max-mutating-requests-inflight=0", "--profiling=false",
	}
	return measure.Side{Dir: dir, Env: append(b.env(), "BARE_ETCD="+dir, variant), Argv: argv}, d.kubeconfig, nil
}

// envtest is etcd and kube-apiserver as processes of their own, with envtest's own options.
func (b *bench) envtest(dir string) (measure.Side, string, error) {
	d, err := newDoor(dir)
	if err != nil {
		return measure.Side{}, "", err
	}
	argv := []string{filepath.Join(b.programs.dir, "envtest"), b.programs.dir, b.crdFile(), d.port, d.tokens}
	return measure.Side{Dir: dir, Env: b.env(), Argv: argv}, d.kubeconfig, nil
}

// installed returns when the CRD of a plane is established.
func (p plane) installed(ctx context.Context, run *program.Process, a *api.Server) error {
	if p.says == "" {
		return a.Install(ctx, run.Done(), crd)
	}
	_, _, err := run.Await(ctx, 0, p.says)
	return err
}

// forbidden are the variables that would make a side another one than it is said to be.
func forbidden(variable string) bool {
	name, _, _ := strings.Cut(variable, "=")
	for _, prefix := range []string{"KUBE", "TEST_ASSET_", "USE_EXISTING_CLUSTER", "TMPDIR", "XDG_CACHE_HOME", "GOCACHE", "GOWORK", "BARE_"} {
		if strings.HasPrefix(name, prefix) {
			return true
		}
	}
	return false
}
