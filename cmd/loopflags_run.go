package cmd

import (
	"errors"
	"fmt"
	"net"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/crdctl/crdctl/internal/config"
	"github.com/crdctl/crdctl/internal/run"
	"github.com/crdctl/crdctl/internal/ui"
)

// builtinFlags are the flags of "run --builtin": the settings of the loop, and what is about this one run.
type builtinFlags struct {
	loopFlags
	run *pflag.FlagSet

	leaderElect    bool
	leaseNamespace string
	metrics        string
	profiling      bool
	noEvents       bool
	quiet          bool
	crds           []string
	inCluster      bool
	render         string
}

func (f *builtinFlags) bind(set *pflag.FlagSet) {
	set.AddFlagSet(f.loopFlags.bind("namespace", "n"))
	f.run = pflag.NewFlagSet("run", pflag.ContinueOnError)
	f.run.BoolVar(&f.leaderElect, "leader-elect", false, "work only while this replica holds the controller's lease")
	f.run.StringVar(&f.leaseNamespace, "lease-namespace", "", "`namespace` of the leases (default: that of the pod or of the kubeconfig's context)")
	f.run.StringVar(&f.metrics, "metrics", "", "serve /metrics, /healthz and /readyz at this `address`, for example :8080")
	f.run.BoolVar(&f.profiling, "profiling", false, "serve /debug/pprof at the address of the metrics too")
	f.run.BoolVar(&f.noEvents, "no-events", false, "record no events")
	f.run.BoolVar(&f.quiet, "quiet", false, "log only what is wrong; a loop without hook and templates then has no more than metadata sent")
	f.run.StringArrayVar(&f.crds, "crd", nil, "`name` of a CRD that the cluster has: it is read there and waited for, and none is installed (repeatable)")
	f.run.BoolVar(&f.inCluster, "in-cluster", false, "use the cluster of the pod that crdctl runs in, as the pod's service account")
	f.run.StringVar(&f.render, "render", "", "show what the hook or the templates would do for the object in this `file`, and do nothing")
	for _, own := range f.sets() {
		own.VisitAll(func(flag *pflag.Flag) { flag.Usage = "with --builtin: " + flag.Usage })
	}
	set.AddFlagSet(f.run)
}

func (f *builtinFlags) sets() []*pflag.FlagSet { return []*pflag.FlagSet{f.set, f.run} }

// first is the first of the flags that was given, or "".
func (f *builtinFlags) first() (name string) {
	for _, own := range f.sets() {
		own.VisitAll(func(flag *pflag.Flag) {
			if flag.Changed && name == "" {
				name = flag.Name
			}
		})
	}
	return name
}

// apply puts what the flags and the settings say of the loop into the options of the run. The folder base is that of --dir.
func (f *builtinFlags) apply(o *run.Options, settings config.Loop, base string) (err error) {
	if o.Loop, err = f.over(settings, o.Root, base); err != nil {
		return err
	}
	if err := f.contradictions(o); err != nil {
		return ui.UsageError(err)
	}
	o.Cluster.InCluster = f.inCluster
	// What is divided among replicas needs leases, whether or not they are asked for.
	o.Leases, o.LeaseNamespace = f.leaderElect || o.Loop.Shards > 1, f.leaseNamespace
	o.MetricsAddr, o.Profiling, o.NoEvents, o.Quiet, o.CRDNames = f.metrics, f.profiling, f.noEvents, f.quiet, f.crds
	if o.Render = f.render; o.Render != "" && o.Render != "-" && !filepath.IsAbs(o.Render) {
		o.Render = filepath.Join(base, filepath.FromSlash(o.Render))
	}
	return nil
}

// contradictions are flags that can't both be meant.
func (f *builtinFlags) contradictions(o *run.Options) error {
	switch {
	case !f.inCluster && o.Cluster == run.Cluster{} && (f.set.Changed("kube-api-qps") || f.set.Changed("kube-api-burst")):
		return errors.New("--kube-api-qps and --kube-api-burst require --kubeconfig, --context, --master or --in-cluster; crdctl's own control plane has no limit")
	case f.inCluster && o.Cluster != run.Cluster{}:
		return errors.New("--in-cluster means the cluster of this pod, and --kubeconfig, --context and --master another one; leave out the one or the other")
	case len(f.crds) > 0 && len(o.CRDFiles) > 0:
		return errors.New("--crd means a CRD that the cluster has, and -f one to install; leave out the one or the other")
	case f.leaseNamespace != "" && !f.leaderElect && o.Loop.Shards <= 1:
		return errors.New("--lease-namespace is for leases, and there are none; set --leader-elect or --shards")
	case f.leaseNamespace != "" && !config.IsDNSLabel(f.leaseNamespace):
		return fmt.Errorf("--lease-namespace %q is no name of a namespace; they are lower-case letters, digits and hyphens", f.leaseNamespace)
	case f.profiling && f.metrics == "":
		return errors.New("--profiling is served where the metrics are; give an address with --metrics, for example --metrics 127.0.0.1:8080")
	case f.render != "" && !o.Loop.Decides():
		return errors.New("--render shows what a hook or templates would do, and there are none; name them with --hook or --template")
	case f.render != "" && (f.leaderElect || f.metrics != ""):
		return errors.New("--render shows one object and ends; leave out --leader-elect and --metrics")
	}
	if f.metrics != "" {
		if _, _, err := net.SplitHostPort(f.metrics); err != nil {
			return fmt.Errorf("--metrics %q is no address with a port; write for example :8080 or 127.0.0.1:8080", f.metrics)
		}
	}
	if i := slices.IndexFunc(f.crds, func(name string) bool { return !strings.Contains(strings.Trim(name, "."), ".") }); i >= 0 {
		return fmt.Errorf("--crd %q is no name of a CRD; write plural and group, for example crontabs.stable.example.com", f.crds[i])
	}
	return nil
}
