package measure

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strings"
)

// Go runs the go command in a folder and returns what it prints.
func Go(ctx context.Context, dir string, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Dir = dir
	out, err := cmd.Output()
	if failed := (*exec.ExitError)(nil); errors.As(err, &failed) {
		err = fmt.Errorf("go %s: %w\n%s", strings.Join(args, " "), err, failed.Stderr)
	}
	return out, err
}

// ControllerRuntime is the rival, and its envtest, as a module and its version.
const ControllerRuntime = "sigs.k8s.io/controller-runtime@v0.25.2"
