// SPDX-License-Identifier: Apache-2.0

package run

import (
	"cmp"
	"maps"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"github.com/crdctl/crdctl/internal/run/pod"
	"github.com/crdctl/crdctl/internal/workspace/mainpkg"
)

// defaultWebhookPort is where controller-runtime serves webhooks if the program does not say otherwise.
const defaultWebhookPort = 9443

// These are the names that controllers have for the same flags. Where a program has several of a list, all are meant.
var (
	metricsFlags     = addressFlags("metrics", "diagnostics")
	probeFlags       = addressFlags("health-probe", "healthz", "health", "probe")
	secureFlags      = []string{"metrics-secure", "secure-metrics"}
	insecureFlags    = []string{"insecure-diagnostics"} // of Cluster API
	leaderFlags      = ofManager("leader-elect", "leader-election", "enable-leader-election", "leader-elect-enabled")
	noLeaderFlags    = []string{"disable-leader-election", "disable-leader-elect"}
	webhookPortFlags = []string{"webhook-port", "webhook-server-port", "webhook-bind-port"}
	webhookAddrFlags = []string{"webhook-addr", "webhook-bind-address"}
	certDirFlags     = []string{"webhook-cert-path", "webhook-cert-dir", "webhook-certs-dir", "webhook-tls-dir", "cert-dir"}
	// Programs that make the certificates of their webhooks have switches for clusters where cert-manager does.
	ownCertFlags   = []string{"enable-internal-cert-management", "enable-cert-rotation", "manage-webhook-certs"}
	noOwnCertFlags = []string{"disable-cert-rotation"}
	// Programs of client-go alone have ports instead of addresses, and some have to be told that they run outside of a cluster.
	metricsPortFlags = []string{"metrics-port", "metricsport", "metricsPort", "monitoring-port"}
	probePortFlags   = []string{"health-port", "healthz-port", "healthzport", "healthzPort", "health-probe-port"}
	// A program that serves readiness apart from health listens twice.
	readyFlags     = []string{"readiness-probe-bind-address"}
	readyPortFlags = []string{"readiness-probe-port"}
	// controller-runtime cannot find out by itself, outside of a cluster, where a leader is elected.
	namespaceFlags = []string{"operator-namespace", "controller-namespace", "pod-namespace", "leader-election-namespace", "lease-namespace", "lease_namespace", "kubernetes.namespace"}
	outsideFlags   = []string{"outofcluster", "out-of-cluster", "outside-cluster"}
	insideFlags    = []string{"in-cluster", "incluster", "inCluster", "running-in-cluster", "run-in-cluster"}
)

// addressFlags are the names of flags for the addresses at which a program serves these things.
func addressFlags(served ...string) (names []string) {
	for _, what := range served {
		for _, end := range []string{"bind-address", "bind-addr", "addr", "address", "listen-address", "listen-addr"} {
			names = append(names, what+"-"+end)
		}
	}
	return ofManager(names...)
}

// ofManager adds the names of flags in programs that have others for what they manage.
func ofManager(names ...string) []string {
	all := slices.Clone(names)
	for _, manager := range []string{"operator", "controller", "manager"} {
		for _, name := range names {
			all = append(all, manager+"-"+name)
		}
	}
	return all
}

// kubeconfigFlag is defined by controller-runtime, for all programs, and by most others.
const kubeconfigFlag = "kubeconfig"

// kubeconfigFlags are what other programs call it.
var kubeconfigFlags = []string{"kube-config", "kubeConfig", "kube-config-path", "kubeconfig-path", "kubernetes.config-file"}

// program starts the program of controllers as a Deployment would, but on this machine: with ports that are free, without leader
// election, and with the certificates of this run. Only flags that the program has are set.
type program struct {
	source  *mainpkg.Program
	temp    string // the program's directory for temporary files
	metrics string // addresses
	probes  string
	ready   string
	pod     *pod.Pod // nil where no manifest has the program
	// subcommand are the words that the project's image has between the program and its flags.
	subcommand []string
	// more are the arguments of the user.
	more []string
	// recorded has the metrics served without TLS and credentials, on 127.0.0.1: what records the run has none that the program would take.
	recorded bool
	rotates  bool // the program keeps the certificates of its webhooks in a Secret, which has those of this run
}

// newProgram has the program serve on ports that are free now, or with anyPort on those that are free when it starts.
func newProgram(source *mainpkg.Program, dir string, anyPort bool) (*program, error) {
	p := &program{source: source, temp: filepath.Join(dir, "tmp")}
	if err := os.MkdirAll(p.certDir(), 0o700); err != nil {
		return nil, err
	}
	for _, address := range []*string{&p.metrics, &p.probes, &p.ready} {
		port := 0
		if !anyPort {
			var err error
			if port, err = freePort(); err != nil {
				return nil, err
			}
		}
		*address = net.JoinHostPort("127.0.0.1", strconv.Itoa(port))
	}
	return p, nil
}

// certDir is where controller-runtime looks for the certificate of webhooks if the program does not say otherwise.
func (p *program) certDir() string {
	return filepath.Join(p.temp, "k8s-webhook-server", "serving-certs")
}

// webhookPort is the port on which the program serves webhooks; 0 for any, where a flag sets it, or a variable that the user has not set.
func (p *program) webhookPort() int {
	switch {
	case p.has(webhookPortFlags), p.has(p.webhookAddrs()):
		return 0
	case slices.Contains(p.source.Env, podPortVar):
		port, _ := strconv.Atoi(os.Getenv(podPortVar))
		return port
	}
	return cmp.Or(p.source.WebhookPort, defaultWebhookPort)
}

// webhookAddrs are the flags that set an address with its port. Where the port is set elsewhere, these flags set just the host.
func (p *program) webhookAddrs() []string {
	if p.has(webhookPortFlags) || p.source.WebhookPort != 0 {
		return nil
	}
	return webhookAddrFlags
}

func (p *program) has(names []string) bool {
	return slices.ContainsFunc(names, func(name string) bool { return p.defines(name) })
}

// defines reports whether the program has a flag: its source defines it, or the manifests set it.
func (p *program) defines(name string) bool {
	_, ok := p.flags()[name]
	return ok || p.pod != nil && p.pod.Sets(name)
}

// start are the words between the program and its flags that the manifests do not have.
func (p *program) start() []string {
	named := func(args []string) bool { return len(args) > 0 && pod.FlagOf(args[0]) == "" }
	switch {
	case p.pod != nil && p.pod.Command:
		return nil
	case len(p.subcommand) > 0:
		return p.subcommand
	case p.source.Starter == "" || named(p.more) || p.pod != nil && (named(p.pod.Args) || slices.Contains(p.pod.Args, p.source.Starter)):
		return nil
	}
	return []string{p.source.Starter}
}

// flags are those that the program's sources define, without the flags of subcommands that it is not started with.
func (p *program) flags() map[string]mainpkg.Flag {
	words := slices.Concat(p.start(), p.more)
	if p.pod != nil {
		words = append(words, p.pod.Args...)
	}
	flags := maps.Clone(p.source.Flags)
	maps.DeleteFunc(flags, func(_ string, f mainpkg.Flag) bool {
		return f.Commands != nil && !slices.ContainsFunc(f.Commands, func(c string) bool { return slices.Contains(words, c) })
	})
	return flags
}

// unread are the flags that the program gets because its manifests set them, and that no source of the module defines: those of a library, or of
// manifests that are out of date.
func (p *program) unread() (flags []string) {
	defined := p.flags()
	for _, name := range slices.Concat(metricsFlags, probeFlags, leaderFlags, noLeaderFlags, metricsPortFlags, probePortFlags, readyFlags, readyPortFlags, webhookPortFlags, webhookAddrFlags, certDirFlags, kubeconfigFlags) {
		if _, ok := defined[name]; !ok && p.defines(name) {
			flags = append(flags, "--"+name)
		}
	}
	return flags
}

// args are the arguments that the manifests give the program, with those in their place that hold on this machine.
func (p *program) args(hooks *webhooks) (args []string) {
	var here []string
	replaced := map[string]bool{}
	flags := p.flags()
	set := func(names []string, value string) {
		for _, name := range names {
			if p.defines(name) || name == kubeconfigFlag {
				if port := portOf(value); port != "" && flags[name].Number {
					value = port
				}
				here = append(here, flags[name].Argument(name, value))
				replaced[name] = true
				replaced["no-"+name] = flags[name].Negated
			}
		}
	}
	set(metricsFlags, p.metrics)
	set(probeFlags, p.probes)
	set(metricsPortFlags, portOf(p.metrics))
	set(probePortFlags, portOf(p.probes))
	set(readyFlags, p.ready)
	set(readyPortFlags, portOf(p.ready))
	set(p.outside(), "true")
	set(p.switches(insideFlags), "false")
	if p.recorded {
		set(secureFlags, "false")
		set(insecureFlags, "true")
	}
	set(leaderFlags, "false")
	set(noLeaderFlags, "true")
	if hooks != nil {
		set(webhookPortFlags, strconv.Itoa(hooks.port))
		set(p.webhookAddrs(), net.JoinHostPort("127.0.0.1", strconv.Itoa(hooks.port)))
		set(certDirFlags, hooks.certDir)
		own, none := p.certSwitches()
		set(own, "false")
		set(none, "true")
	}
	if _, own := flags[kubeconfigFlag]; own || p.source.ReadsKubeconfig {
		set([]string{kubeconfigFlag}, "$(KUBECONFIG)")
	}
	set(kubeconfigFlags, "$(KUBECONFIG)")
	for _, name := range namespaceFlags {
		if flag, ok := flags[name]; ok && flag.Default == "" && (p.pod == nil || !p.pod.Sets(name)) {
			here = append(here, "--"+name+"="+p.namespace())
		}
	}
	defaults := p.movedDefaults()
	for _, name := range slices.Sorted(maps.Keys(defaults)) {
		if !replaced[name] {
			here = append(here, "--"+name+"="+defaults[name])
		}
	}
	args = slices.Clone(p.start())
	if p.pod != nil {
		args = append(args, p.pod.Without(replaced, flags)...)
	}
	return append(args, here...)
}

// outside are the switches with which the program runs outside of a cluster.
func (p *program) outside() []string {
	names := p.switches(outsideFlags)
	flags := p.flags()
	for _, name := range slices.Sorted(maps.Keys(flags)) {
		if flags[name].Outside && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// switches are those of the names that are flags without a value.
func (p *program) switches(names []string) []string {
	flags := p.flags()
	return slices.DeleteFunc(slices.Clone(names), func(name string) bool { return !flags[name].Bool })
}

// certSwitches are the switches that turn off what makes the certificates of the webhooks: those that are then false, and those that are true. What
// it makes at fixed paths has no replacement here, so there are none where it does.
func (p *program) certSwitches() (own, none []string) {
	if len(p.source.CertDirs) > 0 {
		return nil, nil
	}
	return p.switches(ownCertFlags), p.switches(noOwnCertFlags)
}

// portOf is the port of an address that newProgram made; "" of other values.
func portOf(address string) string {
	_, port, _ := net.SplitHostPort(address)
	return port
}

// Variables by which controllers ask where they run, and as whom. Namespaces and service accounts are those of the manifests, or the default ones.
var (
	namespaceVars = []string{"POD_NAMESPACE", "RUNTIME_NAMESPACE", "OPERATOR_NAMESPACE", "NAMESPACE", "CONTROLLER_NAMESPACE", "MY_POD_NAMESPACE"}
	nameVars      = []string{"POD_NAME", "MY_POD_NAME", "HOSTNAME"}
	accountVars   = []string{"SERVICE_ACCOUNT", "SERVICE_ACCOUNT_NAME", "POD_SERVICE_ACCOUNT", "POD_SERVICE_ACCOUNT_NAME"}
)

// namespace is where the program runs in a cluster.
func (p *program) namespace() string {
	if p.pod == nil {
		return "default"
	}
	return p.pod.Namespace
}

// env are the variables of the program, before those that the user has set.
func (p *program) env(ours []string) (env []string) {
	set := func(name, value string) {
		if !slices.ContainsFunc(ours, func(v string) bool { return strings.HasPrefix(v, name+"=") }) {
			env = append(env, name+"="+value)
		}
	}
	namespace, account := p.namespace(), pod.DefaultAccount
	if p.pod != nil {
		account = p.pod.Account
		for _, v := range p.pod.Env {
			set(v.Name, v.Value)
		}
	}
	for _, name := range p.source.Env {
		switch {
		case p.pod != nil && p.pod.HasEnv(name):
		case slices.Contains(namespaceVars, name):
			set(name, namespace)
		case slices.Contains(nameVars, name):
			set(name, "crdctl")
		case slices.Contains(accountVars, name):
			set(name, account)
		}
	}
	for _, name := range tempVars() {
		env = append(env, name+"="+p.temp)
	}
	return env
}

// Variables that say where the program serves webhooks. One that makes its own certificates makes them for the host.
const (
	podHostVar = "WEBHOOK_HOST"
	podPortVar = "WEBHOOK_PORT"
	podCertVar = "WEBHOOK_CERT_DIR"
)

// hookEnv are those of these variables that a program reads, if it takes the port from one, and that the user has not set. They come after the
// others, since what the pod has for them holds in a cluster alone.
func (p *program) hookEnv(hooks *webhooks, ours []string) (env []string) {
	if !slices.Contains(p.source.Env, podPortVar) {
		return nil
	}
	for _, v := range []pod.Variable{{Name: podHostVar, Value: "127.0.0.1"}, {Name: podPortVar, Value: strconv.Itoa(hooks.port)}, {Name: podCertVar, Value: hooks.certDir}} {
		if slices.Contains(p.source.Env, v.Name) && !slices.ContainsFunc(ours, func(own string) bool { return strings.HasPrefix(own, v.Name+"=") }) {
			env = append(env, v.Name+"="+v.Value)
		}
	}
	return env
}

// tempVars are the variables that name the directory for temporary files.
func tempVars() []string {
	if runtime.GOOS == "windows" {
		return []string{"TMP", "TEMP"}
	}
	return []string{"TMPDIR"}
}

// missingVolumes are the paths of volumes that the sources of the program have, that nothing on its command line leads elsewhere, and that do not
// exist on this machine.
func (p *program) missingVolumes() string {
	if p.pod == nil {
		return ""
	}
	return strings.Join(slices.DeleteFunc(slices.Clone(p.pod.Fixed), func(dir string) bool {
		_, err := os.Stat(dir)
		return err == nil || !slices.Contains(p.source.Paths, dir) || slices.ContainsFunc(slices.Collect(maps.Values(p.flags())), func(f mainpkg.Flag) bool { return f.Default == dir })
	}), " ")
}

// movedDefaults are the flags that have a path of a volume where nothing sets them, with that of this machine.
func (p *program) movedDefaults() map[string]string {
	moved := map[string]string{}
	if p.pod == nil {
		return moved
	}
	for name, flag := range p.flags() {
		if here := pod.Relocate(flag.Default, p.pod.Moved); here != flag.Default && !p.pod.Sets(name) {
			moved[name] = here
		}
	}
	return moved
}
