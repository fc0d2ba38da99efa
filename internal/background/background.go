// Package background keeps one control plane of a project running when no terminal does: it starts a process of its
// own, finds it again, and stops it. The data are in the project's state folder and outlast the process.
//
// What a control plane is, package controlplane knows.
package background

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/gofrs/flock"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/crdctl/crdctl/internal/statedir"
)

// State is what is known of a project's control plane.
type State struct {
	// Running tells whether its process lives; Ready, whether it has published its address.
	Running bool `json:"running"`
	Ready   bool `json:"ready"`
	// PID and Since are those of the process that runs.
	PID   int       `json:"pid,omitempty"`
	Since time.Time `json:"since,omitzero"`
	// URL is where the API is, or was.
	URL string `json:"url,omitempty"`
	// Kubeconfig is the credential, Data the folder of all that is kept, Log what the process said. All are there only
	// where a control plane was started.
	Kubeconfig string `json:"kubeconfig"`
	Data       string `json:"data"`
	Log        string `json:"log"`
}

const (
	// holderName is the file that the process holds a lock on, and that has its number.
	holderName = "process"
	// readyMark ends its line once the control plane is ready.
	readyMark = " ready"
)

func stateOf(root string) State {
	dir := statedir.Cluster(root)
	return State{Kubeconfig: filepath.Join(dir, "kubeconfig"), Data: dir, Log: filepath.Join(dir, "log")}
}

// Look returns the state of a project's control plane. One that was never started does not run.
func Look(root string) (State, error) {
	s, err := lookAtProcess(root)
	if err != nil {
		return s, err
	}
	return s, s.readURL()
}

// lookAtProcess is Look without the address, for those who would mend a kubeconfig that can't be read.
func lookAtProcess(root string) (State, error) {
	s := stateOf(root)
	holder := filepath.Join(s.Data, holderName)
	if _, err := os.Stat(holder); isNotThere(err) {
		return s, nil
	} else if err != nil {
		return s, fmt.Errorf("look whether a control plane runs: %w; that folder is another user's", err)
	}
	// Lookers share the lock: none takes another for the holder.
	lock := flock.New(holder, flock.SetFlag(os.O_RDWR))
	free, err := lock.TryRLock()
	if err != nil {
		return s, fmt.Errorf("look whether the control plane of %s runs: %w", root, err)
	}
	if free {
		// What the holder noted before it was killed must not be taken for news of the next one.
		return s, errors.Join(os.Truncate(holder, 0), lock.Close())
	}
	s.Running = true
	content, err := os.ReadFile(holder)
	if err != nil {
		return s, err
	}
	number, since, ok := strings.Cut(strings.TrimSpace(string(content)), " ")
	if !ok {
		return s, nil // it has the lock, and is about to write who it is
	}
	if s.PID, err = strconv.Atoi(number); err != nil {
		return s, fmt.Errorf("read %s: %w", holder, err)
	}
	if s.Since, err = time.Parse(time.RFC3339, strings.TrimSuffix(since, readyMark)); err != nil {
		return s, fmt.Errorf("read %s: %w", holder, err)
	}
	s.Ready = strings.HasSuffix(since, readyMark)
	return s, nil
}

// isNotThere is also true of what would lie in a folder that is a file: whoever makes that folder says what is wrong with it.
func isNotThere(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR)
}

// readURL takes the address from the kubeconfig, if there is one.
func (s *State) readURL() error {
	config, err := clientcmd.LoadFromFile(s.Kubeconfig)
	if isNotThere(err) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("read %s: %w", s.Kubeconfig, err)
	}
	for _, c := range config.Clusters {
		s.URL = c.Server
	}
	return nil
}
