// SPDX-License-Identifier: Apache-2.0

//go:build !crdctl_codegen && !crdctl_loop

package cmd

import (
	"context"
	"errors"
	"iter"

	"github.com/spf13/pflag"

	"github.com/crdctl/crdctl/internal/trace"
	"github.com/crdctl/crdctl/internal/ui"
	"github.com/crdctl/crdctl/internal/view/server"
)

// pageFlags are the flags of the page.
type pageFlags struct {
	open bool
	port int
}

func (f *pageFlags) register(set *pflag.FlagSet) {
	set.BoolVar(&f.open, "open", false, "open the page in the browser")
	set.IntVar(&f.port, "ui-port", 0, "`port` of the page on 127.0.0.1 (default: a free one)")
}

func (f *pageFlags) validate() error {
	if f.port < 0 || f.port > 65535 {
		return ui.UsageErrorf("--ui-port must be from 0 to 65535, got %d", f.port)
	}
	return nil
}

// viewPage serves the page until ctx ends.
func viewPage(ctx context.Context, s ui.Streams, o viewOptions, v *viewed) error {
	options := server.Options{Source: v.Source, Port: o.page.port}
	switch {
	case o.file == "":
		options.Source = attached{o}
	case o.from != "" || o.to != "":
		part, err := v.part(ctx, o.from, o.to)
		if err != nil {
			return err
		}
		options.Source = partial{part}
	}
	if o.file != "" {
		options.File = v.name
	}
	page, err := server.New(options)
	if err != nil {
		return err
	}
	if err := s.Printf("%s", page.URL()); err != nil {
		return errors.Join(err, page.Close())
	}
	s.Report().Note("the page is for you only: its URL has a token; Ctrl-C ends it")
	end := func() error { return nil }
	if o.page.open {
		end = page.Open(ctx, func(err error) { s.Report().Note("--open: %v; open the URL yourself", err) })
	}
	return errors.Join(untilClosed(ctx, page.Serve), end())
}

// attached is what the control plane of this project records, also after it was started again elsewhere.
type attached struct{ o viewOptions }

// Live implements trace.Source.
func (attached) Live() bool { return true }

// Records implements trace.Source.
func (a attached) Records(ctx context.Context, after int64) iter.Seq2[trace.Record, error] {
	return func(yield func(trace.Record, error) bool) {
		v, err := a.o.attach(ctx, true)
		if err != nil {
			yield(trace.Record{}, err)
			return
		}
		v.Records(ctx, after)(yield)
	}
}

// partial is a part of a recording.
type partial struct {
	records iter.Seq2[trace.Record, error]
}

// Live implements trace.Source.
func (partial) Live() bool { return false }

// Records implements trace.Source.
func (p partial) Records(context.Context, int64) iter.Seq2[trace.Record, error] { return p.records }
