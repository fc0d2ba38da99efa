package main

import (
	"context"
	"fmt"
	"io"
	"time"
)

// saved are the times of one change.
type saved struct {
	// total is from the rename of the saved file to the first reconcile of the new controller, under crdctl run.
	total time.Duration
	// build is a go build of the same change, and start is from the start of its controller to its first reconcile: what
	// the change takes without crdctl.
	build, start time.Duration
	// before is what crdctl does until it builds, building is its build, and after is from the end of that until the new
	// controller has started. On a busy machine they say more than own, which is a difference of large times.
	before, building, after time.Duration
}

// own is what crdctl adds.
func (s saved) own() time.Duration { return s.total - s.build - s.start }

// measureSave measures changes, and prints the table of them.
func measureSave(ctx context.Context, b *bench, s settings, out io.Writer) error {
	all, err := b.save(ctx, s.runs)
	printSaves(out, all)
	return err
}

// printSaves writes the table. Each column is a median of its own, so they need not add up.
func printSaves(w io.Writer, all map[string][]saved) {
	_, _ = fmt.Fprint(w, "\nSave: the rename of the saved file under crdctl run. First reconcile: its line in the new controller's log. Beside it, in turns, the same\n"+
		"change of a copy of the project without crdctl. Crdctl's own: the first less these two. The last three are measured in the\n"+
		"first: until the build begins (waits for quiet, generates, installs), the build, and from its end until the new controller has\n"+
		"started (stops the old one, starts).\n\n"+
		"| change | save until first reconcile | go build alone | controller alone | crdctl's own | until the build | crdctl's build | after the build |\n|---|---|---|---|---|---|---|---|\n")
	for _, e := range edits() {
		of := func(of func(saved) time.Duration) string { return seconds(medianOf(all[e.name], of)) }
		_, _ = fmt.Fprintf(w, "| %s | %s | %s | %s | %s | %s | %s | %s |\n", e.name,
			of(func(s saved) time.Duration { return s.total }), of(func(s saved) time.Duration { return s.build }),
			of(func(s saved) time.Duration { return s.start }), of(saved.own),
			of(func(s saved) time.Duration { return s.before }), of(func(s saved) time.Duration { return s.building }),
			of(func(s saved) time.Duration { return s.after }))
	}
}
