// SPDX-License-Identifier: Apache-2.0

//go:build !crdctl_codegen

package cmd

import (
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/crdctl/crdctl/internal/config"
	"github.com/crdctl/crdctl/internal/run/builtin"
	"github.com/crdctl/crdctl/internal/run/target"
	"github.com/crdctl/crdctl/internal/ui"
)

// builtinFlags are the flags of "run --builtin": the settings of the loop, and what is about this one run.
type builtinFlags struct {
	loopFlags
	run *pflag.FlagSet
	o   *builtin.Options // that the flags set

	leaderElect, inCluster bool
}

func (f *builtinFlags) bind(set *pflag.FlagSet, o *builtin.Options) {
	f.o = o
	set.AddFlagSet(f.loopFlags.bind("namespace", "n"))
	f.run = pflag.NewFlagSet("run", pflag.ContinueOnError)
	f.run.BoolVar(&f.leaderElect, "leader-elect", false, "leader election: work only while this replica holds the lease")
	f.run.StringVar(&o.LeaseNamespace, "lease-namespace", "", "`namespace` of the leases (default: that of the pod or context)")
	f.run.StringVar(&o.MetricsAddr, "metrics", "", "`address` of /metrics, /healthz and /readyz, for example :8080")
	f.run.BoolVar(&o.Profiling, "profiling", false, "serve /debug/pprof at the address of the metrics too")
	f.run.BoolVar(&o.NoEvents, "no-events", false, "do not record events")
	f.run.BoolVar(&o.Quiet, "quiet", false, "log only warnings and errors")
	f.run.StringArrayVar(&o.CRDNames, "crd", nil, "`name` of a CRD to use that is installed already (repeatable)")
	f.run.BoolVar(&f.inCluster, "in-cluster", false, "use the pod's cluster and service account")
	f.run.StringVar(&o.Render, "render", "", "print what would be done for the object in this `file`, and exit")
	for _, own := range f.sets() {
		own.VisitAll(func(flag *pflag.Flag) { flag.Usage = "--builtin: " + flag.Usage })
	}
	set.AddFlagSet(f.run)
}

// targetFlags registers the flags that say where a run is, and with which CRDs, whatever controller it has.
func targetFlags(f *pflag.FlagSet, o *builtin.Options) {
	f.StringArrayVarP(&o.CRDFiles, "filename", "f", nil, "`file` or directory of CRDs to install instead of the project's (repeatable)")
	f.BoolVar(&o.SkipCRDs, "skip-crds", false, "do not install the CRDs")
	f.StringVar(&o.Cluster.Kubeconfig, "kubeconfig", "", "use the cluster of this kubeconfig `file`")
	f.StringVar(&o.Cluster.Context, "context", "", "use the cluster of this `context` of the kubeconfig")
	f.StringVar(&o.Cluster.Master, "master", "", "use the API server at this `URL`")
}

// fullRunFlags returns the flags of run that only the full build has.
func fullRunFlags() []string {
	all := []string{
		"no-controller", "once", "skip-generate", "port", "pods", "data-dir", "controller", "as-service-account",
		"race", "debug", "debug-port", "debug-wait", "record", "record-bodies", "redact", "findings", "ui", "ui-port", "ui-memory", "open",
	}
	for _, s := range config.RunSettings() {
		all = append(all, s.Flag)
	}
	return all
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

// apply puts what the flags and the settings say of the loop into the options of the run. The directory base is that of --dir.
func (f *builtinFlags) apply(settings config.Loop, base string) (err error) {
	o := f.o
	if o.Loop, err = f.over(settings, o.Root, base); err != nil {
		return err
	}
	if err := f.contradictions(o); err != nil {
		return ui.UsageError(err)
	}
	o.Cluster.InCluster = f.inCluster
	// What is divided among replicas needs leases, whether or not they are asked for.
	o.Leases = f.leaderElect || o.Loop.Shards > 1
	if o.Render != "" && o.Render != "-" && !filepath.IsAbs(o.Render) {
		typed := o.Render
		o.Render = filepath.Join(base, filepath.FromSlash(o.Render))
		if _, err := os.Stat(o.Render); errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("--render %s: %w; name a file with one object", typed, fs.ErrNotExist)
		}
	}
	return nil
}

// contradictions are flags that cannot both be meant.
func (f *builtinFlags) contradictions(o *builtin.Options) error {
	switch {
	case !f.inCluster && o.Cluster == target.Cluster{} && (f.set.Changed("kube-api-qps") || f.set.Changed("kube-api-burst")):
		return errors.New("--kube-api-qps and --kube-api-burst require --kubeconfig, --context, --master or --in-cluster; crdctl's own control plane has no limit")
	case f.inCluster && o.Cluster != target.Cluster{}:
		return errors.New("--in-cluster cannot be used with --kubeconfig, --context or --master; use one or the other")
	case len(o.CRDNames) > 0 && len(o.CRDFiles) > 0:
		return errors.New("--crd cannot be used with -f: --crd uses a CRD of the cluster, -f installs one; omit one of them")
	case o.LeaseNamespace != "" && !f.leaderElect && o.Loop.Shards <= 1:
		return errors.New("--lease-namespace requires --leader-elect or --shards")
	case o.LeaseNamespace != "" && !config.IsDNSLabel(o.LeaseNamespace):
		return fmt.Errorf("--lease-namespace %q is not a valid namespace name; use lower-case letters, digits and hyphens", o.LeaseNamespace)
	case o.Profiling && o.MetricsAddr == "":
		return errors.New("--profiling requires --metrics, for example --metrics 127.0.0.1:8080")
	case o.Render != "" && !o.Loop.Decides():
		return errors.New("--render requires --hook or --template")
	case o.Render != "" && (f.leaderElect || o.MetricsAddr != ""):
		return errors.New("--render cannot be used with --leader-elect or --metrics")
	}
	if o.MetricsAddr != "" {
		if _, _, err := net.SplitHostPort(o.MetricsAddr); err != nil {
			return fmt.Errorf("--metrics %q must be an address with a port, for example :8080 or 127.0.0.1:8080", o.MetricsAddr)
		}
	}
	if i := slices.IndexFunc(o.CRDNames, func(name string) bool { return !strings.Contains(strings.Trim(name, "."), ".") }); i >= 0 {
		return fmt.Errorf("--crd %q is not a CRD name; write plural and group, for example crontabs.stable.example.com", o.CRDNames[i])
	}
	return nil
}
