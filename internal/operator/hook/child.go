package hook

import (
	"errors"
	"fmt"
	"io"
	"os"
	"syscall"
	"time"

	"github.com/crdctl/crdctl/internal/proc"
)

// drain is how long what a program printed is read after its end. Its process group is killed with it, so only a child in a session of
// its own can hold the pipes open; it is not waited for.
const drain = time.Second

// child is a started program and this side of its pipes.
type child struct {
	*proc.Process
	in, out, errs *os.File
}

// start starts a program. The pipes are files, and not writers of os/exec: the end of the program is then seen at once, also where a
// child of it keeps them open.
func (p program) start(env []string, grace time.Duration, brief bool) (c *child, err error) {
	var mine, theirs []io.Closer
	defer func() {
		closeAll(theirs)
		if err != nil {
			closeAll(mine)
		}
	}()
	pipe := func() (r, w *os.File) {
		if err != nil {
			return nil, nil
		}
		if r, w, err = os.Pipe(); err != nil {
			err = fmt.Errorf("pipe to %s: %w; too many files are open, allow fewer hooks at a time", p.name, err)
		}
		return r, w
	}
	inR, inW := pipe()
	outR, outW := pipe()
	errR, errW := pipe()
	for _, f := range []*os.File{inW, outR, errR} {
		if f != nil {
			mine = append(mine, f)
		}
	}
	for _, f := range []*os.File{inR, outW, errW} {
		if f != nil {
			theirs = append(theirs, f)
		}
	}
	if err != nil {
		return nil, err
	}
	process, err := proc.Start(proc.Options{
		Path: p.path, Args: p.args, Env: append(os.Environ(), env...), Dir: p.dir,
		Stdin: inR, Stdout: outW, Stderr: errW, Grace: grace, Mark: p.mark, Brief: brief,
	})
	if err != nil {
		return nil, fmt.Errorf("%w; %s", err, startAdvice(err))
	}
	return &child{Process: process, in: inW, out: outR, errs: errR}, nil
}

func startAdvice(err error) string {
	switch {
	case errors.Is(err, syscall.ENOEXEC):
		return "begin a script with a line like #!/usr/bin/env python3"
	case errors.Is(err, os.ErrNotExist):
		return "put the program, or the interpreter that its first line names, in place"
	case errors.Is(err, os.ErrPermission):
		return "make it executable with chmod +x"
	}
	return "see that it can be started by hand"
}

func closeAll(files []io.Closer) {
	for _, f := range files {
		_ = f.Close()
	}
}

// hangUp closes this side of what the program reads, and soon of what it prints. The program has ended.
func (c *child) hangUp() (stop func() bool) {
	_ = c.in.Close()
	return time.AfterFunc(drain, func() { _, _ = c.out.Close(), c.errs.Close() }).Stop
}
