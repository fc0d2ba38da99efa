// SPDX-License-Identifier: Apache-2.0

package daemon

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"

	"github.com/crdctl/crdctl/internal/controlplane/state"
)

// Foreground is a "crdctl run" of a project.
type Foreground struct {
	// PID and Since are those of its process; PID is 0 while it has not said who it is.
	PID   int       `json:"pid,omitempty"`
	Since time.Time `json:"since,omitzero"`
	// URL is where its API is, and Kubeconfig the credential; both are empty until the control plane is ready.
	URL        string `json:"url,omitempty"`
	Kubeconfig string `json:"kubeconfig,omitempty"`
}

// Announce records that this process runs the project, for RunStatus.
func Announce(dir *state.Dir, since time.Time, url, kubeconfig string) error {
	data, err := json.Marshal(Foreground{PID: os.Getpid(), Since: since, URL: url, Kubeconfig: kubeconfig})
	if err != nil {
		return err
	}
	return dir.WriteRecord(data)
}

// RunStatus returns the run of a project, or nil if there is none. It writes nothing.
func RunStatus(root string) (*Foreground, error) {
	if running, err := state.Running(root); err != nil || !running {
		return nil, err
	}
	f := &Foreground{}
	data, err := state.Record(root)
	if errors.Is(err, fs.ErrNotExist) {
		return f, nil // it has just begun
	}
	if err == nil {
		err = json.Unmarshal(data, f)
	}
	if err != nil {
		return nil, fmt.Errorf("read the state of the run of %s: %w", root, err)
	}
	return f, nil
}

// String names the run for a person.
func (f *Foreground) String() string {
	if f.PID == 0 {
		return `"crdctl run"`
	}
	return fmt.Sprintf(`"crdctl run" (process %d)`, f.PID)
}
