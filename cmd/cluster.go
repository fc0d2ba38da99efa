// SPDX-License-Identifier: Apache-2.0

//go:build !crdctl_codegen && !crdctl_loop

package cmd

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"github.com/crdctl/crdctl/internal/controlplane"
	"github.com/crdctl/crdctl/internal/controlplane/daemon"
	"github.com/crdctl/crdctl/internal/run"
	"github.com/crdctl/crdctl/internal/trace"
	"github.com/crdctl/crdctl/internal/ui"
)

// clusterPatience bounds the start and the stop of the control plane in the background. Its own patience is less, so that
// it is the one to say what is wrong.
const clusterPatience = 3 * time.Minute

func newCluster(s ui.Streams, o *options) *cobra.Command {
	c := newGroup("cluster", "Manage a control plane in the background for this project",
		newClusterStart(s, o), newClusterStop(s, o), newClusterStatus(s, o), newClusterReset(s, o), newClusterServe(s, o))
	c.Long = `Cluster runs a control plane of the project in the background, also without "crdctl run". Its objects stay in .crdctl/cluster,
and "crdctl run" and "crdctl kubectl" use it. It listens on 127.0.0.1 only; its port and its kubeconfig,
.crdctl/cluster/kubeconfig, stay the same until it is reset.`
	c.Example = "  crdctl cluster start\n  crdctl run\n  crdctl cluster stop"
	return c
}

// inProject returns the function of a command that works on the control plane of the project that --dir is in.
func (o *options) inProject(run func(ctx context.Context, root string) error) func(*cobra.Command, []string) error {
	return func(c *cobra.Command, _ []string) error {
		root, err := o.ownRoot()
		if err != nil {
			return err
		}
		return run(c.Context(), root)
	}
}

func newClusterStart(s ui.Streams, o *options) *cobra.Command {
	var plane planeOptions
	var record bool
	c := &cobra.Command{
		Use:   "start",
		Short: "Start the control plane with the objects that it had when it was stopped",
		Args:  cobra.NoArgs,
		RunE: o.inProject(func(ctx context.Context, root string) error {
			if _, err := plane.settle(); err != nil {
				return err
			}
			self, err := os.Executable()
			if err != nil {
				return err
			}
			// A second control plane of the project would be started, and kubectl would go on to use that of the run.
			if r, err := daemon.RunStatus(root); err != nil {
				return err
			} else if r != nil {
				return fmt.Errorf("%s has its own control plane for this project; stop it, run \"crdctl cluster start\", and start it again", r)
			}
			began := time.Now()
			ctx, cancel := context.WithTimeout(ctx, clusterPatience)
			defer cancel()
			shown, done := s.Report().Work(ctx, "starting the control plane")
			state, err := daemon.Start(shown, root, self, "cluster", "serve", "--dir", root, "--port", strconv.Itoa(plane.port), "--pods", plane.pods,
				"--findings="+strconv.FormatBool(record), "-v", strconv.Itoa(o.verbosity))
			if done(); err != nil {
				return withRecordingHint(ctx, root, record, err)
			}
			return s.Printf("control plane ready in %.1fs: Kubernetes %s at %s\nkubeconfig: %s",
				time.Since(began).Seconds(), controlplane.KubernetesVersion, state.URL, state.Kubeconfig)
		}),
	}
	plane.bind(c.Flags())
	bindPlaneFindings(c, &record)
	return c
}

// withRecordingHint adds what to do where a control plane that is to be recorded runs already without.
func withRecordingHint(ctx context.Context, root string, record bool, err error) error {
	if !record || !errors.Is(err, daemon.ErrRunning) {
		return err
	}
	k, other := daemon.Kubeconfig(root)
	if other != nil {
		return err // it is starting
	}
	from, other := remotePlane(k)
	if other != nil {
		return err
	}
	for _, other := range from.Records(ctx, 0) {
		if errors.Is(other, trace.ErrNotRecorded) {
			return errors.New("the control plane of this project is running already, and records nothing; " + recordBackground)
		}
		break
	}
	return err
}

func bindPlaneFindings(c *cobra.Command, record *bool) {
	c.Flags().BoolVar(record, "findings", false, "record requests in memory, for \"crdctl view\" and \"crdctl run\"")
}

// newClusterServe is what "cluster start" runs as a process of its own.
func newClusterServe(s ui.Streams, o *options) *cobra.Command {
	var plane planeOptions
	var record bool
	c := &cobra.Command{
		Use: "serve", Hidden: true, Args: cobra.NoArgs,
		RunE: o.inProject(func(ctx context.Context, root string) error {
			p, err := plane.settle()
			if err != nil {
				return err
			}
			served, started, ended := controlplane.Options{Port: p.Port, PendingPods: p.PendingPods}, func(*controlplane.ControlPlane) {}, func() error { return nil }
			if record {
				if served.Record, started, ended, err = run.RecordPlane(root, Version()); err != nil {
					return err
				}
			}
			return errors.Join(daemon.Serve(ctx, root, served, started, s.Err), ended())
		}),
	}
	plane.bind(c.Flags())
	bindPlaneFindings(c, &record)
	return c
}

func newClusterStop(s ui.Streams, o *options) *cobra.Command {
	return &cobra.Command{
		Use:   "stop",
		Short: "Stop the control plane and keep its objects",
		Args:  cobra.NoArgs,
		RunE: o.inProject(func(ctx context.Context, root string) error {
			ctx, cancel := context.WithTimeout(ctx, clusterPatience)
			defer cancel()
			shown, done := s.Report().Work(ctx, "stopping the control plane")
			stopped, err := daemon.Stop(shown, root)
			switch done(); {
			case err != nil:
				return err
			case !stopped:
				return s.Printf("no control plane runs in the background for %s", root)
			}
			return s.Printf("stopped; its objects are kept (\"crdctl cluster reset\" removes them)")
		}),
	}
}

func newClusterReset(s ui.Streams, o *options) *cobra.Command {
	return &cobra.Command{
		Use:   "reset",
		Short: "Remove the objects and credentials of a stopped control plane",
		Args:  cobra.NoArgs,
		RunE: o.inProject(func(_ context.Context, root string) error {
			switch found, err := daemon.Reset(root); {
			case err != nil:
				return err
			case !found:
				return s.Printf("nothing to remove: no control plane is kept for %s", root)
			}
			return s.Printf("removed; the next \"crdctl cluster start\" creates a new control plane")
		}),
	}
}

func newClusterStatus(s ui.Streams, o *options) *cobra.Command {
	var output string
	c := &cobra.Command{
		Use:   "status",
		Short: "Report whether a control plane is running (exit code 0) or not (1), and where",
		Args:  cobra.NoArgs,
		RunE: o.inProject(func(_ context.Context, root string) error {
			state, err := daemon.Status(root)
			if err == nil {
				state.Run, err = daemon.RunStatus(root)
			}
			if state.Run != nil {
				state.Run.Recording = nil // its token is for "crdctl view" only
			}
			if err != nil {
				return err
			}
			err = s.Result(output, state, func() error { return printState(s, root, state) })
			if err == nil && !state.Running && state.Run == nil {
				return ui.ErrNo
			}
			return err
		}),
	}
	c.Flags().StringVarP(&output, "output", "o", "text", "text or json")
	return c
}

func printState(s ui.Streams, root string, state daemon.State) error {
	if r := state.Run; r != nil {
		line := r.String() + " is running"
		if !r.Since.IsZero() {
			line += " since " + r.Since.Local().Format(time.DateTime)
		}
		if r.URL != "" {
			line += ", at " + r.URL + "\nkubeconfig: " + r.Kubeconfig
		}
		if err := s.Printf("%s", line); err != nil || !state.Running {
			return err
		}
	}
	switch {
	case state.Ready:
		return s.Printf("running at %s, process %d, since %s\nkubeconfig: %s\nlog: %s",
			state.URL, state.PID, state.Since.Local().Format(time.DateTime), state.Kubeconfig, state.Log)
	case state.Running:
		return s.Printf("starting, or stopping; see %s", state.Log)
	default:
		return s.Printf("no control plane runs in the background for %s; start one with \"crdctl cluster start\"", root)
	}
}
