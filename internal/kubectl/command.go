// SPDX-License-Identifier: Apache-2.0

package kubectl

import (
	"context"
	"os"
	"strings"

	"github.com/spf13/cobra"
	"k8s.io/cli-runtime/pkg/genericclioptions"
	"k8s.io/cli-runtime/pkg/genericiooptions"
	"k8s.io/client-go/rest"
	"k8s.io/component-base/logs"
	kubectlcmd "k8s.io/kubectl/pkg/cmd"
)

// command is kubectl's command tree, made for one Run.
type command struct {
	root       *cobra.Command
	flags      *genericclioptions.ConfigFlags
	kubeconfig string
}

func newCommand(ctx context.Context, kubeconfig string, plain bool, loaded func(), streams genericiooptions.IOStreams) *command {
	flags := genericclioptions.NewConfigFlags(true).
		WithDeprecatedPasswordFlag().
		WithDiscoveryBurst(300).
		WithDiscoveryQPS(50).
		WithWarningPrinter(streams).
		WithWrapConfigFn(func(config *rest.Config) *rest.Config {
			config.QPS = -1                                            // or "delete --all" of 2,000 objects takes seven minutes, at 5 a second
			config.UserAgent = "kubectl/" + clientVersion().GitVersion // a client's own default is the name of this program
			config.Wrap(endRequestsWith(ctx))
			if loaded != nil {
				loaded()
			}
			return config
		})
	// kubectl caches discovery in ~/.kube/cache, by host and port, for hours: the next control plane on this port would get
	// what was cached for this one. Where no cache can be written it keeps one in memory.
	cacheDir := nowhere
	flags.CacheDir = &cacheDir
	root := kubectlcmd.NewKubectlCommand(kubectlcmd.KubectlOptions{
		Arguments:   []string{"kubectl"}, // with no more than that it does not read the user's kuberc
		ConfigFlags: flags,
		IOStreams:   streams,
	})
	root.SetIn(streams.In)
	root.SetOut(streams.Out)
	root.SetErr(streams.ErrOut)
	root.SilenceErrors = true // runAlone prints them
	for _, sub := range root.Commands() {
		if sub.Name() == "plugin" || sub.Name() == "kuberc" {
			root.RemoveCommand(sub) // they would speak of what is not looked at here
		}
	}
	logs.AddFlags(root.PersistentFlags())
	replaceVersion(root, flags, streams.Out)
	if !plain {
		rename(root)
	}
	return &command{root: root, flags: flags, kubeconfig: kubeconfig}
}

// execute runs the command line, until it or a fatal end inside kubectl is heard on ends.
func (c *command) execute(ends chan exit, args []string) exit {
	// As a flag, not as the default: "kubectl config" has a --kubeconfig of its own, whose default is the user's own
	// file, which it writes to. A later --kubeconfig, the user's, goes before this one.
	if c.kubeconfig != "" {
		args = append([]string{"--kubeconfig=" + c.kubeconfig}, args...)
	}
	c.root.SetArgs(args)
	go func() {
		checkErr(c.root.Execute())
		select {
		case ends <- exit{}:
		default: // another goroutine has ended the command
		}
	}()
	return <-ends
}

// hint says what to do about the most likely trouble, a control plane that is not running.
func (c *command) hint(end exit, plain bool) string {
	if plain {
		return ""
	}
	if strings.Contains(end.message, "unknown shorthand flag: 'C'") || strings.Contains(end.message, "unknown flag: --dir") {
		return "-C and --dir name the project; write them before kubectl's own arguments, as in \"crdctl kubectl -C DIR get pods\"\n"
	}
	if *c.flags.KubeConfig != c.kubeconfig || *c.flags.APIServer != "" {
		return "" // the user named another server
	}
	_, missing := os.Stat(c.kubeconfig)
	if missing != nil && strings.Contains(end.message, c.kubeconfig) || strings.Contains(end.message, "connection to the server") {
		return "the control plane of this project is not running; start it with \"crdctl run\"\n"
	}
	return ""
}
