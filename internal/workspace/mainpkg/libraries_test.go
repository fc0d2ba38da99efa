// SPDX-License-Identifier: Apache-2.0

package mainpkg_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/crdctl/crdctl/internal/safefs/safefstest"
	"github.com/crdctl/crdctl/internal/workspace/mainpkg"
)

// Flags are read of the libraries that controllers have them from. Where a program has subcommands, it is not known which of them has a flag.
func TestFlagsOfLibraries(t *testing.T) {
	const program = `package main

import (
	"os/exec"

	"%s"
	ctrl "sigs.k8s.io/controller-runtime"
)

func main() {
	%s
	_, _ = ctrl.NewManager(nil, ctrl.Options{})
}
`
	for name, c := range map[string]struct {
		library, main string
		want          map[string]mainpkg.Flag
	}{
		"urfave/cli": {
			"github.com/urfave/cli/v2",
			`_ = &cli.App{Flags: []cli.Flag{&cli.StringFlag{Name: "kubeconfig, k", EnvVar: "SHOP_KUBECONFIG"}, &cli.BoolFlag{Name: "leader-elect"}, cli.IntFlag{Name: "threads", Value: 2}}}`,
			map[string]mainpkg.Flag{"kubeconfig": {}, "leader-elect": {Bool: true}, "threads": {Number: true, Default: "2"}},
		},
		"urfave/cli with commands": {
			"github.com/urfave/cli/v2",
			`_ = &cli.App{Flags: []cli.Flag{&cli.StringFlag{Name: "kubeconfig"}}, Commands: []*cli.Command{&cli.Command{Name: "run"}}}`,
			map[string]mainpkg.Flag{},
		},
		"kingpin": {
			"github.com/alecthomas/kingpin/v2",
			`app := kingpin.New("shop", ""); app.Flag("metrics-addr", "").Short('m').Default(":8080").Envar("ADDR").StringVar(&addr); elect := app.Flag("leader-election", "").Bool(); app.Flag("port", "").IntVar(&port); exec.Command("shop")`,
			map[string]mainpkg.Flag{"metrics-addr": {Default: ":8080"}, "leader-election": {Bool: true, Negated: true}, "port": {Number: true}},
		},
		"kingpin with commands": {
			"gopkg.in/alecthomas/kingpin.v2",
			`app := kingpin.New("shop", ""); run := app.Command("run", ""); run.Flag("metrics-addr", "").String()`,
			map[string]mainpkg.Flag{},
		},
		"kong": {
			"github.com/alecthomas/kong",
			"var c struct { MetricsAddr string `default:\":8080\" help:\"\"`; TLSDir string `env:\"TLS\"`; Port uint16 `help:\"\"`; Elect bool `name:\"leader-elect\"`; Other string `json:\"other\"`; None int }; kong.Parse(&c)",
			map[string]mainpkg.Flag{"metrics-addr": {Default: ":8080"}, "tls-dir": {}, "port": {Number: true}, "leader-elect": {Bool: true}},
		},
		"Cluster API": {
			"sigs.k8s.io/cluster-api/util/flags",
			"flags.AddManagerOptions(pflag.CommandLine, &options)",
			map[string]mainpkg.Flag{"diagnostics-address": {Default: ":8443"}, "insecure-diagnostics": {Bool: true}},
		},
		"kong with commands": {
			"github.com/alecthomas/kong",
			"var c struct { MetricsAddr string `help:\"\"`; Run struct{} `cmd:\"\"` }; kong.Parse(&c)",
			map[string]mainpkg.Flag{},
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			safefstest.WriteFiles(t, dir, map[string]string{"go.mod": gomod, "main.go": fmt.Sprintf(program, c.library, c.main)})
			p, err := mainpkg.Read(dir, ".")
			require.NoError(t, err)
			require.NotNil(t, p)
			assert.Equal(t, c.want, p.Flags)
		})
	}
}

// A switch of kingpin takes no value.
func TestArgument(t *testing.T) {
	assert.Equal(t, "--leader-elect=false", mainpkg.Flag{Bool: true}.Argument("leader-elect", "false"))
	assert.Equal(t, "--no-leader-elect", mainpkg.Flag{Bool: true, Negated: true}.Argument("leader-elect", "false"))
	assert.Equal(t, "--outside", mainpkg.Flag{Bool: true, Negated: true}.Argument("outside", "true"))
}
