// SPDX-License-Identifier: Apache-2.0

package run

import (
	"os"
	"runtime"

	"github.com/crdctl/crdctl/internal/run/hookpipe"
	"github.com/crdctl/crdctl/internal/run/observe"
)

// hook is what a controller inherits to report on its work queues: files, and the environment that says so. Both are empty where nothing is
// recorded, on Windows, where no file is inherited, and with a debugger, which has files of its own there.
func (d *devLoop) hook(observed *observe.Process) (files []*os.File, env []string, err error) {
	if observed == nil || d.Debugger != nil || runtime.GOOS == "windows" {
		return nil, nil, nil
	}
	pipe, err := observed.Pipe()
	if err != nil {
		return nil, nil, err
	}
	return []*os.File{pipe}, []string{hookpipe.Variable + "=3"}, nil
}

func closeAll(files []*os.File) {
	for _, f := range files {
		_ = f.Close() // the controller has it
	}
}
