// SPDX-License-Identifier: Apache-2.0

//go:build !crdctl_codegen && !crdctl_loop

package cmd

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"time"

	"k8s.io/client-go/rest"

	"github.com/crdctl/crdctl/internal/controlplane"
	"github.com/crdctl/crdctl/internal/controlplane/daemon"
	"github.com/crdctl/crdctl/internal/text"
	"github.com/crdctl/crdctl/internal/trace"
)

// viewed is a recording that is open.
type viewed struct {
	trace.Source
	header trace.Header
	name   string
	end    int64    // the newest T, or Now of what runs
	begin  int64    // of the part that is read
	notes  []string // what the user must know of it
	file   *trace.File
}

// open opens the file, or else what the control plane that runs has in memory: live to follow it, or only what is there.
func (o *viewOptions) open(ctx context.Context, live bool) (*viewed, error) {
	if o.file != "" {
		return openRecording(o.file)
	}
	return o.attach(ctx, live)
}

func openRecording(path string) (*viewed, error) {
	f, err := trace.OpenFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s: no such file; name a recording made with \"crdctl run --record FILE\" or \"crdctl view --save FILE\"", path)
	}
	if err != nil {
		return nil, err
	}
	v := viewed{Source: f, header: f.Header(), name: filepath.Base(path), file: f}
	for _, m := range f.Index().Members {
		v.end = max(v.end, m.To)
	}
	if err := f.CutOff(); err != nil {
		v.notes = append(v.notes, err.Error())
	}
	if v.header.Format > trace.Format {
		v.notes = append(v.notes, fmt.Sprintf("%s: written by %s in format %d; this crdctl reads format %d and ignores what it does not know",
			path, writtenBy(&v.header), v.header.Format, trace.Format))
	}
	return &v, nil
}

// writtenBy names the version of crdctl that made a recording, if it is known.
func writtenBy(h *trace.Header) string {
	if h.Crdctl == "" {
		return "a newer crdctl"
	}
	return "crdctl " + text.Printable(h.Crdctl)
}

func (o *viewOptions) attach(ctx context.Context, live bool) (*viewed, error) {
	root, err := o.ownRoot()
	if err != nil {
		return nil, err
	}
	from, background, err := findRecording(root)
	if err != nil {
		return nil, err
	}
	header, err := remoteHeader(ctx, from, background)
	if err != nil {
		return nil, err
	}
	from.Follow = live
	v := viewed{Source: from, header: *header, name: "the control plane of " + root}
	if background {
		v.notes = []string{`this is what the control plane in the background records: requests, not what a controller prints or how it is built; while "crdctl run" runs, crdctl view has both`}
	}
	start, err := time.Parse(time.RFC3339Nano, header.Start)
	if err != nil {
		return nil, fmt.Errorf("%s: start of the recording: %w", from.URL, err)
	}
	v.end = int64(time.Since(start))
	return &v, nil
}

// findRecording returns where what is recorded of a project is served: by the run, where it records more than its API server, or else by that,
// which may be the control plane in the background.
func findRecording(root string) (from trace.Remote, background bool, err error) {
	foreground, err := daemon.RunStatus(root)
	if err != nil {
		return from, false, err
	}
	if foreground != nil && foreground.Recording != nil {
		from, err = remoteRecording(&rest.Config{Host: foreground.Recording.URL, BearerToken: foreground.Recording.Token})
		return from, false, err
	}
	c, err := findCredential(root, false)
	if err != nil {
		return from, false, fmt.Errorf("%w; or name a recording: crdctl view FILE (it cannot attach to a run with --kubeconfig, --context or --master: start that with --record FILE and view the file, or with --ui)", err)
	}
	from, err = remotePlane(c.kubeconfig)
	return from, c.background, err
}

func remotePlane(k *controlplane.Kubeconfig) (trace.Remote, error) {
	return remoteRecording(&rest.Config{Host: k.Server, BearerToken: k.Token, TLSClientConfig: rest.TLSClientConfig{CAData: k.CA}})
}

func remoteRecording(config *rest.Config) (trace.Remote, error) {
	client, err := rest.HTTPClientFor(config)
	return trace.Remote{Client: client, URL: config.Host}, err
}

// remoteHeader asks for the first record only.
func remoteHeader(ctx context.Context, from trace.Remote, background bool) (*trace.Header, error) {
	for rec, err := range from.Records(ctx, 0) {
		switch {
		case errors.Is(err, trace.ErrNotRecorded) && background:
			return nil, errors.New("the control plane in the background records nothing; " + recordBackground)
		case errors.Is(err, trace.ErrNotRecorded):
			return nil, fmt.Errorf(`%w; start "crdctl run" again without --findings=false`, err)
		case err != nil:
			return nil, err
		}
		if h, ok := rec.Body.(*trace.Header); ok {
			return h, nil
		}
		break
	}
	return nil, fmt.Errorf("%s: its recording has no header; it may be of another version of crdctl", from.URL)
}

// recordBackground is what to do about a control plane in the background that is not recorded.
const recordBackground = `run "crdctl cluster stop", then "crdctl cluster start --findings"`

func (v *viewed) close() error {
	if v.file == nil {
		return nil
	}
	return v.file.Close()
}
