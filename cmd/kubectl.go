// SPDX-License-Identifier: Apache-2.0

//go:build !crdctl_codegen && !crdctl_loop

package cmd

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/crdctl/crdctl/internal/config"
	"github.com/crdctl/crdctl/internal/kubectl"
	"github.com/crdctl/crdctl/internal/ui"
)

func newKubectl(s ui.Streams, o *options) *cobra.Command {
	return &cobra.Command{
		Use:   "kubectl [ARG...]",
		Short: "Run the built-in kubectl on the project's control plane",
		Long: `Kubectl is Kubernetes' own kubectl, connected to the control plane of this project that "crdctl run" or "crdctl cluster start"
started. The exit code is kubectl's.`,
		Example: "  crdctl kubectl apply -f config/samples\n  crdctl kubectl get crontabs\n  crdctl kubectl -C ../other get events",
		// All that follows is kubectl's.
		DisableFlagParsing: true,
		RunE: func(c *cobra.Command, args []string) error {
			args, err := o.takeDir(args)
			if err != nil {
				return err
			}
			return runKubectl(c.Context(), s, o, args)
		},
		ValidArgsFunction: func(c *cobra.Command, args []string, toComplete string) ([]string, cobra.ShellCompDirective) {
			return o.completeKubectl(c.Context(), args, toComplete)
		},
	}
}

// completeKubectl completes what follows kubectl as that does, with the control plane of the project if it runs.
func (o *options) completeKubectl(ctx context.Context, args []string, toComplete string) ([]string, cobra.ShellCompDirective) {
	args, err := o.takeDir(args)
	if err != nil {
		return nil, cobra.ShellCompDirectiveFilterDirs
	}
	ctx, cancel := context.WithTimeout(ctx, completionTimeout)
	defer cancel()
	var out bytes.Buffer
	quiet := ui.Streams{In: strings.NewReader(""), Out: &out, Err: io.Discard}
	if err := runKubectl(ctx, quiet, o, append(append([]string{cobra.ShellCompRequestCmd}, args...), toComplete)); err != nil {
		return nil, cobra.ShellCompDirectiveError
	}
	// A value with its description on each line, then a colon and the directive.
	lines := strings.Split(strings.TrimRight(out.String(), "\n"), "\n")
	last := len(lines) - 1
	directive, err := strconv.Atoi(strings.TrimPrefix(lines[last], ":"))
	if err != nil {
		return nil, cobra.ShellCompDirectiveError
	}
	return lines[:last], cobra.ShellCompDirective(directive)
}

// completionTimeout bounds a completion: the user waits for it in the middle of a line.
const completionTimeout = 3 * time.Second

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
				return nil, ui.UsageErrorf("%s needs a directory", args[0])
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

func runKubectl(ctx context.Context, s ui.Streams, o *options, args []string) (err error) {
	if path := os.Getenv(testKubeconfig); path != "" && !needsNoServer(args) {
		args = append([]string{"--kubeconfig=" + path}, args...)
	}
	c, err := o.kubectlCredential(args)
	if err != nil {
		return err
	}
	l, err := c.lend()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, l.remove()) }()
	logs := &watchedWriter{Writer: s.Out}
	asksForLogs := slices.Contains(args, "logs") && !needsNoServer(args)
	if asksForLogs { // otherwise kubectl must see whether its output is a terminal
		s.Out = logs
	}
	code := kubectl.Run(ctx, kubectl.Options{
		Kubeconfig: l.path, Loaded: func() { _ = l.remove() }, // tried again at the end
		Args: args, In: s.In, Out: s.Out, Err: s.Err,
	})
	if code != 0 {
		return ui.ExitCode(code)
	}
	if asksForLogs && !logs.written {
		s.Report().Note("no logs: this control plane has no kubelet, so the containers of its pods do not run; the controller's own log is in the output of \"crdctl run\"")
	}
	return l.keep()
}

// watchedWriter remembers whether anything was written.
type watchedWriter struct {
	io.Writer
	written bool
}

func (w *watchedWriter) Write(p []byte) (int, error) {
	w.written = w.written || len(p) > 0
	return w.Writer.Write(p)
}

// kubectlCredential returns the credential for the project's control plane, and an error if it does not run and the arguments
// need it.
func (o *options) kubectlCredential(args []string) (credential, error) {
	optional := needsNoServer(args)
	if optional && (len(args) == 0 || !slices.Contains([]string{"config", "__complete", "__completeNoDesc"}, args[0])) {
		return credential{}, nil
	}
	root, err := o.ownRoot()
	if err != nil {
		return credential{}, err
	}
	return findCredential(root, optional)
}

// rootOrHere is the project's directory, or the working one where there is no project: "run --builtin" needs none.
func (o *options) rootOrHere() (string, error) {
	root, err := config.Find(o.dir)
	if errors.Is(err, fs.ErrNotExist) {
		root, err = filepath.Abs(o.dir)
	}
	return root, err
}

// needsNoServer reports whether the arguments are answered without the control plane: help, or another cluster.
func needsNoServer(args []string) bool {
	if len(args) == 0 || slices.Contains([]string{"help", "completion", "options", "config", "plugin", "kustomize", "__complete", "__completeNoDesc"}, args[0]) {
		return true
	}
	return slices.ContainsFunc(args, func(a string) bool {
		return a == "-h" || a == "--help" || a == "--client" || a == "--client=true" || strings.HasPrefix(a, "--kubeconfig")
	})
}
