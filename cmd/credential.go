// SPDX-License-Identifier: Apache-2.0

//go:build !crdctl_codegen && !crdctl_loop

package cmd

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/crdctl/crdctl/internal/config"
	"github.com/crdctl/crdctl/internal/controlplane"
	"github.com/crdctl/crdctl/internal/controlplane/daemon"
	"github.com/crdctl/crdctl/internal/controlplane/state"
	"github.com/crdctl/crdctl/internal/tempdir"
)

// credential is what kubectl needs for the project's control plane. It has been read once; what is checked is what is used.
type credential struct {
	root       string
	background bool
	kubeconfig *controlplane.Kubeconfig // nil where no control plane has one
}

// ownRoot is rootOrHere for commands that connect or execute: not in a project that another user may have written.
func (o *options) ownRoot() (string, error) {
	root, err := o.rootOrHere()
	if err != nil {
		return "", err
	}
	return root, config.CheckOwner(root)
}

// findCredential returns the credential for the control plane that runs: that of a run, or else of the one in the background.
// If none runs, the error says so, unless it is optional; then it may be the credential for one that does not run, or empty.
func findCredential(root string, optional bool) (credential, error) {
	// A run removes what it finds before it says who it is. Without one, the kubeconfig may be from any other process.
	foreground, err := daemon.RunStatus(root)
	if err != nil {
		return credential{}, err
	}
	run, err := runKubeconfig(root)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return credential{}, err
	}
	if foreground == nil || foreground.PID == 0 {
		run = nil
	}
	// A run that is ending may have no server any more.
	if run != nil && listens(run.Server) {
		return credential{root: root, kubeconfig: run}, nil
	}
	s, err := daemon.Status(root)
	if err != nil {
		return credential{}, err
	}
	c := credential{root: root, kubeconfig: run}
	if s.Running || run == nil {
		c.background = true
		if c.kubeconfig, err = daemon.Kubeconfig(root); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return credential{}, err
		}
	}
	switch {
	case optional:
		return c, nil
	case run == nil && !s.Running:
		return c, fmt.Errorf("no control plane is running for %s; start one with \"crdctl run\" in another terminal, or with \"crdctl cluster start\"", root)
	case c.kubeconfig == nil:
		return c, errors.New("the control plane in the background is still starting; try again")
	case !listens(c.kubeconfig.Server):
		return c, fmt.Errorf("the control plane of %s does not answer at %s; start it again with \"crdctl run\" in another terminal", root, c.kubeconfig.Server)
	}
	return c, nil
}

func runKubeconfig(root string) (*controlplane.Kubeconfig, error) {
	content, err := state.ReadKubeconfig(root)
	if err != nil {
		return nil, err
	}
	k, err := controlplane.ParseKubeconfig(content)
	if err != nil {
		return nil, fmt.Errorf("%s: %w; remove it, and start the control plane again", state.Kubeconfig(root), err)
	}
	return k, nil
}

// listens reports whether a process accepts connections at an address.
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

// kubectlPrefix begins the names of the directories of lent credentials.
const kubectlPrefix = "crdctl-kubectl-"

// lent is a copy of a credential for kubectl, which reads files only: another one than what was checked may be at the path of
// the original by then.
type lent struct {
	credential
	path   string
	before []byte
	dir    *tempdir.Dir
	once   sync.Once
	err    error
}

// lend makes the copy. Where there is no credential, its file does not exist.
func (c credential) lend() (*lent, error) {
	_ = tempdir.Sweep(os.TempDir(), kubectlPrefix) // run in spite of what a killed one left
	dir, err := tempdir.New(os.TempDir(), kubectlPrefix)
	if err != nil {
		return nil, fmt.Errorf("%w; set TMPDIR to a writable directory", err)
	}
	l := &lent{credential: c, dir: dir, path: filepath.Join(dir.Path, state.KubeconfigName)}
	if c.kubeconfig != nil {
		l.before, err = c.kubeconfig.Encode()
		if err == nil {
			err = dir.Write(state.KubeconfigName, l.before)
		}
	}
	if err != nil {
		return nil, errors.Join(err, dir.Remove())
	}
	return l, nil
}

// remove removes the copy; once is enough.
func (l *lent) remove() error {
	l.once.Do(func() { l.err = l.dir.Remove() })
	return l.err
}

// keep writes back what "kubectl config" changed in the copy, such as the namespace of the context.
func (l *lent) keep() error {
	after, err := os.ReadFile(l.path)
	if errors.Is(err, fs.ErrNotExist) || err == nil && bytes.Equal(after, l.before) {
		return nil
	}
	if err != nil {
		return err
	}
	if l.kubeconfig == nil {
		return fmt.Errorf("the change was not saved: no control plane of %s has a kubeconfig; name another file with --kubeconfig", l.root)
	}
	k, err := controlplane.ParseKubeconfig(after)
	if err != nil {
		return errors.New("the change was not saved: in the kubeconfig of crdctl's control plane only the namespace can be changed; name another file with --kubeconfig")
	}
	content, err := k.Encode()
	if err != nil {
		return err
	}
	if l.background {
		return daemon.WriteKubeconfig(l.root, content)
	}
	return state.WriteKubeconfig(l.root, content)
}
