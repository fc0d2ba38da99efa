// SPDX-License-Identifier: Apache-2.0

//go:build !crdctl_codegen

package cmd

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/pflag"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/crdctl/crdctl/internal/config"
	"github.com/crdctl/crdctl/internal/run/builtin"
	"github.com/crdctl/crdctl/internal/run/target"
	"github.com/crdctl/crdctl/internal/ui"
)

// parsed are the flags of "run --builtin" after a command line.
func parsed(t *testing.T, args ...string) *builtinFlags {
	t.Helper()
	var f builtinFlags
	set := pflag.NewFlagSet("", pflag.ContinueOnError)
	f.bind(set, &builtin.Options{Root: t.TempDir()})
	require.NoError(t, set.Parse(args))
	return &f
}

// Every flag of the loop sets its setting, and nothing else.
func TestLoopFlagsAreSettings(t *testing.T) {
	for _, s := range config.LoopSettings() {
		f, blank := parsed(t), parsed(t).flag
		arg := "--" + s.Flag
		if _, isBool := s.Value(&blank).(*bool); !isBool {
			arg += "=7"
		}
		if err := f.set.Parse([]string{arg}); err != nil {
			require.NoError(t, f.set.Parse([]string{arg + "s"}), arg) // a duration
		}
		given := f.given()
		require.Len(t, given, 1, arg)
		assert.Equal(t, s.Field, given[0].Field)
		assert.NotEqual(t, blank, f.flag, "%s sets nothing", arg)
		given[0].Copy(&f.flag, &blank)
		assert.Equal(t, blank, f.flag, "%s sets more than %s", arg, s.Field)
	}
	assert.Equal(t, []string{"a"}, parsed(t, "-na").flag.Loop.Namespaces)
}

// One thing decides on an object, and the command line has the last word on what.
func TestLoopFlagsDecide(t *testing.T) {
	root := t.TempDir()
	got, err := parsed(t, "--template=t").over(config.Loop{Hook: "h", FinalizeHook: "f", Persistent: true, Owns: []string{"v1/Pod"}}, root, root)
	if err != nil || got.Hook+got.FinalizeHook != "" || got.Persistent || got.Template != "t" || len(got.Owns) != 1 {
		t.Errorf("%+v, %v", got, err)
	}
	if got, err = parsed(t, "--hook=h").over(config.Loop{Template: "t"}, root, root); err != nil || got.Template != "" || got.Hook != "h" {
		t.Errorf("%+v, %v", got, err)
	}
}

// Paths of flags are seen from --dir, and those of the result from the project's directory.
func TestLoopFlagsFromBelow(t *testing.T) {
	root := t.TempDir()
	base := filepath.Join(root, "sub dir")
	require.NoError(t, os.MkdirAll(filepath.Join(base, "t"), 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(base, "sync.py"), nil, 0o600))
	for text, want := range map[string]string{
		"./sync.py":           "'sub dir/sync.py'",
		"python3 sync.py now": "python3 'sub dir/sync.py' now",
		"/bin/x sync.py":      "/bin/x 'sub dir/sync.py'",
		"../up.py":            "./up.py",
		"http://a/sync.py":    "http://a/sync.py",
		"sync.py":             "sync.py", // of PATH
	} {
		got, err := parsed(t, "--hook="+text).over(config.Loop{}, root, base)
		require.NoError(t, err, text)
		assert.Equal(t, want, got.Hook, text)
	}
	if got, err := parsed(t, "--template=t").over(config.Loop{}, root, base); err != nil || got.Template != "sub dir/t" {
		t.Errorf("%+v, %v", got, err)
	}
}

func TestControllerName(t *testing.T) {
	for folder, test := range map[string]struct{ mod, want string }{
		"crontab":               {"", "crontab"},
		"My Project_2":          {"", "my-project-2"},
		"a":                     {"module example.com/tools/Cron.Tab/v2\n", "cron-tab"},
		"b":                     {"go 1.26\n", "b"},
		"---":                   {"", "crdctl"},
		strings.Repeat("x", 90): {"", strings.Repeat("x", 40)},
	} {
		root := filepath.Join(t.TempDir(), folder)
		require.NoError(t, os.Mkdir(root, 0o755))
		if test.mod != "" {
			require.NoError(t, os.WriteFile(filepath.Join(root, "go.mod"), []byte(test.mod), 0o600))
		}
		assert.Equal(t, test.want, controllerName(root), folder)
	}
}

// What is about this one run gets into its options.
func TestBuiltinFlags(t *testing.T) {
	f := parsed(t, "--shards=2", "--lease-namespace=leases", "--metrics=:8080", "--profiling", "--no-events", "--crd=foos.example.com", "--crd=bars.example.com", "--in-cluster")
	require.NoError(t, f.apply(config.Loop{}, "/base"))
	if o := f.o; !o.Leases || o.LeaseNamespace != "leases" || o.MetricsAddr != ":8080" || !o.Profiling || !o.NoEvents || len(o.CRDNames) != 2 || !o.Cluster.InCluster {
		t.Errorf("%+v", o)
	}
	f = parsed(t, "--render=foo.yaml")
	base := t.TempDir()
	require.Error(t, f.apply(config.Loop{Hook: "h"}, base), "the file does not exist")
	require.NoError(t, os.WriteFile(filepath.Join(base, "foo.yaml"), nil, 0o600))
	require.NoError(t, f.apply(config.Loop{Hook: "h"}, base))
	assert.Equal(t, filepath.Join(base, "foo.yaml"), f.o.Render)
	assert.False(t, f.o.Leases)
}

func TestBuiltinFlagsRefuse(t *testing.T) {
	for args, want := range map[string]string{
		"--workers 0":                        `--workers must be at least 1, got 0`,
		"--hook-timeout 0s":                  `--hook-timeout must be more than 0s, got 0s`,
		"--kube-api-qps 0":                   `--kube-api-qps must be at least 1, or -1 for no limit, got 0`,
		"--kube-api-qps -2":                  `--kube-api-qps: must be at least 1, or -1 for no limit, got -2`,
		"--kube-api-burst 0":                 `--kube-api-burst must be at least 1, got 0`,
		"--kube-api-burst 9":                 `--kube-api-qps and --kube-api-burst require --kubeconfig, --context, --master or --in-cluster; `,
		"--hook a --template b":              `--hook: cannot be used with a template; remove the hook or the template`,
		"--finalize-hook a":                  `--finalize-hook: requires loop.hook (--hook), which may be the same program`,
		"--selector a==b==c":                 `--selector: found '==', expected: ',' or 'end of string'; write for example app=x,tier!=test`,
		"--lease-duration 0s":                `--lease-duration 0s is too short to renew a lease; it must be at least 1s, for example 15s`,
		"--lease-duration 9ms":               `--lease-duration: 9ms is too short to renew a lease; it must be at least 1s, for example 15s`,
		"--shard-by namespace":               `--shard-by: requires more than one shard; set --shards`,
		"--owns v1/Pod":                      `--owns: a hook or a template is required; set one`,
		"--hook a --owns Pod":                `--owns: "Pod" must be GROUP/VERSION/KIND, `,
		"--lease-namespace x":                `--lease-namespace requires --leader-elect or --shards`,
		"--leader-elect --lease-namespace X": `--lease-namespace "X" is not a valid namespace name; `,
		"--shards 257":                       `--shards: must be at most 256, got 257`,
		"--hook-max-bytes 2000000000":        `--hook-max-bytes: must be at most 1073741824 (1 GiB), got 2000000000`,
		"--hook=":                            `--hook is empty; name a program or a URL, or omit it`,
		"--finalize-hook=":                   `--finalize-hook is empty; name a program or a URL, or omit it`,
		"--customize-hook=":                  `--customize-hook is empty; name a program or a URL, or omit it`,
		"--template=":                        `--template is empty; name a directory, or omit it`,
		"--profiling":                        `--profiling requires --metrics, for example --metrics 127.0.0.1:8080`,
		"--metrics 8080":                     `--metrics "8080" must be an address with a port, for example :8080 or 127.0.0.1:8080`,
		"--crd foos":                         `--crd "foos" is not a CRD name; write plural and group, for example crontabs.stable.example.com`,
		"--render x":                         `--render requires --hook or --template`,
		"--hook a --render x --leader-elect": `--render cannot be used with --leader-elect or --metrics`,
	} {
		f := parsed(t, strings.Fields(args)...)
		err := f.apply(config.Loop{}, f.o.Root)
		require.Error(t, err, "%s: %v, want %s", args, err, want)
		assert.True(t, strings.HasPrefix(err.Error(), want), "%s: %v, want %s", args, err, want)
	}
	f := parsed(t, "--crd=a.b")
	f.o.CRDFiles = []string{"crd.yaml"}
	assert.ErrorContains(t, f.apply(config.Loop{}, f.o.Root), "--crd cannot be used with -f")
	f = parsed(t, "--in-cluster")
	f.o.Cluster = target.Cluster{Context: "x"}
	assert.ErrorContains(t, f.apply(config.Loop{}, f.o.Root), "--in-cluster cannot be used with --kubeconfig")
	// What the file says wrong next to a flag is called by its name there.
	f = parsed(t, "--workers=3")
	assert.EqualError(t, f.apply(config.Loop{ShardBy: "x"}, f.o.Root), `crdctl.yaml: loop.shardBy: "x" must be key or namespace`)
}

// Builds that lack a flag of run know its name.
func TestFullRunFlags(t *testing.T) {
	small := parsed(t).o
	set := pflag.NewFlagSet("", pflag.ContinueOnError)
	(&builtinFlags{}).bind(set, small)
	targetFlags(set, small)
	var missing []string
	newRun(ui.Streams{}, &options{}).Flags().VisitAll(func(f *pflag.Flag) {
		if set.Lookup(f.Name) == nil {
			missing = append(missing, f.Name)
		}
	})
	assert.ElementsMatch(t, append([]string{"builtin"}, fullRunFlags()...), missing, "fullRunFlags and the flags of run that targetFlags and builtinFlags do not register")
}
