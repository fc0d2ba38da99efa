// SPDX-License-Identifier: Apache-2.0

package stories

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"time"
)

// shared is the control plane of the stories that need none of their own: each has CRDs and namespaces of its own there.
// It starts with the first of them and stops after the last test.
var shared sharedPlane

type sharedPlane struct {
	once  sync.Once
	err   error
	cmd   *exec.Cmd
	ended chan error
}

func (p *sharedPlane) dir() string { return filepath.Join(scratch, "plane") }
func (p *sharedPlane) log() string { return filepath.Join(scratch, "plane.log") }

func (p *sharedPlane) start() error {
	p.once.Do(func() { p.err = p.startOnce() })
	return p.err
}

func (p *sharedPlane) startOnce() error {
	crd := filepath.Join(p.dir(), "crd.yaml")
	if err := errors.Join(os.Mkdir(p.dir(), 0o755), os.WriteFile(crd, []byte(otherCRD), 0o600)); err != nil {
		return err
	}
	log, err := os.Create(p.log())
	if err != nil {
		return err
	}
	defer func() { _ = log.Close() }()
	p.cmd = exec.Command(crdctl, "run", "--builtin", "-f", "crd.yaml")
	p.cmd.Dir, p.cmd.Stdout, p.cmd.Stderr = p.dir(), log, log
	p.cmd.Env = append(os.Environ(), "KUBECONFIG=/does/not/exist", "NO_COLOR=1")
	if err := p.cmd.Start(); err != nil {
		return err
	}
	p.ended = make(chan error, 1)
	go func() { p.ended <- p.cmd.Wait() }()
	for deadline := time.Now().Add(patience); ; time.Sleep(50 * time.Millisecond) {
		said, err := os.ReadFile(p.log())
		if err != nil {
			return err
		}
		if bytes.Contains(said, []byte("Started workers")) {
			return p.establish("testdata/gadgets.yaml")
		}
		if time.Now().After(deadline) {
			return fmt.Errorf("the control plane of the stories did not start:\n%s", said)
		}
	}
}

// establish installs the CRDs of the stories of hooks, which share them.
func (p *sharedPlane) establish(file string) error {
	for _, args := range [][]string{{"apply", "-f", file}, {"wait", "--for=condition=Established", "--timeout=60s", "-f", file}} {
		cmd := exec.Command(crdctl, append([]string{"kubectl", "--kubeconfig", filepath.Join(p.dir(), ".crdctl", "kubeconfig")}, args...)...)
		if out, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("%v: %w\n%s", args, err, out)
		}
	}
	return nil
}

// stop ends it, which must leave nothing behind.
func (p *sharedPlane) stop() error {
	if p.ended == nil {
		return nil
	}
	if err := p.cmd.Process.Signal(os.Interrupt); err != nil {
		return err
	}
	select {
	case err := <-p.ended:
		if err != nil {
			said, _ := os.ReadFile(p.log())
			return fmt.Errorf("%w:\n%s", err, said)
		}
	case <-time.After(patience):
		return errors.Join(errors.New("did not end"), p.cmd.Process.Kill())
	}
	if _, err := os.Stat(filepath.Join(p.dir(), ".crdctl")); !os.IsNotExist(err) {
		return fmt.Errorf(".crdctl is left behind (%w)", err)
	}
	return nil
}

// plane returns the directory and the kubeconfig of the control plane that stories share.
func (w *world) plane() (dir, kubeconfig string) {
	w.Helper()
	w.check(shared.start())
	return shared.dir(), filepath.Join(shared.dir(), ".crdctl", "kubeconfig")
}

// kubectl runs the embedded kubectl for the control plane of a directory.
func (w *world) kubectl(dir string, args ...string) string {
	w.Helper()
	return w.run(dir, crdctl, append([]string{"kubectl"}, args...)...)
}
