// SPDX-License-Identifier: Apache-2.0

package server

import (
	"context"
	"errors"
	"fmt"
	"html"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
)

// Browse opens the page in the user's browser, and returns what removes the file that it takes for that: the arguments
// of processes can be read by all users of the machine, so the browser gets the name of a file, which only this user can
// read and which is served nowhere.
func (s *Server) Browse(ctx context.Context) (remove func() error, err error) {
	dir, err := os.MkdirTemp("", "crdctl-view-") // 0700
	if err != nil {
		return nil, err
	}
	remove = func() error { return os.RemoveAll(dir) }
	file := filepath.Join(dir, "open.html")
	page := fmt.Sprintf("<!doctype html>\n<meta charset=\"utf-8\"><meta http-equiv=\"refresh\" content=\"0; url=%s\"><title>crdctl</title>\n", html.EscapeString(s.URL()))
	if err := os.WriteFile(file, []byte(page), 0o600); err != nil {
		return nil, errors.Join(err, remove())
	}
	name, args := "xdg-open", []string{file}
	switch runtime.GOOS {
	case "darwin":
		name = "open"
	case "windows":
		name, args = "rundll32", []string{"url.dll,FileProtocolHandler", file}
	}
	if out, err := exec.CommandContext(ctx, name, args...).CombinedOutput(); err != nil {
		return nil, errors.Join(fmt.Errorf("%s: %w: %s", name, err, out), remove())
	}
	return remove, nil
}
