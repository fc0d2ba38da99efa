// SPDX-License-Identifier: Apache-2.0

package calls

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"

	"github.com/crdctl/crdctl/internal/config"
	"github.com/crdctl/crdctl/internal/gen/cache"
	"github.com/crdctl/crdctl/internal/gen/controllergen"
	"github.com/crdctl/crdctl/internal/gen/diag"
)

// Made is what the calls of a project made.
type Made struct {
	Files []controllergen.File
	Notes []string
	// Only are the generators that ran, by controller-gen's names; empty is all.
	Only []string
	// None is set where no generator was to run, and nothing is known of their files.
	None bool
	// Cached is set where nothing had to be made.
	Cached bool
	// Silent are, by call, generators of which the files on disk may be all the same; see [controllergen.Result].
	Silent map[int][]string
	// DeepCopies are the files of deep copies on disk, below the paths of the calls.
	DeepCopies []string
	// Ignored are, by call, the errors that it ignores, in one line.
	Ignored map[int]string
	// Failed are, by call, the errors of those that need what is unavailable here; see [controllergen.Result].
	Failed map[int]error
}

// Err is the error of what could not run. Without inferred it leaves out calls that were inferred, without which the others are whole.
func (m *Made) Err(inferred bool) (err error) {
	for _, i := range slices.Sorted(maps.Keys(m.Failed)) {
		one := m.Failed[i]
		cause := one.Error()
		if _, below, ok := strings.Cut(cause, "\n"); ok { // the first line names the call
			cause = below
		}
		told := err != nil && strings.Contains(err.Error(), cause) // calls may fail for one reason
		if !told && (inferred || !diag.IsInferred(one)) {
			err = errors.Join(err, one)
		}
	}
	return err
}

// Undetermined is the error of what could not run here, and can elsewhere: what it makes may be up to date or not.
func (m *Made) Undetermined() (err error) {
	for _, i := range slices.Sorted(maps.Keys(m.Failed)) {
		if one := m.Failed[i]; diag.IsUnavailable(one) && !diag.IsUnsupported(one) {
			err = errors.Join(err, one)
		}
	}
	return err
}

// Make runs the calls, or takes what they made from the store where nothing changed: each call for itself, so that after an edit those
// run that read what was edited. names are those that the user gave, of any generators; empty is all. program is this very program, for
// the keys.
func Make(ctx context.Context, root string, settings config.ControllerGen, names []string, store *cache.Store, program string) (*Made, error) {
	only, none := Only(names)
	if none || len(settings.Calls) == 0 {
		return &Made{None: true, Cached: true}, nil
	}
	kept := newKept(ctx, root, settings, only, store, program)
	results := make([]*result, len(settings.Calls))
	var missing []int
	for i := range settings.Calls {
		if results[i] = kept.get(i); results[i] == nil {
			missing = append(missing, i)
		}
	}
	m := &Made{Only: only, Cached: len(missing) == 0, Silent: map[int][]string{}, DeepCopies: kept.walk().deepCopies, Failed: map[int]error{}, Ignored: map[int]string{}}
	if len(missing) > 0 {
		some := settings
		some.Calls = nil
		for _, i := range missing {
			some.Calls = append(some.Calls, settings.Calls[i])
		}
		ran, markers, err := run(ctx, root, some, only)
		if err != nil {
			return nil, err
		}
		var calls []int
		var read [][]string
		for n, i := range missing {
			results[i] = resultOf(ran, n, i)
			results[i].Markers = markers[n]
			if err := ran.Failed[n]; err != nil {
				m.Failed[i] = err
				continue
			}
			calls, read = append(calls, i), append(read, ran.Read[n])
		}
		if err := kept.put(calls, results, read); err != nil {
			m.Notes = append(m.Notes, fmt.Sprintf("crdctl: warning: the result cannot be cached (%v), so the next run is not faster; set XDG_CACHE_HOME to a directory that you can write to", err))
		}
	}
	var markers []string
	for i, r := range results {
		m.Silent[i] = r.Silent
		if r.Ignored != "" {
			m.Ignored[i] = r.Ignored
			m.Notes = appendNew(m.Notes, []string{r.Ignored})
		}
		for _, f := range r.Files {
			f.Call = i // the settings may have had the call elsewhere when its result was kept
			m.Files = append(m.Files, f)
		}
		m.Notes = appendNew(m.Notes, r.Notes)
		markers = appendNew(markers, r.Markers)
	}
	m.Notes = append(m.Notes, shorten(markers)...)
	return m, nil
}

// run runs calls, and looks at their markers meanwhile.
func run(ctx context.Context, root string, settings config.ControllerGen, only []string) (ran *controllergen.Result, markers [][]string, err error) {
	var group errgroup.Group
	group.Go(func() (err error) {
		markers, err = mistakes(root, settings)
		return err
	})
	ran, err = controllergen.Run(ctx, root, settings, only)
	return ran, markers, cmp.Or(err, group.Wait())
}

// appendNew appends the words that are not there yet.
func appendNew(to, words []string) []string {
	for _, word := range words {
		if !slices.Contains(to, word) {
			to = append(to, word)
		}
	}
	return to
}

// result is what one call made.
type result struct {
	Silent []string
	// Ignored are the errors that the call ignores, in one line.
	Ignored string
	Files   []controllergen.File
	Notes   []string
	// Markers are notes on its markers.
	Markers []string
}

// resultOf is the part of a run of several calls that is one call's: the nth of the run, which the settings have at i.
func resultOf(ran *controllergen.Result, n, i int) *result {
	r := &result{Notes: ran.Notes, Silent: ran.Silent[n], Ignored: ran.Ignored[n]}
	for _, f := range ran.Files {
		if f.Call == n {
			f.Call = i
			r.Files = append(r.Files, f)
		}
	}
	return r
}
