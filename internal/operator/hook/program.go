// SPDX-License-Identifier: Apache-2.0

package hook

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"

	"github.com/crdctl/crdctl/internal/proc"
)

// program is a program that was found, with its arguments.
type program struct {
	name  string // as a person wrote it
	path  string
	args  []string
	dir   string   // where it is started
	mark  string   // of its processes
	files []string // that decide what it does: the program, and arguments that are files
}

// find looks for a program once, at the start, where a person still reads what is wrong.
func find(t Target, dir string) (program, error) {
	p := program{name: t.String(), args: t.Args[1:], dir: dir}
	wanted := t.Args[0]
	if scheme, rest, ok := strings.Cut(wanted, ":/"); ok && (scheme == "http" || scheme == "https") { // with one slash too few
		return p, fmt.Errorf("hook %s: the URL has no host; write %s://HOST/%s", wanted, scheme, strings.TrimLeft(rest, "/"))
	}
	if !strings.ContainsRune(filepath.ToSlash(wanted), '/') {
		path, err := exec.LookPath(wanted)
		if err != nil {
			if info, here := os.Stat(filepath.Join(dir, wanted)); here == nil && info.Mode().IsRegular() {
				return p, fmt.Errorf("hook %s: not found in PATH, but in %s; write ./%s", wanted, dir, wanted)
			}
			return p, fmt.Errorf("hook %s: not found in PATH; install it, or name a file like ./%s", wanted, wanted)
		}
		p.path = path
	} else {
		p.path = within(dir, wanted)
	}
	info, err := os.Stat(p.path)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return p, fmt.Errorf("hook %s: %w; create it, or name a program relative to %s", wanted, os.ErrNotExist, dir)
	case err != nil:
		return p, fmt.Errorf("hook %s: %w; make it readable", wanted, err)
	case info.IsDir():
		return p, fmt.Errorf("hook %s: %s is a directory; name a program (for templates use --template)", wanted, p.path)
	case runtime.GOOS != "windows" && info.Mode()&0o111 == 0:
		return p, fmt.Errorf("hook %s: %s is not executable; run chmod +x %s", wanted, p.path, p.path)
	case endsInReturn(p.path):
		return p, fmt.Errorf("hook %s: the first line of %s ends with a carriage return, so its interpreter is not found; save the file with Unix line ends", wanted, p.path)
	}
	p.files = []string{p.path}
	if len(p.args) > 0 && IsScript(p.args[0]) && !strings.HasPrefix(p.args[0], "-") {
		script := p.args[0]
		if _, err := os.Stat(within(dir, script)); errors.Is(err, os.ErrNotExist) {
			return p, fmt.Errorf("hook %s %s: %s: %w; create it, or name a file relative to %s", wanted, script, script, os.ErrNotExist, dir)
		}
	}
	for _, arg := range p.args {
		file := within(dir, arg)
		if info, err := os.Stat(file); arg != "" && err == nil && info.Mode().IsRegular() {
			p.files = append(p.files, file)
			p.name += " " + arg // such as python3 sync.py
		}
	}
	return p, nil
}

// scripts are the endings of what interpreters are given.
var scripts = []string{".bash", ".cjs", ".js", ".jq", ".lua", ".mjs", ".php", ".pl", ".py", ".rb", ".sh", ".ts"}

// IsScript reports whether an argument is named as a file that an interpreter runs.
func IsScript(arg string) bool { return slices.Contains(scripts, filepath.Ext(arg)) }

// endsInReturn reports whether a script has the line ends of Windows. Elsewhere the kernel and env take the carriage return for a part of the
// interpreter's name, and only say that a file does not exist.
func endsInReturn(path string) bool {
	if runtime.GOOS == "windows" {
		return false
	}
	file, err := os.Open(path)
	if err != nil {
		return false // a program need not be readable
	}
	defer func() { _ = file.Close() }()
	head := make([]byte, 256)
	n, _ := io.ReadFull(file, head)
	line, _, _ := bytes.Cut(head[:n], []byte("\n"))
	return bytes.HasPrefix(line, []byte("#!")) && bytes.HasSuffix(line, []byte("\r"))
}

func within(dir, path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(dir, path)
}

// start starts a program with the input, outputs and grace of the options.
func (p program) start(o proc.Options, env ...string) (*proc.Process, error) {
	o.Path, o.Args, o.Dir, o.Mark, o.Env = p.path, p.args, p.dir, p.mark, append(os.Environ(), env...)
	process, err := proc.Start(o)
	if err != nil {
		return nil, fmt.Errorf("%w; %s", err, startAdvice(err))
	}
	return process, nil
}

func startAdvice(err error) string {
	switch {
	case errors.Is(err, syscall.ENOEXEC):
		return "a script must begin with a line like #!/usr/bin/env python3"
	case errors.Is(err, os.ErrNotExist):
		return "install the program, or the interpreter that its first line names"
	case errors.Is(err, os.ErrPermission):
		return "make it executable with chmod +x"
	case errors.Is(err, syscall.EMFILE):
		return "too many open files; run fewer hooks at the same time"
	}
	return "check that it can be started from a shell"
}
