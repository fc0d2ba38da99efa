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
	// Recording is where it serves what it records; nil where its API does, or nothing is recorded.
	Recording *Recording `json:"recording,omitempty"`
}

// Recording is where a run serves what it records.
type Recording struct {
	URL   string `json:"url"`
	Token string `json:"token"`
}

// Announce records that this process runs the project, for RunStatus. The process and its number are filled in.
func Announce(dir *state.Dir, f Foreground) error {
	f.PID = os.Getpid()
	data, err := json.Marshal(f)
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
