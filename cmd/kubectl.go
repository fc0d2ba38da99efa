package cmd

import (
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/crdctl/crdctl/internal/background"
	"github.com/crdctl/crdctl/internal/kubectl"
	"github.com/crdctl/crdctl/internal/project"
	"github.com/crdctl/crdctl/internal/statedir"
)

func newKubectl(s Streams, o *options) *cobra.Command {
	return &cobra.Command{
		Use:   "kubectl [ARG...]",
		Short: "Talk to the project's running control plane, with the kubectl that is built in",
		Long: `Kubectl is Kubernetes' own kubectl, pointed at the control plane that "crdctl run" runs for this project.
Its exit codes are its own.`,
		Example: "  crdctl kubectl apply -f config/samples\n  crdctl kubectl get crontabs\n  crdctl kubectl -C ../other get events",
		// All that follows is kubectl's.
		DisableFlagParsing: true,
		RunE: func(c *cobra.Command, args []string) error {
			args, err := o.takeDir(args)
			if err != nil {
				return err
			}
			kubeconfig, err := o.runningControlPlane(args)
			if err != nil {
				return err
			}
			if code := kubectl.Run(c.Context(), kubectl.Options{Kubeconfig: kubeconfig, Args: args, In: s.In, Out: s.Out, Err: s.Err}); code != 0 {
				return exitCode(code)
			}
			return nil
		},
	}
}

// takeDir takes --dir from the arguments before kubectl's own command. kubectl has no such flag, and its users write flags
// behind its name.
func (o *options) takeDir(args []string) ([]string, error) {
	for len(args) > 0 {
		dir, given := "", false
		for _, prefix := range []string{"--dir=", "-C="} {
			if dir, given = strings.CutPrefix(args[0], prefix); given {
				break
			}
		}
		switch {
		case given:
		case args[0] == "--dir" || args[0] == "-C":
			if len(args) == 1 {
				return nil, usageError{fmt.Errorf("%s needs a directory", args[0])}
			}
			args = args[1:]
			dir = args[0]
		case strings.HasPrefix(args[0], "-C"):
			dir = args[0][len("-C"):]
		default:
			return args, nil
		}
		args, o.dir = args[1:], dir
	}
	return args, nil
}

// runningControlPlane returns the kubeconfig of the project's control plane, and an error if it doesn't run and the
// arguments need it.
func (o *options) runningControlPlane(args []string) (string, error) {
	root, err := o.rootOrHere()
	if err != nil {
		return "", err
	}
	kubeconfig := statedir.Kubeconfig(root)
	if needsNoServer(args) && !slices.Equal(args[:min(1, len(args))], []string{"config"}) {
		return kubeconfig, nil
	}
	// A run that was killed leaves a kubeconfig behind that nothing serves.
	if !answers(kubeconfig) {
		if s, err := background.Look(root); err != nil {
			return "", err
		} else if s.Running {
			kubeconfig = s.Kubeconfig
		}
	}
	if needsNoServer(args) {
		return kubeconfig, nil // "config" reads and writes the file of the control plane that runs
	}
	config, err := clientcmd.LoadFromFile(kubeconfig)
	if errors.Is(err, fs.ErrNotExist) {
		return "", fmt.Errorf("no control plane runs for %s; start it with \"crdctl run\" in another terminal, or with \"crdctl cluster start\"", root)
	}
	if err != nil {
		return "", err
	}
	for _, cluster := range config.Clusters {
		if !listens(cluster.Server) {
			return "", fmt.Errorf("the control plane of %s does not answer at %s; start it again with \"crdctl run\" in another terminal", root, cluster.Server)
		}
	}
	return kubeconfig, nil
}

// rootOrHere is the project's folder, or the working one where there is no project: "run --builtin" needs none.
func (o *options) rootOrHere() (string, error) {
	root, err := project.Find(o.dir)
	if errors.Is(err, fs.ErrNotExist) {
		root, err = filepath.Abs(o.dir)
	}
	return root, err
}

// needsNoServer tells whether the arguments are answered without the control plane: help, or another cluster.
func needsNoServer(args []string) bool {
	if len(args) == 0 || slices.Contains([]string{"help", "completion", "options", "config", "plugin", "kustomize", "__complete", "__completeNoDesc"}, args[0]) {
		return true
	}
	return slices.ContainsFunc(args, func(a string) bool {
		return a == "-h" || a == "--help" || a == "--client" || a == "--client=true" || strings.HasPrefix(a, "--kubeconfig")
	})
}

// answers tells whether a kubeconfig is there, and somebody listens where it says.
func answers(kubeconfig string) bool {
	config, err := clientcmd.LoadFromFile(kubeconfig)
	if err != nil {
		return false
	}
	for _, cluster := range config.Clusters {
		return listens(cluster.Server)
	}
	return false
}

// listens tells whether somebody accepts connections at an address.
func listens(server string) bool {
	u, err := url.Parse(server)
	if err != nil {
		return false
	}
	conn, err := net.DialTimeout("tcp", u.Host, time.Second)
	if err != nil {
		return os.IsTimeout(err) // there, but busy
	}
	_ = conn.Close()
	return true
}
