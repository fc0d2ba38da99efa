// SPDX-License-Identifier: Apache-2.0

package proc

import (
	"io"
	"os"
	"os/exec"
	"sync"
	"time"
)

// drainTime is how long what is still in a pipe is waited for when a child has ended. A descendant that
// left the child's group may hold the pipe open for as long as it likes.
const drainTime = time.Second

// pipes are those through which a child reads from, and writes to, what is not a file. Package exec has such pipes too; but its Wait
// waits for all who hold one, before their group can be killed, and a writer that fails gets the child killed by SIGPIPE.
type pipes struct {
	theirs, ours []*os.File
	copies       sync.WaitGroup
}

// connect replaces the command's reader and writers that are not files by pipes.
func (o *pipes) connect(cmd *exec.Cmd) (err error) {
	same := cmd.Stdout != nil && cmd.Stdout == cmd.Stderr
	if cmd.Stdin, err = o.pipeFrom(cmd.Stdin); err == nil {
		cmd.Stdout, err = o.pipeTo(cmd.Stdout)
	}
	if err == nil && same {
		cmd.Stderr = cmd.Stdout
	} else if err == nil {
		cmd.Stderr, err = o.pipeTo(cmd.Stderr)
	}
	if err != nil {
		o.abandon()
	}
	return err
}

func (o *pipes) pipeFrom(r io.Reader) (io.Reader, error) {
	if _, isFile := r.(*os.File); isFile || r == nil {
		return r, nil
	}
	theirs, w, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	o.ours, o.theirs = append(o.ours, w), append(o.theirs, theirs)
	o.copies.Go(func() {
		_, _ = io.Copy(w, r) // the child may end, or answer, before it has read all
		_ = w.Close()
	})
	return theirs, nil
}

func (o *pipes) pipeTo(w io.Writer) (io.Writer, error) {
	if _, isFile := w.(*os.File); isFile || w == nil {
		return w, nil
	}
	r, theirs, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	o.ours, o.theirs = append(o.ours, r), append(o.theirs, theirs)
	o.copies.Go(func() {
		if _, err := io.Copy(w, r); err != nil {
			_, _ = io.Copy(io.Discard, r) // the child is to end in order, whether anything reads its words or not
		}
	})
	return theirs, nil
}

// started closes the child's ends, which it has now, or never will.
func (o *pipes) started() { closeAll(o.theirs) }

// abandon closes all ends, and returns when nothing is copied: there is no child.
func (o *pipes) abandon() {
	closeAll(o.theirs)
	closeAll(o.ours)
	o.copies.Wait()
}

// drain returns when all has been copied.
func (o *pipes) drain() {
	late := time.AfterFunc(drainTime, func() { closeAll(o.ours) })
	o.copies.Wait()
	late.Stop()
	closeAll(o.ours)
}

func closeAll(files []*os.File) {
	for _, f := range files {
		_ = f.Close()
	}
}
