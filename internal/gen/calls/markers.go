// SPDX-License-Identifier: Apache-2.0

package calls

import (
	"cmp"
	"fmt"
	"path"
	"slices"

	"golang.org/x/mod/semver"

	"github.com/crdctl/crdctl/internal/config"
	"github.com/crdctl/crdctl/internal/gen/markerlint"
	"github.com/crdctl/crdctl/internal/text"
)

// shownMarkers is how many markers have a note of their own.
const shownMarkers = 5

// mistakes returns, by call, the markers below its paths that controller-gen ignores without an error: misspelled ones, and those in a
// place where it reads none. It generates in spite of them, so they are no errors here either.
func mistakes(root string, settings config.ControllerGen) ([][]string, error) {
	calls := settings.Calls
	var dirs []string
	for i := range calls {
		read, _ := Reads(&calls[i])
		dirs = append(dirs, read...)
	}
	slices.Sort(dirs)
	found, err := markerlint.Check(root, slices.Compact(dirs), markerlint.Families{Kubebuilder: true, Fields: true})
	if err != nil {
		return nil, fmt.Errorf("check markers: %w", err)
	}
	all := make([][]string, len(calls))
	for i := range calls {
		read, _ := Reads(&calls[i])
		for _, f := range found {
			if v := cmp.Or(calls[i].Version, settings.Version); f.About == markerlint.Value && semver.IsValid(v) && semver.Compare(v, "v0.7.0") < 0 {
				continue // these versions have other arguments
			}
			if slices.ContainsFunc(read, func(dir string) bool { return text.Below(dir, path.Clean(f.File)) }) {
				all[i] = append(all[i], f.String())
			}
		}
	}
	return all, nil
}

// shorten keeps the first of many notes on markers, and counts the rest.
func shorten(markers []string) []string {
	more := len(markers) - shownMarkers
	if more <= 0 {
		return markers
	}
	return append(slices.Clone(markers[:shownMarkers]), fmt.Sprintf("%d more markers have no effect", more))
}
