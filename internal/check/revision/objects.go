// SPDX-License-Identifier: Apache-2.0

package revision

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"slices"
	"strings"

	"github.com/crdctl/crdctl/internal/git"
	"github.com/crdctl/crdctl/internal/safefs"
)

// openGit reads the tree of a commit below root.
func openGit(ctx context.Context, root, name string) (*Base, error) {
	id, err := commit(ctx, root, name)
	if err != nil {
		return nil, err
	}
	// Below a directory, git lists what is there, with paths from there.
	listing, err := ask(ctx, root, "ls-tree", "-r", "-z", id)
	if err != nil {
		return nil, fmt.Errorf("%w; \"git fsck\" may tell more", err)
	}
	o := &objects{ctx: ctx, root: root, ids: map[string]string{}}
	b := &Base{Whole: true, read: o.read, close: o.stop}
	for entry := range strings.SplitSeq(strings.TrimSuffix(listing, "\x00"), "\x00") {
		head, file, _ := strings.Cut(entry, "\t")
		if fields := strings.Fields(head); len(fields) == 3 && strings.HasPrefix(fields[0], "100") { // neither links nor submodules
			o.ids[file] = fields[2]
			b.files = append(b.files, file)
		}
	}
	slices.Sort(b.files)
	return b, nil
}

// objects reads blobs with one process of git, which starts when the first is read.
type objects struct {
	ctx  context.Context //nolint:containedctx // that of the check: it ends the process
	root string
	ids  map[string]string // by file

	cmd     *exec.Cmd
	in      io.WriteCloser
	out     *bufio.Reader
	problem bytes.Buffer
}

func (o *objects) start() (err error) {
	cmd := git.Command(o.ctx, o.root, "cat-file", "--batch")
	cmd.Stderr = &o.problem
	if o.in, err = cmd.StdinPipe(); err != nil {
		return err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	o.cmd, o.out = cmd, bufio.NewReader(out)
	return nil
}

func (o *objects) read(name string) ([]byte, error) {
	if o.cmd == nil {
		if err := o.start(); err != nil {
			return nil, err
		}
	}
	_, err := io.WriteString(o.in, o.ids[name]+"\n")
	head := ""
	if err == nil {
		head, err = o.out.ReadString('\n')
	}
	if err != nil {
		return nil, o.broken(err)
	}
	var id, kind string
	var size int64
	if n, _ := fmt.Sscanf(head, "%s %s %d", &id, &kind, &size); n != 3 || kind != "blob" {
		return nil, fmt.Errorf("git has no such object: %s; \"git fetch --refetch\" gets what a partial clone lacks, \"git fsck\" finds what is corrupt", strings.TrimSpace(head))
	}
	if size > safefs.MaxFile {
		if _, err := io.CopyN(io.Discard, o.out, size+1); err != nil {
			return nil, o.broken(err)
		}
		return nil, fmt.Errorf("the file has %d bytes, more than %d", size, int64(safefs.MaxFile))
	}
	data := make([]byte, size+1) // and a line break
	if _, err := io.ReadFull(o.out, data); err != nil {
		return nil, o.broken(err)
	}
	return data[:size], nil
}

// broken ends git, which says why it stopped.
func (o *objects) broken(err error) error {
	if o.ctx.Err() != nil {
		return context.Cause(o.ctx)
	}
	stopped := o.stop()
	return fmt.Errorf("git cat-file: %s; \"git fsck\" finds what is corrupt", said(o.problem.String(), errors.Join(err, stopped)))
}

func (o *objects) stop() error {
	if o.cmd == nil {
		return nil
	}
	cmd := o.cmd
	o.cmd = nil
	_ = o.in.Close()
	err := cmd.Wait()
	if o.ctx.Err() != nil {
		return nil
	}
	return err
}
