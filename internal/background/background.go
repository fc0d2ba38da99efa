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
	"time"

	"go.etcd.io/etcd/client/pkg/v3/fileutil"
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

// holderName is the file that the process holds a lock on, and that has its number.
const holderName = "process"

func stateOf(root string) State {
	dir := statedir.Cluster(root)
	return State{Kubeconfig: filepath.Join(dir, "kubeconfig"), Data: dir, Log: filepath.Join(dir, "log")}
}

// Look returns the state of a project's control plane. One that was never started does not run.
func Look(root string) (State, error) {
	s := stateOf(root)
	holder := filepath.Join(s.Data, holderName)
	if _, err := os.Stat(holder); err != nil {
		return s, nil // whoever makes the folder says what is wrong with it
	}
	lock, err := fileutil.TryLockFile(holder, os.O_RDWR, 0o600)
	switch {
	case err == nil:
		return s, errors.Join(s.readURL(), lock.Close())
	case errors.Is(err, fs.ErrNotExist):
		return s, nil
	case !errors.Is(err, fileutil.ErrLocked):
		return s, fmt.Errorf("look whether the control plane of %s runs: %w", root, err)
	}
	s.Running = true
	content, err := os.ReadFile(holder)
	if err != nil {
		return s, err
	}
	number, since, _ := strings.Cut(strings.TrimSpace(string(content)), " ")
	if s.PID, err = strconv.Atoi(number); err != nil {
		return s, nil // it has the lock, and is about to write its number
	}
	if s.Since, err = time.Parse(time.RFC3339, strings.TrimSuffix(since, " ready")); err != nil {
		return s, fmt.Errorf("read %s: %w", holder, err)
	}
	s.Ready = strings.HasSuffix(since, " ready")
	return s, s.readURL()
}

// readURL takes the address from the kubeconfig, if there is one.
func (s *State) readURL() error {
	config, err := clientcmd.LoadFromFile(s.Kubeconfig)
	if errors.Is(err, fs.ErrNotExist) {
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
