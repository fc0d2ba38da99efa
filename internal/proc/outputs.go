package proc

import (
	"io"
	"os"
	"os/exec"
	"sync"
	"time"
)

// drainTime is how long a child's last words are waited for that are still in a pipe when it has ended. A descendant that
// left the child's group may hold the pipe open for as long as it likes.
const drainTime = time.Second

// outputs are the pipes through which a child writes to what is not a file. Package exec has such pipes too; but its Wait
// waits for all who hold one, before their group can be killed, and a writer that fails gets the child killed by SIGPIPE.
type outputs struct {
	theirs, ours []*os.File
	copies       sync.WaitGroup
}

// connect replaces the command's writers that are not files by pipes.
func (o *outputs) connect(cmd *exec.Cmd) (err error) {
	same := cmd.Stdout != nil && cmd.Stdout == cmd.Stderr
	if cmd.Stdout, err = o.pipeTo(cmd.Stdout); err == nil {
		if same {
			cmd.Stderr = cmd.Stdout
		} else {
			cmd.Stderr, err = o.pipeTo(cmd.Stderr)
		}
	}
	if err != nil {
		o.started()
	}
	return err
}

func (o *outputs) pipeTo(w io.Writer) (io.Writer, error) {
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
func (o *outputs) started() {
	for _, f := range o.theirs {
		_ = f.Close()
	}
}

// drain returns when all has been copied.
func (o *outputs) drain() {
	late := time.AfterFunc(drainTime, func() {
		for _, f := range o.ours {
			_ = f.Close()
		}
	})
	o.copies.Wait()
	late.Stop()
	for _, f := range o.ours {
		_ = f.Close()
	}
}
