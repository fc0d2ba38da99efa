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
	"strings"
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
	if err := run(exec.CommandContext(ctx, name, args...), filepath.Join(dir, "output")); err != nil {
		return nil, errors.Join(fmt.Errorf("%s: %w", name, err), remove())
	}
	return remove, nil
}

// run runs a command. Its output is in a file, not in a pipe: a browser that it started and that runs on has the output,
// too, and would be waited for.
func run(cmd *exec.Cmd, output string) error {
	f, err := os.OpenFile(output, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	cmd.Stdout, cmd.Stderr = f, f
	err = errors.Join(cmd.Run(), f.Close())
	if err != nil {
		out, _ := os.ReadFile(output) // it only explains err, in its last line: xdg-open first lists each browser that it does not find
		lines := strings.Split(strings.TrimSpace(string(out)), "\n")
		return fmt.Errorf("%w: %s", err, lines[len(lines)-1])
	}
	return nil
}

// Open is Browse while the page is served: some commands end only when the browser ends. end stops waiting for it, and
// removes the file.
func (s *Server) Open(ctx context.Context, failed func(error)) (end func() error) {
	ctx, cancel := context.WithCancel(ctx)
	removed := make(chan func() error, 1)
	go func() {
		remove, err := s.Browse(ctx)
		if err != nil {
			if ctx.Err() == nil {
				failed(err)
			}
			remove = func() error { return nil }
		}
		removed <- remove
	}()
	return func() error {
		cancel()
		return (<-removed)()
	}
}
