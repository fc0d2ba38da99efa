// SPDX-License-Identifier: Apache-2.0

// Package daemon keeps one control plane of a project running when no terminal does: it starts a process of its
// own, finds it again, and stops it. The data are in the project's state directory and outlast the process.
//
// What a control plane is, package controlplane knows.
package daemon

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/crdctl/crdctl/internal/controlplane"
	"github.com/crdctl/crdctl/internal/controlplane/state"
	"github.com/crdctl/crdctl/internal/safefs"
)

// State is what is known of a project's control plane.
type State struct {
	// Running reports whether its process lives; Ready, whether it has published its address.
	Running bool `json:"running"`
	Ready   bool `json:"ready"`
	// PID and Since are those of the process that runs.
	PID   int       `json:"pid,omitempty"`
	Since time.Time `json:"since,omitzero"`
	// URL is where the API is, or was.
	URL string `json:"url,omitempty"`
	// Kubeconfig is the credential, Data the directory of all that is kept, Log what the process said. All are there only
	// where a control plane was started.
	Kubeconfig string `json:"kubeconfig"`
	Data       string `json:"data"`
	Log        string `json:"log"`
	// Run is the "crdctl run" of the project, if there is one: see RunStatus.
	Run *Foreground `json:"run,omitempty"`
}

// readyMark ends the line of the process in the file state.HolderName once the control plane is ready.
const readyMark = " ready"

// holderLimit is more than that file has.
const holderLimit = 1 << 12

func stateOf(root string) State {
	dir := state.Cluster(root)
	return State{Kubeconfig: filepath.Join(dir, state.KubeconfigName), Data: dir, Log: filepath.Join(dir, state.LogName)}
}

// Status returns the state of a project's control plane. One that was never started does not run. It writes nothing.
func Status(root string) (State, error) {
	s, err := lookAtProcess(root)
	if err != nil {
		return s, err
	}
	return s, s.readURL(root)
}

// lookAtProcess is Look without the address, for those who would replace a kubeconfig that cannot be read.
func lookAtProcess(root string) (State, error) {
	s := stateOf(root)
	dir, err := state.OpenCluster(root)
	if errors.Is(err, fs.ErrNotExist) {
		return s, nil
	} else if err != nil {
		return s, fmt.Errorf("check whether a control plane is running: %w", err)
	}
	defer func() { _ = dir.Close() }()
	holder, err := dir.OpenFile(state.HolderName, os.O_RDONLY, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return s, nil
	} else if err != nil {
		return s, fmt.Errorf("check whether a control plane is running: %w", err)
	}
	defer func() { _ = holder.Close() }()
	// Lookers share the lock: none takes another for the holder.
	switch err := safefs.TryLock(holder, true); {
	case err == nil:
		return s, nil
	case !errors.Is(err, safefs.ErrLocked):
		return s, fmt.Errorf("check whether the control plane of %s is running: %w", root, err)
	}
	s.Running = true
	content, err := dir.Read(state.HolderName, holderLimit)
	if err != nil {
		return s, err
	}
	number, since, ok := strings.Cut(strings.TrimSpace(string(content)), " ")
	if !ok {
		return s, nil // it has the lock, and is about to write who it is
	}
	if s.PID, err = strconv.Atoi(number); err != nil || s.PID <= 1 {
		return s, fmt.Errorf("read %s: %q is not a process id", dir.Join(state.HolderName), number)
	}
	if s.Since, err = time.Parse(time.RFC3339, strings.TrimSuffix(since, readyMark)); err != nil {
		return s, fmt.Errorf("read %s: %w", holder.Name(), err)
	}
	s.Ready = strings.HasSuffix(since, readyMark)
	return s, nil
}

// readURL takes the address from the kubeconfig, if there is one.
func (s *State) readURL(root string) error {
	k, err := Kubeconfig(root)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	} else if err != nil {
		return err
	}
	s.URL = k.Server
	return nil
}

// Kubeconfig returns the credential of a project's control plane in the background. Where there is none, the error is
// fs.ErrNotExist.
func Kubeconfig(root string) (*controlplane.Kubeconfig, error) {
	dir, err := state.OpenCluster(root)
	if err != nil {
		return nil, err
	}
	defer func() { _ = dir.Close() }()
	return controlplane.ReadKubeconfig(dir, state.KubeconfigName)
}

// ControllerToken returns the credential for the controller of a project on its control plane in the background, or "" where an older crdctl
// started it.
func ControllerToken(root string) (string, error) {
	dir, err := state.OpenCluster(root)
	if err != nil {
		return "", err
	}
	defer func() { _ = dir.Close() }()
	return controlplane.ControllerToken(dir)
}

// WriteKubeconfig replaces the content of State.Kubeconfig, where there is one.
func WriteKubeconfig(root string, content []byte) error {
	dir, err := state.OpenCluster(root)
	if err != nil {
		return err
	}
	defer func() { _ = dir.Close() }()
	if _, err := dir.Stat(state.KubeconfigName); err != nil {
		return err
	}
	return dir.Write(state.KubeconfigName, content)
}
