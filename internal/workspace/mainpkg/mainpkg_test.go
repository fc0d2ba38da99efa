// SPDX-License-Identifier: Apache-2.0

package mainpkg_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/crdctl/crdctl/internal/safefs/safefstest"
	"github.com/crdctl/crdctl/internal/workspace/mainpkg"
)

const gomod = "module example.com/shop\n\nrequire sigs.k8s.io/controller-runtime v0.24.1\n"

// manager is a program in kubebuilder's form.
const manager = `package main

import (
	"flag"
	"os"

	"github.com/open-policy-agent/cert-controller/pkg/rotator"
	certv1 "github.com/cert-manager/cert-manager/pkg/apis/certmanager/v1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/webhook"

	"example.com/shop/internal/options"
)

func main() {
	var metrics string
	var elect bool
	flag.StringVar(&metrics, "metrics-bind-address", ":8080", "where metrics are served")
	flag.BoolVar(&elect, options.LeaderElect, false, "elect a leader")
	options.Bind(flag.CommandLine)
	_ = flag.Lookup("kubeconfig")
	_ = rotator.AddRotator(nil, &rotator.CertRotator{CAName: options.Authority})
	flag.Parse()
	flag.String("tls", "/etc/shop/tls/certs", "certificates that a flag moves")
	_ = os.Getenv("POD_NAMESPACE") + "/etc/shop/metrics/certs"
	_ = webhook.NewServer(webhook.Options{Port: 9876})
	mgr, _ := ctrl.NewManager(ctrl.GetConfigOrDie(), ctrl.Options{})
	_ = ctrl.NewControllerManagedBy(mgr).For(&certv1.Certificate{})
}
`

// queue is a program of client-go alone.
const queue = `package main

import (
	"flag"

	"k8s.io/client-go/util/workqueue"
)

func main() {
	flag.String("kubeconfig", "", "the path of a kubeconfig")
	flag.Int("healthzPort", 8080, "where probes are served")
	flag.Bool("development", false, "allow the operator to run outside a Kubernetes cluster")
	flag.Bool("trace", false, "trace calls of a cluster")
	flag.Parse()
	_ = workqueue.New()
}
`

const options = `package options

import "github.com/spf13/pflag"

const (
	LeaderElect = "leader-elect"
	Authority   = "shop-ca"
)

func Bind(fs *pflag.FlagSet) {
	fs.StringP("health-probe-bind-address", "p", ":8081", "where probes are served")
}

// OfAnotherProgram is called nowhere here.
func OfAnotherProgram(fs *pflag.FlagSet) { fs.Int("webhook-port", 9443, "the port") }
`

func TestFindReadsTheProgram(t *testing.T) {
	dir := t.TempDir()
	safefstest.WriteFiles(t, dir, map[string]string{
		"go.mod": gomod, "cmd/main.go": manager, "internal/options/options.go": options,
		"hack/gen/main.go": manager, "cmd/tool/main.go": "package main\n\nfunc main() {\n}\n",
		"nested/go.mod": "module example.com/nested\n", "nested/main.go": manager,
		"cmd/windows_windows.go": "package main\n\nimport \"flag\"\n\nfunc init() { flag.Bool(\"service\", false, \"\") }\n",
	})
	p, err := mainpkg.Find(dir)
	require.NoError(t, err)
	require.NotNil(t, p)
	assert.Equal(t, mainpkg.Program{
		Dir: "cmd", Manager: true,
		Flags: map[string]mainpkg.Flag{
			"metrics-bind-address": {Default: ":8080"}, "leader-elect": {Bool: true, Default: ""}, "health-probe-bind-address": {Default: ":8081"},
			"tls": {Default: "/etc/shop/tls/certs"},
		},
		Env: []string{"POD_NAMESPACE"}, WebhookPort: 9876, CertDirs: []string{"/etc/shop/metrics/certs"},
		Authority: "shop-ca", ReadsKubeconfig: true, Paths: []string{"/etc/shop/metrics/certs", "/etc/shop/tls/certs"},
		Kinds: []mainpkg.Kind{{Package: "github.com/cert-manager/cert-manager/pkg/apis/certmanager/v1", Name: "Certificate"}, {Package: "sigs.k8s.io/controller-runtime", Name: "Options"}},
	}, *p)
	assert.True(t, mainpkg.Uses(dir))
}

func TestFindChooses(t *testing.T) {
	for name, test := range map[string]struct {
		files  []string
		queues []string
		caches []string
		want   string
		many   string
	}{
		"none":                      {files: nil},
		"the only one":              {files: []string{"operator/main.go"}, want: "operator"},
		"kubebuilder's place":       {files: []string{"PROJECT", "cmd/main.go", "cmd/agent/main.go"}, want: "cmd"},
		"kubebuilder's old place":   {files: []string{"PROJECT", "main.go", "cmd/agent/main.go"}, want: "."},
		"the one of the module":     {files: []string{"cmd/shop/main.go", "cmd/agent/main.go"}, want: "cmd/shop"},
		"of client-go":              {queues: []string{"cmd/watcher", "cmd/kubectl-shop"}, want: "cmd/watcher"},
		"a manager before a queue":  {files: []string{"operator/main.go"}, queues: []string{"cmd/watcher"}, want: "operator"},
		"the module's of client-go": {queues: []string{"cmd/shop-controller", "cmd/watcher"}, want: "cmd/shop-controller"},
		"several of client-go":      {queues: []string{"cmd/a", "cmd/b"}, many: "2 main packages run a controller: cmd/a, cmd/b"},
		"of informers":              {caches: []string{"cmd/watcher"}, want: "cmd/watcher"},
		"a queue before informers":  {queues: []string{"cmd/worker"}, caches: []string{"cmd/watcher"}, want: "cmd/worker"},
		"several, and nothing more": {files: []string{"cmd/a/main.go", "cmd/b/main.go"}, many: "2 main packages run a controller-runtime manager: cmd/a, cmd/b"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			files := map[string]string{"go.mod": gomod, "internal/options/options.go": options}
			for _, f := range test.files {
				files[f] = manager
			}
			for _, dir := range test.queues {
				files[dir+"/main.go"] = queue
			}
			for _, dir := range test.caches {
				files[dir+"/main.go"] = strings.NewReplacer("util/workqueue", "tools/cache", "workqueue.New()", "cache.NewStore(nil)").Replace(queue)
			}
			safefstest.WriteFiles(t, dir, files)
			p, err := mainpkg.Find(dir)
			if test.many != "" {
				require.EqualError(t, err, test.many)
				return
			}
			require.NoError(t, err)
			got := ""
			if p != nil {
				got = p.Dir
			}
			assert.Equal(t, test.want, got)
		})
	}
}

// The main functions of Knative's controllers are in one of its packages, with their queues.
func TestFindOfKnative(t *testing.T) {
	const main = "package main\n\nimport \"knative.dev/pkg/injection/sharedmain\"\n\nfunc main() {\n\tsharedmain.Main(\"controller\")\n}\n"
	dir := t.TempDir()
	safefstest.WriteFiles(t, dir, map[string]string{"go.mod": gomod, "cmd/controller/main.go": main})
	p, err := mainpkg.Find(dir)
	require.NoError(t, err)
	require.NotNil(t, p)
	assert.Equal(t, "cmd/controller", p.Dir)
	assert.False(t, p.Manager || p.InClusterOnly)
}

// A program that is being edited is still the one to build: the compiler says what is wrong with it.
func TestFindWithSyntaxErrors(t *testing.T) {
	dir := t.TempDir()
	broken := strings.Replace(manager, "flag.Parse()", "flag.Parse(", 1)
	safefstest.WriteFiles(t, dir, map[string]string{"go.mod": gomod, "cmd/main.go": broken})
	p, err := mainpkg.Find(dir)
	require.NoError(t, err)
	require.NotNil(t, p)
	assert.Contains(t, p.Flags, "metrics-bind-address")
}

// Of a program of client-go alone, the flags are read as well. One without a client is none that crdctl knows how to start.
func TestReadProgramOfClientGo(t *testing.T) {
	dir := t.TempDir()
	safefstest.WriteFiles(t, dir, map[string]string{
		"go.mod": "module example.com/shop\n\nrequire k8s.io/client-go v0.37.1\n", "main.go": queue,
		"cmd/tool/main.go": "package main\n\nimport \"flag\"\n\nfunc main() {\n\tflag.String(\"kubeconfig\", \"\", \"\")\n}\n",
	})
	p, err := mainpkg.Read(dir, ".")
	require.NoError(t, err)
	require.NotNil(t, p)
	assert.False(t, p.Manager)
	assert.Equal(t, map[string]mainpkg.Flag{"kubeconfig": {}, "healthzPort": {Number: true, Default: "8080"}, "development": {Bool: true, Outside: true, Default: ""}, "trace": {Bool: true}}, p.Flags)
	p, err = mainpkg.Read(dir, "cmd/tool")
	require.NoError(t, err)
	assert.Nil(t, p)
	assert.True(t, mainpkg.UsesClientGo(dir))
	assert.False(t, mainpkg.Uses(dir))
}

// A program that can read a kubeconfig is not one for pods alone.
func TestReadInClusterOnly(t *testing.T) {
	const inCluster = "package main\n\nimport (\n\t\"k8s.io/client-go/rest\"\n%s)\n\nfunc main() {\n\t_, _ = rest.InClusterConfig()\n}\n"
	for imports, want := range map[string]bool{"": true, "\t\"k8s.io/client-go/tools/clientcmd\"\n": false} {
		dir := t.TempDir()
		safefstest.WriteFiles(t, dir, map[string]string{"go.mod": "module example.com/shop\n\nrequire k8s.io/client-go v0.37.1\n", "main.go": fmt.Sprintf(inCluster, imports)})
		p, err := mainpkg.Read(dir, ".")
		require.NoError(t, err)
		require.NotNil(t, p)
		assert.Equal(t, want, p.InClusterOnly)
	}
}

// A program that elects a leader without a flag, and names no namespace, does so in a pod alone.
func TestReadElection(t *testing.T) {
	const elects = "package main\n\nimport ctrl \"sigs.k8s.io/controller-runtime\"\n\nfunc main() {\n\to := ctrl.Options{%s}\n\t_, _ = ctrl.NewManager(nil, o)\n}\n"
	for options, want := range map[string]bool{
		"": false, "LeaderElection: true": true, "LeaderElection: elect": false, "LeaderElection: true, LeaderElectionNamespace: ns": false,
		"LeaderElection: true}\n\to.LeaderElectionNamespace, _ = ns, []int{":           false,
		"LeaderElection: true, LeaderElectionResourceLockInterface: lock":              false,
		"LeaderElection: true}\n\t_, _ = ctrl.NewManager(nil, o)\n\to = ctrl.Options{": true,
	} {
		dir := t.TempDir()
		safefstest.WriteFiles(t, dir, map[string]string{"go.mod": "module example.com/shop\n\nrequire sigs.k8s.io/controller-runtime v0.25.2\n", "main.go": fmt.Sprintf(elects, options)})
		p, err := mainpkg.Read(dir, ".")
		require.NoError(t, err)
		require.NotNil(t, p)
		assert.Equal(t, want, p.ElectsInPod, options)
	}
}

// A manager that a package of the module makes is the program's, and a program without one is none.
func TestReadFollowsImports(t *testing.T) {
	dir := t.TempDir()
	safefstest.WriteFiles(t, dir, map[string]string{
		"go.mod":         gomod,
		"main.go":        "package main\n\nimport \"example.com/shop/app\"\n\nfunc main() {\n\tapp.Run()\n}\n",
		"app/app.go":     "package app\n\nimport \"sigs.k8s.io/controller-runtime/pkg/manager\"\n\nfunc Run() { _, _ = manager.New(nil, manager.Options{}) }\n",
		"cli/main.go":    "package main\n\nfunc main() {\n}\n",
		"cobra/main.go":  "package main\n\nimport \"example.com/shop/app\"\n\nfunc main() {\n\troot.AddCommand(run)\n\tapp.Run()\n}\n",
		"urfave/main.go": "package main\n\nimport (\n\t\"example.com/shop/app\"\n\t\"github.com/urfave/cli/v2\"\n)\n\nfunc main() {\n\t_ = &cli.App{Commands: []*cli.Command{}}\n\t_ = &cli.Command{}\n\tapp.Run()\n}\n",
	})
	p, err := mainpkg.Read(dir, ".")
	require.NoError(t, err)
	require.NotNil(t, p)
	assert.False(t, p.Subcommands)
	for _, name := range []string{"cobra", "urfave"} {
		p, err := mainpkg.Read(dir, name)
		require.NoError(t, err)
		require.NotNil(t, p, name)
		assert.True(t, p.Subcommands, name)
	}
	p, err = mainpkg.Read(dir, "cli")
	require.NoError(t, err)
	assert.Nil(t, p)
}

// Flags of subcommands are told from those of the program: only the program that is started with a subcommand takes them.
func TestFlagsOfSubcommands(t *testing.T) {
	dir := t.TempDir()
	safefstest.WriteFiles(t, dir, map[string]string{
		"go.mod": gomod,
		"main.go": `package main

import (
	"github.com/spf13/cobra"
	ctrl "sigs.k8s.io/controller-runtime"

	"example.com/shop/internal/agent"
)

var webhook = &cobra.Command{Use: "webhook [flags]"}

func main() {
	root := &cobra.Command{Use: "shop"}
	root.PersistentFlags().String("metrics-addr", ":8080", "")
	webhook.Flags().String("cert-dir", "/certs", "")
	webhook.Flags().String("metrics-addr", ":8081", "")
	webhook.Flags().String("probe-addr", ":8081", "")
	more(root)
	root.AddCommand(webhook, agent.New(), agent.Command)
	root.AddCommand(unknown())
	ctrl.NewManager(nil, ctrl.Options{})
}

func more(c *cobra.Command) { c.Flags().Int("port", 1, "") }

func unknown() *cobra.Command {
	c := &cobra.Command{Use: "one"}
	c.AddCommand(&cobra.Command{Use: "two"})
	c.Flags().Bool("either", false, "")
	return c
}
`,
		"internal/agent/agent.go": `package agent

import "github.com/spf13/cobra"

var Command = &cobra.Command{Use: "client"}

func init() { Command.Flags().String("server", "", "") }

func New() *cobra.Command {
	c := &cobra.Command{Use: "agent"}
	c.Flags().String("probe-addr", ":8082", "")
	return c
}
`,
	})
	p, err := mainpkg.Find(dir)
	require.NoError(t, err)
	require.NotNil(t, p)
	assert.True(t, p.Subcommands)
	assert.Empty(t, p.Starter, "the main package makes the manager")
	assert.Equal(t, map[string]mainpkg.Flag{
		"metrics-addr": {Default: ":8080"}, "cert-dir": {Default: "/certs", Commands: []string{"webhook"}}, "port": {Number: true, Default: "1"}, "either": {Bool: true},
		"server": {Commands: []string{"client"}}, "probe-addr": {Default: ":8082", Commands: []string{"webhook", "agent"}},
	}, p.Flags)
}

// A program that parses what follows its first argument has subcommands, without a library.
func TestSubcommandsByHand(t *testing.T) {
	for parse, want := range map[string]bool{
		"set.Parse(os.Args[2:])": true, "set.Parse(os.Args[1:])": false, "args := os.Args[1:]; set.Parse(args[1:])": true, "set.Parse(args)": false, "flag.Parse()": false,
		"url.Parse(args[1:])": false,
	} {
		dir := t.TempDir()
		safefstest.WriteFiles(t, dir, map[string]string{"go.mod": gomod, "main.go": `package main

import (
	"flag"
	"net/url"
	"os"

	ctrl "sigs.k8s.io/controller-runtime"
)

func main() {
	` + parse + `
	ctrl.NewManager(nil, ctrl.Options{})
}
`})
		p, err := mainpkg.Find(dir)
		require.NoError(t, err)
		assert.Equal(t, want, p.Subcommands, parse)
	}
}

// The subcommand that starts the manager is that of the package which makes it.
func TestStarter(t *testing.T) {
	const root = `package main

import "example.com/shop/internal/%s"

func main() { (&cobra.Command{}).AddCommand(%[1]s.New()) }
`
	const command = `package %s

import (
	"github.com/spf13/cobra"
	ctrl "sigs.k8s.io/controller-runtime"
)

func New() *cobra.Command {
	ctrl.NewManager(nil, ctrl.Options{})
	return &cobra.Command{Use: "manager"}
}
`
	for name, c := range map[string]struct{ more, want string }{
		"one":     {"", "manager"},
		"several": {`func Other() *cobra.Command { return &cobra.Command{Use: "other"} }`, ""},
	} {
		dir := t.TempDir()
		safefstest.WriteFiles(t, dir, map[string]string{
			"go.mod": gomod, "main.go": fmt.Sprintf(root, name), "internal/" + name + "/new.go": fmt.Sprintf(command, name) + c.more,
		})
		p, err := mainpkg.Find(dir)
		require.NoError(t, err)
		require.NotNil(t, p, name)
		assert.Equal(t, c.want, p.Starter, name)
	}
}
